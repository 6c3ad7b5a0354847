"""Answers of hosted sessions that wait for their agent, given as its next prompt (K5.5)."""

import logging

from backend.clarification.claimed import ClaimedAnswer, ResponseBudget, kept_answer
from backend.clarification.detached import DetachedDelivery
from backend.clarification.parts import Parts
from backend.clock import Deadline
from backend.domain.clarification import Delivery
from backend.errors import (
    AgentFailed,
    ErrorCode,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import SessionId
from backend.store import bundles, kept_answers, open_bundles, prompts
from backend.store.database import Transaction

LOOK_BUDGET = 5.0
"""Seconds for a look at what waits."""

_log = logging.getLogger(__name__)


class KeptAnswers:
    """Each was given while the turn that asked went on, and no call came for it.

    It stays where it is until the attempt to give it is stored: a call may still collect it, its
    human discard it. One whose turn the human has stopped is never given by itself.
    """

    def __init__(self, parts: Parts, detached: DetachedDelivery) -> None:
        self._parts = parts
        self._detached = detached

    async def waiting_sessions(self) -> tuple[SessionId, ...]:
        """Sessions with answers their agents are to be given."""
        async with self._parts.database.reading(self._deadline()) as tx:
            return await kept_answers.list_sessions(tx)

    async def give_next(self, session_id: SessionId) -> None:
        """Give the agent the oldest of its answers; it works afterwards.

        Nothing while a question of the session is open, which a prompt would supersede, or a
        message is before it. One that its agent does not take stays.

        Raises:
            TemporarilyUnavailable, StorageFailed: the store kept it from being given; try later.
        """
        async with self._parts.database.reading(self._deadline()) as tx:
            answer = await _next(tx, session_id)
        if answer is None:
            return
        budget = ResponseBudget(self._parts.clock)
        try:
            delivery = await self._detached.deliver(answer, budget, budget.delivery())
        except AgentFailed as error:
            _log.warning("the answer that %s kept: %s", answer.pending_id, error.detail)
            await self._parts.announcer.session(session_id)
            if isinstance(error.__cause__, TemporarilyUnavailable | StorageFailed | TimeoutError):
                raise TemporarilyUnavailable(
                    ErrorCode.TEMPORARILY_UNAVAILABLE, error.detail
                ) from error
            return
        if delivery is Delivery.DELIVERED:
            self._parts.waiters.look_again(answer.pending_id)
            await self._parts.announcer.settled(answer.pending_id)

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, LOOK_BUDGET)


async def _next(tx: Transaction, session_id: SessionId) -> ClaimedAnswer | None:
    waiting = await kept_answers.list_of_session(tx, session_id)
    if not waiting or await prompts.list_undispatched(tx, session_id):
        return None
    if await open_bundles.open_in_session(tx, session_id):
        return None
    return kept_answer(await bundles.require_bundle(tx, waiting[0]))
