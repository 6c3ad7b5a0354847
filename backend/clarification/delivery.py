"""From a claimed answer to the agent of a guest session."""

from backend.clarification.claimed import ClaimedAnswer, ResponseBudget
from backend.clarification.live_delivery import Held, hold_out, see_through
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline
from backend.domain.clarification import Delivery
from backend.errors import StorageFailed, TemporarilyUnavailable
from backend.store import bundles, intents
from backend.store.database import Priority, Transaction
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
            following = see_through(self._parts, self._settler, answer, live.offer)
            self._parts.supervisor.start(following, name="follow confirmation", repeats=True)
            return Delivery.PENDING
        try:
            return await within(budget.compensation(), self._keep(answer, budget.compensation()))
        except (TemporarilyUnavailable, StorageFailed, TimeoutError):
            self._settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id))
            return Delivery.UNKNOWN

    async def _keep(self, answer: ClaimedAnswer, deadline: Deadline) -> Delivery:
        """Store it for the agent's next contact and wake calls that came meanwhile."""
        kept = Delivery.WAITING_FOR_AGENT
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            if not await self._finalize(tx, answer, kept):
                # A confirmation that seemed to fail was stored all the same.
                bundle = await bundles.load_bundle(tx, answer.pending_id)
                kept = (bundle and bundle.delivery) or Delivery.UNKNOWN
        self._parts.waiters.look_again(answer.pending_id)
        return kept

    async def _confirm(self, answer: ClaimedAnswer, deadline: Deadline) -> bool:
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            return await self._finalize(tx, answer, Delivery.DELIVERED)

    async def _finalize(self, tx: Transaction, answer: ClaimedAnswer, delivery: Delivery) -> bool:
        claim, now = answer.claim, self._parts.clock.now()
        return await tx.in_place(
            lambda tx: intents.finalize(tx, claim.pending_id, claim.claim_id, delivery, now)
        )
