"""What the agents' tools do when they are called."""

from typing import Any

from mcp_types import CallToolRequestParams, CallToolResult, TextContent

from backend.clarification.ask_result import AskResult, AskStatus
from backend.clock import Clock
from backend.domain.validation import shortened
from backend.errors import AppError
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
from backend.mcp.gateway_door import GatewayDoor
from backend.mcp.gateway_tools import GatewayTools
from backend.mcp.held_calls import HeldCalls
from backend.mcp.permission_tool import PermissionTool
from backend.review.prompt_door import PermissionDoor


class AgentTools:
    """Answers `tools/call` at the agents' endpoint."""

    def __init__(
        self,
        asking: AskingDoor,
        permissions: PermissionDoor,
        gateway: GatewayDoor | None,
        clock: Clock,
    ) -> None:
        self._asking = asking
        self._calls = HeldCalls(asking, clock)
        self._permissions = PermissionTool(self._calls, permissions)
        self._gateway = None if gateway is None else GatewayTools(self._calls, gateway)

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
            if params.name == tools.REQUEST_PERMISSION:
                return await self._permissions.call(ctx, exchange, params.arguments or {})
            if self._gateway is not None and self._gateway.knows(params.name):
                arguments = params.arguments or {}
                return await self._gateway.call(ctx, exchange, params.name, arguments)
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
        held = self._calls.held(ctx, exchange, caller.identity)
        with self._calls.live.enter(*places(exchange)):
            await self._calls.begin(held)
            opened = await self._calls.open(caller, draft)
            result = await self._calls.hold(held, opened)
        if result is None:
            return structured(wire.waiting_to_wire(opened.ticket))
        return _kandev_result(result) if kandev else structured(wire.result_to_wire(result))

    async def _get_answer(
        self, ctx: Context, exchange: Exchange, arguments: dict[str, Any]
    ) -> CallToolResult:
        ticket = wire.parse(wire.TicketIn, arguments).ticket
        if self._gateway is not None and self._gateway.has_ticket(ticket):
            return await self._gateway.get_answer(ctx, exchange, ticket)
        held = self._calls.held(ctx, exchange, caller_of(ctx, exchange).identity)
        with self._calls.live.enter(*places(exchange)):
            await self._calls.begin(held)
            opened = await self._asking.redeem(Ticket(ticket))
            result = await self._calls.hold(held, opened)
        if result is None:
            return structured(wire.waiting_to_wire(opened.ticket))
        return structured(wire.result_to_wire(result))

    async def _send_note(
        self, ctx: Context, exchange: Exchange, arguments: dict[str, Any]
    ) -> CallToolResult:
        note = wire.parse(wire.NoteIn, arguments)
        await self._asking.note(caller_of(ctx, exchange), note.text)
        return CallToolResult(content=[TextContent(text=tools.SENT)])


def _kandev_result(result: AskResult) -> CallToolResult:
    payload = wire.kandev_result_to_wire(result)
    if result.status in {AskStatus.UNANSWERED, AskStatus.WITHDRAWN}:
        return CallToolResult(
            content=[TextContent(text=tools.KANDEV_CLOSED)],
            structured_content=payload,
            is_error=True,
        )
    return structured(payload, indent=2)
