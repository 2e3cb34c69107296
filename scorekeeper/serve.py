"""Before the app is served: the port, and the database brought up to date."""

from __future__ import annotations

import errno
import os
import socket
import sys
from typing import NoReturn

import click
import flask_migrate
from flask import Flask
from flask_babel import gettext as _

FIRST_PORT = 5000
LAST_PORT = 65535


class CannotListen(Exception):
    """The *host* and *port* that were asked for cannot be served on, for the system's *reason*."""

    def __init__(self, host: str, port: int, *, taken: bool, reason: str) -> None:
        super().__init__(f"{host}, port {port}: {reason}")
        self.host = host
        self.port = port
        self.taken = taken
        self.reason = reason


def serve(app: Flask) -> NoReturn:
    """Bring the database of *app* up to date, and become the process that serves it (``server``).

    :raises click.ClickException: if the configured host and port cannot be served on.
    """
    with app.app_context():
        try:
            port = choose_port(app.config["HOST"], app.config["PORT"])
        except CannotListen as error:
            raise click.ClickException(_explained(error)) from error
        flask_migrate.upgrade()
    # A fresh interpreter holds nothing of Alembic (12 MiB). -P: it imports nothing from the folder it is started in.
    command = [sys.executable, "-P", "-m", "scorekeeper.server"]
    os.execve(command[0], command, {**os.environ, "SCOREKEEPER_PORT": str(port)})


def choose_port(host: str, wanted: int | None) -> int:
    """Return the port to serve on: *wanted*, or without it the first free one from 5000 on.

    :raises CannotListen: if *wanted* is taken, or *host* is no address of this machine.
    """
    for port in range(FIRST_PORT, LAST_PORT + 1) if wanted is None else [wanted]:
        try:
            socket.create_server((host, port), family=_family(host)).close()
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            if wanted is None and taken and port < LAST_PORT:
                continue
            raise CannotListen(host, port, taken=taken, reason=error.strerror or str(error)) from error
        else:
            break
    return port


def _explained(error: CannotListen) -> str:
    if error.taken:
        return _("Port %(port)d is taken: stop what uses it, or set SCOREKEEPER_PORT to another.", port=error.port)
    return _(
        "Cannot serve on %(host)s, port %(port)d: %(reason)s.", host=error.host, port=error.port, reason=error.reason
    )


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
