"""The store's own clock, by which requests expire (T5.1)."""

import time

from backend.store.database import Database
from backend.store.database_clock import store_now

SECOND = 1_000_000_000


async def test_it_tells_the_time_in_utc(database: Database) -> None:
    """Both stores are on this machine, so that their clocks are ours, to their own precision."""
    before = time.time_ns()
    async with database.reading() as tx:
        told = await store_now(tx)
    assert before - SECOND <= told <= time.time_ns() + SECOND


async def test_it_goes_on_within_a_transaction(database: Database) -> None:
    """A decision that has waited for a lock is not made at the time at which it began to wait."""
    async with database.writing() as tx:
        first = last = await store_now(tx)
        end = time.monotonic() + 5
        while last == first and time.monotonic() < end:
            last = await store_now(tx)
    assert last > first
