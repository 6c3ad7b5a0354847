"""Named steps that bring a SQLite store to the schema; each may be run again without harm."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreStep
from backend.store.definitions import Index, Table
from backend.store.dialect import Dialect
from backend.store.index_build import build_index
from backend.store.index_definition import same_definition
from backend.store.metadata_check import make_readable, scan_rows
from backend.store.schema import (
    APPLICATION_ID,
    JSON_TABLES,
    MAJOR,
    MESSAGE_REVISION,
    MESSAGES,
    SEQUENCES,
    TABLES,
    indexes,
)
from backend.store.step_progress import StepProgress
from backend.store.table_scan import row_bound, row_ranges

_FILLED: Final = {(MESSAGES.name, "updated_at"): "created_at"}
"""Columns without a constant default, and what a row that has none gets."""

Connection = sqlite3.Connection


@dataclass(frozen=True, slots=True)
class Step:
    """Runs in a transaction of its own, if it is needed; `rows` is how many it passes."""

    kind: StoreStep
    is_needed: Callable[[Connection], bool]
    apply: Callable[[Connection, StepProgress], None]
    rows: Callable[[Connection], int] = lambda _: 0
    subject: str = ""


def pending_steps(connection: Connection) -> tuple[Step, ...]:
    """What the store still lacks, in order. Reads the schema, never the rows.

    Raises:
        StorageFailed: `index_mismatch`, an index has the name of ours and another definition.
    """
    for index in indexes(Dialect.SQLITE):
        check_definition(connection, index)
    return tuple(step for step in _steps() if step.is_needed(connection))


def apply_steps(connection: Connection, steps: tuple[Step, ...], progress: StepProgress) -> None:
    """Run the steps; one that fails leaves those before it done and itself undone."""
    for number, step in enumerate(steps, start=1):
        rows = step.rows(connection)
        progress.begin(step.kind, rows, subject=step.subject, number=number, count=len(steps))
        connection.execute("BEGIN IMMEDIATE")
        try:
            step.apply(connection, progress)
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise
        progress.end()
    if steps:
        progress.say(StoreStep.DONE, len(steps), len(steps))


def _steps() -> tuple[Step, ...]:
    return (
        Step(StoreStep.CREATE_TABLES, _lacks_tables, _create_tables),
        Step(StoreStep.ADD_COLUMNS, _lacks_columns, _add_columns),
        Step(
            StoreStep.CHECK_METADATA,
            _lacks_json_index,
            lambda connection, progress: make_readable(connection, JSON_TABLES, progress),
            lambda connection: scan_rows(connection, JSON_TABLES),
        ),
        Step(
            StoreStep.START_REVISIONS,
            _lacks_revisions,
            _start_revisions,
            lambda connection: row_bound(connection, MESSAGES.name),
        ),
        *(_index_step(index) for index in indexes(Dialect.SQLITE)),
    )


def _index_step(index: Index) -> Step:
    return Step(
        StoreStep.BUILD_INDEX,
        lambda connection: definition(connection, index.name) is None,
        lambda connection, progress: build_index(connection, index, progress),
        partial(row_bound, table=index.table),
        index.name,
    )


def _lacks_json_index(connection: Connection) -> bool:
    return any(
        definition(connection, index.name) is None
        for index in indexes(Dialect.SQLITE)
        if "json_extract" in index.ddl()
    )


def _lacks_tables(connection: Connection) -> bool:
    return any(not _columns(connection, table) for table in TABLES)


def _create_tables(connection: Connection, _progress: StepProgress) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {MAJOR}")
    for table in TABLES:
        connection.execute(table.ddl())


def _lacks_columns(connection: Connection) -> bool:
    return any(
        (found := _columns(connection, table)) and not {name for name, _ in table.columns} <= found
        for table in TABLES
    )


def _add_columns(connection: Connection, progress: StepProgress) -> None:
    for table in TABLES:
        found = _columns(connection, table)
        for name, kind in table.columns:
            if name in found:
                continue
            source = _FILLED.get((table.name, name))
            if source is not None:
                _add_filled(connection, table.name, name, source, progress)
            elif "PRIMARY KEY" in kind or ("NOT NULL" in kind and "DEFAULT" not in kind):
                raise _missing_column(table.name, name)
            else:
                connection.execute(f"ALTER TABLE {table.name} ADD COLUMN {name} {kind}")


def _add_filled(
    connection: Connection, table: str, name: str, source: str, progress: StepProgress
) -> None:
    """SQLite adds no column whose default is the time; every row of ours names it anyway."""
    connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} TIMESTAMP NOT NULL DEFAULT ''")
    for low, high in row_ranges(connection, table, progress):
        connection.execute(
            f"UPDATE {table} SET {name} = {source} WHERE rowid BETWEEN ? AND ?", (low, high)
        )


def _missing_column(table: str, column: str) -> StorageFailed:
    return StorageFailed(
        ErrorCode.STORE_CORRUPT,
        f"the table {table} has no column {column}, and nothing can stand in for it;"
        " put a backup of the store back",
        table=table,
        column=column,
    )


def _columns(connection: Connection, table: Table) -> set[str]:
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table.name,))
    return {row[0] for row in rows}


def _lacks_revisions(connection: Connection) -> bool:
    if not _columns(connection, SEQUENCES):
        return True
    row = connection.execute("SELECT 1 FROM sequences WHERE name = ?", (MESSAGE_REVISION,))
    return row.fetchone() is None


def _start_revisions(connection: Connection, progress: StepProgress) -> None:
    highest = 0
    for low, high in row_ranges(connection, MESSAGES.name, progress):
        found = connection.execute(
            f"SELECT MAX(revision) FROM {MESSAGES.name} WHERE rowid BETWEEN ? AND ?", (low, high)
        ).fetchone()[0]
        highest = max(highest, found or 0)
    connection.execute(
        "INSERT INTO sequences (name, value) VALUES (?, ?)", (MESSAGE_REVISION, highest)
    )


def definition(connection: Connection, name: str) -> str | None:
    """The SQL of an index as it was written; None when there is none of that name."""
    row = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND lower(name) = lower(?)", (name,)
    ).fetchone()
    return None if row is None else str(row[0])


def check_definition(connection: Connection, index: Index) -> None:
    """Raises `StorageFailed` when something has this name and another meaning."""
    row = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE lower(name) = lower(?)", (index.name,)
    ).fetchone()
    if row is None:
        return
    found = str(row[0])
    if not same_definition(found, index.ddl()):
        raise StorageFailed(
            ErrorCode.INDEX_MISMATCH,
            f"the index {index.name} is not the one Kandesk needs. Found: {found}."
            f" Needed: {index.ddl()}. Drop it (DROP INDEX {index.name}) and start again:"
            " Kandesk builds its own",
            index=index.name,
            found=found,
            needed=index.ddl(),
        )
