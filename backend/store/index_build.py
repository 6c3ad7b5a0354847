"""Building an index while telling how far it is.

SQLite reports nothing of a CREATE INDEX but the steps of its virtual machine. How many one row
takes is measured on a few rows of the same table first.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from backend.store.definitions import Index
from backend.store.step_progress import StepProgress
from backend.store.table_scan import row_bound

STEPS_BETWEEN_CHECKS: Final = 10_000
_SAMPLED_ROWS: Final = 64
_SMALL: Final = 10_000
"""Rows below which a build is over before anybody could see its progress."""
_SAMPLE: Final = "kandesk_sample"


def build_index(connection: sqlite3.Connection, index: Index, progress: StepProgress) -> None:
    """Create the index inside the open transaction; the step of `progress` has begun.

    A wish to stop ends it within some 10,000 steps of SQLite's machine: `sqlite3.OperationalError`,
    interrupted.
    """
    rows = row_bound(connection, index.table)
    per_row = _steps_per_row(connection, index, rows) if rows >= _SMALL else 0.0
    passed = 0

    def tick() -> bool:
        nonlocal passed
        passed += STEPS_BETWEEN_CHECKS
        if per_row:
            progress.advance(int(passed / per_row))
        return progress.stopped

    connection.set_progress_handler(tick, STEPS_BETWEEN_CHECKS)
    try:
        connection.execute(index.ddl())
    finally:
        watch(connection, progress)


def watch(connection: sqlite3.Connection, progress: StepProgress) -> None:
    """Let a wish to stop interrupt whatever statement runs."""
    connection.set_progress_handler(lambda: progress.stopped, STEPS_BETWEEN_CHECKS)


def _steps_per_row(connection: sqlite3.Connection, index: Index, rows: int) -> float:
    with _sample(connection, index.table, rows) as taken:
        probe = replace(index, name="kandesk_probe", table=_SAMPLE, unique=False)
        ddl = probe.ddl().replace(" EXISTS ", " EXISTS temp.", 1)
        full = _count_steps(connection, ddl)
        connection.execute("DROP INDEX temp.kandesk_probe")
        connection.execute(f"DELETE FROM temp.{_SAMPLE}")
        empty = _count_steps(connection, ddl)
    return max(1.0, (full - empty) / max(1, taken))


@contextmanager
def _sample(connection: sqlite3.Connection, table: str, rows: int) -> Iterator[int]:
    """A temporary copy of rows from all over the table; how many there are."""
    connection.execute(f"DROP TABLE IF EXISTS temp.{_SAMPLE}")
    connection.execute(f"CREATE TEMP TABLE {_SAMPLE} AS SELECT * FROM {table} LIMIT 0")
    first = connection.execute(f"SELECT MIN(rowid) FROM {table}").fetchone()[0]
    last = connection.execute(f"SELECT MAX(rowid) FROM {table}").fetchone()[0]
    stride = max(1, (last - first) // _SAMPLED_ROWS)
    taken = 0
    for number in range(min(_SAMPLED_ROWS, rows)):
        taken += connection.execute(
            f"INSERT INTO temp.{_SAMPLE} SELECT * FROM {table}"
            " WHERE rowid >= ? ORDER BY rowid LIMIT 1",
            (first + number * stride,),
        ).rowcount
    try:
        yield taken
    finally:
        connection.execute(f"DROP TABLE temp.{_SAMPLE}")


def _count_steps(connection: sqlite3.Connection, sql: str) -> int:
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection.set_progress_handler(count, 1)
    connection.execute(sql)
    return steps
