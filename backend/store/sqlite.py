"""The embedded store: one writer, a few readers, every transaction with its deadline."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from backend.clock import Clock, Deadline
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreProgress
from backend.store.checkpoints import Checkpoints
from backend.store.connection import SqliteConnection
from backend.store.database import Priority, Transaction
from backend.store.dialect import Dialect
from backend.store.files_in_place import FilesInPlace
from backend.store.opening import check_readable, prepare
from backend.store.pool import ConnectionPool
from backend.store.sqlite_errors import translate
from backend.work.tx_hints import Hints

READERS: Final = 4

Progress = Callable[[StoreProgress], None]


class SqliteDatabase:
    """Implements `Database`. Must be closed on the loop that opened it."""

    def __init__(
        self, path: Path, writers: list[SqliteConnection], readers: list[SqliteConnection]
    ) -> None:
        self._path = path
        self._hints = Hints()
        self._writers = ConnectionPool(writers, self._hints)
        self._readers = ConnectionPool(readers)
        self._can_write = bool(writers)
        self._files = FilesInPlace(path)
        self._checkpoints = Checkpoints(path, self._files)

    @classmethod
    async def open(
        cls, path: Path, clock: Clock, *, progress: Progress | None = None
    ) -> "SqliteDatabase":
        """Open the store and bring its schema up to date, making it first if there is none.

        Before an existing store changes it is backed up. Cancelling stops a long step; finished
        steps stay.

        Raises:
            StorageFailed: it is not a store of ours, newer, damaged, read-only or out of room,
                or a required index cannot be built. Nothing was overwritten.
            TemporarilyUnavailable: another program keeps it locked.
        """
        await _in_thread(lambda stop, tell: prepare(path, clock.now(), stop, tell), progress)
        writer = SqliteConnection(path, read_only=False)
        return await cls._connect(path, [writer])

    @classmethod
    async def open_read_only(cls, path: Path, clock: Clock) -> "SqliteDatabase":  # noqa: ARG003
        """Open an existing, up-to-date store for reading beside its owner, if it has one.

        Raises:
            StorageFailed: as `open`; also when there is no store or it must be brought up to date.
        """
        await _in_thread(lambda _stop, _tell: check_readable(path), None)
        return await cls._connect(path, [])

    @property
    def dialect(self) -> Dialect:
        return Dialect.SQLITE

    @property
    def location(self) -> str:
        return str(self._path)

    @property
    def hints(self) -> Hints:
        return self._hints

    @asynccontextmanager
    async def reading(self, deadline: Deadline | None = None) -> AsyncIterator[Transaction]:
        async with self._readers.transaction("BEGIN", Priority.NORMAL, deadline) as tx:
            yield tx

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        if not self._can_write:
            raise StorageFailed(
                ErrorCode.STORE_READ_ONLY, "the store was opened for reading", store=self.location
            )
        async with self._writers.transaction("BEGIN IMMEDIATE", priority, deadline) as tx:
            tx.before_commit(self._files.check)
            yield tx
        self._checkpoints.committed()

    async def close(self) -> None:
        """Refuse new work, let running transactions end, release the files."""
        self._readers.refuse()
        self._writers.refuse()
        await self._readers.close()
        await self._writers.close()
        await self._checkpoints.close()

    @classmethod
    async def _connect(cls, path: Path, writers: list[SqliteConnection]) -> "SqliteDatabase":
        readers = [SqliteConnection(path, read_only=True) for _ in range(READERS)]
        opened: list[SqliteConnection] = []
        try:
            for connection in (*writers, *readers):
                await connection.open()
                opened.append(connection)
        except BaseException as error:
            for connection in opened:
                await connection.close()
            if isinstance(error, sqlite3.Error):
                raise (translate(error, str(path)) or error) from error
            raise
        return cls(path, writers, readers)


async def _in_thread(
    work: Callable[[threading.Event, Callable[[StoreProgress], None]], None],
    progress: Progress | None,
) -> None:
    """Run blocking work beside the loop; cancelling asks it to stop and waits until it has."""
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def tell(event: StoreProgress) -> None:
        if progress is not None:
            loop.call_soon_threadsafe(progress, event)

    running = asyncio.ensure_future(asyncio.to_thread(work, stop, tell))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({running})
        # Its result no longer matters; asking for it keeps asyncio from reporting it.
        running.exception()
        raise
