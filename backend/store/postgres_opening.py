"""Telling a database of ours from anything else, and making it ready, before it serves."""

import shlex
import threading
from datetime import UTC, datetime
from typing import Final

from backend.clock import Clock
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreStep
from backend.store.database import Priority, Transaction
from backend.store.pool import ConnectionPool
from backend.store.postgres_build import following_build
from backend.store.postgres_catalog import (
    Catalog,
    hidden_schema,
    read_catalog,
)
from backend.store.postgres_converge import (
    MARK,
    Step,
    pending_steps,
    too_long_for,
)
from backend.store.postgres_shape import check_shape
from backend.store.schema import DELIVERIES, DRAFTS, MAJOR, MESSAGES, SESSIONS, SETTINGS, TABLES
from backend.store.schema import TASKS as TASKS_TABLE
from backend.store.step_progress import StepProgress, Tell

WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_ENCODING: Final = "UTF8"
_WITH_ROWS: Final = (TASKS_TABLE, SESSIONS, MESSAGES, DELIVERIES, DRAFTS)


async def prepare(
    writers: ConnectionPool,
    readers: ConnectionPool,
    location: str,
    clock: Clock,
    tell: Tell,
    allow_migration: bool,  # noqa: FBT001
) -> None:
    """Make the store complete, creating it when there is none.

    Raises:
        StorageFailed: see `PostgresDatabase.open`.
    """
    async with writers.transaction(WRITE, Priority.NORMAL, None) as tx:
        steps, with_rows = await _look(tx, location, remember=True)
    if steps and with_rows and not allow_migration:
        raise _unconfirmed(steps, location, clock)
    progress = StepProgress(tell, threading.Event(), clock.monotonic)
    for number, step in enumerate(steps, start=1):
        try:
            async with writers.transaction(WRITE, Priority.NORMAL, None) as tx:
                rows = await _row_estimate(tx, step.table) if step.table else 0
                progress.begin(
                    step.kind, rows, subject=step.subject, number=number, count=len(steps)
                )
                async with following_build(tx, readers, step, progress, rows):
                    await step.apply(tx)
        except StorageFailed as error:
            if error.code is ErrorCode.STORE_INVALID_ROW and step.subject:
                await _name_rows(readers, step)
            raise
        progress.end()
    if steps:
        await check_complete(writers, location, remember=True)
        progress.say(StoreStep.DONE, len(steps), len(steps))


async def _name_rows(readers: ConnectionPool, step: Step) -> None:
    """Raises what the server's own error does not say: which rows."""
    async with readers.transaction(READ, Priority.NORMAL, None) as tx:
        named = await too_long_for(tx, step)
    if named is not None:
        raise named


async def check_complete(pool: ConnectionPool, location: str, *, remember: bool = False) -> None:
    """Raises `StorageFailed` unless the database is a complete store of this version.

    `remember` writes down that it is one, which makes the next look at it short.
    """
    async with pool.transaction(WRITE, Priority.NORMAL, None) as tx:
        steps, _ = await _look(tx, location, remember=remember)
    if steps:
        raise StorageFailed(
            ErrorCode.STORE_UNREACHABLE,
            f"the store at {location} is not complete; starting Kandesk must"
            f" {', '.join(step.text for step in steps)}",
            store=location,
        )


async def _look(tx: Transaction, location: str, *, remember: bool) -> tuple[tuple[Step, ...], bool]:
    """The steps the store needs, and whether it holds anything; reads the catalog only."""
    catalog = await check_ours(tx, location)
    steps = await pending_steps(tx, catalog)
    with_rows = await has_rows(tx, catalog)
    # Last: its temporary copies hide the tables for the rest of the transaction.
    await check_shape(tx, catalog, remember=remember and not steps)
    return steps, with_rows


async def check_ours(tx: Transaction, location: str) -> Catalog:
    """What there is, if it is ours or nothing yet.

    Raises:
        StorageFailed: the database is not ours, or a newer Kandesk has written it.
    """
    catalog = await read_catalog(tx)
    await _check_server(tx, catalog, location)
    await _check_mark(tx, catalog, location)
    return catalog


async def _check_server(tx: Transaction, catalog: Catalog, location: str) -> None:
    row = await tx.fetch_one("SHOW server_encoding")
    found = "" if row is None else str(row["server_encoding"])
    if found != _ENCODING:
        raise _foreign(location, f"its encoding is {found}, and only {_ENCODING} holds every text")
    if catalog.schema is None:
        raise _foreign(location, "it has no schema in which tables could be made")


async def _check_mark(tx: Transaction, catalog: Catalog, location: str) -> None:
    """Nothing of ours, or marked as ours; anything else is refused."""
    if not catalog.columns.keys() & {table.name for table in TABLES}:
        hidden = await hidden_schema(tx)
        if hidden is not None:
            raise _foreign(
                location,
                f"the one in schema {hidden} is hidden by schema {catalog.schema}, which comes"
                " before it in the search path",
            )
        return
    value = None
    if {"key", "value"} <= catalog.columns.get(SETTINGS.name, {}).keys():
        value = await tx.fetch_one(
            f"SELECT value FROM {SETTINGS.name} WHERE key = :key", {"key": MARK}
        )
    if value is None:
        raise _foreign_tables(catalog, location)
    found = str(value["value"])
    if not found.isdecimal():
        raise _foreign(location, f"its {MARK} is {found!r}")
    if int(found) > MAJOR:
        raise StorageFailed(
            ErrorCode.STORE_TOO_NEW,
            f"the store at {location} was written by a newer Kandesk (format {found}, this one"
            f" reads {MAJOR}); update Kandesk to open it",
            store=location,
            found=int(found),
            supported=MAJOR,
        )


async def has_rows(tx: Transaction, catalog: Catalog) -> bool:
    """Whether there is anything a person could miss."""
    for table in _WITH_ROWS:
        if table.name not in catalog.columns:
            continue
        if await tx.fetch_one(f"SELECT 1 AS found FROM {table.name} LIMIT 1") is not None:
            return True
    return False


async def _row_estimate(tx: Transaction, table: str) -> int:
    row = await tx.fetch_one(
        "SELECT CAST(reltuples AS bigint) AS total FROM pg_class WHERE oid = to_regclass(:name)",
        {"name": table},
    )
    return 0 if row is None else max(0, int(row["total"] or 0))


def _unconfirmed(steps: tuple[Step, ...], location: str, clock: Clock) -> StorageFailed:
    names = ", ".join(step.text for step in steps)
    return unconfirmed(location, clock, f"must be brought up to date ({names})", names)


def unconfirmed(location: str, clock: Clock, need: str, steps: str) -> StorageFailed:
    """What a person must agree to, and how to make a backup first; `need` follows the store."""
    day = datetime.fromtimestamp(clock.now() // 1_000_000_000, UTC).strftime("%Y%m%d")
    command = f"pg_dump --format=custom --file=kandesk-{day}.dump {shlex.quote(location)}"
    return StorageFailed(
        ErrorCode.STORE_MIGRATION_UNCONFIRMED,
        f"the store at {location} {need}. Its backups are the server's: make one first, for"
        f" example with: {command}",
        store=location,
        steps=steps,
        command=command,
    )


def _foreign_tables(catalog: Catalog, location: str) -> StorageFailed:
    if DELIVERIES.name in catalog.columns:
        return _foreign(location, f"its mark in the table {SETTINGS.name} is gone")
    if {SESSIONS.name, MESSAGES.name} <= catalog.columns.keys():
        return StorageFailed(
            ErrorCode.STORE_FOREIGN,
            f"{location} is a Kandev database; bring it in with: kandesk import-kandev",
            store=location,
            hint="import-kandev",
        )
    taken = sorted(catalog.columns.keys() & {table.name for table in TABLES})
    return _foreign(location, f"another program has made the tables {', '.join(taken)}")


def _foreign(location: str, reason: str) -> StorageFailed:
    return StorageFailed(
        ErrorCode.STORE_FOREIGN, f"{location} is not a Kandesk store: {reason}", store=location
    )
