"""Where the app is served, and what the terminal says about it."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask_babel import Babel

from scorekeeper import serve, server, watcher
from scorekeeper.serve import CannotListen, choose_port
from scorekeeper.server import Addresses, addresses, announcement

LOCAL = "127.0.0.1"
START: Any = None
"""What an application would begin its answer with."""


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server((LOCAL, 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def speaking() -> Iterator[None]:
    app = Flask(__name__)
    Babel(app)
    with app.app_context():
        yield


def test_a_free_port_that_was_asked_for_is_used() -> None:
    with socket.create_server((LOCAL, 0)) as server:
        free = server.getsockname()[1]
    assert choose_port(LOCAL, free) == free


def test_a_taken_port_that_was_asked_for_is_refused(taken_port: int) -> None:
    with pytest.raises(CannotListen) as refused:
        choose_port(LOCAL, taken_port)
    assert (refused.value.port, refused.value.taken) == (taken_port, True)


def test_without_a_wish_a_taken_port_is_passed_over(taken_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "FIRST_PORT", taken_port)
    chosen = choose_port(LOCAL, None)
    assert chosen > taken_port
    socket.create_server((LOCAL, chosen)).close()


def test_it_gives_up_when_every_port_is_taken(taken_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "FIRST_PORT", taken_port)
    monkeypatch.setattr(serve, "LAST_PORT", taken_port)
    with pytest.raises(CannotListen) as refused:
        choose_port(LOCAL, None)
    assert refused.value.taken


@pytest.mark.parametrize("wanted", [None, 5000])
def test_a_host_that_is_not_this_machine_is_refused_at_once(wanted: int | None) -> None:
    with pytest.raises(CannotListen) as refused:
        choose_port("203.0.113.9", wanted)
    assert not refused.value.taken


def test_on_every_interface_phones_use_the_network_address() -> None:
    assert addresses("0.0.0.0", 5000, "192.168.1.20") == Addresses("http://localhost:5000", "http://192.168.1.20:5000")


def test_without_a_network_there_is_no_address_for_phones() -> None:
    assert addresses("0.0.0.0", 5000, None) == Addresses("http://localhost:5000", None)


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80"), ("localhost", "http://localhost:80")],
)
def test_a_loopback_host_is_kept_from_phones(host: str, url: str) -> None:
    assert addresses(host, 80, "192.168.1.20") == Addresses(url, None)


def test_a_host_of_its_own_is_the_address_for_everyone() -> None:
    url = "http://192.168.1.20:5001"
    assert addresses("192.168.1.20", 5001, "10.0.0.7") == Addresses(url, url)


def test_a_page_that_has_no_stream_finds_its_connection_still_open() -> None:
    assert server.keepalive * 1000 >= 2 * watcher.LATE


@pytest.mark.usefixtures("speaking")
def test_the_terminal_shows_both_addresses_and_a_code() -> None:
    shown = announcement(Addresses("http://localhost:5000", "http://192.168.1.20:5000"))
    assert "http://localhost:5000" in shown
    assert "http://192.168.1.20:5000" in shown
    assert "▀" in shown


@pytest.mark.usefixtures("speaking")
def test_without_an_address_for_phones_the_terminal_says_so_and_shows_no_code() -> None:
    shown = announcement(Addresses("http://localhost:5000", None))
    assert "Other phones cannot reach it" in shown
    assert "▀" not in shown


def test_a_connection_that_stalls_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "STALLED", 1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server.when_ready(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listener)]))
        with socket.create_connection(listener.getsockname()) as client, listener.accept()[0] as accepted:
            client.sendall(b"GET / HT")
            assert accepted.recv(100) == b"GET / HT"
            with pytest.raises(BlockingIOError):
                accepted.recv(100)


def test_pages_take_turns_and_what_is_sent_passes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "TURN", 60)
    begun, ends = Semaphore(0), Event()

    def app(environ: dict[str, Any], _start: object) -> list[bytes]:
        begun.release()
        ends.wait(60)
        return [b""]

    turns = server.Turns(app)
    with ThreadPoolExecutor(server.AT_ONCE + 2) as threads:
        pages = [threads.submit(turns, {"REQUEST_METHOD": "GET"}, START) for _ in range(server.AT_ONCE + 1)]
        for _ in range(server.AT_ONCE):
            assert begun.acquire(timeout=60)
        sent = threads.submit(turns, {"REQUEST_METHOD": "POST"}, START)
        assert begun.acquire(timeout=60)
        assert not begun.acquire(blocking=False)
        ends.set()
        assert [one.result(60) for one in (*pages, sent)] == [[b""]] * (server.AT_ONCE + 2)
    assert begun.acquire(blocking=False)


def test_a_page_whose_turn_does_not_come_goes_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "TURN", 0)
    monkeypatch.setattr(server, "AT_ONCE", 0)
    assert list(server.Turns(lambda *_: [b"page"])({"REQUEST_METHOD": "GET"}, START)) == [b"page"]


@pytest.mark.parametrize("waits", [0, 60])
def test_a_page_that_fails_gives_back_the_turn_that_it_had_and_no_other(
    monkeypatch: pytest.MonkeyPatch, waits: int
) -> None:
    monkeypatch.setattr(server, "TURN", waits)
    free = Semaphore(1 if waits else 0)

    def app(_environ: dict[str, Any], _start: object) -> list[bytes]:
        raise ZeroDivisionError

    turns = server.Turns(app)
    monkeypatch.setattr(turns, "_free", free)
    with pytest.raises(ZeroDivisionError):
        turns({"REQUEST_METHOD": "GET"}, START)

    # It would go on without a turn as well, only later: what is free tells.
    assert free.acquire(blocking=False) == bool(waits)
    assert not free.acquire(blocking=False)
