"""What the operators' tools do when they are called (K3.5)."""

from typing import Any, Final

from mcp_types import CallToolRequestParams, CallToolResult

from backend.api import DeskApi
from backend.clock import Clock
from backend.domain.validation import shortened
from backend.errors import AppError
from backend.ids import ClaimId, ClientId, PendingId, new_id
from backend.mcp import inbox_wire, tools, wire
from backend.mcp.bundle_wire import page_to_wire, response_to_wire
from backend.mcp.callers import Context, error_result, structured

_CLIENT: Final = ClientId("mcp-operator")


class OperatorTools:
    """Answers `tools/call` at the operators' endpoint, through the one resolver."""

    def __init__(self, desk: DeskApi, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock

    async def call(self, _ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        arguments = params.arguments or {}
        try:
            if params.name == tools.LIST_PENDING:
                return await self._list(arguments)
            if params.name == tools.ANSWER:
                return await self._answer(arguments)
        except AppError as error:
            return error_result(error.detail)
        return error_result(tools.UNKNOWN_TOOL.format(name=shortened(params.name)))

    async def _list(self, arguments: dict[str, Any]) -> CallToolResult:
        asked = wire.parse(inbox_wire.ListToolIn, arguments)
        page = await self._desk.list_page(inbox_wire.query_from_wire(asked))
        cursor = inbox_wire.write_cursor(page.after)
        return structured({**page_to_wire(page, cursor, self._clock.now())})

    async def _answer(self, arguments: dict[str, Any]) -> CallToolResult:
        asked = wire.parse(inbox_wire.AnswerToolIn, arguments)
        outcome = await self._desk.respond(
            PendingId(asked.pending_id),
            inbox_wire.outcome_from_wire(asked),
            client_id=_CLIENT,
            claim_token=ClaimId(new_id()),
        )
        return structured({**response_to_wire(outcome)})
