"""A desk with its real store and its real port in this process, and clients of every door."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from backend.clarification.resume import DetachedResumer
from backend.clock import Clock
from backend.http.desk_routes import DeskProcess
from backend.http.server import HttpServer
from backend.store.database import Database
from tests.helpers.desk import TestDesk, open_desk
from tests.helpers.door_client import MODERN, TOKENS
from tests.helpers.fake_permissions import FakePermissions
from tests.helpers.place import Place

BASE = "/api/v1/clarification"
INBOX = "/api/v1/clarification-inbox"


@dataclass
class HttpDesk:
    """`http` holds the desk's token, `agent` the agents'."""

    inner: TestDesk
    server: HttpServer
    http: httpx2.AsyncClient
    agent: httpx2.AsyncClient

    async def get(self, path: str) -> Any:
        """The body of a GET that must succeed."""
        reply = await self.http.get(path)
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def respond(self, pending_id: str, body: object) -> httpx2.Response:
        return await self.http.post(f"{BASE}/{pending_id}/respond", json=body)

    @asynccontextmanager
    async def operator(self) -> AsyncIterator[Client]:
        """An MCP client at the operators' endpoint."""
        headers = {"Authorization": f"Bearer {TOKENS.desk}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            url = f"{self.server.address}/mcp/operator"
            async with Client(streamable_http_client(url, http_client=http), mode=MODERN) as client:
                yield client


@asynccontextmanager
async def open_http_desk(
    place: Place,
    clock: Clock,
    *,
    wrap: Callable[[Database], Database] = lambda database: database,
    resumer: DetachedResumer | None = None,
    debug: bool = False,
) -> AsyncIterator[HttpDesk]:
    """Serve a store until the end of the block."""
    async with open_desk(place, clock, wrap=wrap, resumer=resumer) as desk:
        server = HttpServer(
            desk=desk.desk,
            asking=desk.asking,
            permissions=FakePermissions(),
            supervisor=desk.supervisor,
            tokens=TOKENS,
            clock=clock,
            info=DeskProcess("0", 1, "window"),
            on_show=lambda _: None,
            on_hand_over=None,
            metrics=desk.services.metrics,
            debug=debug,
        )
        await server.start(0)
        try:
            async with _client(server, TOKENS.desk) as http, _client(server, TOKENS.agent) as agent:
                yield HttpDesk(desk, server, http, agent)
        finally:
            await server.stop()


def _client(server: HttpServer, token: str) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.AsyncClient(base_url=server.address, headers=headers, timeout=20)
