"""Starting a server on the loopback, and asking it over connections that stay open."""

from __future__ import annotations

import http.client
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parent.parent
THREADS = "16"
IDLE = 1.0
"""Seconds after which a server may be about to close a connection: another is opened, outside what is measured."""


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs: its port, and the process that has the workers as children."""

    port: int
    process: int

    @property
    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text()
        return [int(child) for child in children.split()]

    def memory(self) -> float:
        """The share of memory of its first worker, in MiB."""
        lines = Path(f"/proc/{self.workers[0]}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def ended(process: subprocess.Popen[bytes]) -> None:
    """Tell a server to stop."""
    process.send_signal(signal.SIGTERM)


def killed(process: subprocess.Popen[bytes]) -> None:
    """Kill a server and its workers, whatever they are doing."""
    os.killpg(process.pid, signal.SIGKILL)


Stop = Callable[[subprocess.Popen[bytes]], None]


@contextmanager
def ours(
    database_url: str, folder: Path, *, workers: int = 1, port: int | None = None, stop: Stop = ended
) -> Iterator[Server]:
    """Scorekeeper as ``scorekeeper serve`` runs it."""
    settings = {"SCOREKEEPER_HOST": "127.0.0.1", "SCOREKEEPER_WORKERS": str(workers)}
    port = port or _free_port()
    command = [str(Path(sys.executable).parent / "scorekeeper"), "serve"]
    here = {**_kept_at(database_url, folder), **settings, "SCOREKEEPER_PORT": str(port)}
    with _running(command, here, port, stop) as server:
        yield server


@contextmanager
def under_gunicorn(database_url: str, folder: Path, *, threads: int = 64) -> Iterator[Server]:
    """Scorekeeper under gunicorn, as README has it."""
    port = _free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", "python:scorekeeper.server", "scorekeeper.app:create_app()"]
    command += ["--threads", str(threads), "-b", f"127.0.0.1:{port}", "--log-level", "warning"]
    with _running(command, _kept_at(database_url, folder), port) as server:
        yield server


def _kept_at(database_url: str, folder: Path) -> Mapping[str, str]:
    return {
        "SCOREKEEPER_DATABASE_URL": database_url,
        "SCOREKEEPER_DATA": str(folder),
        "SCOREKEEPER_SECRET_KEY": "for measuring",
    }


@contextmanager
def reference(database: Path, *, workers: int = 1) -> Iterator[Server]:
    """The bare application, served the same way."""
    port = _free_port()
    command = [sys.executable, "-m", "gunicorn", "benchmarks.reference:app", "--preload", "-k", "gthread"]
    command += ["-w", str(workers), "--threads", THREADS, "-b", f"127.0.0.1:{port}", "--log-level", "warning"]
    command += ["--no-control-socket", "--graceful-timeout", "5"]
    with _running(command, {"REFERENCE_DATABASE": str(database)}, port) as server:
        yield server


@contextmanager
def _running(command: list[str], settings: Mapping[str, str], port: int, stop: Stop = ended) -> Iterator[Server]:
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 60
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command} does not answer")
        yield Server(port, process.pid)
    finally:
        stop(process)
        process.wait(timeout=30)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


def _answers(port: int) -> bool:
    browser = Browser(port)
    try:
        return browser.get("/").status < 500
    except OSError:
        return False
    finally:
        browser.close()


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float


@dataclass
class Browser:
    """One connection and its cookies."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    connection: http.client.HTTPConnection = field(init=False)
    asked: float = 0
    """When it was last used, on the clock of :func:`time.monotonic`."""

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def close(self) -> None:
        self.connection.close()

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, data: Mapping[str, str]) -> Answer:
        return self._ask("POST", path, urlencode(data), {"Content-Type": "application/x-www-form-urlencoded"})

    def form(self, path: str, action: str) -> dict[str, str]:
        """What the form of the page at *path* that leads to *action* would send."""
        return fields(self.get(path).body, action)

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        if time.monotonic() - self.asked > IDLE:
            self.connection.close()
            self.connection.connect()
        started = time.perf_counter()
        self.connection.request(method, path, body, {"Cookie": self.cookie, **headers})
        response = self.connection.getresponse()
        content = response.read()
        seconds = time.perf_counter() - started
        self.asked = time.monotonic()
        for header in response.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(header).items()}
        return Answer(response.status, dict(response.headers), content, seconds)


def fields(page: bytes, action: str) -> dict[str, str]:
    """What the form on *page* whose action ends in *action* would send, unless it is filled in."""
    form = next(
        form for form in BeautifulSoup(page, "html.parser").select("form") if str(form["action"]).endswith(action)
    )
    return {
        str(control["name"]): str(control.get("value", ""))
        for control in form.select("input[name]")
        if control.get("type") not in ("radio", "checkbox") or control.has_attr("checked")
    }


def requests_a_second(port: int, path: str, cookie: str, *, clients: int = 16, seconds: float = 4) -> float:
    """How many times *path* is answered when *clients* ask at once, each over and over."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode()
    selector = selectors.DefaultSelector()
    waiting: dict[socket.socket, bytes] = {}
    for _ in range(clients):
        client = socket.create_connection(("127.0.0.1", port))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(client, selectors.EVENT_READ)
        waiting[client] = b""
        client.sendall(request)
    answered, started = 0, time.perf_counter()
    while (now := time.perf_counter()) < started + seconds:
        for key, _ in selector.select(timeout=1):
            client = key.fileobj  # type: ignore[assignment]
            waiting[client] += client.recv(65536)
            if _is_whole(waiting[client]):
                if not waiting[client].startswith(b"HTTP/1.1 200"):
                    raise RuntimeError(waiting[client][:200])
                waiting[client] = b""
                answered += 1
                client.sendall(request)
    for client in waiting:
        selector.unregister(client)
        client.close()
    return answered / (now - started)


def _is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
    )
    return len(body) == length
