"""Permissions whose agents ended with the last run of the desk (T8.3)."""

import logging
from collections.abc import Container
from typing import Final

from backend.clock import Clock, Deadline
from backend.ids import ReviewId
from backend.store import receipts, review_outcomes, reviews, ruled_calls
from backend.store.database import Database
from backend.store.locks import lock_sessions

_BUDGET: Final = 15.0

_log = logging.getLogger(__name__)


async def recover(database: Database, clock: Clock, *, live: Container[str] = frozenset()) -> int:
    """Cancel what nobody has decided; what was allowed has an unknown outcome. Nothing is told.

    Runs before any door opens, and again when a lost store is back: `live` are the requests of
    agents this process runs. Writes only if there is something to settle; returns how many were.

    Raises:
        TemporarilyUnavailable: another program keeps the store locked.
    """
    async with database.reading(Deadline(clock, _BUDGET)) as tx:
        found = await reviews.list_unsettled(tx)
        ruled = await ruled_calls.list_under_way(tx)
        untold = await receipts.list_untold(tx)
    settled = 0
    for review_id in found:
        if review_id not in live:
            settled += await _settle(database, clock, review_id)
    for review_id in untold:
        if review_id not in live:
            await _doubt(database, clock, review_id)
    for invocation_id in ruled:
        if invocation_id not in live:
            settled += await _lose(database, clock, invocation_id)
    if settled:
        _log.info("settled %d permission(s) of the last run", settled)
    return settled


async def _doubt(database: Database, clock: Clock, review_id: ReviewId) -> None:
    """It was declined, and whether its agent was told before it ended is not known."""
    async with database.writing(Deadline(clock, _BUDGET)) as tx:
        stored = await reviews.find(tx, review_id)
        if stored is not None:
            await lock_sessions(tx, [stored.review.session_id])
            await receipts.doubt(tx, review_id, clock.now())


async def _lose(database: Database, clock: Clock, invocation_id: str) -> bool:
    """A rule had allowed it, and its agent ended before it told what came of it."""
    async with database.writing(Deadline(clock, _BUDGET)) as tx:
        session_id = await ruled_calls.session_of(tx, invocation_id)
        if session_id is None:
            return False
        await lock_sessions(tx, [session_id])
        return await ruled_calls.settle(tx, invocation_id, ruled_calls.UNKNOWN, clock.now())


async def _settle(database: Database, clock: Clock, review_id: ReviewId) -> bool:
    async with database.writing(Deadline(clock, _BUDGET)) as tx:
        seen = await reviews.find(tx, review_id)
        if seen is None:
            return False
        await lock_sessions(tx, [seen.review.session_id])
        stored = await reviews.find(tx, review_id)
        if stored is None:
            return False
        now = clock.now()
        if stored.status == "pending":
            return await review_outcomes.cancel(tx, stored, review_outcomes.DESK_ENDED, now)
        return await review_outcomes.mark_unknown(tx, stored, now)
