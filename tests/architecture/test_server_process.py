"""What the process that serves keeps out of its memory."""

import subprocess
import sys

SEEN = "import sys, scorekeeper.server; print(*sorted(sys.modules))"


def test_the_server_loads_neither_the_migrations_nor_a_database_it_is_not_on() -> None:
    seen = subprocess.run([sys.executable, "-c", SEEN], capture_output=True, text=True, check=True).stdout.split()
    assert "gunicorn.app.base" in seen
    assert {"alembic", "flask_migrate", "sqlalchemy.dialects.postgresql"} & set(seen) == set()
