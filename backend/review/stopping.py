"""The human stops a session: what was asked for in it and has not begun is over (T1.2)."""

from functools import partial

from backend.clock import Deadline
from backend.domain.review import STOPPED_BY_HUMAN
from backend.ids import ReviewId, SessionId
from backend.review.announcing import ReviewAnnouncer
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.review.waiting import WaitingCalls
from backend.store import gateway_calls, review_outcomes, reviews
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions


class Stopping:
    """What is being carried out goes on to its end; a turn that merely ends stops nothing."""

    def __init__(
        self, parts: ReviewParts, waiting: WaitingCalls, announcer: ReviewAnnouncer
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer

    def answer(self, session_id: SessionId) -> None:
        """Every call of the session that waits is told so at once; it is written down after."""
        for call in self._waiting.of_session(session_id):
            call.close(STOPPED_BY_HUMAN)

    async def cancel(self, session_id: SessionId) -> None:
        """Cancel what this desk would have carried out, durably once this returns.

        Raises:
            TemporarilyUnavailable, StorageFailed: it may be called again.
        """
        async with self._parts.database.reading(self._deadline()) as tx:
            found = await gateway_calls.list_of_session(tx, session_id)
        if not found:
            return
        async with self._parts.database.writing(self._deadline(), priority=Priority.CLAIM) as tx:
            cancelled = await tx.in_place(partial(self._cancel, session_id))
        for review_id in cancelled:
            await self._announcer.tell(review_id)

    async def _cancel(self, session_id: SessionId, tx: Transaction) -> list[ReviewId]:
        await lock_sessions(tx, [session_id])
        now, cancelled = self._parts.clock.now(), list[ReviewId]()
        for review_id in await gateway_calls.list_of_session(tx, session_id):
            stored = await reviews.find(tx, review_id)
            if stored is not None and await review_outcomes.cancel(
                tx, stored, STOPPED_BY_HUMAN, now, untold=True
            ):
                cancelled.append(review_id)
        return cancelled

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, WRITE_BUDGET)
