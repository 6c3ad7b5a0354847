"""Receipts that are on their way are found among all deliveries by their index (P2, T1.4)."""

import sqlite3
from pathlib import Path

import pytest

from backend.ids import SessionId
from backend.store import owed_outcomes, receipts
from backend.store.database import Params
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.plans import accesses, statements_of
from tests.helpers.store import RowMaker

INDEX = "idx_deliveries_receipts"
DELIVERIES = "interaction_deliveries"
HISTORY = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
    " INSERT INTO interaction_deliveries (pending_id, session_id, kind, state, opened_at,"
    " updated_at) SELECT 'p' || i, 's1', CASE WHEN i % 2 = 0 THEN 'question'"
    " ELSE 'permission_request' END, 'delivered', '2024', '2024' FROM n"
)


async def looks(place: Place) -> list[tuple[str, Params]]:
    """What is run to find what is owed, in one session and in all."""
    database = await open_store(place, FakeClock())
    rows = RowMaker(place)
    rows.session()
    with raw(place) as connection:
        connection.execute(HISTORY)
        connection.commit()
    found = [
        *await statements_of(database, lambda tx: owed_outcomes.list_owed(tx, SessionId("s1"))),
        *await statements_of(database, owed_outcomes.list_owed),
        *await statements_of(database, receipts.list_untold),
    ]
    await database.close()
    return [(sql, params) for sql, params in found if DELIVERIES in sql]


async def test_sqlite_searches_them(path: Path) -> None:
    found = await looks(path)
    assert len(found) == 3
    connection = sqlite3.connect(path)
    for sql, params in found:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(params))]
        assert any(f"SEARCH d USING INDEX {INDEX}" in line for line in plan), plan
        assert not any(line.startswith("SCAN") for line in plan), plan
    connection.close()


@pytest.mark.parametrize("generic", [False, True])
async def test_postgresql_searches_them(postgres_store_url: str, *, generic: bool) -> None:
    for sql, params in await looks(postgres_store_url):
        found = accesses(postgres_store_url, sql, params, generic=generic)
        assert [read.by for read in found if read.table == DELIVERIES] == [INDEX], found
