"""From a claimed answer to the agent of a guest session."""

from backend.clarification.claimed import ClaimedAnswer, ResponseBudget
from backend.clarification.live_delivery import Held, hold_out
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clarification.waiters import Offer
from backend.clock import Deadline
from backend.domain.clarification import Delivery
from backend.errors import StorageFailed, TemporarilyUnavailable
from backend.store import intents
from backend.store.database import Priority
from backend.work.budget import within


class GuestDelivery:
    """Delivers claimed answers of guest sessions, which never return to pending.

    No waiting call, a failed or an abandoned delivery: the answer is kept for the agent
    (clarification.md, Resolver; deviates from K5.6 rows 6, 7, 9 and 11 on purpose).
    """

    def __init__(self, parts: Parts, settler: Settler) -> None:
        self._parts = parts
        self._settler = settler

    async def deliver(self, answer: ClaimedAnswer, budget: ResponseBudget) -> Delivery:
        """Hand the answer over and say where it is now.

        `pending` means a confirmation has started and outlives the budget, `unknown` that the
        answer is durable but where it goes could not be stored; both end in the background.
        """
        deadline = budget.delivery()
        live = await hold_out(
            self._parts.waiters, answer, lambda: self._confirm(answer, deadline), deadline
        )
        if live.held is Held.CONFIRMED:
            return Delivery.DELIVERED
        if live.held is Held.CONFIRMING and live.offer is not None:
            following = self._follow(answer, live.offer)
            self._parts.supervisor.start(following, name="follow confirmation", repeats=True)
            return Delivery.PENDING
        try:
            await within(budget.compensation(), self._keep(answer, budget.compensation()))
        except (TemporarilyUnavailable, StorageFailed, TimeoutError):
            self._settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id))
            return Delivery.UNKNOWN
        return Delivery.WAITING_FOR_AGENT

    async def _follow(self, answer: ClaimedAnswer, offer: Offer) -> None:
        if await offer.settled:
            await self._parts.announcer.settled(answer.pending_id)
        else:
            self._settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id))

    async def _keep(self, answer: ClaimedAnswer, deadline: Deadline) -> None:
        """Store it for the agent's next contact and wake calls that came meanwhile."""
        await self._finalize(answer, Delivery.WAITING_FOR_AGENT, deadline)
        self._parts.waiters.look_again(answer.pending_id)

    async def _confirm(self, answer: ClaimedAnswer, deadline: Deadline) -> bool:
        return await self._finalize(answer, Delivery.DELIVERED, deadline)

    async def _finalize(
        self, answer: ClaimedAnswer, delivery: Delivery, deadline: Deadline
    ) -> bool:
        claim, now = answer.claim, self._parts.clock.now()
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            return await intents.finalize(tx, claim.pending_id, claim.claim_id, delivery, now)
