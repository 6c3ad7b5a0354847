"""A desk's port in this process, and clients that reach it: the SDK's, raw HTTP, raw sockets."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from backend.clock import Clock
from backend.http.auth import Tokens
from backend.http.desk_routes import DeskProcess
from backend.http.server import HttpServer
from backend.metrics import Metrics
from backend.work.supervisor import TaskSupervisor
from tests.helpers.fake_asking import FakeAsking, ScriptedDesk
from tests.helpers.fake_permissions import FakePermissions

TOKENS: Final = Tokens(desk="desk-token", agent="agent-token")
MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
ONE_QUESTION: Final[dict[str, Any]] = {
    "questions": [
        {
            "prompt": "Which database?",
            "options": [{"label": "SQLite", "id": "lite"}, {"label": "PostgreSQL", "id": "pg"}],
        }
    ]
}


@dataclass
class Door:
    """A started `HttpServer` and what stands behind it."""

    server: HttpServer
    asking: FakeAsking
    desk: ScriptedDesk
    port: int
    shown: list[str] = field(default_factory=list)
    handed_over: list[bool] = field(default_factory=list)
    metrics: Metrics = field(default_factory=Metrics)
    permissions: FakePermissions = field(default_factory=FakePermissions)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def open_requests(self) -> int:
        """HTTP requests the port is serving at this moment."""
        return len(self.server._listener.server_state.tasks)

    @property
    def open_connections(self) -> int:
        return len(self.server._listener.server_state.connections)


@contextlib.asynccontextmanager
async def open_door(
    clock: Clock, *, kind: str = "window", port: int = 0, debug: bool = False
) -> AsyncIterator[Door]:
    asking, desk, supervisor = FakeAsking(), ScriptedDesk(), TaskSupervisor()
    permissions = FakePermissions()
    metrics = Metrics()
    shown: list[str] = []
    handed_over: list[bool] = []
    server = HttpServer(
        desk=desk,
        asking=asking,
        permissions=permissions,
        supervisor=supervisor,
        tokens=TOKENS,
        clock=clock,
        info=DeskProcess("1.2.3", 4242, "serve" if kind == "serve" else "window"),
        on_show=shown.append,
        on_hand_over=(lambda: handed_over.append(True)) if kind == "serve" else None,
        metrics=metrics,
        debug=debug,
    )
    bound = await server.start(port)
    try:
        yield Door(server, asking, desk, bound, shown, handed_over, metrics, permissions)
    finally:
        await server.stop()
        await supervisor.stop()


@contextlib.asynccontextmanager
async def sdk_client(
    door: Door, *, mode: str, path: str = "/mcp", token: str = TOKENS.agent
) -> AsyncIterator[Client]:
    """The SDK's own client; `mode` is `legacy` or a version of the stateless era."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(door.url + path, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def text_of(result: CallToolResult) -> str:
    """The text a model reads."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def raw_http(door: Door, *, token: str | None = TOKENS.agent, **headers: str) -> httpx2.AsyncClient:
    """Plain HTTP with a token and the headers MCP wants."""
    given = {"Accept": "application/json, text/event-stream", **headers}
    if token is not None:
        given["Authorization"] = f"Bearer {token}"
    return httpx2.AsyncClient(base_url=door.url, headers=given, timeout=10)


def modern_call(
    tool: str,
    arguments: Mapping[str, Any],
    *,
    call_id: int = 1,
    progress: object = None,
    name: str = "",
) -> tuple[dict[str, Any], dict[str, str]]:
    """Body and headers of a stateless `tools/call`."""
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    if name:
        meta["io.modelcontextprotocol/clientInfo"] = {"name": name, "version": "9.9"}
    if progress is not None:
        meta["progressToken"] = progress
    body = {
        "jsonrpc": "2.0",
        "id": call_id,
        "method": "tools/call",
        "params": {"name": tool, "arguments": dict(arguments), "_meta": meta},
    }
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return body, headers


def legacy_call(
    tool: str, arguments: Mapping[str, Any], *, call_id: object = 1, progress: object = None
) -> dict[str, Any]:
    """Body of a handshake-era `tools/call`."""
    params: dict[str, Any] = {"name": tool, "arguments": dict(arguments)}
    if progress is not None:
        params["_meta"] = {"progressToken": progress}
    return {"jsonrpc": "2.0", "id": call_id, "method": "tools/call", "params": params}


async def open_session(
    http: httpx2.AsyncClient, *, name: str = "test-client", version: str = LEGACY
) -> dict[str, str]:
    """Shake hands; the headers of the new session."""
    reply = await http.post(
        "/mcp",
        json={
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": name, "version": "1.0"},
            },
        },
    )
    assert reply.status_code == 200, reply.text
    headers = {
        "Mcp-Session-Id": reply.headers["mcp-session-id"],
        "MCP-Protocol-Version": version,
    }
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await http.post("/mcp", json=note, headers=headers)).status_code == 202
    return headers


@dataclass
class Stream:
    """Server-sent events of one response as they come."""

    response: httpx2.Response
    comments: int = 0
    ids: list[str] = field(default_factory=list)
    ended: bool = False
    _lines: AsyncIterator[str] | None = None

    async def next(self, seconds: float = 5.0) -> dict[str, Any] | None:
        """The next message, None at the end of the stream; comments are counted."""
        async with asyncio.timeout(seconds):
            return await self._next()

    async def _next(self) -> dict[str, Any] | None:
        if self._lines is None:
            self._lines = self.response.aiter_lines()
        async for line in self._lines:
            if line.startswith(":"):
                self.comments += 1
            elif line.startswith("id:"):
                self.ids.append(line[3:].strip())
            elif line.startswith("data:"):
                message: dict[str, Any] = json.loads(line[5:])
                return message
        self.ended = True
        return None

    async def result(self, seconds: float = 5.0) -> dict[str, Any]:
        """Skip progress until the result; fails when the stream ends without one."""
        while (message := await self.next(seconds)) is not None:
            if "result" in message or "error" in message:
                return message
        text = "the stream ended without a result"
        raise AssertionError(text)


@contextlib.asynccontextmanager
async def post_stream(
    http: httpx2.AsyncClient, body: object, headers: Mapping[str, str], path: str = "/mcp"
) -> AsyncIterator[Stream]:
    async with http.stream("POST", path, json=body, headers=dict(headers)) as response:
        yield Stream(response)


@contextlib.asynccontextmanager
async def connection(
    port: int,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A bare TCP connection to the port."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def raw_exchange(port: int, request: bytes, *, seconds: float = 5.0) -> bytes:
    """Write bytes, say that there are no more, and read all that comes back."""
    async with connection(port) as (reader, writer):
        writer.write(request)
        writer.write_eof()
        async with asyncio.timeout(seconds):
            return await reader.read()
