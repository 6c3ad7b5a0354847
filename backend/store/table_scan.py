"""Reading a whole table once, piece by piece, with its progress known."""

import sqlite3
from collections.abc import Iterator
from typing import Final

from backend.store.step_progress import StepProgress

ROWS_AT_ONCE: Final = 5_000
_SMALLEST_ROW: Final = 24
"""Bytes; a table cannot have more rows than fit into the file."""


def row_bound(connection: sqlite3.Connection, table: str) -> int:
    """How many rows the table has at most, without counting them."""
    span = connection.execute(
        f"SELECT (SELECT MAX(rowid) FROM {table}) - (SELECT MIN(rowid) FROM {table}) + 1"
    ).fetchone()[0]
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    return min(int(span or 0), int(pages * size) // _SMALLEST_ROW)


def row_ranges(
    connection: sqlite3.Connection, table: str, progress: StepProgress, before: int = 0
) -> Iterator[tuple[int, int]]:
    """Ranges of row numbers, both ends included, that together hold every row.

    Between two of them `progress` moves on from `before` by the rows passed, and a wish to stop
    is obeyed. Wide gaps in the numbering cost nothing.
    """
    span = connection.execute(f"SELECT MIN(rowid), MAX(rowid) FROM {table}").fetchone()
    if span[0] is None:
        return
    first, last = int(span[0]), int(span[1])
    bound = row_bound(connection, table)
    low = first
    while True:
        high = min(low + ROWS_AT_ONCE - 1, last)
        yield low, high
        progress.check()
        progress.advance(before + (high - first + 1) * bound // (last - first + 1))
        following = connection.execute(
            f"SELECT MIN(rowid) FROM {table} WHERE rowid > ?", (high,)
        ).fetchone()[0]
        if following is None:
            return
        low = int(following)
