"""One function per thing a person does, each one transaction. No Flask."""
