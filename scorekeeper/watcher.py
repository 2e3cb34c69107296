"""Notices that a session has moved on, whichever process recorded it, and wakes the streams that follow it.

One thread a process looks for all its streams, and only while there are any.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from cachetools import TTLCache
from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from scorekeeper.models import GameSession, Group
from scorekeeper.queries import PAGE_VERSION
from scorekeeper.services.transaction import NOTIFIED

LOOK_EVERY = 0.1
"""Seconds between two looks for another process's commit on SQLite."""
LULL = 0.5
"""Seconds after which the watcher of PostgreSQL looks up, though nothing was notified."""
RECONNECT_AFTER = 1.0
"""Seconds. Meanwhile every stream sees for itself at each of its beats."""
PER_DEVICE = 4
"""Streams of one device at a time."""
TRIES_AGAIN = 40.0
"""Seconds after which a page without a stream has tried for one again."""
SOON, LATE = 800, 4000
"""Milliseconds: how often such a page asks, at most and at least."""
A_SHARE = 10
"""Milliseconds of a process for each of them: that nothing has changed takes it about one to say."""


class Followed:
    """A session that streams of this process follow: its latest version, as far as the watcher knows."""

    def __init__(self, lock: threading.Lock) -> None:
        self.version = self.followers = 0
        self.moved = threading.Condition(lock)


class Stream:
    """What one device follows: a session, until the server stops, or the device has begun too many others since."""

    def __init__(self, watcher: Watcher, followed: Followed) -> None:
        self.followed = followed
        self.gives_way = False
        self._watcher = watcher

    def wait(self, version: int, seconds: float) -> bool:
        """Wait until the session is past *version*, at most so many *seconds*. False: the stream has to end."""
        with self.followed.moved:
            self.followed.moved.wait_for(lambda: self.followed.version > version or self._ends(), seconds)
            return not self._ends()

    def _ends(self) -> bool:
        return self.gives_way or self._watcher.stopping()


class Watcher:
    """The streams of one process, *most* of them at once. They end when ``stopping`` says that the process does."""

    def __init__(self, most: int) -> None:
        self.stopping: Callable[[], bool] = lambda: False
        self.woken = threading.Event()
        """Set when this process has committed something: the watcher looks at once."""
        self.lock = threading.Lock()
        self.most = most
        self._streams = 0
        self._followed: dict[int, Followed] = {}
        self._of_device: dict[str, list[Stream]] = {}
        self._watching = False
        self._refused: TTLCache[object, None] = TTLCache(LATE // A_SHARE, TRIES_AGAIN)

    @contextmanager
    def following(self, engine: Engine, session_id: int, device: str) -> Iterator[Stream | None]:
        """Follow a session of the database of *engine*; None where there are as many streams as there may be.

        Whatever is committed after a look at the database within it is told.
        """
        with self.lock:
            stream = self._begin(session_id, device) if self._streams < self.most else None
            if stream and not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, args=(engine,), name="watcher", daemon=True).start()
        try:
            yield stream
        finally:
            with self.lock:
                if stream:
                    self._end(stream, session_id, device)

    def refuse(self) -> int:
        """Milliseconds after which a page that gets no stream asks, and asks again: the more such pages, the later."""
        with self.lock:
            self._refused[object()] = None
            return min(max(SOON, A_SHARE * len(self._refused)), LATE)

    def _begin(self, session_id: int, device: str) -> Stream:
        stream = Stream(self, self._followed.setdefault(session_id, Followed(self.lock)))
        own = self._of_device.setdefault(device, [])
        own.append(stream)
        # The first is the likeliest to be of a page that has been left, which shows only at its next beat.
        for first in [one for one in own if not one.gives_way][:-PER_DEVICE]:
            first.gives_way = True
            first.followed.moved.notify_all()
        stream.followed.followers += 1
        self._streams += 1
        return stream

    def _end(self, stream: Stream, session_id: int, device: str) -> None:
        self._streams -= 1
        stream.followed.followers -= 1
        if not stream.followed.followers:
            del self._followed[session_id]
        self._of_device[device].remove(stream)
        if not self._of_device[device]:
            del self._of_device[device]

    def _watch(self, engine: Engine) -> None:
        lost = SQLAlchemyError, engine.dialect.loaded_dbapi.Error
        try:
            while self._goes_on():
                try:
                    self._listen(engine)
                except lost:
                    logging.getLogger(__name__).warning("The watcher has lost the database", exc_info=True)
                    self.woken.clear()
                    self.woken.wait(RECONNECT_AFTER)
        except BaseException:
            # Whoever follows next starts another.
            with self.lock:
                self._watching = False
            raise

    def _listen(self, engine: Engine) -> None:
        """Wake streams as long as there are any and the database answers."""
        connection = engine.raw_connection()
        driver = connection.driver_connection
        # Its own for good: the pool's are for requests.
        connection.detach()
        with closing(connection):
            for committed in _COMMITS[engine.dialect.name](driver, self.woken):
                if not self._goes_on():
                    return
                self._tell(engine, committed=committed)

    def _goes_on(self) -> bool:
        with self.lock:
            self._watching = bool(self._followed)
            return self._watching

    def _tell(self, engine: Engine, *, committed: bool) -> None:
        """Wake the streams whose sessions have moved on, if anything was *committed*; all of them at the end."""
        moved: dict[int, int] = {}
        if committed:
            versions = (
                select(GameSession.id, PAGE_VERSION.label("version"))
                .join(Group, Group.id == GameSession.group_id)
                .where(GameSession.id.in_(list(self._followed)))
            )
            with engine.connect() as connection:
                moved = {row.id: row.version for row in connection.execute(versions)}
        with self.lock:
            for session_id, followed in self._followed.items():
                version = moved.get(session_id, 0)
                if version > followed.version or self.stopping():
                    followed.version = max(version, followed.version)
                    followed.moved.notify_all()


def _commits_on_sqlite(driver: Any, woken: threading.Event) -> Iterator[bool]:
    """Whether anything was committed since the last look; first True."""
    before = None
    while True:
        now = driver.execute("PRAGMA data_version").fetchone()
        yield now != before
        before = now
        woken.wait(LOOK_EVERY)
        woken.clear()


def _commits_on_postgresql(driver: Any, woken: threading.Event) -> Iterator[bool]:
    """Whether a session was notified to have moved on, as soon as one was; first True."""
    driver.autocommit = True
    driver.execute(f"LISTEN {NOTIFIED}")
    yield True
    while True:
        yield bool(list(driver.notifies(timeout=LULL, stop_after=1)))


_COMMITS = {"sqlite": _commits_on_sqlite, "postgresql": _commits_on_postgresql}
