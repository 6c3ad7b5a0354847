"""Opening the store a desk uses as its owner, on a file or on a server."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from backend.clock import Clock
from backend.errors import ErrorCode, StorageFailed
from backend.events import Event, StoreProgress, StoreStep
from backend.paths import Home
from backend.store.counted_database import CountedDatabase
from backend.store.database import Database
from backend.store.epoch import next_epoch
from backend.store.file_outage import WatchedFile
from backend.store.owner_lock import OwnerLock
from backend.store.sqlite import SqliteDatabase
from backend.store.store_location import DatabaseServer, EmbeddedFile, StoreLocation

Recover = Callable[[Database], Awaitable[None]]
Publish = Callable[[Event], None]

MISSING_DRIVER: Final = (
    "a store on a PostgreSQL server needs the extra of this name: pip install 'kandesk[postgres]'"
)


class OwnedStore(Protocol):
    """A store that is open and owned. Use: `start`, then `keep` beside everything, then `close`."""

    @property
    def database(self) -> Database:
        """Refuses writes until `start` is done, and while the store is away."""
        ...

    @property
    def epoch(self) -> int:
        """The number of this start, which rises each time the store is got back (K2.6)."""
        ...

    async def start(self, recover: Recover) -> None:
        """Settle what the last owner left; then everybody may write. Raises as `recover` does."""
        ...

    async def keep(self, publish: Publish) -> None:
        """Watch the store, and get it back when it was lost; runs until it is cancelled."""
        ...

    async def close(self) -> None:
        """Close the database and give the ownership back, also when nothing answers."""
        ...


async def open_store(
    home: Home,
    location: StoreLocation,
    clock: Clock,
    *,
    kind: str,
    progress: Callable[[StoreProgress], None] | None = None,
    allow_migration: bool = False,
) -> OwnedStore:
    """Become the owner of the store and bring it up to date.

    The home is owned too, wherever the rows are: one desk per home. Without `allow_migration` a
    store on a server that has rows is not changed.

    Raises:
        StorageFailed: `store_owned` names the other desk; `store_migration_unconfirmed`; the store
            cannot be used. Nothing was changed.
        TemporarilyUnavailable: the store is locked, or its server is not there.
    """
    lock = OwnerLock.acquire(
        home.database, kind=kind, anywhere=isinstance(location, DatabaseServer)
    )
    try:
        if isinstance(location, EmbeddedFile):
            database = await SqliteDatabase.open(location.path, clock, progress=progress)
            return await _SqliteStore.take(database, clock, lock)
        return await _open_server(location, clock, lock, kind, progress, allow_migration)
    except BaseException:
        lock.release()
        raise


async def open_for_reading(location: StoreLocation, clock: Clock) -> Database:
    """Open a store for a look, beside its owner if it has one.

    Raises:
        StorageFailed: there is none, it must be brought up to date, or it cannot be reached.
    """
    if isinstance(location, EmbeddedFile):
        return await SqliteDatabase.open_read_only(location.path, clock)
    try:
        from backend.store.postgres_store import open_to_read
    except ImportError as error:
        raise missing_driver(location) from error
    return await open_to_read(location, clock)


async def _open_server(
    server: DatabaseServer,
    clock: Clock,
    lock: OwnerLock,
    kind: str,
    progress: Callable[[StoreProgress], None] | None,
    allow_migration: bool,  # noqa: FBT001 - passed on as it came
) -> OwnedStore:
    # Imported here: the driver is an extra, and its libraries are no small part of a start.
    try:
        from backend.store.postgres_store import PostgresStore
    except ImportError as error:
        raise missing_driver(server) from error
    if progress is not None:
        progress(StoreProgress(StoreStep.CONNECT, 0, 0))
    return await PostgresStore.open(
        server, clock, home_lock=lock, kind=kind, progress=progress, allow_migration=allow_migration
    )


class _SqliteStore:
    """Implements `OwnedStore`: the system's lock is lost only where its file is deleted."""

    def __init__(self, database: Database, epoch: int, clock: Clock, lock: OwnerLock) -> None:
        self._database = WatchedFile(CountedDatabase(database, lock.check), clock)
        self._epoch = epoch
        self._lock = lock

    @classmethod
    async def take(cls, database: Database, clock: Clock, lock: OwnerLock) -> "_SqliteStore":
        try:
            async with database.reading() as tx:
                epoch = await next_epoch(tx)
        except BaseException:
            await database.close()
            raise
        return cls(database, epoch, clock, lock)

    @property
    def database(self) -> Database:
        return self._database

    @property
    def epoch(self) -> int:
        return self._epoch

    async def start(self, recover: Recover) -> None:
        await recover(self._database)

    async def keep(self, publish: Publish) -> None:
        await self._database.watch(publish)

    async def close(self) -> None:
        try:
            await self._database.close()
        finally:
            self._lock.release()


def missing_driver(server: DatabaseServer) -> StorageFailed:
    """A store on a server, and no way to talk to it."""
    return StorageFailed(ErrorCode.STORE_UNREACHABLE, MISSING_DRIVER, store=server.text)
