"""One desk without doors whose agent calls a counting server; it may die at any moment of a scene.

A moment is before and after the COMMIT of every transaction that moves a request or a call, and
every word between the desk, the server, the agent and the human. Run as a child.
"""

import asyncio
import importlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from backend.agents.process import AgentProcess
from backend.clock import Deadline, Nanoseconds
from backend.domain.agents import AgentCommand, ElicitationAction, ElicitationReply, Elicited
from backend.domain.gateway import ServerSettings, Transport
from backend.domain.policy import PolicyDecision, RuleScope
from backend.errors import AppError
from backend.ids import ServerId, SessionId
from backend.review.gateway.calls import OpenedCall
from backend.review.gateway.connection import Connection
from backend.review.gateway.loading import Connector
from backend.review.gateway.results import CallEnd, Reply
from backend.store.database import Database, Priority, Transaction
from backend.store.wrapped_database import WrappedDatabase
from tests.crash.journal import Journal
from tests.crash.moments import AFTER, BEFORE, Moments
from tests.crash.writers import writers
from tests.helpers.clock import START, FakeClock
from tests.helpers.gateway_case import Downstream, FakeSecrets, GatewayCase, build
from tests.helpers.place import Place, open_store
from tests.helpers.waiting import until

PROGRAM = Path(__file__).resolve().parents[1] / "helpers" / "rough_server.py"
SETTINGS = ServerSettings(
    ServerId("id-rough"), "rough", Transport.STDIO, (sys.executable, str(PROGRAM))
)
TOOL = "rough__count"
HOUR = 3_600.0


@dataclass(frozen=True)
class Job:
    """What one child does: scene "" only starts and settles. `later` is seconds since the first."""

    folder: str
    database: str
    scene: str
    last: int = 0
    later: float = 0.0

    @property
    def place(self) -> Place:
        return self.database or Path(self.folder) / "home" / "kandesk.db"

    @property
    def effects(self) -> Path:
        return Path(self.folder) / "effects"

    @property
    def journal(self) -> Journal:
        return Journal(Path(self.folder) / "journal")

    def written(self) -> str:
        return json.dumps(asdict(self))


class TransitionDatabase(WrappedDatabase):
    """Implements `Database`: two moments in every transaction that moves something."""

    def __init__(self, database: Database, moments: Moments) -> None:
        super().__init__(database)
        self._moments = moments
        self._moved: list[str] = []
        for module, names in writers().items():
            for name in names:
                self._watch(importlib.import_module(f"backend.store.{module}"), name)

    def _watch(self, module: Any, name: str) -> None:
        real = getattr(module, name)

        async def moving(*arguments: Any, **named: Any) -> Any:
            moved = await real(*arguments, **named)
            if moved is not False:
                self._moved.append(name)
            return moved

        setattr(module, name, moving)

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        async with self._database.writing(deadline, priority=priority) as tx:
            yield tx
            moved, self._moved = self._moved, []
            if moved:
                self._moments.reach(f"{'+'.join(moved)}: {BEFORE}")
        if moved:
            self._moments.reach(f"{'+'.join(moved)}: {AFTER}")


async def refuse(session_id: SessionId, elicited: Elicited) -> ElicitationReply:
    return ElicitationReply(ElicitationAction.DECLINE, {})


def watch_calls(job: Job, moments: Moments) -> None:
    """Moments on the way to the server and back."""
    real = Connection.call

    async def call(
        self: Connection,
        session_id: SessionId,
        tool: str,
        arguments: Mapping[str, object],
        seconds: float,
    ) -> CallEnd:
        label = str(arguments.get("label"))
        moments.reach("server: about to be called")
        calling = asyncio.ensure_future(real(self, session_id, tool, arguments, seconds))
        await until(lambda: effects(job, label, "begun"))
        moments.reach("server: has begun")
        if not arguments.get("fails"):
            await until(lambda: effects(job, label, "done"))
            moments.reach("server: has taken effect")
        end = await calling
        moments.reach("server: has given its result")
        return end

    Connection.call = call  # type: ignore[method-assign]


def effects(job: Job, label: str, step: str) -> int:
    if not job.effects.exists():
        return 0
    return job.effects.read_text().splitlines().count(f"{label} {step}")


@asynccontextmanager
async def desk(job: Job, moments: Moments | None = None) -> AsyncIterator[GatewayCase]:
    """The gateway of a desk that starts on this store; with moments where it may die."""
    clock = FakeClock(Nanoseconds(START + int(job.later * 1e9)))
    real = await open_store(job.place, clock)
    database = real if moments is None else TransitionDatabase(real, moments)

    async def start(command: AgentCommand, folder: str) -> AgentProcess:
        # Not an argument of the call: it must be the same call wherever the store is copied to.
        told = {**command.environment, "EFFECTS": str(job.effects)}
        return await AgentProcess.start(replace(command, environment=told), folder)

    connect = Connector(clock, start, refuse)
    case = build(database, job.place, clock, Downstream(), FakeSecrets(), connect=connect)
    await case.gateway.begin()
    case.reviews.expiry.start()
    case.gateway.go_on()
    try:
        yield case
    finally:
        await case.gateway.close()
        await case.supervisor.stop(1.0)
        await real.close()


@dataclass
class World:
    """What an agent and a human do; each tells the journal what it has seen."""

    case: GatewayCase
    job: Job
    moments: Moments

    async def call(self, label: str = "a", *, fails: bool = False) -> OpenedCall:
        """The agent calls; its call goes on without it."""
        more: dict[str, object] = {"fails": True} if fails else {}
        return await self.case.open(TOOL, f"call:{label}", label=label, **more)

    async def hear(self, opened: OpenedCall) -> Reply:
        """The agent is told, and it is written down that it was."""
        reply = await asyncio.wait_for(self.case.gateway.calls.reply(opened), 30)
        self.moments.reach("agent: about to be told")
        self.job.journal.write("agent", "told", ticket=opened.ticket, reply=reply.kind.value)
        await self.case.clock.advance(1)
        await until(lambda: self.ended(opened))
        return reply

    def ended(self, opened: OpenedCall) -> bool:
        (call,) = self.case.table("tool_invocations", opened.invocation_id)
        return call["completed_at"] is not None

    async def decide(
        self, opened: OpenedCall, option: str = "approve", remember: RuleScope | None = None
    ) -> None:
        try:
            outcome = await self.case.decide(opened, option, remember=remember)
        except AppError as error:
            self.moments.reach("human: about to be refused")
            self.job.journal.write("human", "refused", why=error.detail)
            return
        self.moments.reach("human: about to be told")
        self.job.journal.write("human", "told", status=outcome.review.status.value)

    async def say(self, policy: PolicyDecision) -> None:
        (server,) = await self.case.gateway.api.list_servers()
        await self.case.set_policy(server, "count", policy)


def play(written: str) -> None:
    asyncio.run(_play(Job(**json.loads(written))))


async def _play(job: Job) -> None:
    from tests.crash.gateway_scenes import SCENES

    moments = Moments(job.journal, job.last)
    watch_calls(job, moments)
    async with desk(job, moments) as case:
        world = World(case, job, moments)
        await SCENES[job.scene](world)
        await until(lambda: rests(case))
    (Path(job.folder) / "told.json").write_text(json.dumps(moments.names))
    # Its threads have ended with what they did; nothing else of the interpreter is wanted.
    os._exit(0)


def rests(case: GatewayCase) -> bool:
    """Whether nothing is on its way."""
    moving = {"approved", "executing"}
    return not any(
        row["status"] in moving
        for name in ("tool_action_requests", "tool_invocations")
        for row in case.table(name)
    )
