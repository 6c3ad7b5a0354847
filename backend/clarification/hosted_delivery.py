"""From a claimed answer to the agent of a hosted session (K5.5, K5.6)."""

from backend.clarification.claimed import ClaimedAnswer, ResponseBudget
from backend.clarification.compensation import Compensation
from backend.clarification.detached import DetachedDelivery
from backend.clarification.live_delivery import Held, hold_out, see_through
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline
from backend.domain.clarification import Delivery, Skipped
from backend.errors import AgentFailed, AppError, ErrorCode
from backend.store import intents, session_states
from backend.store.database import Priority
from backend.work.budget import within

NOT_DELIVERED = "failed to deliver clarification response; response can be retried"
NOT_RECOVERED = "failed to deliver clarification response and recover pending clarification state"
SKIP_NOT_FINALIZED = (
    "clarification rejection was recorded, but delivery state could not be finalized"
)


class HostedDelivery:
    """A waiting call gets the answer; without one the agent gets it as its next prompt.

    What can be taken back is: the bundle is answerable again, pre-filled with the answer.
    """

    def __init__(
        self,
        parts: Parts,
        settler: Settler,
        compensation: Compensation,
        detached: DetachedDelivery,
    ) -> None:
        self._parts = parts
        self._settler = settler
        self._compensation = compensation
        self._detached = detached

    async def deliver(self, answer: ClaimedAnswer, budget: ResponseBudget) -> Delivery:
        """Hand the answer over and say where it is now.

        `pending` means a confirmation has started and outlives the budget, `unknown` that a
        dispatch was attempted and does; both end in the background.

        Raises:
            AgentFailed: `delivery_failed`, with the texts of K5.6.
        """
        deadline = budget.delivery()
        live = await hold_out(
            self._parts.waiters, answer, lambda: self._confirm(answer, deadline), deadline
        )
        match live.held:
            case Held.CONFIRMED:
                return Delivery.DELIVERED
            case Held.CONFIRMING if live.offer is not None:
                following = see_through(self._parts, self._settler, answer, live.offer)
                self._parts.supervisor.start(following, name="follow confirmation", repeats=True)
                return Delivery.PENDING
            case Held.NOBODY if isinstance(answer.claim.outcome, Skipped):
                return await self._close_skip(answer, budget)
            case Held.NOBODY:
                return await self._detached.deliver(answer, budget, deadline)
            case _:
                restored = await self._compensation.restore(answer, budget.compensation())
                raise delivery_failed(NOT_DELIVERED if restored else NOT_RECOVERED)

    async def _close_skip(self, answer: ClaimedAnswer, budget: ResponseBudget) -> Delivery:
        """A refusal nobody waits for is final and sends nothing (K5.5)."""
        deadline = budget.compensation()
        try:
            await within(deadline, self._finalize(answer, Delivery.DISCARDED, deadline))
        except (AppError, TimeoutError):
            self._settler.hint(
                Unsettled(answer.pending_id, answer.claim.claim_id, Delivery.DISCARDED)
            )
            raise delivery_failed(SKIP_NOT_FINALIZED) from None
        return Delivery.DISCARDED

    async def _confirm(self, answer: ClaimedAnswer, deadline: Deadline) -> bool:
        return await self._finalize(answer, Delivery.DELIVERED, deadline)

    async def _finalize(
        self, answer: ClaimedAnswer, delivery: Delivery, deadline: Deadline
    ) -> bool:
        claim, now = answer.claim, self._parts.clock.now()
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            held = await intents.finalize(tx, claim.pending_id, claim.claim_id, delivery, now)
            if held and delivery is Delivery.DELIVERED:
                await session_states.run_again(tx, answer.bundle.session_id, now)
            return held


def delivery_failed(text: str) -> AgentFailed:
    return AgentFailed(ErrorCode.DELIVERY_FAILED, text)
