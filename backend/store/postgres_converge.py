"""Named steps that bring a PostgreSQL store to the schema; each may be run again without harm."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from backend.domain.validation import shortened
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreStep
from backend.store.database import Transaction
from backend.store.definitions import Index
from backend.store.dialect import Dialect, column_kind
from backend.store.metadata_check import unreadable_rows
from backend.store.postgres_catalog import Catalog
from backend.store.postgres_metadata import find_unreadable
from backend.store.schema import (
    JSON_TABLES,
    MAJOR,
    MESSAGE_REVISION,
    MESSAGES,
    SEQUENCES,
    SETTINGS,
    TABLES,
    indexes,
)

MARK: Final = "store_format"
"""The setting that says a database is ours, and which major version wrote it."""
_LONGEST_KEY: Final = 2_704
"""Bytes a server's B-tree holds of one key; of a text it can compress it holds more."""
_NAMED_ROWS: Final = 10
_FILLED: Final = {(MESSAGES.name, "updated_at"): "created_at"}


@dataclass(frozen=True, slots=True)
class Step:
    """Runs in a transaction of its own; `subject` is the index it builds."""

    kind: StoreStep
    apply: Callable[[Transaction], Awaitable[None]]
    subject: str = ""
    table: str = ""

    @property
    def text(self) -> str:
        return f"{self.kind.value} {self.subject}".strip()


def check_definitions(catalog: Catalog, needed: Catalog) -> None:
    """Whether what is ours by its name is ours by what it is.

    Raises:
        StorageFailed: `store_corrupt`, a column of another kind: with another collation, for
            example, the newest turn would be another one; `index_mismatch`.
    """
    for table, columns in needed.columns.items():
        for column, kind in columns.items():
            has = catalog.columns.get(table, {}).get(column, kind)
            if has != kind:
                raise StorageFailed(
                    ErrorCode.STORE_CORRUPT,
                    f"the column {table}.{column} is {has}, and Kandesk needs {kind};"
                    " put a backup of the store back",
                    table=table,
                    column=column,
                )
    for index in indexes(Dialect.POSTGRESQL):
        found = catalog.indexes.get(index.name)
        if found is None:
            continue
        wanted = needed.indexes.get(index.name)
        if wanted is None or (found.table, found.meaning) != (index.table, wanted.meaning):
            raise StorageFailed(
                ErrorCode.INDEX_MISMATCH,
                f"the index {index.name} is not the one Kandesk needs."
                f" Found: {found.definition}. Needed: {index.ddl()}",
                index=index.name,
                found=found.definition,
                needed=index.ddl(),
            )


async def pending_steps(tx: Transaction, catalog: Catalog) -> tuple[Step, ...]:
    """What the store still lacks, in order."""
    steps: list[Step] = []
    if any(table.name not in catalog.columns for table in TABLES):
        steps.append(Step(StoreStep.CREATE_TABLES, _create_tables))
    missing = list(_missing_columns(catalog))
    if missing:
        steps.append(Step(StoreStep.ADD_COLUMNS, partial(_add_columns, missing)))
    wanted = [index for index in indexes(Dialect.POSTGRESQL) if index.name not in catalog.indexes]
    if any("::jsonb" in index.ddl() for index in wanted):
        steps.append(Step(StoreStep.CHECK_METADATA, _check_metadata))
    if await _lacks_revisions(tx, catalog):
        steps.append(Step(StoreStep.START_REVISIONS, _start_revisions))
    steps += [
        Step(StoreStep.BUILD_INDEX, partial(_build_index, index), index.name, index.table)
        for index in wanted
    ]
    return tuple(steps)


async def _create_tables(tx: Transaction) -> None:
    for table in TABLES:
        await tx.execute(table.ddl(Dialect.POSTGRESQL))
    await tx.execute(
        f"INSERT INTO {SETTINGS.name} (key, value) VALUES (:key, :value)"
        " ON CONFLICT (key) DO NOTHING",
        {"key": MARK, "value": str(MAJOR)},
    )


def _missing_columns(catalog: Catalog) -> Iterable[tuple[str, str, str]]:
    for table in TABLES:
        found = catalog.columns.get(table.name)
        for name, kind in table.columns if found is not None else ():
            if found is not None and name not in found:
                yield table.name, name, kind


async def _add_columns(missing: list[tuple[str, str, str]], tx: Transaction) -> None:
    for table, name, kind in missing:
        if "PRIMARY KEY" in kind or ("NOT NULL" in kind and "DEFAULT" not in kind):
            raise StorageFailed(
                ErrorCode.STORE_CORRUPT,
                f"the table {table} has no column {name}, and nothing can stand in for it;"
                " put a backup of the store back",
                table=table,
                column=name,
            )
        await tx.execute(
            f"ALTER TABLE {table} ADD COLUMN {name} {column_kind(Dialect.POSTGRESQL, kind)}"
        )
        source = _FILLED.get((table, name))
        if source is not None:
            await tx.execute(f"UPDATE {table} SET {name} = {source}")


async def _check_metadata(tx: Transaction) -> None:
    """Empty text becomes an empty object; any other text must be JSON, or no index can be built.

    Raises:
        StorageFailed: `store_invalid_row` names the rows and what to do.
    """
    for table in JSON_TABLES:
        await tx.execute(f"UPDATE {table} SET metadata = '{{}}' WHERE metadata = ''")
    bad = await find_unreadable(tx, JSON_TABLES)
    if bad:
        raise unreadable_rows(bad)


async def _lacks_revisions(tx: Transaction, catalog: Catalog) -> bool:
    if SEQUENCES.name not in catalog.columns:
        return True
    row = await tx.fetch_one(
        f"SELECT 1 AS found FROM {SEQUENCES.name} WHERE name = :name", {"name": MESSAGE_REVISION}
    )
    return row is None


async def _start_revisions(tx: Transaction) -> None:
    await tx.execute(
        f"INSERT INTO {SEQUENCES.name} (name, value)"
        f" SELECT CAST(:name AS text), COALESCE(MAX(revision), 0) FROM {MESSAGES.name}",
        {"name": MESSAGE_REVISION},
    )


async def _build_index(index: Index, tx: Transaction) -> None:
    """Build it and count what it holds: of a new expression the server would know nothing."""
    await tx.execute(index.ddl())
    if "(" in index.keys:
        await tx.execute(f"ANALYZE {index.table}")


async def too_long_for(tx: Transaction, step: Step) -> StorageFailed | None:
    """Which rows keep the index of `step` from being built; None when it is not their length."""
    (index,) = (each for each in indexes(Dialect.POSTGRESQL) if each.name == step.subject)
    name = _row_name(index.table)
    held = f"octet_length(CAST(ROW({index.keys.replace(' DESC', '')}) AS text))"
    found = await tx.fetch_all(
        f"SELECT {name} AS name FROM {index.table}"
        f" WHERE {held} > :longest AND ({index.where or 'true'})"
        f" ORDER BY {held} DESC, {name} LIMIT :most",
        {"longest": _LONGEST_KEY, "most": _NAMED_ROWS},
    )
    if not found:
        return None
    rows = ", ".join(shortened(str(row["name"])) for row in found)
    return StorageFailed(
        ErrorCode.STORE_INVALID_ROW,
        f"the index {index.name} cannot be built: {index.table} has rows with a text that is too"
        f" long for it, the longest first: {rows}. Shorten it, or restore a backup, and start"
        " again; no row was changed",
        table=index.table,
        rows=rows,
        index=index.name,
    )


def _row_name(table: str) -> str:
    """The column that is the primary key."""
    (found,) = (each for each in TABLES if each.name == table)
    return next(name for name, kind in found.columns if "PRIMARY KEY" in kind)
