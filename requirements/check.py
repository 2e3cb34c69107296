"""Say whether the locks were made from the dependencies that pyproject.toml states now.

``check.py`` fails with one line if they were not; ``check.py --stamp`` writes into each lock what it was made from.
Runs before anything is installed, so it needs the standard library only.
"""

import hashlib
import json
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCKS = (HERE / "run.txt", HERE / "dev.txt")


def stated() -> str:
    """Return the first line of a lock made from the dependencies stated in pyproject.toml."""
    pyproject = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))
    project = pyproject["project"]
    tables = [
        project["requires-python"],
        project["dependencies"],
        project["optional-dependencies"],
        pyproject["dependency-groups"],
    ]
    return f"# Locked by `make lock` from {hashlib.sha256(json.dumps(tables).encode()).hexdigest()[:16]}\n"


def main() -> None:
    line = stated()
    for lock in LOCKS:
        text = lock.read_text("utf-8")
        if "--stamp" in sys.argv:
            lock.write_text(line + text, "utf-8")
        elif not text.startswith(line):
            sys.exit(f"requirements/{lock.name} was not made from the dependencies in pyproject.toml: run `make lock`")


main()
