"""The MCP endpoints, loaded beside the running port.

Importing the SDK takes a second, most of it for clients we do not use and old protocol models. A
desk that waited for it would be usable that much later; an agent that is faster waits instead.
"""

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.api import DeskApi
from backend.clock import Clock
from backend.http.replies import send_json
from backend.mcp.asking_door import AskingDoor
from backend.mcp.gateway_door import GatewaySide
from backend.review.prompt_door import PermissionDoor

if TYPE_CHECKING:
    from backend.mcp.server import McpEndpoint


class McpDoors:
    """Two ASGI applications that wait for their endpoint and then are it."""

    def __init__(
        self,
        *,
        desk: DeskApi,
        asking: AskingDoor,
        permissions: PermissionDoor,
        gateway: GatewaySide | None,
        clock: Clock,
        version: str,
    ) -> None:
        self._desk = desk
        self._asking = asking
        self._permissions = permissions
        self._gateway = gateway
        self._clock = clock
        self._version = version
        self._stopping = asyncio.Event()
        self._ready = asyncio.Event()
        self._endpoints: tuple[McpEndpoint, McpEndpoint] | None = None
        self.agents: ASGIApp = _Door(self, 0)
        self.operators: ASGIApp = _Door(self, 1)

    async def run(self) -> None:
        """Load the endpoints and serve until `stop`."""
        try:
            await asyncio.to_thread(import_module, "backend.mcp.server")
            agents, operators = self._build()
            async with agents.run(), operators.run():
                self._endpoints = (agents, operators)
                self._ready.set()
                await self._stopping.wait()
        finally:
            self._endpoints = None
            self._ready.set()

    def stop(self) -> None:
        self._stopping.set()

    async def endpoint(self, number: int) -> "McpEndpoint | None":
        """The endpoint once it is loaded; None when the desk has stopped."""
        await self._ready.wait()
        return self._endpoints[number] if self._endpoints is not None else None

    def _build(self) -> "tuple[McpEndpoint, McpEndpoint]":
        from backend.mcp.server import agent_endpoint, operator_endpoint

        return (
            agent_endpoint(
                self._asking, self._permissions, self._gateway, self._clock, self._version
            ),
            operator_endpoint(self._desk, self._clock, self._version, self._asking.draining),
        )


class _Door:
    def __init__(self, doors: McpDoors, number: int) -> None:
        self._doors = doors
        self._number = number

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = await self._doors.endpoint(self._number)
        if endpoint is None:
            await send_json(send, 503, {"error": "the desk is stopping"})
            return
        await endpoint(scope, receive, send)
