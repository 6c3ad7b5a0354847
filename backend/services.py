"""The clarification services on one open store, wired together."""

from dataclasses import dataclass

from backend.api import DeskInfo
from backend.clarification.announcer import Announcer
from backend.clarification.asking import Asking
from backend.clarification.claiming import Claiming
from backend.clarification.compensation import Compensation
from backend.clarification.delivery import GuestDelivery
from backend.clarification.detached import DetachedDelivery
from backend.clarification.expiry import Expiry
from backend.clarification.hosted_delivery import HostedDelivery
from backend.clarification.lifecycle import Lifecycle
from backend.clarification.parts import Parts
from backend.clarification.phases import PhaseRecorder
from backend.clarification.projections import Projections
from backend.clarification.requesting import Requesting
from backend.clarification.resolver import Resolver
from backend.clarification.resume import DetachedResumer
from backend.clarification.settling import Settler
from backend.clarification.tickets import TicketBook
from backend.clarification.waiters import Waiters
from backend.clock import Clock
from backend.conversation.unavailable import NoConversations
from backend.desk import LocalDesk
from backend.events import EventBus
from backend.metrics import Metrics
from backend.review.unavailable import NoReviews
from backend.store.database import Database
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor


@dataclass(frozen=True, slots=True)
class Services:
    """What every way of running the backend needs."""

    desk: LocalDesk
    asking: Asking
    lifecycle: Lifecycle
    expiry: Expiry
    supervisor: TaskSupervisor
    bus: EventBus
    metrics: Metrics
    projections: Projections


def build_services(
    database: Database,
    clock: Clock,
    *,
    ticket_key: str,
    info: DeskInfo,
    epoch: int,
    resumer: DetachedResumer | None = None,
    expire_after: float | None = None,
) -> Services:
    """Wire one resolver and everything around it; starts nothing.

    `epoch` is the number of this start, `resumer` gives prompts to hosted agents, and questions
    nobody answers expire after `expire_after` seconds.
    """
    supervisor = TaskSupervisor()
    bus = EventBus()
    metrics = Metrics()
    waiters = Waiters(supervisor)
    projections = Projections(epoch)
    worker = DeadlineWorker(clock, supervisor)
    parts = Parts(
        database=database,
        clock=clock,
        waiters=waiters,
        announcer=Announcer(database, bus, waiters, projections, clock=clock, worker=worker),
        supervisor=supervisor,
        worker=worker,
    )
    lifecycle = Lifecycle(parts)
    return Services(
        desk=LocalDesk(
            parts,
            resolver=_build_resolver(parts, bus, metrics, resumer),
            lifecycle=lifecycle,
            requesting=Requesting(parts),
            projections=projections,
            info=info,
            conversations=NoConversations(),
            reviews=NoReviews(),
        ),
        asking=Asking(parts, bus=bus, tickets=TicketBook(ticket_key.encode())),
        lifecycle=lifecycle,
        expiry=Expiry(parts, bus, expire_after),
        supervisor=supervisor,
        bus=bus,
        metrics=metrics,
        projections=projections,
    )


def _build_resolver(
    parts: Parts, bus: EventBus, metrics: Metrics, resumer: DetachedResumer | None
) -> Resolver:
    settler = Settler(parts)
    compensation = Compensation(parts, settler)
    detached = DetachedDelivery(parts, bus, settler, compensation, resumer)
    return Resolver(
        parts,
        claiming=Claiming(parts, settler),
        guests=GuestDelivery(parts, settler),
        hosted=HostedDelivery(parts, settler, compensation, detached),
        settler=settler,
        phases=PhaseRecorder(parts.clock, metrics, parts.database.dialect.value),
    )
