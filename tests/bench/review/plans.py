"""What the statements of the repair cost, on a plain connection beside the store."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from backend.store.database import Params
from backend.store.named_parameters import numbered


class Cost(NamedTuple):
    """Steps of SQLite's machine or buffers of a server, and how the rows were found."""

    amount: int
    plan: str


def sqlite_cost(path: Path, sql: str, params: Params, *, without: str = "") -> Cost:
    """Every step is counted; the index `without` is gone for as long as it takes."""
    connection = sqlite3.connect(path, isolation_level=None)
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    try:
        connection.execute("BEGIN IMMEDIATE")
        if without:
            connection.execute(f"DROP INDEX {without}")
        explained = connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(params))
        plan = "\n".join(str(row[3]) for row in explained)
        connection.set_progress_handler(step, 1)
        connection.execute(sql, dict(params)).fetchall()
        connection.set_progress_handler(None, 0)
        connection.execute("ROLLBACK")
    finally:
        connection.close()
    return Cost(steps, plan)


def postgres_cost(url: str, sql: str, params: Params, *, without: str = "") -> Cost:
    """Shared buffers that were touched; the index `without` is given back afterwards."""
    statement = numbered(sql)
    with psycopg.connect(url, cursor_factory=psycopg.RawCursor) as connection:
        if without:
            connection.execute(f"DROP INDEX {without}".encode())
        found = connection.execute(
            f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement.sql}".encode(),
            [params[name] for name in statement.names],
        ).fetchone()
        connection.rollback()
    assert found is not None
    plan = found[0][0]["Plan"]
    return Cost(int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"]), _told(plan))


def _told(node: Mapping[str, Any]) -> str:
    """One line a node: how, by what, and how many rows it has thrown away."""
    removed = node.get("Rows Removed by Filter", 0)
    line = f"{node['Node Type']} {node.get('Index Name', '')} removed {removed}"
    return "\n".join([line, *(_told(child) for child in node.get("Plans", ()))])
