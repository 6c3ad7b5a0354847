"""Tells the window what has become true of a permission, by reading it after the commit."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from backend.clock import Deadline
from backend.domain.conversation import Message, SessionSummary
from backend.domain.review import Review, ReviewStatus
from backend.errors import AppError
from backend.events import Event, MessagesChanged, ReviewChanged, ReviewOpened, SessionChanged
from backend.ids import ReviewId
from backend.review.parts import ReviewParts
from backend.store import reviews, sessions
from backend.store.database import Transaction

TELL_BUDGET: Final = 5.0

_log = logging.getLogger(__name__)


class _Found(NamedTuple):
    review: Review
    rows: tuple[Message, ...]
    summary: SessionSummary | None


class ReviewAnnouncer:
    """One at a time, so that a later event never carries an older state.

    Never raises `AppError`: what the store does not show in time is told when it does.
    """

    def __init__(self, parts: ReviewParts) -> None:
        self._parts = parts
        self._order = asyncio.Lock()

    async def tell(self, review_id: ReviewId, failures: int = 0) -> None:
        """Publish where a request stands, with its row and its session's line."""
        try:
            async with self._order:
                projected = self._parts.next_projection()
                deadline = Deadline(self._parts.clock, TELL_BUDGET)
                async with self._parts.database.reading(deadline) as tx:
                    found = await tx.in_place(lambda tx: _read(tx, review_id))
                if found is not None:
                    summary = found.summary
                    self._publish(
                        MessagesChanged(
                            found.review.session_id,
                            found.rows,
                            pending_action=summary.pending_action if summary else None,
                            projected=projected if summary else None,
                        )
                    )
                    if summary is not None:
                        self._publish(SessionChanged(replace(summary, projected=projected)))
                    self._publish(_standing(found.review))
        except AppError as error:
            _log.warning("permission %s is announced later: %s", review_id, error.detail)
            self._parts.worker.try_again(
                f"announce permission {review_id}",
                failures,
                lambda: self.tell(review_id, failures + 1),
            )

    @property
    def _publish(self) -> Callable[[Event], None]:
        return self._parts.bus.publish


def _standing(review: Review) -> Event:
    if review.status is ReviewStatus.PENDING:
        return ReviewOpened(review)
    return ReviewChanged(review)


async def _read(tx: Transaction, review_id: ReviewId) -> _Found | None:
    stored = await reviews.find(tx, review_id)
    if stored is None:
        return None
    review = stored.review
    row = await reviews.find_card(tx, review)
    summary = await sessions.get_summary(tx, review.session_id)
    return _Found(review, () if row is None else (row,), summary)
