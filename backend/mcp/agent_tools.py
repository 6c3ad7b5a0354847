"""What the agents' tools do when they are called."""

import asyncio
from typing import Any

from mcp_types import CallToolRequestParams, CallToolResult, TextContent

from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import AskCaller, OpenAsk
from backend.clock import Clock
from backend.domain.clarification import QuestionBundleDraft
from backend.domain.conversation import GuestIdentity
from backend.domain.validation import shortened
from backend.errors import AppError, Conflict, ErrorCode
from backend.ids import Ticket
from backend.mcp import tools, wire
from backend.mcp.asking_door import AskingDoor
from backend.mcp.callers import (
    Context,
    caller_of,
    error_result,
    exchange_of,
    places,
    structured,
)
from backend.mcp.exchange import Exchange
from backend.mcp.holding import CallEnded, HeldCall, LiveCalls, Progress
from backend.mcp.patience import Transport, waiting_limit


class AgentTools:
    """Answers `tools/call` at the agents' endpoint."""

    def __init__(self, asking: AskingDoor, clock: Clock) -> None:
        self._asking = asking
        self._clock = clock
        self.live = LiveCalls()
        self._opening: set[asyncio.Future[OpenAsk]] = set()

    async def call(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        """Expected failures are tool errors, which a model can read and correct.

        Raises:
            CallEnded: nothing may be written for this call any more.
        """
        exchange = exchange_of(ctx)
        try:
            if params.name in tools.ASK_TOOLS:
                return await self._ask(ctx, exchange, params)
            if params.name == tools.GET_ANSWER:
                return await self._get_answer(ctx, exchange, params.arguments or {})
            if params.name == tools.SEND_NOTE:
                return await self._send_note(ctx, exchange, params.arguments or {})
        except AppError as error:
            return error_result(error.detail)
        return error_result(tools.UNKNOWN_TOOL.format(name=shortened(params.name)))

    async def _ask(
        self, ctx: Context, exchange: Exchange, params: CallToolRequestParams
    ) -> CallToolResult:
        kandev = params.name == tools.ASK_KANDEV
        reserved = tools.KANDEV_RESERVED_IDS if kandev else frozenset[str]()
        draft = wire.draft_from_wire(params.arguments or {}, reserved_ids=reserved)
        caller = caller_of(ctx, exchange)
        held = self._held(ctx, exchange, caller.identity)
        with self.live.enter(*places(exchange)):
            await self._begin(held)
            opened = await self._open(caller, draft)
            result = await self._hold(held, opened)
        if result is None:
            return structured(wire.waiting_to_wire(opened.ticket))
        return _kandev_result(result) if kandev else structured(wire.result_to_wire(result))

    async def _get_answer(
        self, ctx: Context, exchange: Exchange, arguments: dict[str, Any]
    ) -> CallToolResult:
        ticket = wire.parse(wire.TicketIn, arguments).ticket
        held = self._held(ctx, exchange, caller_of(ctx, exchange).identity)
        with self.live.enter(*places(exchange)):
            await self._begin(held)
            opened = await self._asking.redeem(Ticket(ticket))
            result = await self._hold(held, opened)
        if result is None:
            return structured(wire.waiting_to_wire(opened.ticket))
        return structured(wire.result_to_wire(result))

    async def _send_note(
        self, ctx: Context, exchange: Exchange, arguments: dict[str, Any]
    ) -> CallToolResult:
        note = wire.parse(wire.NoteIn, arguments)
        await self._asking.note(caller_of(ctx, exchange), note.text)
        return CallToolResult(content=[TextContent(text=tools.SENT)])

    def _held(self, ctx: Context, exchange: Exchange, identity: GuestIdentity) -> HeldCall:
        token = (ctx.meta or {}).get("progress_token")
        if token is None and exchange.shim is not None:
            token = ctx.request_id
        limit = caller_limit = None
        if exchange.shim is None:
            name = identity.client_name
            limit = waiting_limit(name, Transport.HTTP, has_token=token is not None)
        else:
            caller_limit = exchange.shim.patience
        return HeldCall(
            asking=self._asking,
            clock=self._clock,
            exchange=exchange,
            progress=Progress(ctx.session, exchange, ctx.request_id, token),
            started_at=self._clock.monotonic(),
            limit=limit,
            caller_limit=caller_limit,
        )

    async def _begin(self, held: HeldCall) -> None:
        """Headers and a sign of life before the store is asked, however slow it is.

        A shim's first event carries the ticket, so it must wait for it.
        """
        if self._asking.draining.is_set():
            if held.exchange.shim is not None:
                raise CallEnded
            raise Conflict(ErrorCode.DRAINING, tools.DRAINING)
        await held.exchange.flush()
        if held.exchange.shim is None:
            await held.progress.beat()

    async def _open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk:
        """Opening goes on when the caller is cancelled; its bundle is then detached at once."""
        opening = asyncio.ensure_future(self._asking.open(caller, draft))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._cut_late)
            raise

    def _cut_late(self, opening: asyncio.Future[OpenAsk]) -> None:
        if not opening.cancelled() and opening.exception() is None:
            self._asking.cut(opening.result().pending_id)

    async def _hold(self, held: HeldCall, opened: OpenAsk) -> AskResult | None:
        if held.exchange.shim is not None:
            await held.progress.beat(opened.ticket)
        return await held.hold(opened)


def _kandev_result(result: AskResult) -> CallToolResult:
    payload = wire.kandev_result_to_wire(result)
    if result.status in {AskStatus.UNANSWERED, AskStatus.WITHDRAWN}:
        return CallToolResult(
            content=[TextContent(text=tools.KANDEV_CLOSED)],
            structured_content=payload,
            is_error=True,
        )
    return structured(payload, indent=2)
