"""The MCP endpoints: agents at `/mcp`, operators at `/mcp/operator`, both eras at each."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
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
    ToolListChangedNotification,
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
from backend.mcp.gateway_door import GatewaySide
from backend.mcp.handshake import HandshakeEra
from backend.mcp.holding import CallEnded
from backend.mcp.operator_tools import OperatorTools
from backend.mcp.stateless import StatelessEra
from backend.mcp.tool_list import ToolList
from backend.review.prompt_door import PermissionDoor

VERSION_HEADER: Final = "mcp-protocol-version"

CallTool = Callable[[Context, CallToolRequestParams], Awaitable[CallToolResult]]


class McpEndpoint:
    """An ASGI application for one set of tools.

    Every request must bring an `Exchange` in its scope; authentication, Host, Origin and size
    have been checked by then.
    """

    def __init__(
        self, tool_list: ToolList, call: CallTool, version: str, closing: asyncio.Event
    ) -> None:
        self._call = call
        self._tools = tool_list
        self._closing = closing
        server: Server[Any] = Server(
            tools.SERVER_NAME,
            version=version,
            title=tools.SERVER_TITLE,
            instructions=tools.INSTRUCTIONS,
            get_tool_input_schema=tool_list.schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=tool_list.listen if tool_list.changes else None,
        )
        server.middleware.clear()
        self._handshake = HandshakeEra(server, tools_change=tool_list.changes)
        self._manager = StreamableHTTPSessionManager(
            server, stateless=True, max_request_body_size=MAX_BODY
        )
        self._stateless = StatelessEra(self._manager)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve for the time of the block."""
        ending = asyncio.ensure_future(self._end_news())
        try:
            async with self._manager.run(), self._handshake.run():
                yield
        finally:
            ending.cancel()

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

    async def _end_news(self) -> None:
        """A stream of news would keep the port open that is being closed."""
        await self._closing.wait()
        self._tools.listen.close()

    async def _list_tools(
        self, ctx: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return self._tools.result(exchange_of(ctx).session_id)

    async def _call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        if self._tools.is_news_to(exchange_of(ctx).session_id):
            # The handshake era has no other stream here on which it could be told.
            await ctx.session.send_notification(ToolListChangedNotification(), ctx.request_id)
        try:
            return await self._call(ctx, params)
        except CallEnded:
            exchange_of(ctx).silent = True
            raise MCPError(INTERNAL_ERROR, tools.DRAINING) from None


def agent_endpoint(
    asking: AskingDoor,
    permissions: PermissionDoor,
    gateway: GatewaySide | None,
    clock: Clock,
    version: str,
) -> McpEndpoint:
    """What agents and shims call; never lists a tool that could answer a question."""
    listed = ToolList(tools.AGENT_TOOLS, None if gateway is None else gateway.servers)
    calls = None if gateway is None else gateway.calls
    agents = AgentTools(asking, permissions, calls, clock)
    return McpEndpoint(listed, agents.call, version, asking.draining)


def operator_endpoint(
    desk: DeskApi, clock: Clock, version: str, closing: asyncio.Event
) -> McpEndpoint:
    """What acts for the human; reachable with the desk token only."""
    operators = OperatorTools(desk, clock)
    return McpEndpoint(ToolList(tools.OPERATOR_TOOLS), operators.call, version, closing)
