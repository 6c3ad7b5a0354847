"""A permission an agent asks for: decided by rule, or put before its human."""

import logging
from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.agents import PermissionAsked, ToolCallChange
from backend.domain.digest import canonical_json, signed_digest
from backend.domain.own_tools import once, own_tool
from backend.domain.review import Review, ReviewStatus
from backend.domain.tool_call import with_change
from backend.ids import MessageId, SessionId, TurnId, new_id
from backend.review.parts import ReviewParts
from backend.review.waiting import WaitingCall
from backend.store import messages, reviews
from backend.store.database import Transaction
from backend.store.locks import lock_sessions
from backend.store.review_rows import PERMISSION, canonical_call, card_metadata, preview

NO_OPTIONS = "permission_option_unavailable"
NO_KEY = "signing_secret_unconfigured"
UNREADABLE = "arguments_unreadable"
OWN_TOOL = "own_tool"

_log = logging.getLogger(__name__)


class Opening:
    """Nothing here ever chooses for a human; what cannot be shown is not allowed."""

    def __init__(self, parts: ReviewParts) -> None:
        self._parts = parts

    async def allowed_by_rule(
        self,
        session_id: SessionId,
        turn_id: TurnId,
        asked: PermissionAsked,
        announced: ToolCallChange | None,
    ) -> str | None:
        """The option that lets the agent use one of our own tools this once; None asks the human.

        The ledger says so before the agent hears it.
        """
        server = self._parts.server_name(session_id)
        tool = own_tool(asked, announced, server)
        option = once(asked.options) if tool else None
        if tool is None or option is None:
            return None
        call = with_change(announced, asked.call)
        recorded = await self._record(
            session_id,
            turn_id,
            replace(call, tool_name=f"{server}/{tool}"),
            decision="allow",
            reason=OWN_TOOL,
        )
        return option.id if recorded else None

    async def open(self, waiting: WaitingCall) -> bool:
        """Make the request durable, with its card; False when it cannot be put before anybody."""
        if not waiting.options:
            return await self._refuse(waiting, waiting.call, NO_OPTIONS)
        if not self._parts.signing_key:
            return await self._refuse(waiting, waiting.call, NO_KEY)
        try:
            signed = canonical_call(waiting.call)
            arguments = canonical_json(waiting.call.raw_input)
        except ValueError:
            return await self._refuse(waiting, ToolCallChange(waiting.call.call_id), UNREADABLE)

        async def insert(tx: Transaction) -> bool:
            return await self._insert(tx, waiting, signed, arguments)

        return await self._parts.write_at_last(insert)

    async def _insert(
        self, tx: Transaction, waiting: WaitingCall, signed: str, arguments: str
    ) -> bool:
        session_id, turn_id = waiting.session_id, waiting.turn_id
        await lock_sessions(tx, [session_id])
        if await reviews.find(tx, waiting.review_id) is not None:
            return True
        if waiting.answer.done():
            return False
        asker = await reviews.find_asker(tx, session_id, turn_id)
        if asker is None:
            _log.warning("a permission was asked for session %s, which is not there", session_id)
            return False
        review = _requested(waiting, asker, self._parts.clock.now())
        card = await messages.insert_message(
            tx,
            session_id=session_id,
            task_id=asker.place.task_id,
            turn_id=turn_id,
            kind=PERMISSION,
            author="agent",
            content=preview(waiting.call),
            metadata=card_metadata(review),
            now=review.asked_at,
        )
        key = self._parts.signing_key
        new = reviews.Stored(
            review=replace(review, message_id=card.message_id),
            place=asker.place,
            invocation_id=new_id(),
            status="pending",
            signed=signed,
            digest=signed_digest(key, signed),
            claim_id=None,
        )
        await reviews.open_request(
            tx, new, agent=asker.agent, arguments_hash=signed_digest(key, arguments)
        )
        return True

    async def _refuse(self, waiting: WaitingCall, call: ToolCallChange, reason: str) -> bool:
        _log.warning("a permission of session %s is refused: %s", waiting.session_id, reason)
        await self._record(
            waiting.session_id, waiting.turn_id, call, decision="deny", reason=reason
        )
        return False

    async def _record(
        self,
        session_id: SessionId,
        turn_id: TurnId,
        call: ToolCallChange,
        *,
        decision: str,
        reason: str,
    ) -> bool:
        """The ledger's row of a call nobody is asked about; False when there is no such session."""
        key = self._parts.signing_key
        try:
            digest = signed_digest(key, canonical_json(call.raw_input)) if key else ""
        except ValueError:
            digest = ""
        invocation_id = new_id()

        async def record(tx: Transaction) -> bool:
            await lock_sessions(tx, [session_id])
            asker = await reviews.find_asker(tx, session_id, turn_id)
            if asker is None:
                return False
            ruled = reviews.RuledCall(
                invocation_id=invocation_id,
                session_id=session_id,
                turn_id=turn_id,
                agent=asker.agent,
                tool_name=call.tool_name or (call.kind or "other"),
                call_id=call.call_id,
                arguments_hash=digest,
                decision=decision,
                reason=reason,
                now=self._parts.clock.now(),
            )
            await reviews.record_ruled(tx, ruled, asker.place)
            return True

        return await self._parts.write_at_last(record)


def _requested(waiting: WaitingCall, asker: reviews.Asker, now: Nanoseconds) -> Review:
    """The request before it has its row in the transcript."""
    return Review(
        review_id=waiting.review_id,
        session_id=waiting.session_id,
        turn_id=waiting.turn_id,
        message_id=MessageId(""),
        agent_name=asker.agent_name,
        folder=asker.folder,
        call=waiting.call,
        options=waiting.options,
        status=ReviewStatus.PENDING,
        asked_at=now,
    )
