"""A running desk with a real MCP server behind it, and a human at its front door."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client

from backend.api import DeskApi
from backend.clock import SystemClock, format_timestamp
from backend.domain.clarification import Bundle
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
from tests.helpers.place import raw
from tests.helpers.waiting import eventually

HUMAN = ClientId("human")


def server_program(name: str) -> str:
    program = PROGRAMS / name
    if not program.exists():
        pytest.fail(f"{name} is not installed; run packaging/dev/agents.sh")
    return str(program)


def _ignore(event: Event) -> None:
    pass


@dataclass
class GatewayDesk:
    home: Home
    runtime: Runtime
    hear: Callable[[Event], None] = _ignore
    """Called with each event."""

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

    async def add_over_http(self, name: str, url: str) -> Server:
        settings = ServerSettings(
            ServerId(f"server-{name}"), name, Transport.HTTP, url=url, headers={"X-Plain": "1"}
        )
        server = await self.desk.gateway.save_server(settings, {})
        assert server.status is ServerStatus.READY, server.detail
        return server

    def let_expire(self, review: Review) -> None:
        """Its hour is over."""
        with raw(self.home.database) as connection:
            connection.execute(
                "UPDATE tool_action_requests SET expires_at = ? WHERE id = ?",
                (format_timestamp(review.asked_at), review.review_id),
            )
            connection.commit()

    async def only_review(self) -> Review:
        """The one request there is, whatever has become of it."""
        with raw(self.home.database) as connection:
            (row,) = connection.execute("SELECT id FROM tool_action_requests").fetchall()
        return await self.desk.reviews.get_review(ReviewId(str(row["id"])))

    async def allow(self, server: Server, tool: str) -> None:
        await self.set_policy(server, tool, PolicyDecision.ALLOW)

    async def set_policy(self, server: Server, tool: str, policy: PolicyDecision) -> None:
        found = next(each for each in server.tools if each.name == tool)
        await self.desk.gateway.set_tool_policy(
            server.settings.server_id, tool, policy, definition_digest=found.definition_digest
        )

    @asynccontextmanager
    async def client(
        self, mode: Era = "legacy", heard: Callable[[object], None] | None = None
    ) -> AsyncIterator[Client]:
        token = read_secret(self.home.agent_token)
        async with http_client(self.runtime.mcp_url, token, mode=mode, heard=heard) as client:
            yield client

    async def asked(self) -> Review:
        """The one request that waits for a decision."""
        found: list[Review] = []

        async def one() -> bool:
            found[:] = await self.desk.reviews.list_open_reviews()
            return len(found) == 1

        await eventually(one)
        return found[0]

    async def question(self) -> Bundle:
        """The one question that waits for its answer."""
        found: list[Bundle] = []

        async def one() -> bool:
            found[:] = await self.desk.list_open_bundles()
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
    home, desks = Home(root), list[GatewayDesk]()

    def hear(event: Event) -> None:
        for desk in desks:
            desk.hear(event)

    runtime = await Runtime.open(home, SystemClock(), kind="serve", listener=hear)
    desks.append(GatewayDesk(home, runtime))
    try:
        yield desks[0]
    finally:
        await runtime.close(deliberate=False)
        # The SDK's client gives sockets back in the turn after.
        await asyncio.sleep(0)
