"""The MCP endpoints: agents at `/mcp`, operators at `/mcp/operator`, both eras at each."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from backend.api import DeskApi
from backend.clock import Clock
from backend.mcp import tools
from backend.mcp.agent_tools import AgentTools
from backend.mcp.asking_door import AskingDoor
from backend.mcp.callers import Context, exchange_of
from backend.mcp.exchange import MAX_BODY, SCOPE_KEY, Exchange
from backend.mcp.handshake import HandshakeEra
from backend.mcp.holding import CallEnded
from backend.mcp.operator_tools import OperatorTools
from backend.mcp.stateless import StatelessEra
from backend.review.prompt_door import PermissionDoor

VERSION_HEADER: Final = "mcp-protocol-version"

CallTool = Callable[[Context, CallToolRequestParams], Awaitable[CallToolResult]]


class McpEndpoint:
    """An ASGI application for one set of tools.

    Every request must bring an `Exchange` in its scope; authentication, Host, Origin and size
    have been checked by then.
    """

    def __init__(self, specs: Sequence[tools.ToolSpec], call: CallTool, version: str) -> None:
        self._call = call
        self._listing = ListToolsResult(
            tools=[Tool.model_validate(spec.to_wire()) for spec in specs]
        )
        self._schemas = {spec.name: spec.input_schema for spec in specs}
        server: Server[Any] = Server(
            tools.SERVER_NAME,
            version=version,
            title=tools.SERVER_TITLE,
            instructions=tools.INSTRUCTIONS,
            get_tool_input_schema=self._schemas.get,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        server.middleware.clear()
        self._handshake = HandshakeEra(server)
        self._manager = StreamableHTTPSessionManager(
            server, stateless=True, max_request_body_size=MAX_BODY
        )
        self._stateless = StatelessEra(self._manager)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve for the time of the block."""
        async with self._manager.run(), self._handshake.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = scope[SCOPE_KEY]
        if not isinstance(exchange, Exchange):
            message = "a request without an exchange"
            raise TypeError(message)
        version = Request(scope).headers.get(VERSION_HEADER)
        if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._handshake.handle(exchange, scope, receive, send)
        else:
            await self._stateless.handle(exchange, scope, receive, send)

    async def _list_tools(
        self, _ctx: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return self._listing

    async def _call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            return await self._call(ctx, params)
        except CallEnded:
            exchange_of(ctx).silent = True
            raise MCPError(INTERNAL_ERROR, tools.DRAINING) from None


def agent_endpoint(
    asking: AskingDoor, permissions: PermissionDoor, clock: Clock, version: str
) -> McpEndpoint:
    """What agents and shims call; never lists a tool that could answer a question."""
    return McpEndpoint(tools.AGENT_TOOLS, AgentTools(asking, permissions, clock).call, version)


def operator_endpoint(desk: DeskApi, clock: Clock, version: str) -> McpEndpoint:
    """What acts for the human; reachable with the desk token only."""
    return McpEndpoint(tools.OPERATOR_TOOLS, OperatorTools(desk, clock).call, version)
