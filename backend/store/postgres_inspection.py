"""What can be told of a store on a server without changing it: for `kandesk doctor`."""

import asyncio
from dataclasses import dataclass, replace

import psycopg

from backend.errors import StorageFailed
from backend.events import StoreStep
from backend.store.database import Transaction
from backend.store.dialect import Dialect
from backend.store.inspection import Leftovers, read_leftovers
from backend.store.metadata_check import BadRow
from backend.store.owner_lock import LockHolder
from backend.store.postgres import PostgresDatabase
from backend.store.postgres_catalog import needed_catalog
from backend.store.postgres_converge import check_definitions, pending_steps
from backend.store.postgres_metadata import find_unreadable, tables_with_metadata
from backend.store.postgres_opening import check_ours, has_rows
from backend.store.postgres_owner import find_holder
from backend.store.quarantine import QUARANTINE
from backend.store.schema import TABLES, indexes
from backend.store.server_login import log_in, unreachable
from backend.store.store_location import DatabaseServer


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The state of a store on a server."""

    holder: LockHolder | None
    """The desk that owns it, whatever its home; pid 0 where it does not tell."""
    is_empty: bool
    """Nothing of ours is there yet."""
    lacking: tuple[str, ...] = ()
    """What a start still has to do, in words."""
    needs_consent: bool = False
    """The start does it only with `--migrate`: there are rows."""
    mismatch: StorageFailed | None = None
    """An index of our name with another definition."""
    unreadable: tuple[BadRow, ...] = ()
    quarantined: int = 0
    leftovers: Leftovers | None = None
    """None where the store is not complete."""


async def inspect_server(server: DatabaseServer, *, full: bool) -> ServerReport:
    """Read the store, beside its owner if it has one.

    Metadata under an index was JSON when it was written; `full` reads it all the same.

    Raises:
        StorageFailed: the server is away or refuses the login; the database is another program's,
            or a newer Kandesk has written it.
        TemporarilyUnavailable: the server went away.
    """
    address, holder = await asyncio.to_thread(_ask_for_holder, server)
    database = await PostgresDatabase.open_as_found(address)
    try:
        async with database.writing() as tx:
            report, unproven = await _inspect_schema(tx, database.location, holder)
        if report.is_empty:
            return report
        async with database.writing() as tx:
            return await _inspect_rows(tx, database.location, report, None if full else unproven)
    finally:
        await asyncio.shield(database.close())


def _ask_for_holder(server: DatabaseServer) -> tuple[str, LockHolder | None]:
    connection, address = log_in(server, name="kandesk command")
    try:
        return address, find_holder(connection)
    except psycopg.Error as error:
        raise unreachable(server, error) from error
    finally:
        connection.close()


async def _inspect_schema(
    tx: Transaction, location: str, holder: LockHolder | None
) -> tuple[ServerReport, set[str]]:
    """Also the tables whose metadata no index vouches for."""
    catalog = await check_ours(tx, location)
    tables = set(tables_with_metadata(catalog))
    if not catalog.columns.keys() & {table.name for table in TABLES}:
        return ServerReport(holder, is_empty=True), tables
    steps = await pending_steps(tx, catalog)
    with_rows = await has_rows(tx, catalog)
    mismatch = None
    try:
        check_definitions(catalog, await needed_catalog(tx, catalog))
    except StorageFailed as error:
        mismatch = error
    report = ServerReport(
        holder,
        is_empty=False,
        lacking=tuple(step.text for step in steps),
        needs_consent=bool(steps) and with_rows,
        mismatch=mismatch,
    )
    if mismatch is not None or any(step.kind is StoreStep.CHECK_METADATA for step in steps):
        return report, tables
    read = {index.table for index in indexes(Dialect.POSTGRESQL) if "::jsonb" in index.ddl()}
    return report, tables - read


async def _inspect_rows(
    tx: Transaction, location: str, report: ServerReport, unproven: set[str] | None
) -> ServerReport:
    catalog = await check_ours(tx, location)
    tables = tables_with_metadata(catalog)
    bad = await find_unreadable(
        tx, [table for table in tables if unproven is None or table in unproven]
    )
    quarantined = 0
    if QUARANTINE in catalog.columns:
        row = await tx.fetch_one(f"SELECT COUNT(*) AS total FROM {QUARANTINE}")
        quarantined = 0 if row is None else int(row["total"] or 0)
    complete = not (report.lacking or report.mismatch or bad)
    return replace(
        report,
        unreadable=tuple(bad),
        quarantined=quarantined,
        leftovers=await read_leftovers(tx) if complete else None,
    )
