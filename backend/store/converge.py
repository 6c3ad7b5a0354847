"""Named steps that bring a SQLite store to the schema; each may be run again without harm."""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreProgress
from backend.store.dialect import Dialect
from backend.store.schema import (
    APPLICATION_ID,
    JSON_TABLES,
    MAJOR,
    MESSAGE_REVISION,
    MESSAGES,
    SEQUENCES,
    TABLES,
    Index,
    Table,
    indexes,
)

Tell = Callable[[StoreProgress], None]

_NAMED_ROWS: Final = 10


@dataclass(frozen=True, slots=True)
class Step:
    """Runs in a transaction of its own, if it is needed."""

    name: str
    is_needed: Callable[[sqlite3.Connection], bool]
    apply: Callable[[sqlite3.Connection], None]


def pending_steps(connection: sqlite3.Connection) -> tuple[Step, ...]:
    """What the store still lacks, in order.

    Raises:
        StorageFailed: `index_mismatch`, an index has the name of ours and another definition.
    """
    for index in indexes(Dialect.SQLITE):
        _check_definition(connection, index)
    return tuple(step for step in _steps() if step.is_needed(connection))


def apply_steps(connection: sqlite3.Connection, steps: tuple[Step, ...], tell: Tell) -> None:
    """Run the steps; one that fails leaves those before it done and itself undone."""
    for done, step in enumerate(steps):
        tell(StoreProgress(step.name, done, len(steps)))
        connection.execute("BEGIN IMMEDIATE")
        try:
            step.apply(connection)
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise
    if steps:
        tell(StoreProgress("done", len(steps), len(steps)))


def _steps() -> tuple[Step, ...]:
    json_indexes = tuple(i for i in indexes(Dialect.SQLITE) if "json_extract" in i.ddl())
    return (
        Step("create tables", _lacks_tables, _create_tables),
        Step("add columns", _lacks_columns, _add_columns),
        Step(
            "check metadata",
            lambda connection: any(_definition(connection, i.name) is None for i in json_indexes),
            _check_metadata,
        ),
        Step("start revisions", _lacks_revisions, _start_revisions),
        *(_index_step(index) for index in indexes(Dialect.SQLITE)),
    )


def _index_step(index: Index) -> Step:
    return Step(
        f"build {index.name}",
        lambda connection: _definition(connection, index.name) is None,
        partial(_build_index, index),
    )


def _build_index(index: Index, connection: sqlite3.Connection) -> None:
    connection.execute(index.ddl())


def _lacks_tables(connection: sqlite3.Connection) -> bool:
    return any(not _columns(connection, table) for table in TABLES)


def _create_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {MAJOR}")
    for table in TABLES:
        connection.execute(table.ddl())


def _lacks_columns(connection: sqlite3.Connection) -> bool:
    return any(
        (found := _columns(connection, table)) and not {name for name, _ in table.columns} <= found
        for table in TABLES
    )


def _add_columns(connection: sqlite3.Connection) -> None:
    for table in TABLES:
        found = _columns(connection, table)
        for name, kind in table.columns:
            if name not in found:
                connection.execute(f"ALTER TABLE {table.name} ADD COLUMN {name} {kind}")


def _columns(connection: sqlite3.Connection, table: Table) -> set[str]:
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table.name,))
    return {row[0] for row in rows}


def _check_metadata(connection: sqlite3.Connection) -> None:
    """Empty text becomes an empty object; any other text must be JSON, or no index can be built."""
    for table in JSON_TABLES:
        connection.execute(f"UPDATE {table} SET metadata = '{{}}' WHERE metadata = ''")
        rows = connection.execute(
            f"SELECT id FROM {table} WHERE metadata IS NOT NULL AND NOT json_valid(metadata)"
            " ORDER BY id"
        ).fetchall()
        if rows:
            named = ", ".join(str(row[0]) for row in rows[:_NAMED_ROWS])
            more = f" and {len(rows) - _NAMED_ROWS} more" if len(rows) > _NAMED_ROWS else ""
            raise StorageFailed(
                ErrorCode.STORE_INVALID_ROW,
                f"{table} has rows whose metadata is not JSON: {named}{more};"
                " repair them with: kandesk doctor --repair",
                table=table,
                rows=named,
                count=len(rows),
            )


def _lacks_revisions(connection: sqlite3.Connection) -> bool:
    if not _columns(connection, SEQUENCES):
        return True
    row = connection.execute("SELECT 1 FROM sequences WHERE name = ?", (MESSAGE_REVISION,))
    return row.fetchone() is None


def _start_revisions(connection: sqlite3.Connection) -> None:
    connection.execute(
        f"INSERT INTO sequences (name, value)"
        f" SELECT ?, COALESCE(MAX(revision), 0) FROM {MESSAGES.name}",
        (MESSAGE_REVISION,),
    )


def _definition(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?", (name,)
    ).fetchone()
    return None if row is None else str(row[0])


def _check_definition(connection: sqlite3.Connection, index: Index) -> None:
    found = _definition(connection, index.name)
    if found is not None and _normal(found) != _normal(index.ddl()):
        raise StorageFailed(
            ErrorCode.INDEX_MISMATCH,
            f"the index {index.name} is not the one Kandesk needs. Found: {found}."
            f" Needed: {index.ddl()}",
            index=index.name,
            found=found,
            needed=index.ddl(),
        )


def _normal(sql: str) -> str:
    """A definition without what does not change its meaning: spacing, quoting of names, case."""
    pieces = re.split(r"('(?:[^']|'')*')", sql)
    outside = (
        re.sub(r"\s*([(),=<>])\s*", r"\1", re.sub(r"\s+", " ", piece.replace('"', "").lower()))
        for piece in pieces[::2]
    )
    rejoined = [piece for pair in zip(outside, [*pieces[1::2], ""], strict=True) for piece in pair]
    text = "".join(rejoined).replace(" if not exists", "").strip().rstrip(";")
    return re.sub(r"\s*('(?:[^']|'')*')\s*", r"\1", text)
