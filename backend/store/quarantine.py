"""Moving metadata nobody can read out of the way, so that the store works again. Blocking."""

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.store.backup import back_up
from backend.store.metadata_check import BadRow, find_unreadable, tables_with_metadata
from backend.store.opening import existing_store
from backend.store.schema import MESSAGES
from backend.store.step_progress import StepProgress

QUARANTINE: Final = "quarantined_metadata"
_CREATE: Final = f"""\
CREATE TABLE IF NOT EXISTS {QUARANTINE} (
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  raw_text TEXT,
  raw_bytes BLOB,
  reason TEXT NOT NULL,
  moved_at TEXT NOT NULL
) STRICT"""
EMPTY: Final = "{}"
WITHDRAWN: Final = '{"status":"cancelled"}'
"""For a question: with nothing in its metadata it would read as pending (K1.5)."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done; `backup` is None where the disk had no room, or nothing was to do."""

    moved: tuple[BadRow, ...]
    backup: Path | None


def quarantine(path: Path, now: Nanoseconds) -> Repair:
    """Move the raw metadata of every unreadable row into a table of its own, after a backup.

    All rows or none; a second run finds nothing to do. The caller owns the store.

    Raises:
        StorageFailed: the store cannot be opened or written; nothing was changed.
        TemporarilyUnavailable: it is locked.
    """
    quiet = StepProgress(lambda _: None, threading.Event())
    with existing_store(path, read_only=False) as connection:
        tables = tables_with_metadata(connection)
        if not any(find_unreadable(connection, tables, quiet)):
            return Repair((), None)
        backup = back_up(connection, path, now, quiet)
        connection.execute("BEGIN IMMEDIATE")
        try:
            bad = tuple(find_unreadable(connection, tables, quiet))
            connection.execute(_CREATE)
            for row in bad:
                _move(connection, row, now)
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise
    return Repair(bad, backup)


def quarantined_rows(connection: sqlite3.Connection) -> int:
    """How many rows have been moved so far."""
    exists = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
    if connection.execute(exists, (QUARANTINE,)).fetchone() is None:
        return 0
    return int(connection.execute(f"SELECT COUNT(*) FROM {QUARANTINE}").fetchone()[0])


def _move(connection: sqlite3.Connection, row: BadRow, now: Nanoseconds) -> None:
    connection.execute(
        f"INSERT INTO {QUARANTINE} (table_name, row_id, raw_text, raw_bytes, reason, moved_at)"
        " SELECT :table, :id, CASE typeof(metadata) WHEN 'blob' THEN NULL ELSE metadata END,"
        " CASE typeof(metadata) WHEN 'blob' THEN metadata END,"
        " CASE typeof(metadata) WHEN 'blob' THEN 'binary data' ELSE 'not JSON' END, :now"
        f" FROM {row.table} WHERE rowid = :number",
        {
            "table": row.table,
            "id": row.row_id,
            "number": row.rowid,
            "now": format_timestamp(now),
        },
    )
    try:
        _clear(connection, row)
    except sqlite3.OperationalError:
        # Another version of SQLite could read it and put it into indexes this one cannot
        # take it out of. The next start builds them anew.
        _drop_json_indexes(connection, row.table)
        _clear(connection, row)


def _clear(connection: sqlite3.Connection, row: BadRow) -> None:
    kind = "type" if row.table == MESSAGES.name else "''"
    connection.execute(
        f"UPDATE {row.table} SET metadata = CASE {kind} WHEN 'clarification_request'"
        " THEN :withdrawn ELSE :empty END WHERE rowid = :number",
        {"withdrawn": WITHDRAWN, "empty": EMPTY, "number": row.rowid},
    )


def _drop_json_indexes(connection: sqlite3.Connection, table: str) -> None:
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?"
        " AND sql LIKE '%json_extract%'",
        (table,),
    ).fetchall()
    for row in rows:
        name = str(row["name"]).replace('"', '""')
        connection.execute(f'DROP INDEX "{name}"')
