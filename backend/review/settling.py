"""What becomes of a permission once its agent was answered, or waits no more (T8.3)."""

from collections.abc import Awaitable, Callable

from backend.domain.agents import ToolCallChange, ToolStatus
from backend.domain.call_result import result_of
from backend.domain.digest import canonical_json
from backend.domain.review import NOT_TOLD
from backend.domain.tool_call import ENDED
from backend.ids import ReviewId
from backend.review.announcing import ReviewAnnouncer
from backend.review.parts import ReviewParts
from backend.review.waiting import WaitingCall, WaitingCalls
from backend.store import receipts, review_outcomes, reviews, ruled_calls
from backend.store.database import Transaction
from backend.store.locks import lock_sessions

Step = Callable[[Transaction, reviews.Stored], Awaitable[bool]]


class ReviewSettler:
    """Writes in the background, in the order things have happened; an agent never waits for it."""

    def __init__(
        self, parts: ReviewParts, waiting: WaitingCalls, announcer: ReviewAnnouncer
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer

    def told(self, call: WaitingCall) -> None:
        """The agent is being given the answer: the one step that cannot be taken back."""
        call.told = True

        async def mark(tx: Transaction, stored: reviews.Stored) -> bool:
            return await review_outcomes.mark_told(tx, stored, self._parts.clock.now())

        self._start(call, mark, "tell permission", ends=call.declined)

    def told_again(self, call: WaitingCall, declined: ReviewId) -> None:
        """A call that came again is being told the no of the one before it."""

        async def mark(tx: Transaction) -> None:
            await lock_sessions(tx, [call.session_id])
            stored = await reviews.find(tx, declined)
            if stored is not None:
                told = receipts.telling(stored.review, self._parts.clock.now())
                await tx.execute_each([told])

        self._waiting.remove(call)
        self._parts.supervisor.start(self._parts.write_at_last(mark), name="tell permission again")

    def untold(self, call: WaitingCall) -> None:
        """It waits no more and was given nothing, whatever was decided."""
        reason = call.reason or "agent_gone"

        async def cancel(tx: Transaction, stored: reviews.Stored) -> bool:
            now = self._parts.clock.now()
            if await review_outcomes.cancel(tx, stored, reason, now, untold=True):
                return True
            return await receipts.owe(tx, call.review_id, now)

        self._start(call, cancel, "cancel permission", ends=True)

    def ruled(self, call: WaitingCall) -> None:
        """A rule has answered it. What it allowed is under way: its end is heard like any other."""
        if call.declined or not call.invocation_id:
            self._waiting.remove(call)
        else:
            call.told = True

    def ruled_untold(self, call: WaitingCall) -> None:
        """A rule has allowed it, and its agent waits no more and was not told."""
        reason = call.reason or "agent_gone"
        self._end_ruled(call, ruled_calls.RuledEnd(reason, untold=True))

    def went_on(self, call: WaitingCall, change: ToolCallChange, whole: ToolCallChange) -> None:
        """The agent tells how a call ended which it was answered about; `whole` is all it told."""
        if change.status not in ENDED:
            return
        failed = change.status is not ToolStatus.COMPLETED
        drifted, result = _differs(call.call, change), result_of(whole)
        if call.ruled:
            code = ruled_calls.TOOL_FAILED if failed else ""
            self._end_ruled(call, ruled_calls.RuledEnd(code, result=result, drifted=drifted))
            return
        end = review_outcomes.AgentEnd("failed" if failed else "succeeded", result, drifted)

        async def execute(tx: Transaction, stored: reviews.Stored) -> bool:
            return await review_outcomes.mark_executed(tx, stored, end, self._parts.clock.now())

        self._start(call, execute, "settle permission", ends=True)

    def expired(self, call: WaitingCall, reason: str) -> None:
        """It waits no more, and was given nothing, whatever was decided: nobody can any more."""

        async def expire(tx: Transaction, stored: reviews.Stored) -> bool:
            now = self._parts.clock.now()
            if await review_outcomes.expire(tx, stored, reason, now, approved=True):
                return True
            return await receipts.owe(tx, call.review_id, now)

        self._start(call, expire, "expire permission", ends=True)

    def unheard(self, call: WaitingCall) -> None:
        """It was answered, and nothing more of it will ever be told here."""

        async def lose(tx: Transaction, stored: reviews.Stored) -> bool:
            now = self._parts.clock.now()
            return await review_outcomes.mark_unknown(tx, stored, now, detail=NOT_TOLD)

        self._start(call, lose, "settle permission", ends=True)

    def unknown(self, call: WaitingCall) -> None:
        """It was answered, and its turn or its process has ended without saying what came of it."""
        if call.ruled:
            self._end_ruled(call, ruled_calls.UNKNOWN)
            return

        async def lose(tx: Transaction, stored: reviews.Stored) -> bool:
            return await review_outcomes.mark_unknown(tx, stored, self._parts.clock.now())

        self._start(call, lose, "settle permission", ends=True)

    def _start(self, call: WaitingCall, step: Step, name: str, *, ends: bool) -> None:
        if ends:
            self._waiting.remove(call)
        self._parts.supervisor.start(self._run(call, step), name=name)

    def _end_ruled(self, call: WaitingCall, end: ruled_calls.RuledEnd) -> None:
        self._waiting.remove(call)
        settling = self._settle_ruled(call, end)
        self._parts.supervisor.start(settling, name="settle allowed call")

    async def _settle_ruled(self, call: WaitingCall, end: ruled_calls.RuledEnd) -> None:
        async def work(tx: Transaction) -> None:
            await lock_sessions(tx, [call.session_id])
            await ruled_calls.settle(tx, call.invocation_id, end, self._parts.clock.now())

        async with call.order:
            await self._parts.write_at_last(work)

    async def _run(self, call: WaitingCall, step: Step) -> None:
        async def work(tx: Transaction) -> bool:
            await lock_sessions(tx, [call.session_id])
            stored = await reviews.find(tx, call.review_id)
            return stored is not None and await step(tx, stored)

        async with call.order:
            changed = await self._parts.write_at_last(work)
        if changed:
            await self._announcer.tell(call.review_id)


def _differs(reviewed: ToolCallChange, done: ToolCallChange) -> bool:
    """Whether the arguments told at the end are not those that were reviewed (T6.3, 68)."""
    if reviewed.raw_input is None or done.raw_input is None:
        return False
    try:
        return canonical_json(reviewed.raw_input) != canonical_json(done.raw_input)
    except ValueError:
        return True
