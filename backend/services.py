"""The services on one open store, wired together."""

import hmac
from dataclasses import dataclass

from backend.agents.hosting import Hosting, HostingMeans
from backend.api import DeskInfo
from backend.clarification.announcer import Announcer
from backend.clarification.asking import Asking
from backend.clarification.claiming import Claiming
from backend.clarification.compensation import Compensation
from backend.clarification.delivery import GuestDelivery
from backend.clarification.detached import DetachedDelivery
from backend.clarification.expiry import Expiry
from backend.clarification.hosted_delivery import HostedDelivery
from backend.clarification.kept import KeptAnswers
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
from backend.desk import LocalDesk, ReviewDoors
from backend.events import Event, EventBus, StoreAvailability, Woke
from backend.metrics import Metrics
from backend.review.parts import ReviewParts
from backend.review.prompt_door import PermissionDoor
from backend.review.reviews import Reviews
from backend.review.unavailable import NoPrompts, NoReviews, NoRules
from backend.store.database import Database
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor
from backend.work.wake import WakeWatch


@dataclass(frozen=True, slots=True)
class Services:
    """What every way of running the backend needs."""

    desk: LocalDesk
    asking: Asking
    permissions: PermissionDoor
    lifecycle: Lifecycle
    expiry: Expiry
    supervisor: TaskSupervisor
    bus: EventBus
    metrics: Metrics
    projections: Projections
    wake: WakeWatch
    hosting: Hosting | None = None
    """None for a desk that runs for one command."""


def build_services(
    database: Database,
    clock: Clock,
    *,
    ticket_key: str,
    info: DeskInfo,
    epoch: int,
    resumer: DetachedResumer | None = None,
    expire_after: float | None = None,
    hosting: HostingMeans | None = None,
) -> Services:
    """Wire one resolver and everything around it; starts nothing.

    `epoch` is the number of this start, `hosting` what running agents needs, `resumer` gives them
    prompts where it is not ours, and unanswered questions expire after `expire_after` seconds.
    """
    bus, metrics, projections = EventBus(), Metrics(), Projections(epoch)
    wake = WakeWatch(clock, lambda slept: bus.publish(Woke(slept)))
    parts = _build_parts(database, clock, bus, projections, wake)
    lifecycle = Lifecycle(parts)
    asking = Asking(parts, bus=bus, tickets=TicketBook(ticket_key.encode()))
    hosted: Hosting | None = None
    if hosting is not None:
        reviews = Reviews(_review_parts(parts, bus, projections, ticket_key, hosting))
        hosted = Hosting(hosting, parts, bus, asking=asking, lifecycle=lifecycle, reviews=reviews)
        resumer = resumer or hosted.resumer
    resolver, kept = _build_resolver(parts, bus, metrics, resumer)
    if hosted is not None:
        hosted.answers_first(kept)
    return Services(
        desk=LocalDesk(
            parts,
            resolver=resolver,
            lifecycle=lifecycle,
            requesting=Requesting(parts),
            projections=projections,
            info=info,
            conversations=hosted.conversations if hosted else NoConversations(),
            doors=_review_doors(hosted),
        ),
        asking=asking,
        permissions=NoPrompts(),
        lifecycle=lifecycle,
        expiry=Expiry(parts, bus, expire_after),
        supervisor=parts.supervisor,
        bus=bus,
        metrics=metrics,
        projections=projections,
        wake=wake,
        hosting=hosted,
    )


def _review_doors(hosted: Hosting | None) -> ReviewDoors:
    if hosted is None:
        return ReviewDoors(NoReviews(), NoRules())
    return ReviewDoors(hosted.reviews, hosted.reviews.rules)


def _follow_store(happened: Event, worker: DeadlineWorker) -> None:
    """What waited for the store, up to minutes, goes on once it is back."""
    if isinstance(happened, StoreAvailability) and happened.available:
        worker.hurry()


def _build_parts(
    database: Database, clock: Clock, bus: EventBus, projections: Projections, wake: WakeWatch
) -> Parts:
    supervisor = TaskSupervisor()
    waiters = Waiters(supervisor)
    worker = DeadlineWorker(clock, supervisor, wake.look)
    bus.subscribe(lambda happened: _follow_store(happened, worker))
    return Parts(
        database=database,
        clock=clock,
        waiters=waiters,
        announcer=Announcer(database, bus, waiters, projections, clock=clock, worker=worker),
        supervisor=supervisor,
        worker=worker,
    )


def _review_parts(
    parts: Parts, bus: EventBus, projections: Projections, key: str, hosting: HostingMeans
) -> ReviewParts:
    return ReviewParts(
        database=parts.database,
        clock=parts.clock,
        bus=bus,
        supervisor=parts.supervisor,
        worker=parts.worker,
        # A key of its own: what is signed with one is never taken for the other.
        signing_key=hmac.digest(key.encode(), b"permissions", "sha256") if key else b"",
        next_projection=projections.next,
        server_name=hosting.tools.server_name,
    )


def _build_resolver(
    parts: Parts, bus: EventBus, metrics: Metrics, resumer: DetachedResumer | None
) -> tuple[Resolver, KeptAnswers]:
    settler = Settler(parts)
    compensation = Compensation(parts, settler)
    detached = DetachedDelivery(parts, bus, settler, compensation, resumer)
    resolver = Resolver(
        parts,
        claiming=Claiming(parts, settler),
        guests=GuestDelivery(parts, settler),
        hosted=HostedDelivery(parts, settler, compensation, detached),
        settler=settler,
        phases=PhaseRecorder(parts.clock, metrics, parts.database.dialect.value),
    )
    return resolver, KeptAnswers(parts, detached)
