"""Permissions that agents ask for over MCP: each is answered in its own call, or not at all (T8.3).

Nothing is told over MCP of what becomes of a call that was allowed. An agent this desk runs tells
it as of any other; of a guest's call it stays unknown.
"""

import asyncio
import logging
from dataclasses import replace
from typing import Final

from backend.clock import Deadline, sleep
from backend.domain.digest import same_digest, signed_digest
from backend.domain.own_tools import own_prompted_tool
from backend.domain.policy import BY_DEFAULT, BY_RULE, PolicyDecision, Ruling
from backend.domain.prompted_call import PROMPT_OPTIONS, prompted_call
from backend.domain.review import STOPPED_BY_HUMAN, STOPPED_WAITING, Owner, Review, ReviewStatus
from backend.domain.reviewed_action import action_of
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.ids import ReviewId, SessionId, TurnId, new_id
from backend.review.announcing import ReviewAnnouncer
from backend.review.callers import Places, ToolCaller
from backend.review.new_request import NewRequest
from backend.review.opening import OWN_TOOL, Opening
from backend.review.parts import ReviewParts
from backend.review.permissions import AGENT_GONE, NOT_OPENED, TAKEN_BACK
from backend.review.prompt_answer import PromptAnswer, Prompted, PromptEnd
from backend.review.settling import ReviewSettler
from backend.review.waiting import WaitingCall, WaitingCalls
from backend.store import reviews
from backend.store.review_rows import reviewed_input

OPEN_BUDGET: Final = 5.0
LOOK_PAUSE: Final = 1.0
GUEST_SERVER: Final = "kandesk"
"""What `kandesk connect` calls the desk's server in an agent's own configuration."""
REPLACED: Final = "asked_again"

_log = logging.getLogger(__name__)


class Prompting:
    """Implements `backend.review.prompt_door.PermissionDoor`."""

    def __init__(
        self,
        parts: ReviewParts,
        waiting: WaitingCalls,
        announcer: ReviewAnnouncer,
        settler: ReviewSettler,
        places: Places,
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer
        self._settler = settler
        self._places = places
        self._opening = Opening(parts)

    async def open(self, caller: ToolCaller, prompted: Prompted) -> "Prompt":
        """Put it before its human; what a rule decides has its result at once.

        Raises:
            TemporarilyUnavailable: the store does not answer in time; nobody was asked.
        """
        placing = self._place(caller)
        session_id, turn_id = await self._parts.supervisor.run_to_end(placing, name="place prompt")
        call = WaitingCall(
            ReviewId(new_id()),
            session_id,
            turn_id,
            prompted_call(prompted.call_id, prompted.tool_name, prompted.arguments),
            PROMPT_OPTIONS,
        )
        prompt = Prompt(self._parts, self._waiting, self._settler, call, caller)
        self._waiting.add(call)
        gone = self._places.waits(call.review_id, session_id)
        call.answer.add_done_callback(lambda _: gone())
        new = self._request(call, caller)
        self._parts.supervisor.start(self._open(prompt, new), name="open prompt")
        return prompt

    async def _place(self, caller: ToolCaller) -> tuple[SessionId, TurnId]:
        async with self._parts.database.writing(Deadline(self._parts.clock, OPEN_BUDGET)) as tx:
            return await self._places(tx, caller, self._parts.clock.now())

    def _request(self, call: WaitingCall, caller: ToolCaller) -> NewRequest:
        server = self._parts.server_name(call.session_id) if caller.hosted else GUEST_SERVER
        own = server is not None and own_prompted_tool(call.call.tool_name, server)
        action = action_of(call.call, None, self._parts.signing_key)
        # A rule is of one folder: of a caller that proves none, none is made and none applies.
        nothing_to_remember = replace(action, action_digest="")
        return NewRequest(
            session_id=call.session_id,
            turn_id=call.turn_id,
            owner=Owner.AGENT,
            call=call.call,
            options=call.options,
            action=action if caller.hosted or caller.identity.folder else nothing_to_remember,
            review_id=call.review_id,
            idempotency_key=caller.idempotency_key,
            ruling=Ruling(PolicyDecision.ALLOW, OWN_TOOL) if own else None,
            wanted=call.is_open,
        )

    async def _open(self, prompt: "Prompt", new: NewRequest) -> None:
        call = prompt.call
        async with call.order:
            opened = await self._opening.open(new)
            while opened is not None and opened.equal and opened.review is not None:
                # The same call came before, and did not hear how it ended.
                if opened.review.status is not ReviewStatus.PENDING:
                    prompt.replay(opened.review)
                    return
                await self._give_up(opened.review.review_id)
                opened = await self._opening.open(new)
        if opened is None:
            self._waiting.remove(call)
            call.close(NOT_OPENED)
        elif opened.review is None:
            call.rule(opened.ruling)
        else:
            await self._announcer.tell(call.review_id)

    async def _give_up(self, review_id: ReviewId) -> None:
        """The call that waited for it is this one by now; what it opened is over."""
        before = self._waiting.find(review_id)
        if before is not None and before.is_open():
            before.close(REPLACED)
            self._settler.untold(before)
        await sleep(self._parts.clock, LOOK_PAUSE)


class Prompt:
    """One call that waits; implements `backend.review.prompt_door.OpenPrompt`."""

    def __init__(
        self,
        parts: ReviewParts,
        waiting: WaitingCalls,
        settler: ReviewSettler,
        call: WaitingCall,
        caller: ToolCaller,
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._settler = settler
        self._guest = caller.hosted is None
        self._before: PromptAnswer | None = None
        self._declined: ReviewId | None = None
        """The request of the attempt before it, whose no it is told."""
        self._over = False
        self.call = call

    async def result(self) -> PromptAnswer:
        """Once it is over; may be cancelled, and asked again."""
        await asyncio.shield(self.call.answer)
        call = self.call
        if self._before is not None:
            return self._before
        if call.ruled:
            return self._ruled()
        if call.reason in {AGENT_GONE, STOPPED_BY_HUMAN}:
            return PromptAnswer(PromptEnd.STOPPED)
        if call.reason:
            return PromptAnswer(PromptEnd.UNDECIDED, reason=call.reason)
        if call.declined:
            return PromptAnswer(PromptEnd.DECLINED, reason=call.said)
        return await self._allowed()

    def told(self, answer: PromptAnswer) -> None:
        """The caller is being given this answer: the one step that cannot be taken back."""
        call = self.call
        if self._over:
            return
        self._over = True
        if self._declined is not None:
            self._settler.told_again(call, self._declined)
        elif self._before is not None or call.ruled or call.reason == NOT_OPENED:
            self._waiting.remove(call)
        elif answer.end is PromptEnd.ALLOWED:
            self._settler.told(call)
            if self._guest:
                self._settler.unheard(call)
        elif answer.end is PromptEnd.DECLINED:
            self._settler.told(call)
        else:
            self._settler.untold(call)

    def leave(self) -> None:
        """The caller is gone without an answer, whatever was decided."""
        self._end(TAKEN_BACK)

    def expire(self) -> PromptAnswer:
        """The caller waits no longer; nobody has declined, and nobody can decide it any more."""
        if not self._over:
            self.call.close(STOPPED_WAITING)
            self._over = True
            if self._before is None and not self.call.ruled:
                self._settler.expired(self.call, STOPPED_WAITING)
            else:
                self._waiting.remove(self.call)
        return PromptAnswer(PromptEnd.UNDECIDED, reason=STOPPED_WAITING)

    def replay(self, review: Review) -> None:
        """Answer as the attempt before it: a no is still one, a yes is never given twice."""
        if review.status is ReviewStatus.DECLINED:
            self._before = PromptAnswer(PromptEnd.DECLINED, reason=review.reason)
            self._declined = review.review_id
        else:
            self._before = PromptAnswer(PromptEnd.UNKNOWN)
        self.call.close(REPLACED)

    def _end(self, reason: str) -> None:
        if self._over:
            return
        self._over = True
        self.call.close(reason)
        if self._before is not None or self.call.ruled or self.call.reason == NOT_OPENED:
            self._waiting.remove(self.call)
        else:
            self._settler.untold(self.call)

    def _ruled(self) -> PromptAnswer:
        call = self.call
        if not call.declined:
            return PromptAnswer(PromptEnd.ALLOWED, call.call.raw_input)
        if call.reason in {BY_RULE, BY_DEFAULT}:
            return PromptAnswer(PromptEnd.RULED_OUT)
        return PromptAnswer(PromptEnd.UNDECIDED, reason=call.reason)

    async def _allowed(self) -> PromptAnswer:
        """With what was reviewed and signed, whatever the caller has sent since."""
        stored = await self._stored()
        key = self._parts.signing_key
        if stored is None or not same_digest(signed_digest(key, stored.signed), stored.digest):
            return PromptAnswer(PromptEnd.UNDECIDED, reason=ErrorCode.NOT_ACTIVE)
        return PromptAnswer(PromptEnd.ALLOWED, reviewed_input(stored.signed))

    async def _stored(self) -> reviews.Stored | None:
        while True:
            try:
                deadline = Deadline(self._parts.clock, OPEN_BUDGET)
                async with self._parts.database.reading(deadline) as tx:
                    return await tx.in_place(lambda tx: reviews.find(tx, self.call.review_id))
            except (TemporarilyUnavailable, StorageFailed) as error:
                _log.info("a permission is told later: %s", error.detail)
            await sleep(self._parts.clock, LOOK_PAUSE)
