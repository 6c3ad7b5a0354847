"""Tells the window where outcomes are on their way to their agents."""

import logging
from collections.abc import Sequence

from backend.clock import Deadline
from backend.errors import AppError
from backend.events import MessagesChanged
from backend.ids import ReviewId
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.store import reviews

_log = logging.getLogger(__name__)


async def tell_deliveries(parts: ReviewParts, review_ids: Sequence[ReviewId]) -> None:
    """Publish their rows as they are now. What the store does not show is read when it is shown."""
    for review_id in review_ids:
        try:
            async with parts.database.reading(Deadline(parts.clock, WRITE_BUDGET)) as tx:
                stored = await reviews.find(tx, review_id)
                row = None if stored is None else await reviews.find_card(tx, stored.review)
        except AppError as error:
            _log.warning("the delivery of %s is not told: %s", review_id, error.detail)
            return
        if row is not None:
            parts.bus.publish(MessagesChanged(row.session_id, (row,)))
