"""Cards that do not show what became of their requests: found in pages and repaired (T3)."""

import asyncio
from dataclasses import dataclass
from typing import Final

from backend.clock import Clock, Deadline
from backend.ids import ReviewId
from backend.review.reflection import Reflection
from backend.store import projection_rows
from backend.store.database import Database
from backend.store.projection_rows import FIRST, Candidate
from backend.work.scoped_worker import GoesOn, Swept
from backend.work.supervisor import TaskSupervisor

ROWS_A_PASS: Final = 500
ROWS_A_PAGE: Final = 100
READ_BUDGET: Final = 15.0
"""Seconds for one look at the cards of a workspace, whose whole history it may read."""


@dataclass(slots=True)
class _Round:
    """How far the cards of a workspace have been gone through; a round may take several passes."""

    cursor: ReviewId = FIRST
    """The last one that was attempted, whatever came of it."""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a sweep of everything has come to."""

    attempted: int
    left: bool
    """Some show something else still."""


class Projection:
    """Repairs cards; it never decides, carries out or delivers anything.

    What it knows is how far it has got in each unfinished workspace, so that cards which cannot be
    repaired never hide those behind them. A round that has seen the last card begins anew.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        supervisor: TaskSupervisor,
        reflection: Reflection,
    ) -> None:
        self._database = database
        self._clock = clock
        self._supervisor = supervisor
        self._reflection = reflection
        self._rounds: dict[str, _Round] = {}

    async def discover(self) -> frozenset[str]:
        """Every workspace with a card to repair; the others are begun anew when they have one."""
        async with self._database.reading(self._deadline()) as tx:
            found = await tx.in_place(projection_rows.find_workspaces)
        for workspace_id in self._rounds.keys() - found:
            del self._rounds[workspace_id]
        return found

    async def sweep(self, workspace_id: str, goes_on: GoesOn) -> Swept:
        """One pass of the worker: at most `ROWS_A_PASS` cards of one workspace.

        Raises `AppError` when they cannot be read; the next pass goes on behind the last card.
        """
        swept, _ = await self._sweep(workspace_id, goes_on, ROWS_A_PASS)
        return swept

    async def sweep_all(self, goes_on: GoesOn, budget: int | None = None) -> Repaired:
        """Every card of every workspace, or `budget` of them.

        Raises `AppError` when they cannot be read.
        """
        attempted, left = 0, False
        for workspace_id in sorted(await self.discover()):
            rest = None if budget is None else budget - attempted
            if rest == 0 or not goes_on():
                return Repaired(attempted, left=True)
            swept, more = await self._sweep(workspace_id, goes_on, rest)
            attempted += more
            left = left or swept is not Swept.CLEAN
        return Repaired(attempted, left)

    async def _sweep(
        self, workspace_id: str, goes_on: GoesOn, budget: int | None
    ) -> tuple[Swept, int]:
        current = self._rounds.setdefault(workspace_id, _Round())
        is_resumed = current.cursor != FIRST
        attempted = 0
        while True:
            if not goes_on():
                return Swept.INTERRUPTED, attempted
            limit = ROWS_A_PAGE if budget is None else min(ROWS_A_PAGE, budget - attempted)
            page = await self._page(workspace_id, current.cursor, limit)
            for found in page:
                if not goes_on():
                    return Swept.INTERRUPTED, attempted
                current.cursor = found.review_id
                attempted += 1
                current.failed |= not await self._reflect(found)
            if len(page) < limit:
                break
            if attempted == budget:
                return Swept.FAILED if current.failed else Swept.TRUNCATED, attempted
        if not (is_resumed or attempted):
            del self._rounds[workspace_id]
            return Swept.CLEAN, attempted
        if not goes_on():
            return Swept.INTERRUPTED, attempted
        is_left = await self._is_left(workspace_id)
        del self._rounds[workspace_id]
        if not is_left:
            return Swept.CLEAN, attempted
        return Swept.FAILED if current.failed else Swept.UNRESOLVED, attempted

    async def _page(self, workspace_id: str, after: ReviewId, limit: int) -> tuple[Candidate, ...]:
        async with self._database.reading(self._deadline()) as tx:
            return await tx.in_place(
                lambda tx: projection_rows.find_candidates(tx, workspace_id, after, limit)
            )

    async def _is_left(self, workspace_id: str) -> bool:
        """A reflection tells nothing of whether the card is right now: look at all of them."""
        return bool(await self._page(workspace_id, FIRST, 1))

    async def _reflect(self, found: Candidate) -> bool:
        """False when it failed, which is logged; a card that was begun is ended in any case."""
        work = self._supervisor.start(
            self._reflection.reflect(found), name=f"show what became of {found.review_id}"
        )
        await asyncio.wait({work})
        return not work.cancelled() and work.exception() is None

    def _deadline(self) -> Deadline:
        return Deadline(self._clock, READ_BUDGET)
