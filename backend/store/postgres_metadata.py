"""Metadata a PostgreSQL server cannot read as JSON: told apart without one bad text failing all."""

from collections.abc import Iterable
from typing import Final

from backend.store.database import Transaction
from backend.store.metadata_check import BadRow
from backend.store.postgres_catalog import Catalog
from backend.store.schema import JSON_TABLES

# The two classes of errors are those of a text itself: not JSON, an escape or a number that a
# document cannot hold, nesting without end. Being out of memory says nothing about a text, and
# `pg_input_is_valid` of newer servers fails on nesting.
_IS_JSON: Final = """
CREATE FUNCTION pg_temp.kandesk_is_json(document text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM document::jsonb;
  RETURN true;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN false;
END $$
"""
_UNREADABLE: Final = (
    "metadata IS NOT NULL AND metadata <> '' AND NOT pg_temp.kandesk_is_json(metadata)"
)


def tables_with_metadata(catalog: Catalog) -> list[str]:
    """Those a store has of the tables a current one has."""
    return [
        table
        for table in JSON_TABLES
        if {"id", "metadata"} <= catalog.columns.get(table, {}).keys()
    ]


async def find_unreadable(tx: Transaction, tables: Iterable[str]) -> list[BadRow]:
    """Every row whose metadata is neither JSON, empty nor absent. Reads the tables whole."""
    await tx.execute("DROP FUNCTION IF EXISTS pg_temp.kandesk_is_json(text)")
    await tx.execute(_IS_JSON)
    return [
        BadRow(table, 0, str(row["id"]))
        for table in tables
        for row in await tx.fetch_all(f"SELECT id FROM {table} WHERE {_UNREADABLE} ORDER BY id")
    ]
