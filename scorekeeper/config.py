"""Each setting with its default and its check. Every one is read from ``SCOREKEEPER_<NAME>``."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import available_timezones

import platformdirs
import tzlocal
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError


class BadSetting(Exception):
    """A setting that cannot be used; the text says which and why."""


def settings(environment: Mapping[str, str] = os.environ) -> dict[str, object]:
    """Flask's configuration from *environment*.

    :raises BadSetting: if a value is not of its kind.
    """
    data = Path(environment.get("SCOREKEEPER_DATA") or platformdirs.user_data_dir("scorekeeper", appauthor=False))
    database = environment.get("SCOREKEEPER_DATABASE_URL")
    port = environment.get("SCOREKEEPER_PORT")
    timezone = environment.get("SCOREKEEPER_TIMEZONE") or tzlocal.get_localzone_name() or "UTC"
    if timezone not in available_timezones():
        raise BadSetting(f"SCOREKEEPER_TIMEZONE must name a time zone such as Europe/Luxembourg, not {timezone!r}.")
    return {
        "DATA": str(data),
        "SECRET_KEY": environment.get("SCOREKEEPER_SECRET_KEY"),
        "SQLALCHEMY_DATABASE_URI": kept_in(database) if database else f"sqlite:///{data / 'scorekeeper.db'}",
        "HOST": environment.get("SCOREKEEPER_HOST", "0.0.0.0"),  # phones on the same network are the point
        "PORT": None if not port else whole_number("SCOREKEEPER_PORT", port, 1, 65535),
        "WORKERS": whole_number("SCOREKEEPER_WORKERS", environment.get("SCOREKEEPER_WORKERS") or "1", 1, 64),
        "THREADS": whole_number("SCOREKEEPER_THREADS", environment.get("SCOREKEEPER_THREADS") or "64", 1, 512),
        "BABEL_DEFAULT_TIMEZONE": timezone,
        "PROXIES": whole_number("SCOREKEEPER_PROXIES", environment.get("SCOREKEEPER_PROXIES") or "0", 0, 9),
        "SESSION_COOKIE_SECURE": environment.get("SCOREKEEPER_HTTPS", "") == "1",
        # Without it, phones also drop the service worker and the pages they have kept.
        "OFFLINE": environment.get("SCOREKEEPER_OFFLINE", "1") != "0",
    }


def kept_in(database: str) -> str:
    """:raises BadSetting: if *database* is not the URL of one that can be used. A password in it is not repeated."""
    with suppress(ArgumentError, ValueError):
        url = make_url(database)
        in_memory = url.drivername == "sqlite" and url.database in {None, "", ":memory:"}
        if url.drivername.startswith("postgresql") and not find_spec("psycopg"):
            raise BadSetting(
                "SCOREKEEPER_DATABASE_URL names PostgreSQL, which needs: pip install 'scorekeeper[postgres]'"
            )
        if url.drivername in {"sqlite", "postgresql", "postgresql+psycopg"} and not in_memory:
            return database
    raise BadSetting(
        "SCOREKEEPER_DATABASE_URL must be like sqlite:////srv/scores.db or postgresql+psycopg://user@host/scores."
    )


def whole_number(name: str, text: str, low: int, high: int) -> int:
    """:raises BadSetting: if *text* is not a whole number from *low* to *high*."""
    if not text.isdecimal() or not low <= int(text) <= high:
        raise BadSetting(f"{name} must be a whole number from {low} to {high}, not {text!r}.")
    return int(text)


def kept_secret_key(data: Path) -> str:
    """The secret key of this machine, made on first use and readable by its owner only.

    Two processes that start at once agree on one key: the file appears whole, and only the first can make it appear.
    """
    data.mkdir(parents=True, exist_ok=True)
    path = data / "secret_key"
    if not path.exists():
        draft = path.with_name(f"secret_key.{secrets.token_hex(8)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text("ascii").strip()
