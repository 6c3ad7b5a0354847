"""A gateway on a real store, with servers that answer as a test wants."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from backend.clock import Nanoseconds
from backend.domain.conversation import Connection, GuestIdentity, ProjectionRevision
from backend.domain.gateway import Server, ServerSettings, Transport
from backend.domain.policy import PolicyDecision, RuleScope
from backend.domain.review import Review, ReviewOutcome
from backend.errors import ErrorCode, StorageFailed
from backend.events import Event, EventBus, ReviewOpened
from backend.ids import (
    ClaimId,
    ClientId,
    IdempotencyKey,
    ReviewId,
    ServerId,
    SessionId,
    TurnId,
    new_id,
)
from backend.review.callers import ToolCaller
from backend.review.gateway.calls import OpenedCall
from backend.review.gateway.gateway import Gateway
from backend.review.gateway.ports import Connect, OpenConnection
from backend.review.gateway.results import CallEnd, Reply, ServerGone, ToolResult
from backend.review.gateway.tool_policy import tool_policy
from backend.review.parts import ReviewParts
from backend.review.reviews import Reviews
from backend.store import review_outcomes, reviews
from backend.store.database import Database, Transaction
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock
from tests.helpers.faults import unavailable
from tests.helpers.place import Place, open_store, raw
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

S = SessionId("s1")
TURN = TurnId("turn1")
WINDOW = ClientId("window-1")
AGENT = ToolCaller(GuestIdentity(Connection.STATELESS, "k", "codex"), hosted=S)
WRITE: dict[str, object] = {"name": "write", "inputSchema": {"type": "object"}}
READ: dict[str, object] = {"name": "read", "annotations": {"readOnlyHint": True}}
DELETE: dict[str, object] = {"name": "delete", "annotations": {"destructiveHint": True}}


def told(text: str = "done") -> CallEnd:
    return CallEnd(ToolResult(({"type": "text", "text": text},)), size=len(text))


class FakeSecrets:
    """Implements `SecretStore` in memory; `broken` is a keyring that cannot be used."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.broken = False

    async def get(self, account: str) -> str | None:
        self._check()
        return self.kept.get(account)

    async def put(self, account: str, value: str) -> None:
        self._check()
        self.kept[account] = value

    async def drop(self, account: str) -> None:
        self._check()
        self.kept.pop(account, None)

    def _check(self) -> None:
        if self.broken:
            raise StorageFailed(ErrorCode.SECRETS_UNAVAILABLE, "the keyring cannot be used")


@dataclass
class Downstream:
    """One scripted server, however often it is connected to."""

    tools: list[Mapping[str, object]] = field(default_factory=lambda: [WRITE, READ, DELETE])
    calls: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    """Seconds each of them was given."""
    end: CallEnd = field(default_factory=told)
    gate: asyncio.Event | None = None
    """When set, calls wait for it."""
    gone: str = ""
    """Why it cannot be reached."""
    connections: list["FakeConnection"] = field(default_factory=list)
    secrets: list[Mapping[str, str]] = field(default_factory=list)


class FakeConnection:
    """Implements `OpenConnection`."""

    def __init__(self, server: Downstream) -> None:
        self._server = server
        self.closed = False

    @property
    def tools(self) -> Sequence[Mapping[str, object]]:
        return self._server.tools

    async def read_tools(self) -> Sequence[Mapping[str, object]]:
        return self._server.tools

    async def call(
        self, session_id: SessionId, tool: str, arguments: Mapping[str, object], seconds: float
    ) -> CallEnd:
        self._server.calls.append((tool, arguments))
        self._server.limits.append(seconds)
        if self._server.gate is not None:
            await self._server.gate.wait()
        return self._server.end

    async def close(self) -> None:
        self.closed = True


@dataclass
class GatewayCase:
    """One run of a desk's gateway; `again` is the next one on the same store."""

    gateway: Gateway
    reviews: Reviews
    parts: ReviewParts
    place: Place
    clock: FakeClock
    secrets: FakeSecrets
    downstream: Downstream
    supervisor: TaskSupervisor
    events: list[Event]

    async def add(self, name: str = "files", **parts: object) -> Server:
        settings = ServerSettings(
            server_id=ServerId(f"id-{name}"),
            name=name,
            transport=Transport.STDIO,
            command=("server",),
            **parts,  # type: ignore[arg-type]
        )
        return await self.gateway.api.save_server(settings, {})

    async def set_policy(self, server: Server, tool: str, policy: PolicyDecision) -> Server:
        found = next(each for each in server.tools if each.name == tool)
        return await self.gateway.api.set_tool_policy(
            server.settings.server_id, tool, policy, definition_digest=found.definition_digest
        )

    async def open(
        self, tool: str = "files__write", key: str | None = None, **arguments: object
    ) -> OpenedCall:
        caller = AGENT if key is None else ToolCaller(AGENT.identity, S, IdempotencyKey(key))
        return await self.gateway.calls.open(caller, tool, arguments)

    async def reply(self, opened: OpenedCall) -> Reply:
        return await asyncio.wait_for(self.gateway.calls.reply(opened), 5)

    async def call(self, tool: str = "files__write", **arguments: object) -> Reply:
        return await self.reply(await self.open(tool, None, **arguments))

    async def review(self, opened: OpenedCall) -> Review:
        assert opened.review_id is not None
        return await self.reviews.get_review(opened.review_id)

    async def decide(
        self,
        opened: OpenedCall,
        option: str = "approve",
        *,
        reason: str = "",
        remember: RuleScope | None = None,
    ) -> ReviewOutcome:
        assert opened.review_id is not None
        return await self.reviews.decide(
            opened.review_id,
            option,
            client_id=WINDOW,
            claim_token=ClaimId(new_id()),
            reason=reason,
            remember=remember,
        )

    async def approve_unheard(self, opened: OpenedCall) -> None:
        """The decision is durable, and nobody has acted on it."""
        assert opened.review_id is not None
        async with self.parts.database.writing() as tx:
            stored = await reviews.find(tx, opened.review_id)
            assert stored is not None
            decision = review_outcomes.Decision(
                review_id=opened.review_id,
                option_id="approve",
                status="approved",
                claim_id=ClaimId(new_id()),
                client_id=WINDOW,
                door="window",
                now=self.clock.now(),
            )
            assert await review_outcomes.decide(tx, stored, decision)

    async def becomes(self, opened: OpenedCall, status: str) -> None:
        await until(lambda: self.status(opened.review_id) == status)

    def status(self, review_id: ReviewId | None) -> str:
        found = self.table("tool_action_requests", review_id)
        return str(found[0]["status"]) if found else ""

    def table(self, name: str, key: str | None = None) -> list[Any]:
        which = "" if key is None else " WHERE id = ?"
        with raw(self.place) as connection:
            rows = connection.execute(
                f"SELECT * FROM {name}{which} ORDER BY created_at, id",  # noqa: S608
                () if key is None else (key,),
            ).fetchall()
        return list(rows)

    def run(self, sql: str, *params: object) -> None:
        """Change the store as somebody else might."""
        with raw(self.place) as connection:
            connection.execute(sql, params)
            connection.commit()

    @contextmanager
    def commits_fail(self) -> Iterator[None]:
        """Whatever is about to be committed is rolled back."""
        database = self.parts.database
        real = database.writing

        @asynccontextmanager
        async def failing(*args: Any, **parts: Any) -> AsyncIterator[Transaction]:
            async with real(*args, **parts) as tx:
                tx.before_commit(_unavailable)
                yield tx

        database.writing = failing  # type: ignore[method-assign]
        try:
            yield
        finally:
            database.writing = real  # type: ignore[method-assign]

    @property
    def opened_reviews(self) -> int:
        return sum(isinstance(event, ReviewOpened) for event in self.events)

    async def dies(self) -> None:
        """The process ends: nothing that runs goes on, and nothing more is written."""
        await self.supervisor.stop(0)

    async def again(self) -> "GatewayCase":
        """The next run of the desk."""
        case = build(self.parts.database, self.place, self.clock, self.downstream, self.secrets)
        await case.gateway.begin()
        case.gateway.go_on()
        return case


def _unavailable() -> None:
    raise unavailable()


@asynccontextmanager
async def gateway_case(
    place: Place, clock: FakeClock, *, make_rows: bool = True
) -> AsyncIterator[GatewayCase]:
    """With one hosted session whose prompt runs; without rows, the next run on the same store."""
    database = await open_store(place, clock)
    if make_rows:
        rows = RowMaker(place)
        own = {"kind": "hosted", "agent": "codex", "agent_name": "Codex", "folder": "/home/a/p"}
        rows.session(metadata=json.dumps({"kandesk": own}))
        rows.turn("turn1")
    case = build(database, place, clock, Downstream(), FakeSecrets())
    await case.gateway.begin()
    case.gateway.go_on()
    try:
        yield case
    finally:
        await case.gateway.close()
        await case.supervisor.stop(1.0)
        await database.close()


def build(
    database: Database,
    place: Place,
    clock: FakeClock,
    downstream: Downstream,
    secrets: FakeSecrets,
    *,
    key: bytes = b"key",
    connect: Connect | None = None,
) -> GatewayCase:
    """`connect` reaches other servers than the scripted one."""
    supervisor, bus = TaskSupervisor(), EventBus()
    numbers = iter(range(1, 1_000_000))
    events: list[Event] = []
    bus.subscribe(events.append)

    async def store_now(tx: Transaction) -> Nanoseconds:
        return clock.now()

    async def locate(
        tx: Transaction, caller: ToolCaller, now: Nanoseconds
    ) -> tuple[SessionId, TurnId]:
        session_id = caller.hosted or S
        return session_id, TURN if session_id == S else TurnId(f"turn of {session_id}")

    async def connect_scripted(
        settings: ServerSettings,
        secrets: Mapping[str, str],
        *,
        on_tools_changed: Callable[[], None],
        on_closed: Callable[[str], None],
    ) -> OpenConnection:
        if downstream.gone:
            raise ServerGone(downstream.gone)
        downstream.secrets.append(secrets)
        connection = FakeConnection(downstream)
        downstream.connections.append(connection)
        return connection

    parts = ReviewParts(
        database=database,
        clock=clock,
        bus=bus,
        supervisor=supervisor,
        worker=DeadlineWorker(clock, supervisor),
        signing_key=key,
        next_projection=lambda: ProjectionRevision(1, next(numbers)),
        server_name=dict[SessionId, str]().get,
        default_policy=tool_policy,
        store_now=store_now,
    )
    reviews = Reviews(parts)
    gateway = Gateway(
        parts,
        reviews.tell,
        connect=connect or connect_scripted,
        secrets=secrets,
        locate=locate,
    )
    return GatewayCase(
        gateway, reviews, parts, place, clock, secrets, downstream, supervisor, events
    )
