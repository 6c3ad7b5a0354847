"""Calls of other servers' tools as agents make them: held open, answered once, found by ticket."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from mcp_types import CallToolResult
from pydantic import ValidationError

from backend.domain.gateway_tools import agent_name
from backend.domain.review import STOPPED_BY_HUMAN
from backend.errors import InvalidInput, NotFound
from backend.ids import Ticket
from backend.mcp import gateway_texts as texts
from backend.mcp.callers import Context, caller_of, error_result, places, structured
from backend.mcp.exchange import Exchange
from backend.mcp.gateway_door import GatewayDoor
from backend.mcp.held_calls import HeldCalls
from backend.mcp.holding import HeldCall
from backend.review.callers import ToolCaller
from backend.review.gateway.calls import NO_SESSION, TICKET_PREFIX, OpenedCall
from backend.review.gateway.results import Reply, ReplyKind, ToolResult

QUICK: Final = 0.5
"""Seconds in which a call that nobody is asked about may end without a sign of life before."""

_REFUSALS: Final = {
    ReplyKind.DENIED: texts.DENIED,
    ReplyKind.DECLINED: texts.DECLINED,
    ReplyKind.EXPIRED: texts.EXPIRED,
    ReplyKind.CANCELLED: texts.CANCELLED,
    ReplyKind.FAILED: texts.FAILED,
    ReplyKind.UNKNOWN: texts.UNKNOWN,
    ReplyKind.NOT_ASKED: texts.NOT_ASKED,
}


class GatewayTools:
    """One for all callers of the agents' endpoint."""

    def __init__(self, calls: HeldCalls, gateway: GatewayDoor) -> None:
        self._calls = calls
        self._gateway = gateway

    def knows(self, name: str) -> bool:
        return self._gateway.knows(name)

    @staticmethod
    def has_ticket(ticket: object) -> bool:
        """Whether `get_answer` is asked for a call of one of these tools."""
        return isinstance(ticket, str) and ticket.startswith(TICKET_PREFIX)

    async def call(
        self, ctx: Context, exchange: Exchange, name: str, arguments: Mapping[str, object]
    ) -> CallToolResult:
        """Raises `CallEnded`: nothing may be written for this call any more."""
        held = self._held(ctx, exchange)
        with self._calls.live.enter(*places(exchange)):
            if held.asking.draining.is_set():
                await self._calls.begin(held)
            try:
                opened = await self._gateway.open(_caller(ctx, exchange), name, arguments)
            except InvalidInput:
                return error_result(texts.UNREADABLE.format(tool=name))
            except NotFound as error:
                if error.detail != NO_SESSION:
                    raise
                return error_result(texts.NO_SESSION.format(tool=name))
            return await self._answer(held, opened)

    async def get_answer(self, ctx: Context, exchange: Exchange, ticket: str) -> CallToolResult:
        """What became of the call of a ticket; waits like the call itself."""
        held = self._held(ctx, exchange)
        with self._calls.live.enter(*places(exchange)):
            opened = await self._gateway.redeem(_caller(ctx, exchange), ticket)
            return _as_answer(await self._answer(held, opened))

    def _held(self, ctx: Context, exchange: Exchange) -> HeldCall:
        return self._calls.held(ctx, exchange, caller_of(ctx, exchange).identity)

    async def _answer(self, held: HeldCall, opened: OpenedCall) -> CallToolResult:
        waiting = _Opened(self._gateway, opened)
        reply = await self._at_once(held, waiting)
        if reply is None:
            held.progress.message = texts.DECIDING if opened.asks else texts.RUNNING
            await held.exchange.flush()
            await held.progress.beat(Ticket(opened.ticket))
            reply = await held.hold_on(waiting)
        if reply is None:
            return _waiting(opened)
        return reply_to_wire(reply, opened)

    async def _at_once(self, held: HeldCall, waiting: "_Opened") -> Reply | None:
        """The reply of a call that is over quickly; what asks a human is not."""
        if waiting.asks_a_human:
            return None
        answer = asyncio.ensure_future(waiting.result())
        waits = asyncio.get_running_loop().create_future()

        def wake(*_: object) -> None:
            if not waits.done():
                waits.set_result(None)

        # No task of its own: whether the desk closes or the caller is gone is seen after this.
        timer = held.clock.call_later(QUICK, wake)
        answer.add_done_callback(wake)
        try:
            await waits
            return await answer if answer.done() else None
        finally:
            timer.cancel()
            answer.cancel()


class _Opened:
    """A call as what its caller waits for; whoever leaves, it goes on."""

    def __init__(self, gateway: GatewayDoor, opened: OpenedCall) -> None:
        self._gateway = gateway
        self._opened = opened

    @property
    def asks_a_human(self) -> bool:
        return self._opened.asks and not self._opened.replayed

    async def result(self) -> Reply:
        return await self._gateway.reply(self._opened)

    def leave(self) -> None:
        pass


def reply_to_wire(reply: Reply, opened: OpenedCall) -> CallToolResult:
    """What the tool returned, marked as somebody else's words, or why there is nothing."""
    name = agent_name(reply.server, reply.tool)
    if reply.result is not None:
        return _result_to_wire(reply, reply.result, replayed=opened.asks and opened.replayed)
    detail = reply.detail or "no reason is known"
    stopped = reply.kind is ReplyKind.CANCELLED and detail == STOPPED_BY_HUMAN
    refusal = texts.STOPPED if stopped else _REFUSALS[reply.kind]
    text = refusal.format(tool=name, detail=detail, reason=detail)
    if reply.kind is ReplyKind.DECLINED and reply.detail:
        text = texts.DECLINED_BECAUSE.format(declined=text, reason=reply.detail)
    return error_result(text)


def _result_to_wire(reply: Reply, result: ToolResult, *, replayed: bool) -> CallToolResult:
    notes = [texts.UNTRUSTED.format(tool=reply.tool, server=reply.server)]
    if reply.shortened:
        notes.insert(0, texts.SHORTENED)
    if replayed:
        notes.append(texts.REPLAYED)
    meta: dict[str, Any] = {**result.meta, **texts.source(reply.server, reply.tool)}
    if replayed:
        meta[texts.REPLAYED_META] = True
    wire: dict[str, Any] = {
        "content": [*result.content, {"type": "text", "text": "\n".join(notes)}],
        "isError": result.is_error,
        "_meta": meta,
    }
    if result.structured is not None:
        wire["structuredContent"] = dict(result.structured)
    try:
        return CallToolResult.model_validate(wire)
    except ValidationError:
        return error_result(texts.FAILED.format(tool=reply.tool, detail="its result is no result"))


def _as_answer(result: CallToolResult) -> CallToolResult:
    """In the shape `get_answer` has promised, which clients hold its results to."""
    found = result.structured_content
    if result.is_error or texts.SOURCE_META not in (result.meta or {}):
        return result
    answer: dict[str, Any] = {"status": "ran"}
    if found is not None:
        answer["result"] = found
    return result.model_copy(update={"structured_content": answer})


def _waiting(opened: OpenedCall) -> CallToolResult:
    text = texts.WAITING if opened.asks else texts.STILL_RUNNING
    told = text.format(tool=opened.tool_name, ticket=opened.ticket)
    status = texts.APPROVAL_REQUIRED if opened.asks else "running"
    return structured({"status": status, "ticket": opened.ticket, "message": told})


def _caller(ctx: Context, exchange: Exchange) -> ToolCaller:
    asking = caller_of(ctx, exchange)
    return ToolCaller(asking.identity, asking.hosted, asking.idempotency_key)
