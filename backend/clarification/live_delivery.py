"""Holding a claimed answer out to the calls that wait for it (K5.5, live)."""

from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import NamedTuple

from backend.clarification.claimed import ClaimedAnswer
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clarification.waiters import Offer, Waiters
from backend.clock import Deadline
from backend.work.budget import finished_by


class Held(Enum):
    """How holding it out has ended."""

    NOBODY = auto()
    """No call waits, or the last one left before it took the answer."""
    CONFIRMED = auto()
    CONFIRMING = auto()
    """A confirmation has started and outlives the budget; it runs to its end."""
    FAILED = auto()
    """A call took the answer and the confirmation failed: the call does not use it."""
    IGNORED = auto()
    """Calls wait, and none took it in time."""


class LiveResult(NamedTuple):
    held: Held
    offer: Offer | None = None


async def hold_out(
    waiters: Waiters,
    answer: ClaimedAnswer,
    confirm: Callable[[], Awaitable[bool]],
    deadline: Deadline,
) -> LiveResult:
    """Offer the answer until it is confirmed, refused or the deadline has passed.

    Calls that ignored it are forgotten: should they come to, they look at the store again.
    """
    offer = waiters.offer(answer.pending_id, answer.claim.outcome, confirm)
    if offer is None:
        return LiveResult(Held.NOBODY)
    in_time = await finished_by(deadline, offer.settled)
    offer.withdraw()
    if not offer.settled.done():
        return LiveResult(Held.CONFIRMING, offer)
    if offer.settled.result():
        return LiveResult(Held.CONFIRMED, offer)
    if offer.taken:
        return LiveResult(Held.FAILED, offer)
    if in_time:
        return LiveResult(Held.NOBODY, offer)
    waiters.forget(answer.pending_id)
    return LiveResult(Held.IGNORED, offer)


async def see_through(parts: Parts, settler: Settler, answer: ClaimedAnswer, offer: Offer) -> None:
    """Follow a confirmation that outlives the budget to its end, and tell how it went."""
    if await offer.settled:
        await parts.announcer.settled(answer.pending_id)
    else:
        settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id))
