"""How soon a deal is seen on the other phones, and whether they slow down the one that records it.

    python -m benchmarks.live

Two server processes on SQLite, on the loopback. A viewer follows the stream, and when it hears of a deal fetches the
page, as the script on a phone does; the time runs from sending the deal until the page has arrived whole. Those that
poll ask every few seconds whether the page has changed. Server and phones share this machine's processors: the phone
that records is a process of its own, and the one that plays all the others gives way to it and to the server.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.__main__ import opened, recording
from benchmarks.seeds import Evening, evening, seeding
from benchmarks.servers import Server, ours

STREAMS = 10, 100, 200
ON_A_SESSION = 10
"""Viewers of one table."""
IN_ALL = 1_000
ROUNDS = 60
PAUSE = 1.0
"""Seconds between two deals: each of twenty tables plays one in twenty seconds; real ones take a minute or two."""
EVERY = 4.0
"""Seconds between two questions of one who polls: that is what so many are told."""
GIVES_WAY = 10
"""How nice the process is that plays the phones which look on: those have processors of their own."""


@dataclass(frozen=True, slots=True)
class Table:
    """A session that others look at: its page, and their cookies. A device has few streams at a time."""

    page: str
    port: int
    cookies: Sequence[str]

    def request(self, path: str, place: int, tag: str = "") -> bytes:
        cookie = self.cookies[place % len(self.cookies)]
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {cookie}\r\n"
        return f"{head}If-None-Match: {tag}\r\n\r\n".encode()

    async def ask(self, reader: StreamReader, writer: StreamWriter, place: int, tag: str = "") -> str:
        """Ask for the page over a connection that stays open, and return its ETag."""
        writer.write(self.request(self.page, place, tag))
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.lower().split(": ", 1) for line in head.splitlines() if ": " in line)
        await reader.readexactly(int(headers.get("content-length", 0)))
        return headers["etag"]

    async def watch(self, place: int, seen: list[float], ready: asyncio.Semaphore) -> None:
        """Follow the session, and fetch its page whenever it has moved on. A stream that ends is taken up again."""
        version = 0
        while True:
            async with connection(self.port) as (stream, out):
                out.write(self.request(f"{self.page}/live?version={version}", place))
                # The connection outlasts the answer, whose last part is empty.
                while (line := await stream.readline()) not in (b"", b"0\r\n"):
                    if line == b"event: busy\n":
                        raise RuntimeError("a stream was refused")
                    if not line.startswith(b"id: ") or int(line[4:]) == version:
                        continue
                    if version:
                        # A connection that has been idle since the last deal has been closed.
                        async with connection(self.port) as (reader, writer):
                            await self.ask(reader, writer, place)
                        seen.append(time.perf_counter())
                    else:
                        ready.release()
                    version = int(line[4:])

    async def poll(self, place: int, wait: float) -> None:
        """Ask every few seconds whether the page is still what it was, over a connection that stays open."""
        tag = ""
        await asyncio.sleep(wait)
        async with connection(self.port) as (reader, writer):
            while True:
                tag = await self.ask(reader, writer, place, tag)
                await asyncio.sleep(EVERY)


def table(server: Server, evening: Evening) -> Table:
    return Table(evening.page, server.port, [opened(server, evening).cookie for _ in range(ON_A_SESSION)])


@asynccontextmanager
async def connection(port: int) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds: from sending a deal until each viewer saw it, and until it was saved."""

    seen: Sequence[float]
    saved: Sequence[float]

    def __str__(self) -> str:
        return f"{_both(self.seen)} | {_both(self.saved)}"


def _both(seconds: Sequence[float]) -> str:
    if not seconds:
        return "–"
    return f"{statistics.median(seconds) * 1000:.1f} / {statistics.quantiles(seconds, n=20)[-1] * 1000:.1f} ms"


def measure(server: Server, evenings: Sequence[Evening], streams: int, polling: int) -> Figures:
    """Record deals at one table after the other while so many look on."""
    scorers = [recording(opened(server, evening), evening) for evening in evenings]
    saved, sent = [], []
    with phones([table(server, evening) for evening in evenings], streams, polling) as asked:
        for number in range(ROUNDS):
            seconds = scorers[number % len(scorers)]()
            saved.append(seconds)
            sent.append(time.perf_counter() - seconds)
            time.sleep(PAUSE)
        asked.send("seen")
        by_table: list[list[float]] = asked.recv()
    seen, at_each = [], streams // len(evenings)
    for number, began in enumerate(sent):
        rounds, own = number // len(evenings), sorted(by_table[number % len(evenings)])
        if len(own) != at_each * len(sent[number % len(evenings) :: len(evenings)]):
            raise RuntimeError("a viewer missed a deal")
        seen += [when - began for when in own[at_each * rounds :][:at_each]]
    return Figures(seen, saved)


@contextmanager
def phones(tables: Sequence[Table], streams: int, polling: int) -> Iterator[Connection]:
    """So many phones, all ready, that look on at *tables*: asked, they say when each had the page of each deal."""
    here, there = (spawning := get_context("spawn")).Pipe()
    process = spawning.Process(target=_look_on, args=(there, tables, streams, polling), daemon=True)
    process.start()
    there.close()
    try:
        here.recv()
        yield here
    finally:
        process.terminate()
        process.join()


def _look_on(asked: Connection, tables: Sequence[Table], streams: int, polling: int) -> None:
    os.nice(GIVES_WAY)
    asyncio.run(_looking_on(asked, tables, streams, polling))


async def _looking_on(asked: Connection, tables: Sequence[Table], streams: int, polling: int) -> None:
    ready = asyncio.Semaphore(0)
    seen: list[list[float]] = [[] for _ in tables]
    viewers = [
        asyncio.create_task(tables[place % len(tables)].watch(place // len(tables), seen[place % len(tables)], ready))
        for place in range(streams)
    ]
    viewers += [
        asyncio.create_task(tables[place % len(tables)].poll(place // len(tables), EVERY * place / polling))
        for place in range(polling)
    ]
    for _ in range(streams):
        await asyncio.wait_for(ready.acquire(), 30)
    # Those who poll have all begun.
    await asyncio.sleep(EVERY if polling else 0)
    asked.send("ready")
    await asyncio.to_thread(asked.recv)
    if given_up := [viewer for viewer in viewers if viewer.done()]:
        given_up[0].result()
    asked.send(seen)


async def hold(table: Table, place: int, held: asyncio.Semaphore) -> None:
    """Keep a stream open until the server ends it."""
    async with connection(table.port) as (stream, out):
        out.write(table.request(f"{table.page}/live", place))
        await stream.readuntil(b"id: ")
        held.release()
        await stream.read()


async def restarted(url: str, folder: Path, evenings: Sequence[Evening], streams: int) -> float:
    """Seconds from telling a server with so many open streams to stop until another answers in its place."""
    held = asyncio.Semaphore(0)
    with ExitStack() as running:
        server = running.enter_context(ours(url, folder, workers=2))
        tables = [table(server, one) for one in evenings]
        holding = [
            asyncio.create_task(hold(tables[place % len(tables)], place // len(tables), held))
            for place in range(streams)
        ]
        for _ in holding:
            await asyncio.wait_for(held.acquire(), 30)
        began = time.perf_counter()
        await asyncio.to_thread(running.close)
    with ours(url, folder, workers=2, port=server.port):
        seconds = time.perf_counter() - began
    await asyncio.gather(*holding)
    return seconds


def main() -> None:
    """Print the table as it comes."""
    os.environ["SCOREKEEPER_THREADS"] = "256"
    with tempfile.TemporaryDirectory(prefix="scorekeeper-") as name:
        folder = Path(name)
        with seeding(folder / "live.db") as db:
            evenings = [evening(db, deals=100) for _ in range(max(STREAMS) // ON_A_SESSION)]
        with ours(f"sqlite:///{folder / 'live.db'}", folder, workers=2) as server:
            print("| streams | polling | recorded to seen: median / p95 | saved: median / p95 |\n|---|---|---|---|")
            for streams, polling in ((0, 0), *((streams, 0) for streams in STREAMS), (200, IN_ALL - 200)):
                few = evenings[: max(streams // ON_A_SESSION, 1)]
                print(f"| {streams} | {polling} | {measure(server, few, streams, polling)} |", flush=True)
        seconds = asyncio.run(restarted(f"sqlite:///{folder / 'live.db'}", folder, evenings, max(STREAMS)))
        print(f"\nRestarted with {max(STREAMS)} streams open in {seconds:.1f} s.")


if __name__ == "__main__":
    main()
