"""Moving metadata nobody can read out of the way, in a store on a PostgreSQL server."""

import asyncio
from collections.abc import Sequence
from typing import Final

from backend.clock import Clock, format_timestamp
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.store.database import Transaction
from backend.store.dialect import json_members
from backend.store.metadata import encode
from backend.store.metadata_check import BadRow, unreadable_text
from backend.store.postgres import PostgresDatabase
from backend.store.postgres_metadata import find_unreadable, tables_with_metadata
from backend.store.postgres_opening import check_ours, unconfirmed
from backend.store.postgres_owner import PostgresOwner
from backend.store.quarantine import EMPTY, QUARANTINE, WITHDRAWN
from backend.store.schema import MESSAGES
from backend.store.store_location import DatabaseServer
from backend.store.write_gate import Term

_CREATE: Final = f"""\
CREATE TABLE IF NOT EXISTS {QUARANTINE} (
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  raw_text TEXT NOT NULL,
  reason TEXT NOT NULL,
  moved_at TEXT NOT NULL
)"""


async def repair_server(
    server: DatabaseServer, clock: Clock, *, backed_up: bool
) -> tuple[BadRow, ...]:
    """Move the raw metadata of every unreadable row into a table of its own.

    All rows or none; a second run finds nothing to do. Gives the rows that were moved.

    Raises:
        StorageFailed: `store_owned` names the desk that runs; `store_migration_unconfirmed` when
            there is something to move and `backed_up` is false; the server is away, or the
            database is not a store. Nothing was changed.
        TemporarilyUnavailable: another session keeps a table locked, or the server went away.
    """
    term = Term()
    owner = await PostgresOwner.acquire(server, kind="command", on_lost=term.end)
    try:
        database = await PostgresDatabase.open_as_found(owner.conninfo)
        try:
            async with database.writing() as tx:
                bad = await _repair(tx, database.location, clock, backed_up=backed_up)
                if term.over.is_set():
                    detail = f"the store went away: {term.reason}"
                    raise TemporarilyUnavailable(ErrorCode.STORE_UNREACHABLE, detail)
        finally:
            await asyncio.shield(database.close())
    finally:
        await owner.release()
    return bad


async def _repair(
    tx: Transaction, location: str, clock: Clock, *, backed_up: bool
) -> tuple[BadRow, ...]:
    tables = tables_with_metadata(await check_ours(tx, location))
    if not tables:
        return ()
    if backed_up:
        # A desk that took the store over meanwhile waits until this is done.
        await tx.execute(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE")
    bad = await find_unreadable(tx, tables)
    if not bad:
        return ()
    if not backed_up:
        steps = f"{unreadable_text(bad)}; it is moved to {QUARANTINE}"
        raise unconfirmed(location, clock, f"must be repaired ({steps})", steps)
    await tx.execute(_CREATE)
    for table in tables:
        ids = [row.row_id for row in bad if row.table == table]
        if ids:
            await _move(tx, table, ids, format_timestamp(clock.now()))
    return tuple(bad)


async def _move(tx: Transaction, table: str, ids: Sequence[str], now: str) -> None:
    chosen = json_members(tx.dialect, "id", ":ids")
    await tx.execute(
        f"INSERT INTO {QUARANTINE} (table_name, row_id, raw_text, reason, moved_at)"
        f" SELECT '{table}', id, metadata, 'not JSON', CAST(:now AS text)"
        f" FROM {table} WHERE {chosen}",
        {"now": now, "ids": encode(ids)},
    )
    kind = "type" if table == MESSAGES.name else "''"
    await tx.execute(
        f"UPDATE {table} SET metadata = CASE {kind} WHEN 'clarification_request'"
        f" THEN '{WITHDRAWN}' ELSE '{EMPTY}' END WHERE {chosen}",
        {"ids": encode(ids)},
    )
