"""One desk without doors that plays a scene and may die at any moment of it; run as a child.

The store, its owner lock, recovery and the services are wired as the program wires them, with a
count of moments between the services and the store.
"""

import asyncio
import json
import pickle
from dataclasses import asdict, dataclass, field
from pathlib import Path

from backend.api import DeskInfo
from backend.clarification.recovery import recover
from backend.clock import Nanoseconds
from backend.domain.clarification import Answered, Outcome
from backend.errors import AppError
from backend.events import Event, TurnStarted
from backend.ids import PendingId
from backend.mcp.bundle_wire import bundle_to_wire
from backend.paths import Home
from backend.services import Services, build_services
from backend.store.database import Database
from backend.store.owned import open_store
from backend.store.store_location import store_location
from tests.crash.books import Books, read_books
from tests.crash.journal import Journal
from tests.crash.moments import JournalAgent, MomentDatabase, Moments
from tests.helpers.clock import START, FakeClock, settle
from tests.helpers.desk import HUMAN, new_token
from tests.helpers.place import Place
from tests.helpers.waiting import until

P = PendingId("p1")
RECOVERED = "recovered"
_RUN_SECONDS = 10_000
_RETURN_SECONDS = 5.0


@dataclass(frozen=True)
class Job:
    """What one child does: `scene` "" only starts, recovers and stops."""

    folder: str
    database: str
    scene: str
    last: int = 0
    run: int = 0
    goes_on: bool = False
    told: str = "told.json"
    """Where the names of all moments go, if it does not die."""

    @property
    def home(self) -> Home:
        return Home(Path(self.folder) / "home")

    @property
    def place(self) -> Place:
        return self.database or self.home.database

    @property
    def journal(self) -> Journal:
        return Journal(Path(self.folder) / "journal")

    def written(self) -> str:
        return json.dumps(asdict(self))


@dataclass
class World:
    """What a scene acts on, and how what happens is remembered."""

    services: Services
    database: MomentDatabase
    clock: FakeClock
    journal: Journal
    moments: Moments
    calls: "list[asyncio.Task[None]]" = field(default_factory=list)

    async def answer(self, outcome: Outcome, pending_id: PendingId = P) -> None:
        """The human answers; the desk may die before it replies."""
        choice = choice_of(outcome)
        claim = new_token()
        self.journal.write("human", "gave", pending=pending_id, choice=choice, claim=claim)
        try:
            told = await self.services.desk.respond(
                pending_id, outcome, client_id=HUMAN, claim_token=claim
            )
        except AppError as error:
            self.moments.reach("human: about to be told of a failure")
            self.journal.write("human", "failed", pending=pending_id, text=error.detail)
            return
        self.moments.reach("human: about to be told")
        self.journal.write(
            "human",
            "told",
            pending=pending_id,
            delivery=told.delivery.value,
            choice=choice,
            status=told.status.value,
            claimed=told.claimed,
        )

    def call(self, pending_id: PendingId) -> None:
        """A call of the agent waits for the answer from now on."""
        self.calls.append(asyncio.create_task(self._wait(pending_id)))

    async def _wait(self, pending_id: PendingId) -> None:
        result = await self.services.asking.wait(pending_id)
        self.moments.reach("call: about to return")
        chosen = [option for answer in result.answers for option in answer.selected_options]
        self.journal.write(
            "call",
            "returned",
            pending=pending_id,
            status=result.status.value,
            choice=chosen or [result.status.value],
        )
        self.moments.reach("call: has returned")

    async def calls_return(self) -> None:
        """Every call of a closed question has its result; one that has none is written down."""
        if self.calls and not await self.services.desk.list_open_bundles():
            _, waiting = await asyncio.wait(self.calls, timeout=_RETURN_SECONDS)
            for _ in waiting:
                self.journal.write("call", "still waiting")
        for call in self.calls:
            call.cancel()
        for ended in await asyncio.gather(*self.calls, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended

    async def pass_time(self, *steps: float) -> None:
        """Let seconds pass; what the desk begins at the end of a step has its real time."""
        for seconds in steps:
            await self.clock.advance(seconds)
            await until(lambda: self.database.writes == 0, seconds=20)
            await settle()


def choice_of(outcome: Outcome) -> list[str]:
    if not isinstance(outcome, Answered):
        return ["skipped"]
    return [option for answer in outcome.answers for option in answer.selected_options]


def play(written: str) -> None:
    """The entry of a child: the job as JSON."""
    job = Job(**json.loads(written))
    names = asyncio.run(_play(job))
    Path(job.folder, job.told).write_text(json.dumps(names))


async def _play(job: Job) -> list[str]:
    from tests.crash.scenes import SCENES, go_on

    scene = SCENES[job.scene]
    moments = Moments(job.journal, job.last)
    clock = FakeClock(Nanoseconds(START + job.run * _RUN_SECONDS * 1_000_000_000))
    job.home.create()
    store = await open_store(job.home, store_location(job.home, job.database), clock, kind="serve")
    agent = JournalAgent(
        job.journal,
        moments,
        promptable=scene.promptable or job.goes_on,
        refuses=scene.refuses and not job.goes_on,
    )
    broken = {} if job.goes_on else dict(scene.broken)
    counted = MomentDatabase(store.database, moments, broken)
    services = build_services(
        counted,
        clock,
        ticket_key="key",
        info=DeskInfo("0", "", "", "", ""),
        epoch=store.epoch,
        resumer=agent,
        expire_after=scene.expire_after,
    )

    def publish(event: Event) -> None:
        if isinstance(event, TurnStarted):
            job.journal.write("desk", "published", turn=event.turn_id)
        services.bus.publish(event)

    async def begin(database: Database) -> None:
        await recover(MomentDatabase(database, moments), clock, publish)

    await store.start(begin)
    world = World(services, counted, clock, job.journal, moments)
    if job.goes_on:
        recovered = read_books(job.place)
        _keep(job, recovered)
        await _show(recovered, world)
        await go_on(world, scene)
    else:
        await services.expiry.start()
        await scene.play(world)
    await world.calls_return()
    await world.pass_time(1, 5, 30, 300)
    services.asking.draining.set()
    await services.supervisor.stop()
    await store.close()
    return moments.names


def _keep(job: Job, recovered: Books) -> None:
    Path(job.folder, RECOVERED).write_bytes(pickle.dumps(recovered))


async def _show(recovered: Books, world: World) -> None:
    """Write down how the desk shows what the store holds after recovery."""
    for pending_id in recovered.entries:
        bundle = await world.services.desk.get_bundle(PendingId(pending_id))
        wire = bundle_to_wire(bundle, world.clock.now())
        world.journal.write(
            "desk",
            "shows",
            pending=pending_id,
            status=wire["status"],
            delivery=wire["delivery"],
            active=wire["active"],
        )
