"""A running desk with a real MCP server behind it, and a human at its front door."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client

from backend.api import DeskApi
from backend.clock import SystemClock
from backend.domain.gateway import Server, ServerSettings, ServerStatus, Transport
from backend.domain.policy import PolicyDecision
from backend.domain.review import Review, ReviewOutcome, ReviewStatus
from backend.events import Event
from backend.ids import ClaimId, ClientId, ReviewId, ServerId, new_id
from backend.paths import Home
from backend.runtime import Runtime
from backend.secrets import read_secret
from tests.helpers.mcp_clients import Era, http_client
from tests.helpers.peer_agents import PROGRAMS
from tests.helpers.waiting import eventually

HUMAN = ClientId("human")


def server_program(name: str) -> str:
    program = PROGRAMS / name
    if not program.exists():
        pytest.fail(f"{name} is not installed; run packaging/dev/agents.sh")
    return str(program)


@dataclass
class GatewayDesk:
    home: Home
    runtime: Runtime
    events: list[Event]

    @property
    def desk(self) -> DeskApi:
        return self.runtime.desk

    async def add(self, name: str, *command: str, **parts: object) -> Server:
        """Register a server on its pipes, and read its tools."""
        settings = ServerSettings(
            server_id=ServerId(f"server-{name}"),
            name=name,
            transport=Transport.STDIO,
            command=command,
            **parts,  # type: ignore[arg-type]
        )
        server = await self.desk.gateway.save_server(settings, {})
        assert server.status is ServerStatus.READY, server.detail
        return server

    async def allow(self, server: Server, tool: str) -> None:
        await self.set_policy(server, tool, PolicyDecision.ALLOW)

    async def set_policy(self, server: Server, tool: str, policy: PolicyDecision) -> None:
        found = next(each for each in server.tools if each.name == tool)
        await self.desk.gateway.set_tool_policy(
            server.settings.server_id, tool, policy, definition_digest=found.definition_digest
        )

    @asynccontextmanager
    async def client(self, mode: Era = "legacy") -> AsyncIterator[Client]:
        token = read_secret(self.home.agent_token)
        async with http_client(self.runtime.mcp_url, token, mode=mode) as client:
            yield client

    async def asked(self) -> Review:
        """The one request that waits for a decision."""
        found: list[Review] = []

        async def one() -> bool:
            found[:] = await self.desk.reviews.list_open_reviews()
            return len(found) == 1

        await eventually(one)
        return found[0]

    async def decide(self, review: Review, option: str) -> ReviewOutcome:
        return await self.desk.reviews.decide(
            review.review_id, option, client_id=HUMAN, claim_token=ClaimId(new_id())
        )

    async def until(self, review_id: ReviewId, *statuses: ReviewStatus) -> Review:
        found: list[Review] = []

        async def ended() -> bool:
            found[:] = [await self.desk.reviews.get_review(review_id)]
            return found[0].status in statuses

        await eventually(ended, seconds=15.0)
        return found[0]


@asynccontextmanager
async def gateway_desk(root: Path) -> AsyncIterator[GatewayDesk]:
    home, events = Home(root), list[Event]()
    runtime = await Runtime.open(home, SystemClock(), kind="serve", listener=events.append)
    try:
        yield GatewayDesk(home, runtime, events)
    finally:
        await runtime.close(deliberate=False)
        # The SDK's client gives sockets back in the turn after.
        await asyncio.sleep(0)
