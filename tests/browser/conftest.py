"""The browser: Debian's Chromium where it is installed, otherwise the one Playwright brought."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from playwright.sync_api import Browser, Page, expect
from sqlalchemy.orm import Session

from tests.browser.places import Places, make_places

SCOREKEEPER = str(Path(sys.executable).with_name("scorekeeper"))

CHROMIUM: dict[str, Any] = {
    "executable_path": shutil.which("chromium"),
    # As root, as in a container, Chromium does not start with its sandbox.
    "chromium_sandbox": False,
    "args": [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ],
}

# What takes a moment here takes many on a busy machine.
expect.set_options(timeout=15_000)

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True}


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, **CHROMIUM}


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Browser:
    """A Chromium without service workers: it now and then never finishes closing a context that has one."""
    for name in ("new_context", "new_page"):
        setattr(browser, name, partial(getattr(browser, name), service_workers="block"))
    return browser


@dataclass(frozen=True)
class Server:
    """The app as `scorekeeper serve` runs it, with data of its own."""

    url: str
    environment: dict[str, str]
    process: int

    def kill(self) -> None:
        """End it, and all its processes, in the middle of whatever it does."""
        os.killpg(self.process, signal.SIGKILL)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the `scorekeeper` command on the same data."""
        return subprocess.run(
            [SCOREKEEPER, *arguments], env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    @property
    def stored(self) -> Path:
        """Where its data is."""
        return Path(self.environment["SCOREKEEPER_DATA"]) / "scorekeeper.db"

    @contextmanager
    def database(self) -> Iterator[Session]:
        """The server's data, as another process sees and changes it."""
        engine = sqlalchemy.create_engine(f"sqlite:///{self.stored}")
        with Session(engine) as session:
            yield session
        engine.dispose()


@contextmanager
def running_server(data: Path, port: int = 0, **settings: str) -> Iterator[Server]:
    """A server that keeps its data in the folder *data*, on *port* or a free one, with more *settings*."""
    with socket.create_server(("127.0.0.1", port)) as probe:
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "SCOREKEEPER_DATA": str(data),
        "SCOREKEEPER_HOST": "127.0.0.1",
        "SCOREKEEPER_PORT": str(port),
        "SCOREKEEPER_TIMEZONE": "Europe/Luxembourg",
        **settings,
    }
    command = [SCOREKEEPER, "serve"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        # It says where it is once it answers there.
        for line in process.stdout:
            if f"localhost:{port}" in line or f"127.0.0.1:{port}" in line:
                break
        try:
            yield Server(f"http://127.0.0.1:{port}", environment, process.pid)
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def db(server: Server) -> Iterator[Session]:
    """What the server stores."""
    with server.database() as session:
        yield session


@pytest.fixture(scope="session")
def places(server: Server) -> Places:
    """A group with sessions in every state. Tests look at them only; what they change they make themselves."""
    with server.database() as session:
        return make_places(session)


def watch(page: Page) -> list[str]:
    """Errors on the console of *page* and requests to other hosts, as they come."""
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url) if "://127.0.0.1:" not in request.url else None)
    return troubles


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page on a phone held upright. Errors on its console and requests to other hosts fail the test."""
    context = browser.new_context(**PHONE, is_mobile=True)
    page = context.new_page()
    troubles = watch(page)
    yield page
    context.close()
    assert not troubles
