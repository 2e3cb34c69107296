"""The process that serves the app to the phones around the table: ``python -m scorekeeper.server``.

``scorekeeper serve`` starts it, on a database that is up to date. Whoever runs gunicorn themselves has it read here how
to: ``gunicorn -c python:scorekeeper.server 'scorekeeper.app:create_app()'``.
"""

from __future__ import annotations

import gc
import io
import socket
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Semaphore
from typing import TYPE_CHECKING

import click
import segno
from flask import Flask
from flask_babel import gettext as _
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker
from werkzeug.test import create_environ, run_wsgi_app

from scorekeeper.app import app_of_this_machine
from scorekeeper.extensions import db
from scorekeeper.watcher import Watcher
from scorekeeper.web.links import is_loopback
from scorekeeper.web.live import SPARE

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

worker_class = "gthread"
graceful_timeout = 5
"""Seconds that a worker which has been told to end has for what it is doing."""
keepalive = 10
"""Seconds that a connection is kept for the next request, as pages without a stream ask often: to begin one costs
nearly as much as to answer that nothing has changed."""
STALLED = 20
"""Seconds without a byte after which a connection in the middle of a request or an answer is given up."""
AT_ONCE = 2
"""Pages that a process works out at a time, as a rule: more would take as long together, and slow down who saves."""
TURN = 0.2
"""Seconds that a page waits at most for its turn: some take long."""
SWITCH_EVERY = 0.001
"""Seconds after which a thread that draws a page lets others go on: where many look on, one that saves a deal waits for
its turn after each of its statements."""


def when_ready(arbiter: Arbiter) -> None:
    """A phone that loses the network in the middle of a request, or sends half of one, does not keep its thread.

    Connections have from the socket on which they are accepted how long the system waits for them.
    """
    for listener in arbiter.LISTENERS:
        for waits in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, waits, struct.pack("@ll", STALLED, 0))


def post_worker_init(worker: Worker) -> None:
    """A worker that has been told to end does not wait for its streams, which never take all threads that it has.

    While it runs, busy threads give way soon, and pages take turns.
    """
    sys.setswitchinterval(SWITCH_EVERY)
    worker.wsgi.wsgi_app = Turns(worker.wsgi.wsgi_app)
    watcher: Watcher = worker.wsgi.extensions["watcher"]
    watcher.stopping = lambda: not worker.alive
    watcher.most = worker.cfg.threads - SPARE


class Turns:
    """Pages take turns, and what is sent passes them: threads of one interpreter only share its time.

    A stream has its turn for its beginning alone.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        self._free = Semaphore(AT_ONCE)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "GET":
            return self._app(environ, start_response)
        in_turn = self._free.acquire(timeout=TURN)
        try:
            return self._app(environ, start_response)
        finally:
            if in_turn:
                self._free.release()


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the app is reached: from this machine, and from phones on its network if they can reach it."""

    here: str
    phones: str | None


def main() -> None:
    """Serve the app until it is interrupted. Prints where it is reached once it answers there."""
    app = app_of_this_machine()
    warm_up(app)
    _Server(app).run()


def warm_up(app: Flask) -> None:
    """Load what pages need: once, before the workers are forked that then share it."""
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
    run_wsgi_app(app, create_environ("/"))
    with app.app_context():
        # A pooled connection must not be shared.
        db.engine.dispose()
    # Nor does collecting garbage touch, and so copy, what is shared.
    gc.collect()
    gc.freeze()


def addresses(host: str, port: int, network_address: str | None) -> Addresses:
    """Return where an app bound to *host* and *port* is reached.

    *network_address* is this machine's own on its network, ``None`` if it is on none.
    """
    if host in {"0.0.0.0", "::"}:
        return Addresses(f"http://localhost:{port}", network_address and f"http://{network_address}:{port}")
    url = f"http://{_bracketed(host)}:{port}"
    return Addresses(url, None if is_loopback(host) else url)


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
    return None if is_loopback(address) else address


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

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._host: str = app.config["HOST"]
        self._port: int = app.config["PORT"]
        super().__init__()

    def load_config(self) -> None:
        settings = {
            "bind": f"{_bracketed(self._host)}:{self._port}",
            "worker_class": worker_class,
            "workers": self._app.config["WORKERS"],
            "threads": self._app.config["THREADS"],
            "graceful_timeout": graceful_timeout,
            "keepalive": keepalive,
            "control_socket_disable": True,
            "loglevel": "warning",
            "when_ready": self._announce,
            "post_worker_init": post_worker_init,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app

    def _announce(self, arbiter: Arbiter) -> None:
        when_ready(arbiter)
        with self._app.app_context():
            click.echo(announcement(addresses(self._host, self._port, network_address())))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


if __name__ == "__main__":
    main()
