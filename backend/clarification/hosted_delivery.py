"""From a claimed answer to the agent of a hosted session (K5.5, K5.6)."""

from backend.clarification.claimed import ClaimedAnswer, ResponseBudget
from backend.clarification.compensation import Compensation, Returned
from backend.clarification.detached import DetachedDelivery
from backend.clarification.live_delivery import Held, hold_out, see_through
from backend.clarification.lost_commit import CommitUnknown, SettlingWrite, commit_unknown, went
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline
from backend.domain.clarification import Delivery, Skipped
from backend.errors import AgentFailed, AppError, ErrorCode
from backend.store import intents, session_states
from backend.store.database import Transaction

NOT_DELIVERED = "failed to deliver clarification response; response can be retried"
NOT_RECOVERED = "failed to deliver clarification response and recover pending clarification state"
SKIP_NOT_FINALIZED = (
    "clarification rejection was recorded, but delivery state could not be finalized"
)


class HostedDelivery:
    """A waiting call gets the answer; without one the agent gets it as its next prompt.

    While the turn that asked goes on it is kept: the agent may come for it (`kept`). What can be
    taken back before that is: the bundle is answerable again, pre-filled with the answer.
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
        dispatch was attempted and does, or that keeping it is not known to be stored; all of them
        end in the background.

        Raises:
            AgentFailed: `delivery_failed`, with the texts of K5.6.
            CommitUnknown: what the store has of it cannot be seen; a retry will.
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
            case Held.NOBODY if self._detached.works_on(answer.bundle):
                return await self._keep(answer, budget)
            case Held.NOBODY:
                return await self._detached.deliver(answer, budget, deadline)
            case _:
                failure = live.offer.failure if live.offer is not None else None
                return await self._give_back(answer, budget, failure)

    async def _give_back(
        self, answer: ClaimedAnswer, budget: ResponseBudget, failure: AppError | None
    ) -> Delivery:
        """No call is known to have used it; a confirmation that seemed to fail may be stored."""
        returned = await self._compensation.restore(answer, budget.compensation())
        if returned is Returned.DELIVERED:
            return Delivery.DELIVERED
        if returned is Returned.UNKNOWN:
            raise commit_unknown()
        if returned is Returned.FAILED and isinstance(failure, CommitUnknown):
            raise failure
        raise delivery_failed(NOT_DELIVERED if returned is Returned.ANSWERABLE else NOT_RECOVERED)

    async def _keep(self, answer: ClaimedAnswer, budget: ResponseBudget) -> Delivery:
        """For the call that comes in the same turn; its end gives it to the agent else.

        That this is told makes the session look for it, also where the turn has ended meanwhile.
        """
        kept = Delivery.WAITING_FOR_AGENT
        try:
            await self._finalizing(answer, kept).by(budget.compensation())
        except (AppError, TimeoutError):
            self._settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id, kept))
            return Delivery.UNKNOWN
        return kept

    async def _close_skip(self, answer: ClaimedAnswer, budget: ResponseBudget) -> Delivery:
        """A refusal nobody waits for is final and sends nothing (K5.5)."""
        try:
            await self._finalizing(answer, Delivery.DISCARDED).by(budget.compensation())
        except (AppError, TimeoutError) as error:
            self._settler.hint(
                Unsettled(answer.pending_id, answer.claim.claim_id, Delivery.DISCARDED)
            )
            if isinstance(error, CommitUnknown):
                raise
            raise delivery_failed(SKIP_NOT_FINALIZED) from None
        return Delivery.DISCARDED

    async def _confirm(self, answer: ClaimedAnswer, deadline: Deadline) -> bool:
        return await self._finalizing(answer, Delivery.DELIVERED).to_its_end(deadline)

    def _finalizing(self, answer: ClaimedAnswer, delivery: Delivery) -> SettlingWrite[bool]:
        async def finalize(tx: Transaction) -> bool:
            claim, now = answer.claim, self._parts.clock.now()
            held = await intents.finalize(tx, claim.pending_id, claim.claim_id, delivery, now)
            if held and delivery is Delivery.DELIVERED:
                await session_states.run_again(tx, answer.bundle.session_id, now)
            return held

        async def seen(tx: Transaction) -> bool | None:
            return await went(tx, answer, delivery) or None

        return SettlingWrite(self._parts, finalize, seen)


def delivery_failed(text: str) -> AgentFailed:
    return AgentFailed(ErrorCode.DELIVERY_FAILED, text)
