"""`kandesk doctor --repair`: metadata nobody can read is moved out of the way, after a backup."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from backend.clock import Clock
from backend.errors import ErrorCode, StorageFailed
from backend.paths import Home
from backend.store.metadata_check import REPAIR, BadRow
from backend.store.owned import missing_driver
from backend.store.owner_lock import OwnerLock
from backend.store.quarantine import quarantine
from backend.store.store_location import DatabaseServer, EmbeddedFile, StoreLocation

BACKED_UP: Final = "--backed-up"
_NAMED_ROWS: Final = 20
_NOTHING: Final = "nothing to repair: all metadata is JSON"


def repair(home: Home, location: StoreLocation, clock: Clock, *, backed_up: bool) -> Iterator[str]:
    """What was done, in lines.

    Raises:
        StorageFailed: a desk runs; a store on a server would be changed and `backed_up` is false;
            the store cannot be used. Nothing was changed.
    """
    if isinstance(location, EmbeddedFile) and not location.is_made:
        yield "nothing to repair: there is no store yet"
        return
    home.create()
    anywhere = isinstance(location, DatabaseServer)
    lock = OwnerLock.acquire(home.database, kind="command", anywhere=anywhere)
    try:
        if isinstance(location, EmbeddedFile):
            yield from _repair_file(location, clock)
        else:
            yield from _repair_server(location, clock, backed_up=backed_up)
    finally:
        lock.release()


def _repair_file(file: EmbeddedFile, clock: Clock) -> Iterator[str]:
    done = quarantine(file.path, clock.now())
    if not done.moved:
        yield _NOTHING
        return
    if done.backup is None:
        yield "no backup was made: the disk has no room for one"
    else:
        yield f"the store as it was: {done.backup}"
    yield from _moved(done.moved)


def _repair_server(server: DatabaseServer, clock: Clock, *, backed_up: bool) -> Iterator[str]:
    # Imported here: the driver is an extra.
    try:
        from backend.store.postgres_repair import repair_server
    except ImportError as error:
        raise missing_driver(server) from error
    try:
        moved = asyncio.run(repair_server(server, clock, backed_up=backed_up))
    except StorageFailed as error:
        if error.code is not ErrorCode.STORE_MIGRATION_UNCONFIRMED:
            raise
        detail = f"{error.detail}; then run: {REPAIR} {BACKED_UP}"
        raise StorageFailed(error.code, detail, **error.params) from error
    if not moved:
        yield _NOTHING
    yield from _moved(moved)


def _moved(rows: Sequence[BadRow]) -> Iterator[str]:
    for row in rows[:_NAMED_ROWS]:
        yield f"moved the metadata of {row.table} {row.row_id} to quarantined_metadata"
    if len(rows) > _NAMED_ROWS:
        yield f"and of {len(rows) - _NAMED_ROWS} more rows"
