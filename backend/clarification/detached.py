"""Giving an answer to a hosted agent as a prompt, at most once (K5.5 a-e)."""

import asyncio
import weakref
from typing import Final, NoReturn

from backend.clarification.claimed import ClaimedAnswer, ResponseBudget
from backend.clarification.compensation import Compensation, Returned
from backend.clarification.lost_commit import CommitUnknown, SettlingWrite, commit_unknown, went
from backend.clarification.parts import Parts
from backend.clarification.resume import DetachedResumer, ResumeRequest
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline, Nanoseconds
from backend.domain.clarification import Bundle, Delivery
from backend.domain.resume_text import resume_text
from backend.errors import AgentFailed, AppError, ErrorCode
from backend.events import EventBus, TurnStarted
from backend.ids import PendingId, SessionId, TurnId, new_id
from backend.store import (
    deliveries,
    hosted_sessions,
    intents,
    open_bundles,
    prompts,
    reservations,
    session_states,
    turns,
)
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions
from backend.work.budget import abandon, finished_by, within

NOT_RESUMED: Final = "failed to resume clarification; response can be retried"
NOT_RECOVERED: Final = "failed to resume clarification and recover pending clarification state"
DISPATCH_NOT_FINALIZED: Final = (
    "clarification response was accepted, but dispatch state could not be finalized"
)
DELIVERY_NOT_FINALIZED: Final = (
    "clarification response was accepted, but delivery state could not be finalized"
)


class DetachedDelivery:
    """Reserves the successor turn, marks the attempt, dispatches, publishes, clears.

    Before the marker everything can be taken back. From the marker on the prompt counts as given:
    only the agent's own refusal takes the answer back, and nothing is ever dispatched twice.
    """

    def __init__(
        self,
        parts: Parts,
        bus: EventBus,
        settler: Settler,
        compensation: Compensation,
        resumer: DetachedResumer | None,
    ) -> None:
        self._parts = parts
        self._bus = bus
        self._settler = settler
        self._compensation = compensation
        self._resumer = resumer
        self._guards: weakref.WeakValueDictionary[SessionId, asyncio.Lock] = (
            weakref.WeakValueDictionary()
        )

    def works_on(self, bundle: Bundle) -> bool:
        """Whether the turn that asked goes on, so that its agent may come for the answer."""
        resumer = self._resumer
        return resumer is not None and resumer.works_on(bundle.session_id, bundle.turn_id)

    async def deliver(
        self, answer: ClaimedAnswer, budget: ResponseBudget, deadline: Deadline
    ) -> Delivery:
        """`delivered` once the agent has acknowledged; `unknown` when that outlives the budget.

        Raises:
            AgentFailed: `delivery_failed`, with the texts of K5.6 rows 11 to 15; its cause is what
                kept the store from it, if that did.
            CommitUnknown: what the store has of it cannot be seen; a retry will.
        """
        guard = self._guard(answer.bundle.session_id)
        turn_id = TurnId(new_id())
        try:
            await within(deadline, guard.acquire())
        except TimeoutError:
            await self._take_back(answer, budget, None)
        try:
            resumer = await self._promptable(answer, deadline)
            if resumer is None:
                await self._take_back(answer, budget, None)
            try:
                prepared = await self._prepared(answer, turn_id, deadline)
            except (AppError, TimeoutError) as error:
                await self._take_back(answer, budget, turn_id, error)
            if not prepared:
                await self._take_back(answer, budget, turn_id)
            return await self._dispatch(resumer, answer, turn_id, budget, deadline)
        finally:
            guard.release()

    async def _promptable(
        self, answer: ClaimedAnswer, deadline: Deadline
    ) -> DetachedResumer | None:
        session_id = answer.bundle.session_id
        if self._resumer is None:
            return None
        try:
            if await within(deadline, self._compensation.is_quarantined(session_id, deadline)):
                return None
            promptable = await within(deadline, self._resumer.promptable(session_id))
        except (AppError, TimeoutError):
            return None
        return self._resumer if promptable else None

    async def _prepared(self, answer: ClaimedAnswer, turn_id: TurnId, deadline: Deadline) -> bool:
        """Whether turn and marker are stored and there is time left to dispatch.

        Raises:
            AppError, TimeoutError: they are not known to be.
        """
        reserved = await within(deadline, self._reserve(answer, turn_id, deadline))
        if not reserved:
            return False
        superseded = await within(deadline, self._mark(answer, turn_id, deadline))
        self._tell_changed(superseded)
        return not deadline.expired

    async def _reserve(self, answer: ClaimedAnswer, turn_id: TurnId, deadline: Deadline) -> bool:
        bundle = answer.bundle
        rows = reservations.ClaimedRows(bundle.pending_id, bundle.turn_id, answer.message_ids)
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            await lock_sessions(tx, [bundle.session_id])
            if not await _may_go(tx, answer):
                return False
            now = self._parts.clock.now()
            await reservations.reserve(tx, turn_id, bundle.session_id, bundle.task_id, rows, now)
        return True

    async def _mark(
        self, answer: ClaimedAnswer, turn_id: TurnId, deadline: Deadline
    ) -> list[PendingId]:
        """Cross the boundary; returns the bundles that the successor turn supersedes."""
        session_id = answer.bundle.session_id
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            await lock_sessions(tx, [session_id])
            now = self._parts.clock.now()
            superseded = await open_bundles.open_in_session(tx, session_id)
            if not await reservations.mark_attempted(tx, turn_id, now):
                raise AgentFailed(ErrorCode.DELIVERY_FAILED, "the reserved turn is gone")
            if answer.kept and not await _leave(tx, answer, now):
                raise AgentFailed(ErrorCode.DELIVERY_FAILED, "a call has collected the answer")
            await session_states.run_again(tx, session_id, now)
            await hosted_sessions.set_unsure(tx, session_id, now, unsure=False)
        return superseded

    async def _dispatch(
        self,
        resumer: DetachedResumer,
        answer: ClaimedAnswer,
        turn_id: TurnId,
        budget: ResponseBudget,
        deadline: Deadline,
    ) -> Delivery:
        bundle = answer.bundle
        request = ResumeRequest(
            session_id=bundle.session_id,
            task_id=bundle.task_id,
            pending_id=bundle.pending_id,
            turn_id=bundle.turn_id,
            successor_turn_id=turn_id,
            message_ids=answer.message_ids,
            prompt=resume_text(bundle, answer.answers),
        )
        dispatch = self._parts.supervisor.start(resumer.dispatch(request), name="resume agent")
        if not await finished_by(deadline, dispatch):
            following = self._follow(answer, turn_id, dispatch)
            self._parts.supervisor.start(following, name="follow dispatch", repeats=True)
            return Delivery.UNKNOWN
        return await self._ended(answer, turn_id, budget, dispatch)

    async def _ended(
        self,
        answer: ClaimedAnswer,
        turn_id: TurnId,
        budget: ResponseBudget,
        dispatch: asyncio.Task[None],
    ) -> Delivery:
        try:
            dispatch.result()
        except AgentFailed:
            await self._take_back(answer, budget, turn_id)
        except AppError:
            # Not known to be refused: the boundary is crossed, so it counts as given.
            return Delivery.UNKNOWN
        self._bus.publish(TurnStarted(answer.bundle.session_id, turn_id))
        await self._accept(answer, turn_id, budget.compensation())
        return Delivery.DELIVERED

    async def _follow(
        self, answer: ClaimedAnswer, turn_id: TurnId, dispatch: asyncio.Task[None]
    ) -> None:
        """The dispatch has outlived the budget: see it to its end and tell how it went."""
        try:
            await asyncio.wait({dispatch})
        except asyncio.CancelledError:
            abandon(dispatch)
            raise
        try:
            delivery = await self._ended(
                answer, turn_id, ResponseBudget(self._parts.clock), dispatch
            )
        except (AgentFailed, CommitUnknown):
            return
        if delivery is Delivery.DELIVERED:
            self._parts.waiters.look_again(answer.pending_id)
            await self._parts.announcer.settled(answer.pending_id)

    async def _accept(self, answer: ClaimedAnswer, turn_id: TurnId, deadline: Deadline) -> None:
        """The agent has taken it: make that durable, for the answer first.

        Until then the turn keeps the names of the rows it carries: a start after a crash finds
        the answer delivered, or by the rows its agent wrote in that turn that it was.
        """
        failure = await self._failure(self._finalizing(answer), deadline)
        text = DELIVERY_NOT_FINALIZED
        if failure is None:
            failure = await self._failure(self._clearing(turn_id), deadline)
            text = DISPATCH_NOT_FINALIZED
        if failure is None:
            return
        self._settler.hint(
            Unsettled(answer.pending_id, answer.claim.claim_id, Delivery.DELIVERED, turn_id)
        )
        if isinstance(failure, CommitUnknown):
            raise failure
        raise AgentFailed(ErrorCode.DELIVERY_FAILED, text)

    @staticmethod
    async def _failure(
        write: SettlingWrite[bool], deadline: Deadline
    ) -> AppError | TimeoutError | None:
        try:
            await write.by(deadline)
        except (AppError, TimeoutError) as error:
            return error
        return None

    def _clearing(self, turn_id: TurnId) -> SettlingWrite[bool]:
        async def clear(tx: Transaction) -> bool:
            await reservations.clear(tx, turn_id, self._parts.clock.now(), outbox=False)
            return True

        async def seen(tx: Transaction) -> bool | None:
            return await reservations.load(tx, turn_id) is None or None

        return SettlingWrite(self._parts, clear, seen)

    def _finalizing(self, answer: ClaimedAnswer) -> SettlingWrite[bool]:
        delivered = Delivery.DELIVERED

        async def finalize(tx: Transaction) -> bool:
            claim, now = answer.claim, self._parts.clock.now()
            if not await intents.finalize(tx, claim.pending_id, claim.claim_id, delivered, now):
                # Recovery after an outage of the store was here first and could not know.
                await deliveries.move(
                    tx, claim.pending_id, expected=Delivery.UNKNOWN, to=delivered, now=now
                )
            return True

        async def seen(tx: Transaction) -> bool | None:
            return await went(tx, answer, delivered) or None

        return SettlingWrite(self._parts, finalize, seen)

    async def _take_back(
        self,
        answer: ClaimedAnswer,
        budget: ResponseBudget,
        reserved: TurnId | None,
        cause: Exception | None = None,
    ) -> NoReturn:
        returned = await self._compensation.restore(
            answer, budget.compensation(), reserved=reserved
        )
        if returned is Returned.UNKNOWN:
            raise commit_unknown()
        undone = returned in {Returned.ANSWERABLE, Returned.WAITING}
        text = NOT_RESUMED if undone else NOT_RECOVERED
        raise AgentFailed(ErrorCode.DELIVERY_FAILED, text) from cause

    def _tell_changed(self, superseded: list[PendingId]) -> None:
        for pending_id in superseded:
            self._parts.waiters.look_again(pending_id)
            self._parts.supervisor.start(
                self._parts.announcer.settled(pending_id), name="announce superseded question"
            )

    def _guard(self, session_id: SessionId) -> asyncio.Lock:
        return self._guards.setdefault(session_id, asyncio.Lock())


async def _may_go(tx: Transaction, answer: ClaimedAnswer) -> bool:
    """Its turn owns the session still. A kept answer is given whatever came after that turn, but
    behind a message that was admitted before: turns begin in the order of their reservation.
    """
    bundle = answer.bundle
    if not answer.kept:
        return await turns.current_turn(tx, bundle.session_id) == bundle.turn_id
    if await prompts.list_undispatched(tx, bundle.session_id):
        return False
    found = await deliveries.states_of(tx, [bundle.pending_id])
    return found.get(bundle.pending_id) is Delivery.WAITING_FOR_AGENT


async def _leave(tx: Transaction, answer: ClaimedAnswer, now: Nanoseconds) -> bool:
    """A kept answer is on its way now; False when a call has come for it meanwhile."""
    waiting, unknown = Delivery.WAITING_FOR_AGENT, Delivery.UNKNOWN
    return await deliveries.move(tx, answer.pending_id, expected=waiting, to=unknown, now=now)
