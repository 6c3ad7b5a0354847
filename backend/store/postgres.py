"""A store on a PostgreSQL server: one writer, a few readers, transactions with deadlines."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from backend.clock import Clock, Deadline
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreProgress
from backend.store.database import Priority, Transaction
from backend.store.dialect import Dialect
from backend.store.pool import ConnectionPool
from backend.store.postgres_connection import PostgresConnection, location_of
from backend.store.postgres_opening import READ, WRITE, check_complete, prepare
from backend.work.tx_hints import Hints

READERS: Final = 4

Progress = Callable[[StoreProgress], None]


class PostgresDatabase:
    """Implements `Database`. Must be closed on the loop that opened it.

    Connections that break are made again by the next transaction that needs one; whatever ran on
    them raises `TemporarilyUnavailable`.
    """

    def __init__(
        self,
        location: str,
        connections: Sequence[PostgresConnection],
        writers: ConnectionPool,
        readers: ConnectionPool,
        *,
        hints: Hints,
        can_write: bool,
    ) -> None:
        self._hints = hints
        self._location = location
        self._connections = connections
        self._writers = writers
        self._readers = readers
        self._can_write = can_write

    @classmethod
    async def open(
        cls,
        conninfo: str,
        clock: Clock,
        *,
        progress: Progress | None = None,
        allow_migration: bool,
    ) -> "PostgresDatabase":
        """Connect and bring the schema up to date, making it first if there is none.

        `conninfo` is libpq's, with the password if one is needed. Cancelling stops a long step;
        finished steps stay.

        Raises:
            StorageFailed: the login is refused, the database is not ours, newer or read-only, or a
                required index cannot be built;
                `store_migration_unconfirmed` when a store with rows must change first and
                `allow_migration` is false. Nothing was overwritten.
            TemporarilyUnavailable: the server is away, or another session keeps a table locked.
        """
        return await cls._opened(
            conninfo,
            1,
            lambda location, writers, readers: prepare(
                writers, readers, location, clock, progress or _ignore, allow_migration
            ),
        )

    @classmethod
    async def open_read_only(cls, conninfo: str, clock: Clock) -> "PostgresDatabase":  # noqa: ARG003
        """Open an up-to-date store for reading beside its owner, if it has one.

        Raises:
            StorageFailed: as `open`; also when there is no store or it must be brought up to date.
        """
        return await cls._opened(
            conninfo, 0, lambda location, _, readers: check_complete(readers, location)
        )

    @classmethod
    async def open_as_found(cls, conninfo: str) -> "PostgresDatabase":
        """Open a database whatever is in it, to examine or to repair it. Raises as `open` does."""
        return await cls._opened(conninfo, 1, _take_as_found)

    @property
    def dialect(self) -> Dialect:
        return Dialect.POSTGRESQL

    @property
    def location(self) -> str:
        return self._location

    @property
    def hints(self) -> Hints:
        return self._hints

    @asynccontextmanager
    async def reading(self, deadline: Deadline | None = None) -> AsyncIterator[Transaction]:
        async with self._readers.transaction(READ, Priority.NORMAL, deadline) as tx:
            yield tx

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        if not self._can_write:
            raise StorageFailed(
                ErrorCode.STORE_READ_ONLY, "the store was opened for reading", store=self.location
            )
        async with self._writers.transaction(WRITE, priority, deadline) as tx:
            yield tx

    def break_off(self) -> None:
        """Cut every connection: what runs fails as retryable, what comes next connects again."""
        for connection in self._connections:
            connection.break_off()

    async def close(self) -> None:
        """Refuse new work, let running transactions end, close the connections."""
        self._readers.refuse()
        self._writers.refuse()
        await self._readers.close()
        await self._writers.close()

    @classmethod
    async def _opened(
        cls,
        conninfo: str,
        writer_count: int,
        check: Callable[[str, ConnectionPool, ConnectionPool], Awaitable[None]],
    ) -> "PostgresDatabase":
        location = location_of(conninfo)
        connections = [PostgresConnection(conninfo) for _ in range(writer_count + READERS)]
        hints = Hints()
        writers = ConnectionPool(connections[:writer_count], hints)
        readers = ConnectionPool(connections[writer_count:])
        database = cls(
            location, connections, writers, readers, hints=hints, can_write=writer_count > 0
        )
        try:
            await _connect(connections)
            await check(location, writers, readers)
        except BaseException:
            await asyncio.shield(database.close())
            raise
        return database


async def _connect(connections: Sequence[PostgresConnection]) -> None:
    """All at once: a server at the far end of a network takes a while for each."""
    outcomes = await asyncio.gather(*(one.open() for one in connections), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise (connections[0].translate(outcome) or outcome) from outcome


async def _take_as_found(
    _location: str, _writers: ConnectionPool, _readers: ConnectionPool
) -> None:
    """Nothing is checked."""


def _ignore(_progress: StoreProgress) -> None:
    """Nobody asked."""
