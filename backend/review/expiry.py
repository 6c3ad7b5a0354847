"""Requests that nobody decides in time, by the nearest deadline (T1.2, T6.3 case 67)."""

import logging
from typing import Final

from backend.clock import Deadline, Nanoseconds
from backend.errors import AppError
from backend.events import Event, ReviewOpened, Woke
from backend.ids import ReviewId
from backend.review.announcing import ReviewAnnouncer
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.review.waiting import WaitingCalls
from backend.store import review_outcomes, reviews
from backend.store.database import Transaction
from backend.store.locks import lock_sessions

KEY: Final = "expire requests"
_LEAST: Final = 0.05
"""Seconds between two looks, should the store's clock be behind ours."""

_log = logging.getLogger(__name__)


class ReviewExpiry:
    """Plans one look at the store, for the next that expires; none where none does."""

    def __init__(
        self, parts: ReviewParts, waiting: WaitingCalls, announcer: ReviewAnnouncer
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer
        self._next: Nanoseconds | None = None
        parts.bus.subscribe(self._follow)

    def start(self) -> None:
        """Look for what has expired, and plan the next look; after recovery."""
        self._parts.supervisor.start(self._look(0), name=KEY)

    def _follow(self, happened: Event) -> None:
        match happened:
            case ReviewOpened(review) if review.expires_at is not None:
                planned = KEY in self._parts.worker and self._next is not None
                if not planned or review.expires_at < (self._next or 0):
                    self.start()
            case Woke():
                # The time it slept counts for who waits, and not for a timer.
                self.start()
            case _:
                return

    async def _look(self, failures: int) -> None:
        try:
            async with self._parts.database.reading(self._deadline()) as tx:
                now = await self._parts.store_now(tx)
                expired = await reviews.list_expired(tx, now)
            for review_id in expired:
                await self._expire(review_id)
            async with self._parts.database.reading(self._deadline()) as tx:
                upcoming = await reviews.next_expiry(tx, now)
                now = await self._parts.store_now(tx)
        except AppError as error:
            _log.warning("requests expire later: %s", error.detail)
            self._parts.worker.try_again(KEY, failures, lambda: self._look(failures + 1))
            return
        self._next = upcoming
        if upcoming is not None:
            seconds = max(_LEAST, (upcoming - now) / 1e9)
            self._parts.worker.put(KEY, seconds, lambda: self._look(0))

    async def _expire(self, review_id: ReviewId) -> None:
        async with self._parts.database.writing(self._deadline()) as tx:
            seen = await reviews.find(tx, review_id)
            if seen is None:
                return
            await lock_sessions(tx, [seen.review.session_id])
            expired = await expire_if_over(tx, self._parts, review_id)
        if expired:
            call = self._waiting.find(review_id)
            if call is not None:
                call.close(review_outcomes.EXPIRED)
            await self._announcer.tell(review_id)

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, WRITE_BUDGET)


async def expire_if_over(tx: Transaction, parts: ReviewParts, review_id: ReviewId) -> bool:
    """By the store's clock, in a transaction that holds the session."""
    stored = await reviews.find(tx, review_id)
    if stored is None or stored.review.expires_at is None:
        return False
    if stored.review.expires_at > await parts.store_now(tx):
        return False
    return await review_outcomes.expire(tx, stored, review_outcomes.EXPIRED, parts.clock.now())
