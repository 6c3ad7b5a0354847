"""Metadata that no query could read: found, named, and kept out of the indexes."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from backend.errors import ErrorCode, StorageFailed
from backend.store.schema import JSON_TABLES
from backend.store.step_progress import StepProgress
from backend.store.table_scan import row_bound, row_ranges

_NAMED_ROWS: Final = 10
REPAIR: Final = "kandesk doctor --repair"

UNREADABLE: Final = "(typeof(metadata) = 'blob' OR NOT json_valid(metadata))"
"""Binary data is no JSON text: whether SQLite reads it as such depends on its version."""


class BadRow(NamedTuple):
    """A row whose metadata is not JSON text."""

    table: str
    rowid: int
    row_id: str


def tables_with_metadata(connection: sqlite3.Connection) -> list[str]:
    """Those a store has of the tables a current one has."""
    return [
        table
        for table in JSON_TABLES
        if {"id", "metadata"}
        <= {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    ]


def scan_rows(connection: sqlite3.Connection, tables: Iterable[str]) -> int:
    """How many rows a check of these tables passes at most."""
    return sum(row_bound(connection, table) for table in tables)


def find_unreadable(
    connection: sqlite3.Connection, tables: Iterable[str], progress: StepProgress
) -> Iterator[BadRow]:
    """Every row whose metadata is neither JSON text, empty nor absent, in one pass."""
    for table, rowid, row_id, is_empty in _suspects(connection, tables, progress):
        if not is_empty:
            yield BadRow(table, rowid, row_id)


def make_readable(
    connection: sqlite3.Connection, tables: Iterable[str], progress: StepProgress
) -> None:
    """Empty text becomes an empty object; any other text must be JSON.

    Raises:
        StorageFailed: `store_invalid_row` names the rows and what to do.
    """
    bad: list[BadRow] = []
    for table, rowid, row_id, is_empty in _suspects(connection, tables, progress):
        if is_empty:
            connection.execute(f"UPDATE {table} SET metadata = '{{}}' WHERE rowid = ?", (rowid,))
        else:
            bad.append(BadRow(table, rowid, row_id))
    if bad:
        raise unreadable_rows(bad)


def unreadable_rows(bad: list[BadRow]) -> StorageFailed:
    """What is told of rows nobody can read."""
    return StorageFailed(
        ErrorCode.STORE_INVALID_ROW,
        f"{unreadable_text(bad)}; repair them with: {REPAIR}",
        table=_tables(bad),
        rows=_named(bad),
        count=len(bad),
    )


def unreadable_text(bad: list[BadRow]) -> str:
    """The rows by name, as far as they fit a line."""
    more = f" and {len(bad) - _NAMED_ROWS} more" if len(bad) > _NAMED_ROWS else ""
    return f"{_tables(bad)} has rows whose metadata is not JSON: {_named(bad)}{more}"


def _tables(bad: list[BadRow]) -> str:
    return ", ".join(dict.fromkeys(row.table for row in bad))


def _named(bad: list[BadRow]) -> str:
    return ", ".join(row.row_id for row in bad[:_NAMED_ROWS])


def _suspects(
    connection: sqlite3.Connection, tables: Iterable[str], progress: StepProgress
) -> Iterator[tuple[str, int, str, bool]]:
    before = 0
    for table in tables:
        for low, high in row_ranges(connection, table, progress, before):
            rows = connection.execute(
                f"SELECT rowid AS number, id, metadata = '' AS is_empty FROM {table}"
                f" WHERE rowid BETWEEN ? AND ? AND metadata IS NOT NULL AND {UNREADABLE}",
                (low, high),
            ).fetchall()
            for row in rows:
                yield table, int(row["number"]), str(row["id"]), bool(row["is_empty"])
        before += row_bound(connection, table)
