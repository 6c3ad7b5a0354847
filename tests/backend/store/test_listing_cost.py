"""A page costs the same whatever else the store holds (P2; K8.4 L1-L1d: filtered in the query)."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from backend.domain.listing import PageQuery, Position
from backend.ids import PendingId
from backend.store import listing
from backend.store.database import Database
from backend.store.dialect import Dialect
from backend.store.named_parameters import numbered
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker

MOMENT = "2024-01-01T00:00:00.000000000Z"
QUERIES = (
    PageQuery(limit=5),
    PageQuery(workspace="w", limit=5),
    PageQuery(after=Position("2023-01-01T00:00:00.000000000", PendingId("p")), limit=5),
)


def add_bystanders(place: Place, count: int) -> None:
    """Sessions with a turn and messages each, none of them a question."""
    with raw(place) as connection:
        numbers = [(f"x{n}",) for n in range(count)]
        connection.executemany(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, '', ?, ?)",
            [(*name, MOMENT, MOMENT) for name in numbers],
        )
        connection.executemany(
            "INSERT INTO task_sessions (id, task_id, state, started_at, updated_at)"
            " VALUES (?, ?, 'RUNNING', ?, ?)",
            [(*name, *name, MOMENT, MOMENT) for name in numbers],
        )
        connection.executemany(
            "INSERT INTO task_session_turns (id, task_session_id, task_id, started_at, created_at,"
            " updated_at) VALUES (?, ?, ?, ?, ?, ?)",
            [(*name, *name, *name, MOMENT, MOMENT, MOMENT) for name in numbers],
        )
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at) VALUES (?, ?, ?, '', 'message', '{}', ?, ?)",
            [(f"{name}-{n}", name, name, MOMENT, MOMENT) for (name,) in numbers for n in range(3)],
        )


def ask_ten(rows: RowMaker) -> None:
    for number in range(10):
        rows.question(f"p{number}")


def steps(path: Path, sql: str, query: PageQuery) -> int:
    """Tens of the database's own instructions that one statement takes."""
    connection = sqlite3.connect(path)
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.set_progress_handler(count, 10)
    connection.execute(sql, dict(listing._params(query))).fetchall()
    connection.close()
    return taken


class TestSqlite:
    @pytest.fixture
    def place(self, path: Path) -> Path:
        return path

    @pytest.mark.parametrize("query", QUERIES, ids=["first", "workspace", "after"])
    async def test_a_page_takes_the_same_steps_beside_20000_messages(
        self, database: Database, rows: RowMaker, path: Path, query: PageQuery
    ) -> None:
        """Measured in instructions, so that no load of the machine can hide a scan."""
        ask_ten(rows)
        statements = [
            listing._open_page(Dialect.SQLITE, query),
            listing._closed_page(Dialect.SQLITE, query),
        ]
        few = [steps(path, sql, query) for sql in statements]
        add_bystanders(path, 7_000)
        many = [steps(path, sql, query) for sql in statements]
        assert all(after <= 1.1 * before + 5 for before, after in zip(few, many, strict=True))

    async def test_the_pages_walk_the_indexes_that_are_theirs(
        self, database: Database, rows: RowMaker, path: Path
    ) -> None:
        ask_ten(rows)
        add_bystanders(path, 100)
        for sql, index in (
            (listing._open_page(Dialect.SQLITE, PageQuery()), "clarification_open (type=?)"),
            (listing._closed_page(Dialect.SQLITE, PageQuery()), "clarification_asked (<expr>>?)"),
        ):
            plan = _plan(path, sql)
            assert any(f"USING INDEX idx_messages_{index}" in line for line in plan)
            scanned = {line.split()[1] for line in plan if line.startswith("SCAN")}
            assert not scanned & {"m", "r", "o", "i", "e", "s", "t", "ws", "wt"}


def _plan(path: Path, sql: str) -> Sequence[str]:
    connection = sqlite3.connect(path)
    found = connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(listing._params(PageQuery())))
    lines = [str(row[3]) for row in found]
    connection.close()
    return lines


def add_questions(place: Place, *, waiting: int, answered: int) -> None:
    """Questions of one session, one bundle each."""
    with raw(place) as connection:
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at)"
            " VALUES (?, 's1', 'turn1', '', 'clarification_request', ?, ?, ?)",
            [
                (
                    f"many-{n}",
                    json.dumps(
                        {
                            "pending_id": f"many-{n}",
                            "question_id": "q1",
                            "status": "pending" if n < waiting else "answered",
                        }
                    ),
                    f"2024-01-01T00:00:00.{n:09d}Z",
                    MOMENT,
                )
                for n in range(waiting + answered)
            ],
        )


def rows_read(node: Mapping[str, Any]) -> int:
    """Rows that a plan has come by, also those that a condition has turned away."""
    read = sum(
        int(node.get(name, 0) * node["Actual Loops"])
        for name in (
            "Actual Rows",
            "Rows Removed by Filter",
            "Rows Removed by Index Recheck",
            "Rows Removed by Join Filter",
        )
    )
    return read + sum(rows_read(child) for child in node.get("Plans", ()))


class TestPostgres:
    @pytest.fixture
    def place(self, postgres_url: str) -> str:
        return postgres_url

    async def test_no_page_reads_the_messages_of_others(
        self, database: Database, rows: RowMaker, place: str
    ) -> None:
        ask_ten(rows)
        add_bystanders(place, 7_000)
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute("ANALYZE")
            for build in (listing._open_page, listing._closed_page):
                sql = build(Dialect.POSTGRESQL, PageQuery())
                for name, value in listing._params(PageQuery()).items():
                    sql = sql.replace(f":{name}", json.dumps(value).replace('"', "'"))
                plan = [str(row[0]) for row in connection.execute(f"EXPLAIN {sql}".encode())]
                scans = [line for line in plan if "Seq Scan on task_session_messages" in line]
                assert not scans, "\n".join(plan)

    async def test_a_page_of_history_reads_each_question_a_few_times_without_statistics(
        self, database: Database, rows: RowMaker, place: str
    ) -> None:
        """A server that knows nothing of its tables must not compare all with all."""
        add_questions(place, waiting=200, answered=1_000)
        query = numbered(listing._closed_page(Dialect.POSTGRESQL, PageQuery()))
        values = [listing._params(PageQuery())[name] for name in query.names]
        with psycopg.connect(place, cursor_factory=psycopg.RawCursor) as connection:
            connection.execute("SET enable_seqscan = off")
            explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)"
            found = connection.execute(f"{explain} {query.sql}".encode(), values).fetchone()
        assert found is not None
        assert rows_read(found[0][0]["Plan"]) < 30 * 1_200
