"""Serve the app to the phones around the table."""

import errno
import gc
import io
import ipaddress
import socket
from dataclasses import dataclass

import click
import flask_migrate
import segno
from flask import Flask
from flask_babel import gettext as _
from gunicorn.app.base import BaseApplication

from scorekeeper.extensions import db

FIRST_PORT = 5000
LAST_PORT = 65535
THREADS = 16
"""Requests one worker answers at the same time."""


class CannotListen(Exception):
    """The *host* and *port* that were asked for cannot be served on, for the system's *reason*."""

    def __init__(self, host: str, port: int, *, taken: bool, reason: str) -> None:
        super().__init__(f"{host}, port {port}: {reason}")
        self.host = host
        self.port = port
        self.taken = taken
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the app is reached: from this machine, and from phones on its network if they can reach it."""

    here: str
    phones: str | None


def serve(app: Flask) -> None:
    """Bring the database up to date and serve *app* until it is interrupted.

    Prints where the app is reached once it answers there.

    :raises click.ClickException: if the configured host and port cannot be served on.
    """
    host, workers = app.config["HOST"], app.config["WORKERS"]
    with app.app_context():
        try:
            port = choose_port(host, app.config["PORT"])
        except CannotListen as error:
            raise click.ClickException(_explained(error)) from error
        flask_migrate.upgrade()
        # What one page loads is loaded once, and shared by the workers that are forked next.
        app.test_client().get("/")
        # A pooled connection must not be shared.
        db.engine.dispose()
    # Nor does collecting garbage touch, and so copy, what is shared.
    gc.collect()
    gc.freeze()
    _Server(app, host, port, workers).run()


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


def addresses(host: str, port: int, network_address: str | None) -> Addresses:
    """Return where an app bound to *host* and *port* is reached.

    *network_address* is this machine's own on its network, ``None`` if it is on none.
    """
    if host in {"0.0.0.0", "::"}:
        return Addresses(f"http://localhost:{port}", network_address and f"http://{network_address}:{port}")
    url = f"http://{_bracketed(host)}:{port}"
    return Addresses(url, None if _is_loopback(host) else url)


def network_address() -> str | None:
    """Return this machine's address on its network, ``None`` if it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing: it only picks the address a packet would leave from.
            # The target is set aside for documentation (RFC 5737), so it is always beyond the network.
            probe.connect(("203.0.113.9", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if _is_loopback(address) else address


def announcement(reached: Addresses) -> str:
    """Return what the terminal shows: the addresses, and the phones' one as a QR code."""
    lines = [_("Scorekeeper is at %(url)s", url=reached.here)]
    if reached.phones is None:
        lines.append(
            _("Other phones cannot reach it: this machine is on no network, or SCOREKEEPER_HOST keeps it here.")
        )
    else:
        code = io.StringIO()
        segno.make(reached.phones).terminal(code, compact=True)
        lines += [_("Other phones on this network: %(url)s", url=reached.phones), code.getvalue()]
    return "\n".join([*lines, _("Ctrl-C stops it.")])


class _Server(BaseApplication):  # type: ignore[misc]
    """Gunicorn around one app, configured here instead of by its own command line."""

    def __init__(self, app: Flask, host: str, port: int, workers: int) -> None:
        self._app = app
        self._host = host
        self._port = port
        self._workers = workers
        super().__init__()

    def load_config(self) -> None:
        settings = {
            "bind": f"{_bracketed(self._host)}:{self._port}",
            "worker_class": "gthread",
            "workers": self._workers,
            "threads": THREADS,
            "graceful_timeout": 5,
            "control_socket_disable": True,
            "loglevel": "warning",
            "when_ready": self._announce,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app

    def _announce(self, server: object) -> None:
        with self._app.app_context():
            click.echo(announcement(addresses(self._host, self._port, network_address())))


def _explained(error: CannotListen) -> str:
    if error.taken:
        return _("Port %(port)d is taken: stop what uses it, or set SCOREKEEPER_PORT to another.", port=error.port)
    return _(
        "Cannot serve on %(host)s, port %(port)d: %(reason)s.", host=error.host, port=error.port, reason=error.reason
    )


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
