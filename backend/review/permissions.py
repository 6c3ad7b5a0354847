"""What agents that this desk runs ask for and are told: the side that faces them."""

import asyncio
from dataclasses import replace

from backend.domain.agents import AgentUpdate, PermissionAsked, ToolCallChange
from backend.domain.own_tools import own_tool
from backend.domain.permission_answer import once
from backend.domain.policy import PolicyDecision, Ruling
from backend.domain.review import Owner
from backend.domain.reviewed_action import action_of
from backend.domain.tool_call import with_change
from backend.ids import ReviewId, SessionId, TurnId, new_id
from backend.review.announcing import ReviewAnnouncer
from backend.review.heard_calls import HeardCalls
from backend.review.new_request import NewRequest
from backend.review.opening import OWN_TOOL, Opening
from backend.review.parts import ReviewParts
from backend.review.settling import ReviewSettler
from backend.review.stopping import Stopping
from backend.review.waiting import WaitingCall, WaitingCalls

AGENT_GONE = "agent_gone"
TAKEN_BACK = "taken_back"
NOT_OPENED = "not_opened"


class Permissions:
    """One for all sessions; every request is answered exactly once, and never by default."""

    def __init__(
        self,
        parts: ReviewParts,
        waiting: WaitingCalls,
        announcer: ReviewAnnouncer,
        settler: ReviewSettler,
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer
        self._settler = settler
        self._opening = Opening(parts)
        self._stopping = Stopping(parts, waiting, announcer)
        self._heard = HeardCalls()

    def updated(self, session_id: SessionId, update: AgentUpdate) -> None:
        """Hear what an agent tells of its calls; needed for every `ToolCallChange` of it.

        Codex asks for a call by its id alone, and how an allowed call ended is told in this way.
        """
        if not isinstance(update, ToolCallChange):
            return
        before = self._heard.find(session_id, update.call_id)
        self._heard.heard(session_id, update)
        for call in self._waiting.of_session(session_id):
            if call.told and call.call.call_id == update.call_id:
                self._settler.went_on(call, update, with_change(before, update))

    async def permission_asked(
        self, session_id: SessionId, turn_id: TurnId, asked: PermissionAsked
    ) -> str | None:
        """The id of the option that was chosen; None answers `cancelled`.

        Waits as long as it takes, also for the store. Cancel it when the agent takes the request
        back.
        """
        announced = self._heard.find(session_id, asked.call.call_id)
        call = WaitingCall(
            ReviewId(new_id()),
            session_id,
            turn_id,
            with_change(announced, asked.call),
            asked.options,
            new_id(),
        )
        await self.ask(call, self._request(call, asked, announced))
        return call.option_id

    async def ask(self, call: WaitingCall, new: NewRequest) -> None:
        """Until the call is answered, by a rule or a human, or `cancelled`: it says which.

        `new` is of the same `review_id`. Cancel it when the agent takes the request back.
        """
        self._waiting.add(call)
        self._parts.supervisor.start(self._open(call, new), name="open permission")
        try:
            await asyncio.shield(call.answer)
        except asyncio.CancelledError:
            call.close(TAKEN_BACK)
            if call.ruled:
                self._settler.ruled_untold(call)
            else:
                self._settle_untold(call)
            raise
        if call.ruled:
            self._settler.ruled(call)
        elif call.reason:
            self._settle_untold(call)
        else:
            self._settler.told(call)

    async def nobody_waits(self, session_id: SessionId) -> None:
        """The session's prompt has ended or was stopped, or its agent is gone.

        Every request that is still open is answered `cancelled`, once; of one that was allowed
        and whose end was not told, the outcome is unknown.
        """
        self._heard.forget(session_id)
        for call in self._waiting.of_session(session_id):
            if call.told:
                self._settler.unknown(call)
            else:
                call.close(AGENT_GONE)

    def stopped(self, session_id: SessionId) -> None:
        """The human stops the session: answer `cancelled` what waits in it, at once."""
        self._stopping.answer(session_id)

    async def cancel_stopped(self, session_id: SessionId) -> None:
        """As `Stopping.cancel`, with what has come to wait since."""
        self._stopping.answer(session_id)
        await self._stopping.cancel(session_id)

    def live(self) -> WaitingCalls:
        """What recovery must leave alone: agents of this process wait for it, or are at work."""
        return self._waiting

    def _request(
        self, call: WaitingCall, asked: PermissionAsked, announced: ToolCallChange | None
    ) -> NewRequest:
        server = self._parts.server_name(call.session_id)
        tool = own_tool(asked, announced, server) if once(asked.options) else None
        action = action_of(call.call, announced, self._parts.signing_key)
        if tool is not None:
            action = replace(action, tool_name=f"{server}/{tool}")
        return NewRequest(
            session_id=call.session_id,
            turn_id=call.turn_id,
            owner=Owner.AGENT,
            call=call.call,
            options=call.options,
            action=action,
            review_id=call.review_id,
            invocation_id=call.invocation_id,
            end_is_told=True,
            ruling=None if tool is None else Ruling(PolicyDecision.ALLOW, OWN_TOOL),
            wanted=call.is_open,
        )

    async def _open(self, call: WaitingCall, new: NewRequest) -> None:
        async with call.order:
            opened = await self._opening.open(new)
        if opened is None:
            self._waiting.remove(call)
            call.close(NOT_OPENED)
        elif opened.review is None:
            if not call.rule(opened.ruling):
                self._settler.ruled_untold(call)
        else:
            await self._announcer.tell(call.review_id)

    def _settle_untold(self, call: WaitingCall) -> None:
        if call.reason != NOT_OPENED:
            self._settler.untold(call)
