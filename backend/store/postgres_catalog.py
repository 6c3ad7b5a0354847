"""What a PostgreSQL database holds under our names, read from its catalog."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from backend.store.database import Row, Transaction
from backend.store.dialect import Dialect
from backend.store.schema import DELIVERIES, TABLES, indexes

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
    """Columns by table with their kinds, and indexes by name, in one schema."""

    schema: str | None
    columns: Mapping[str, Mapping[str, str]]
    indexes: Mapping[str, FoundIndex]


async def read_catalog(tx: Transaction) -> Catalog:
    """Every table, view and index where new tables would go, ours or not."""
    schema = await tx.fetch_one("SELECT current_schema() AS name")
    name = None if schema is None or schema["name"] is None else str(schema["name"])
    return await _read(tx, name, "n.nspname = current_schema()")


async def needed_catalog(tx: Transaction, catalog: Catalog) -> Catalog:
    """Our tables, and those of our indexes there are, as this server would describe them.

    How a definition is spelled depends on the version of the server, so it is asked, on empty
    tables. They are temporary, hide everything else, and are gone at the end of the transaction.
    """
    if not catalog.columns.keys() & {table.name for table in TABLES}:
        return Catalog(None, {}, {})
    # Wherever the search path of this login has temporary tables: it may be at its end.
    await tx.execute("SET LOCAL search_path = pg_temp")
    for table in TABLES:
        made = table.ddl(Dialect.POSTGRESQL).replace(*_TEMPORARY, 1)
        await tx.execute(f"{made} ON COMMIT DROP")
    for index in indexes(Dialect.POSTGRESQL):
        if index.name in catalog.indexes:
            await tx.execute(index.ddl())
    return await _read(tx, None, "n.oid = pg_my_temp_schema()")


async def hidden_schema(tx: Transaction) -> str | None:
    """Where on the search path tables of ours are, behind the schema that is used."""
    row = await tx.fetch_one(
        "SELECT n.nspname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relname = :table AND n.nspname = ANY(current_schemas(false))"
        " AND n.nspname <> current_schema()",
        {"table": DELIVERIES.name},
    )
    return None if row is None else str(row["name"])


async def _read(tx: Transaction, schema: str | None, where: str) -> Catalog:
    rows = await tx.fetch_all(
        "SELECT c.relname AS relation, c.relkind IN ('r','p') AS is_table, a.attname AS name,"
        " concat_ws(' COLLATE ', format_type(a.atttypid, a.atttypmod), co.collname) AS kind"
        " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " LEFT JOIN pg_collation co ON co.oid = a.attcollation"
        f" WHERE {where} AND c.relkind IN ('r','p','v','m','f')"
    )
    columns: dict[str, dict[str, str]] = {}
    for row in rows:
        kind = str(row["kind"]) if row["is_table"] else "in a view"
        columns.setdefault(str(row["relation"]), {})[str(row["name"])] = kind
    return Catalog(schema, columns, await _found_indexes(tx, where))


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
