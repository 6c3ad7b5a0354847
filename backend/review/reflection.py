"""One card made to show what became of its request (T3.7). Nothing is decided or carried out."""

from collections.abc import Awaitable, Callable
from typing import Final

from backend.clock import Clock, Deadline
from backend.ids import ReviewId
from backend.store import projection_rows
from backend.store.database import Database, Priority
from backend.store.projection_rows import Candidate

WRITE_BUDGET: Final = 5.0
"""Seconds for one card."""

Tell = Callable[[ReviewId], Awaitable[None]]


class Reflection:
    """Each card in a short transaction of its own, behind everything that waits for the writer.

    `tell` publishes a card that was written, after the commit; a crash in between loses that.
    """

    def __init__(self, database: Database, clock: Clock, tell: Tell) -> None:
        self._database = database
        self._clock = clock
        self._tell = tell

    async def reflect(self, found: Candidate) -> bool:
        """False when there was nothing to write. Raises `AppError` when it could not be."""
        now = self._clock.now()
        deadline = Deadline(self._clock, WRITE_BUDGET)
        async with self._database.writing(deadline, priority=Priority.BULK) as tx:
            written = await tx.in_place(lambda tx: projection_rows.reflect(tx, found, now))
        if written:
            await self._tell(found.review_id)
        return written
