"""What a PostgreSQL database holds under our names, read from its catalog."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from backend.store.database import Row, Transaction
from backend.store.dialect import Dialect
from backend.store.schema import TABLES, indexes

_TEMPORARY: Final = ("CREATE TABLE IF NOT EXISTS", "CREATE TEMPORARY TABLE")
_STORAGE: Final = re.compile(r" WITH \([^)]*\)")


@dataclass(frozen=True, slots=True)
class FoundIndex:
    """An index as the server describes it; `meaning` leaves out names and storage."""

    table: str
    definition: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """Columns by table and indexes by name, in the schema where new tables would go."""

    schema: str | None
    columns: Mapping[str, frozenset[str]]
    indexes: Mapping[str, FoundIndex]


async def read_catalog(tx: Transaction) -> Catalog:
    """Every table, view and index there, ours or not."""
    schema = await tx.fetch_one("SELECT current_schema() AS name")
    name = None if schema is None or schema["name"] is None else str(schema["name"])
    rows = await tx.fetch_all(
        "SELECT c.relname AS relation, a.attname AS name FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE n.nspname = current_schema() AND c.relkind IN ('r','p','v','m','f')"
    )
    columns: dict[str, set[str]] = {}
    for row in rows:
        columns.setdefault(str(row["relation"]), set()).add(str(row["name"]))
    return Catalog(
        name,
        {table: frozenset(names) for table, names in columns.items()},
        await _found_indexes(tx, "n.nspname = current_schema()"),
    )


async def needed_indexes(tx: Transaction, catalog: Catalog) -> Mapping[str, FoundIndex]:
    """Those of our indexes there are, as this server would describe them by our definitions.

    How a definition is spelled depends on the version of the server, so it is asked, on empty
    tables. They are temporary, hide ours, and are gone at the end of the transaction.
    """
    present = [index for index in indexes(Dialect.POSTGRESQL) if index.name in catalog.indexes]
    for table in TABLES if present else ():
        made = table.ddl(Dialect.POSTGRESQL).replace(*_TEMPORARY, 1)
        await tx.execute(f"{made} ON COMMIT DROP")
    for index in present:
        await tx.execute(index.ddl())
    return await _found_indexes(tx, "n.oid = pg_my_temp_schema()")


async def _found_indexes(tx: Transaction, where: str) -> Mapping[str, FoundIndex]:
    rows = await tx.fetch_all(
        "SELECT c.relname AS name, t.relname AS relation, i.indisunique, i.indisvalid,"
        " pg_get_indexdef(c.oid) AS definition FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid"
        f" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {where}"
    )
    return {str(row["name"]): _found(row) for row in rows}


def _found(row: Row) -> FoundIndex:
    definition = str(row["definition"])
    kind = ("unique" if row["indisunique"] else "plain") + ("" if row["indisvalid"] else " invalid")
    _, _, keys = definition.partition(" USING ")
    return FoundIndex(str(row["relation"]), definition, f"{kind} {_STORAGE.sub('', keys)}")
