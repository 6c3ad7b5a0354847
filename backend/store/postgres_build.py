"""How far the server is with an index, asked on a second connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from backend.errors import AppError
from backend.store.database import Priority, Row, SqlValue, Transaction
from backend.store.pool import ConnectionPool
from backend.store.postgres_converge import Step
from backend.store.step_progress import StepProgress

_SECONDS_BETWEEN: Final = 0.2
_SCAN_SHARE: Final = 0.7
"""What reading the table takes of a build, sorting and loading being the rest."""
_QUERY: Final = (
    "SELECT blocks_done, blocks_total, tuples_done, tuples_total"
    " FROM pg_stat_progress_create_index WHERE pid = :pid"
)


@asynccontextmanager
async def following_build(
    tx: Transaction, readers: ConnectionPool, step: Step, progress: StepProgress, rows: int
) -> AsyncIterator[None]:
    """Tell the progress of the index that `step` builds inside `tx`, if it builds one."""
    if not step.subject or not rows:
        yield
        return
    own = await tx.fetch_one("SELECT pg_backend_pid() AS pid")
    following = asyncio.ensure_future(
        _follow(readers, None if own is None else own["pid"], progress, rows)
    )
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(
    readers: ConnectionPool, pid: SqlValue, progress: StepProgress, rows: int
) -> None:
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN)
        try:
            async with readers.transaction("BEGIN READ ONLY", Priority.NORMAL, None) as tx:
                row = await tx.fetch_one(_QUERY, {"pid": pid})
        except AppError:
            # The build itself says what is wrong with the server.
            return
        if row is not None:
            progress.advance(int(_share(row) * rows))


def _share(row: Row) -> float:
    """Of the whole, between 0 and 1: first the table is read, then the index is written."""
    scanned = _part(row["blocks_done"], row["blocks_total"])
    loaded = _part(row["tuples_done"], row["tuples_total"])
    return _SCAN_SHARE + (1 - _SCAN_SHARE) * loaded if loaded else _SCAN_SHARE * scanned


def _part(done: SqlValue, total: SqlValue) -> float:
    return float(done or 0) / float(total) if total else 0.0
