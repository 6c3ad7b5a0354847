"""A desk without doors on a real store: the services, wired as the program wires them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from backend.agents.hosting import HostingMeans
from backend.api import DeskInfo
from backend.clarification.asking import AskCaller, Asking
from backend.clarification.recovery import recover
from backend.clarification.resume import DetachedResumer
from backend.clock import Clock
from backend.desk import LocalDesk
from backend.events import Event
from backend.ids import ClaimId, ClientId, IdempotencyKey, new_id
from backend.review.recovery import recover as recover_reviews
from backend.services import Services, build_services
from backend.store.database import Database
from backend.store.epoch import begin_epoch
from backend.work.supervisor import TaskSupervisor
from tests.helpers.builders import make_guest
from tests.helpers.place import Place, open_store

HUMAN = ClientId("window-1")


@dataclass
class TestDesk:
    """What a test needs of one running desk."""

    __test__ = False

    database: Database
    services: Services
    events: list[Event] = field(default_factory=list)

    @property
    def asking(self) -> Asking:
        return self.services.asking

    @property
    def desk(self) -> LocalDesk:
        return self.services.desk

    @property
    def supervisor(self) -> TaskSupervisor:
        return self.services.supervisor


def make_caller(
    key: str = "k1", *, connection: str = "", idempotency_key: str | None = None, client: str = "c"
) -> AskCaller:
    return AskCaller(
        make_guest(key, client=client),
        connection,
        IdempotencyKey(idempotency_key) if idempotency_key else None,
    )


def new_token() -> ClaimId:
    return ClaimId(new_id())


@asynccontextmanager
async def open_desk(
    place: Place,
    clock: Clock,
    *,
    wrap: Callable[[Database], Database] = lambda database: database,
    resumer: DetachedResumer | None = None,
    expire_after: float | None = None,
    hosting: HostingMeans | None = None,
) -> AsyncIterator[TestDesk]:
    """Open, recover and wire a desk; `wrap` may put faults between the services and the store."""
    real = await open_store(place, clock)
    try:
        async with real.writing() as tx:
            epoch = await begin_epoch(tx)
        database = wrap(real)
        services = build_services(
            database,
            clock,
            ticket_key="key",
            info=DeskInfo("0", real.location, "", "", ""),
            epoch=epoch,
            resumer=resumer,
            expire_after=expire_after,
            hosting=hosting,
        )
        desk = TestDesk(database, services)
        services.bus.subscribe(desk.events.append)
        if services.hosting is not None:
            await services.hosting.recovery.begin()
            live = services.hosting.reviews.permissions.live()
            await recover_reviews(real, clock, live=live)
        await recover(real, clock, services.bus.publish)
        if services.hosting is not None:
            await services.hosting.recovery.finish()
            await services.hosting.recovery.go_on()
        yield desk
        if services.hosting is not None:
            await services.hosting.close()
        services.asking.draining.set()
        await services.supervisor.stop()
    finally:
        await real.close()
