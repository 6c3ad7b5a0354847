"""Verdicts and outcomes no call of their agent was told of, given to it as its next prompt (T1.4).

Everything it was not told of goes with one prompt, and only when nothing of its session is open
any more: its turn has ended, and no request, question or message is before it. Whatever waits for
an answer of a human is no reason to wake anybody, and what has begun to go is never sent again.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from backend.clock import Deadline
from backend.domain.outcome_text import Outcome, outcome_text
from backend.domain.review import Owner, ReviewStatus
from backend.errors import AgentFailed, AppError
from backend.events import BundleResolved, Event, ReviewChanged, TurnStarted
from backend.ids import ReviewId, SessionId, TurnId, new_id
from backend.review.delivery_news import tell_deliveries
from backend.review.gateway.calls import TICKET_PREFIX
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.store import (
    hosted_sessions,
    open_bundles,
    owed_outcomes,
    prompts,
    receipts,
    reservations,
    session_states,
)
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions
from backend.store.owed_outcomes import Owed
from backend.store.reviews import Stored

_UNDECIDED: Final = frozenset({ReviewStatus.PENDING, ReviewStatus.APPROVED})

_log = logging.getLogger(__name__)


class Prompter(Protocol):
    """Gives prompts to the agents this desk runs."""

    async def promptable(self, session_id: SessionId) -> bool:
        """Whether the session takes a prompt now; its agent is started for that."""
        ...

    async def give(self, session_id: SessionId, turn_id: TurnId, text: str) -> None:
        """Give the agent the prompt whose turn is reserved; once it has acknowledged it returns.

        Raises:
            AgentFailed: it is certain that the agent has not taken it.
        """
        ...

    def look_again(self, session_id: SessionId) -> None:
        """Something waits for the agent: call `Continuations.give_next` when it is free."""
        ...


class Continuations:
    """Implements `backend.conversation.ports.WaitingAnswers`."""

    def __init__(
        self, parts: ReviewParts, prompter: Prompter, is_heard: Callable[[ReviewId], bool]
    ) -> None:
        """`is_heard` tells whether a call waits for this outcome, or is being told it now."""
        self._parts = parts
        self._prompter = prompter
        self._is_heard = is_heard
        parts.bus.subscribe(self._follow)

    async def waiting_sessions(self) -> tuple[SessionId, ...]:
        """Sessions whose agents are to be told something; what nobody is told is settled."""
        async with self._parts.database.reading(self._deadline()) as tx:
            found = await owed_outcomes.list_owed(tx)
        for owed in found:
            await self._retire(owed)
        return tuple(owed.session_id for owed in found if owed.due)

    async def give_next(self, session_id: SessionId) -> None:
        """Tell the agent all that it was not told, if nothing is before that.

        Raises:
            TemporarilyUnavailable, StorageFailed: the store kept it from being told; try later.
        """
        async with self._parts.database.reading(self._deadline()) as tx:
            (owed,) = await owed_outcomes.list_owed(tx, session_id) or (None,)
            due = () if owed is None else await self._due(tx, owed)
        if owed is not None:
            await self._retire(owed)
        if not due or not await self._prompter.promptable(session_id):
            return
        turn_id = TurnId(new_id())
        leaving = await self._leave(session_id, turn_id)
        if leaving:
            await self._give(session_id, turn_id, leaving)

    async def _leave(self, session_id: SessionId, turn_id: TurnId) -> Sequence[Stored]:
        """Reserve the turn and count what it carries as given, in one transaction."""
        async with self._parts.database.writing(self._deadline(), priority=Priority.SETTLE) as tx:
            await lock_sessions(tx, [session_id])
            (owed,) = await owed_outcomes.list_owed(tx, session_id) or (None,)
            due = () if owed is None else await self._due(tx, owed)
            if owed is None or not due:
                return ()
            now = self._parts.clock.now()
            ids = [stored.review.review_id for stored in due]
            await reservations.reserve_for_outcomes(tx, turn_id, session_id, owed.task_id, ids, now)
            await receipts.leave(tx, ids, now)
            await session_states.run_again(tx, session_id, now)
            await hosted_sessions.set_unsure(tx, session_id, now, unsure=False)
        return due

    async def _give(self, session_id: SessionId, turn_id: TurnId, told: Sequence[Stored]) -> None:
        ids = [stored.review.review_id for stored in told]
        text = outcome_text([_outcome(stored) for stored in told])
        try:
            await self._prompter.give(session_id, turn_id, text)
        except AgentFailed as error:
            _log.warning("what session %s asked for is told later: %s", session_id, error.detail)
            await self._parts.write_at_last(partial(self._put_back, session_id, turn_id, ids))
            return
        self._parts.bus.publish(TurnStarted(session_id, turn_id))
        await self._parts.write_at_last(partial(self._arrive, session_id, turn_id, ids))
        await tell_deliveries(self._parts, ids)

    async def _arrive(
        self, session_id: SessionId, turn_id: TurnId, ids: Sequence[ReviewId], tx: Transaction
    ) -> None:
        await lock_sessions(tx, [session_id])
        now = self._parts.clock.now()
        await receipts.arrive(tx, ids, now)
        await reservations.clear(tx, turn_id, now, outbox=False)

    async def _put_back(
        self, session_id: SessionId, turn_id: TurnId, ids: Sequence[ReviewId], tx: Transaction
    ) -> None:
        await lock_sessions(tx, [session_id])
        now = self._parts.clock.now()
        if await reservations.release(tx, turn_id):
            await receipts.put_back(tx, ids, now)
        await session_states.come_to_rest(tx, session_id, now)

    async def _due(self, tx: Transaction, owed: Owed) -> tuple[Stored, ...]:
        """What may be told now."""
        due = tuple(each for each in owed.due if not self._is_heard(each.review.review_id))
        session_id = owed.session_id
        if not due or await owed_outcomes.has_open_request(tx, session_id):
            return ()
        if await open_bundles.open_in_session(tx, session_id):
            return ()
        return () if await prompts.list_undispatched(tx, session_id) else due

    async def _retire(self, owed: Owed) -> None:
        if not owed.void:
            return
        async with self._parts.database.writing(self._deadline(), priority=Priority.SETTLE) as tx:
            await lock_sessions(tx, [owed.session_id])
            await receipts.retire(tx, owed.void, self._parts.clock.now())
        await tell_deliveries(self._parts, owed.void)

    def _follow(self, happened: Event) -> None:
        """The last thing that was open in a session may be over."""
        if isinstance(happened, ReviewChanged) and happened.review.status not in _UNDECIDED:
            self._look_soon(happened.review.session_id)
        elif isinstance(happened, BundleResolved):
            self._look_soon(happened.bundle.session_id)

    def _look_soon(self, session_id: SessionId) -> None:
        self._parts.supervisor.start(self._look(session_id, 0), name="look at receipts")

    async def _look(self, session_id: SessionId, failures: int) -> None:
        try:
            async with self._parts.database.reading(self._deadline()) as tx:
                owed = await owed_outcomes.list_owed(tx, session_id)
        except AppError as error:
            _log.warning("receipts of session %s wait: %s", session_id, error.detail)
            self._parts.worker.try_again(
                f"receipts of {session_id}",
                failures,
                lambda: self._look(session_id, failures + 1),
            )
            return
        if owed:
            self._prompter.look_again(session_id)

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, WRITE_BUDGET)


def _outcome(stored: Stored) -> Outcome:
    review = stored.review
    return Outcome(
        ticket=f"{TICKET_PREFIX}{stored.invocation_id}" if review.owner is Owner.GATEWAY else "",
        tool=stored.facts.tool_name or review.call.title or "",
        status=review.status,
        owner=review.owner,
        decided=review.decided_at is not None,
        reason=review.reason if review.status is ReviewStatus.DECLINED else "",
        error=review.error,
        result=review.result,
    )
