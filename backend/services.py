"""The clarification services on one open store, wired together."""

from dataclasses import dataclass

from backend.api import DeskInfo
from backend.clarification.announcer import Announcer
from backend.clarification.asking import Asking
from backend.clarification.delivery import GuestDelivery
from backend.clarification.recovery import DeliveryReconciler
from backend.clarification.resolver import Resolver
from backend.clarification.resume import DetachedResumer
from backend.clarification.tickets import TicketBook
from backend.clarification.waiters import Waiters
from backend.clock import Clock
from backend.desk import LocalDesk
from backend.events import EventBus
from backend.metrics import Metrics
from backend.store.database import Database
from backend.work.supervisor import TaskSupervisor


@dataclass(frozen=True, slots=True)
class Services:
    """What every way of running the backend needs."""

    desk: LocalDesk
    asking: Asking
    supervisor: TaskSupervisor
    bus: EventBus
    metrics: Metrics


def build_services(
    database: Database,
    clock: Clock,
    *,
    ticket_key: str,
    info: DeskInfo,
    epoch: int,  # noqa: ARG001
    resumer: DetachedResumer | None = None,  # noqa: ARG001
    expire_after: float | None = None,  # noqa: ARG001
) -> Services:
    """Wire one resolver and everything around it; starts nothing."""
    supervisor = TaskSupervisor()
    bus = EventBus()
    waiters = Waiters(supervisor)
    announcer = Announcer(database, bus, waiters)
    delivery = GuestDelivery(database=database, clock=clock, waiters=waiters)
    reconciler = DeliveryReconciler(clock=clock, delivery=delivery)
    resolver = Resolver(
        database=database,
        clock=clock,
        waiters=waiters,
        announcer=announcer,
        delivery=delivery,
        reconciler=reconciler,
        supervisor=supervisor,
    )
    asking = Asking(
        database=database,
        clock=clock,
        waiters=waiters,
        announcer=announcer,
        bus=bus,
        tickets=TicketBook(ticket_key.encode()),
        supervisor=supervisor,
    )
    desk = LocalDesk(
        database=database,
        clock=clock,
        resolver=resolver,
        waiters=waiters,
        announcer=announcer,
        supervisor=supervisor,
        info=info,
    )
    return Services(desk, asking, supervisor, bus, Metrics())
