"""From a claimed answer to the agent: live while a call waits, stored for it otherwise."""

import asyncio
from typing import Any, Final

from backend.clarification.waiters import Offer, Waiters
from backend.clock import Clock, Deadline
from backend.domain.clarification import Delivery
from backend.ids import ClaimId, PendingId
from backend.store import claims, intents
from backend.store.database import Database, Priority

DELIVERY_BUDGET: Final = 30.0
COMPENSATION_BUDGET: Final = 4.0


class GuestDelivery:
    """Delivers claimed answers of guest sessions, which never return to pending.

    No waiting call, a failed or an abandoned delivery: the answer is kept for the agent
    (clarification.md, Resolver; deviates from K5.6 rows 6, 7, 9 and 11 on purpose).
    """

    def __init__(self, *, database: Database, clock: Clock, waiters: Waiters) -> None:
        self._database = database
        self._clock = clock
        self._waiters = waiters

    async def deliver(self, claim: claims.Claim) -> Delivery:
        """Hand the answer over and say where it is now.

        `pending` means a confirmation has started and outlives the budget; it ends in the
        background.

        Raises:
            TemporarilyUnavailable: the answer is claimed and durable, but where it goes could not
                be stored; recovery settles it.
        """
        pending_id, claim_id = claim.pending_id, claim.claim_id
        offer = self._waiters.offer(
            pending_id,
            claim.outcome,
            lambda: self._finalize(pending_id, claim_id, Delivery.DELIVERED),
        )
        if offer is not None:
            delivered = await self._settle(offer)
            if delivered is None:
                return Delivery.PENDING
            if delivered:
                return Delivery.DELIVERED
        await self.keep(pending_id, claim_id)
        return Delivery.WAITING_FOR_AGENT

    async def keep(self, pending_id: PendingId, claim_id: ClaimId) -> bool:
        """Store the answer for the agent's next contact and wake calls that came meanwhile."""
        kept = await self._finalize(pending_id, claim_id, Delivery.WAITING_FOR_AGENT)
        self._waiters.look_again(pending_id)
        return kept

    async def _settle(self, offer: Offer) -> bool | None:
        """Whether the offer was taken and confirmed; None while a confirmation still runs."""
        expired = asyncio.Event()
        timer = self._clock.call_later(DELIVERY_BUDGET, expired.set)
        expiry = asyncio.ensure_future(expired.wait())
        waited: list[asyncio.Future[Any]] = [offer.settled, expiry]
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            expiry.cancel()
        offer.withdraw()
        return offer.settled.result() if offer.settled.done() else None

    async def _finalize(self, pending_id: PendingId, claim_id: ClaimId, delivery: Delivery) -> bool:
        budget = Deadline(self._clock, COMPENSATION_BUDGET)
        async with self._database.writing(budget, priority=Priority.CLAIM) as tx:
            return await intents.finalize(tx, pending_id, claim_id, delivery, self._clock.now())
