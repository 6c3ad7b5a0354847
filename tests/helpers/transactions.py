"""Statements and transactions for tests of deadlines, on either dialect."""

from typing import Final

from backend.clock import Deadline
from backend.store import settings
from backend.store.database import Database
from tests.helpers.clock import FakeClock

FOR_EVER: Final = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT COUNT(*) FROM n"
)


async def value(database: Database, key: str = "k") -> str | None:
    async with database.reading() as tx:
        return await settings.get(tx, key)


async def put_within(database: Database, clock: FakeClock, seconds: float) -> None:
    async with database.writing(Deadline(clock, seconds)) as tx:
        await settings.put(tx, "k", "v")
