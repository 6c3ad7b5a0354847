"""The services on one open store, wired together."""

import hmac
from dataclasses import dataclass

from backend.agents.caller_places import CallerPlaces
from backend.agents.elicitation import Elicitations
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
from backend.conversation.notices import Notices
from backend.conversation.unavailable import NoConversations
from backend.desk import LocalDesk, ReviewDoors
from backend.events import Event, EventBus, StoreAvailability, Woke
from backend.ids import ReviewId
from backend.metrics import Metrics
from backend.review.continuing import Continuations
from backend.review.gateway.gateway import Gateway
from backend.review.gateway.loading import Connector
from backend.review.gateway.ports import GatewayMeans
from backend.review.gateway.tool_policy import tool_policy
from backend.review.parts import ReviewParts
from backend.review.prompt_door import PermissionDoor
from backend.review.repairing import CardRepair
from backend.review.reviews import Reviews
from backend.review.unavailable import NoGateway, NoPrompts, NoReviews, NoRules
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
    cards: CardRepair
    supervisor: TaskSupervisor
    bus: EventBus
    metrics: Metrics
    projections: Projections
    wake: WakeWatch
    hosting: Hosting | None = None
    """None for a desk that runs for one command."""
    gateway: Gateway | None = None
    """None where no servers can be reached."""


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
    servers: GatewayMeans | None = None,
) -> Services:
    """Wire one resolver and everything around it; starts nothing.

    `epoch` is the number of this start, `hosting` what running agents needs, and `servers` what
    reaching other MCP servers does; `resumer` gives agents prompts where it is not ours, and
    unanswered questions expire after `expire_after` seconds.
    """
    bus, metrics, projections = EventBus(), Metrics(), Projections(epoch)
    wake = WakeWatch(clock, lambda slept: bus.publish(Woke(slept)))
    parts = _build_parts(database, clock, bus, projections, wake)
    lifecycle = Lifecycle(parts)
    asking = Asking(parts, bus=bus, tickets=TicketBook(ticket_key.encode()))
    hosted, gateway, inner = None, None, None
    if hosting is not None:
        inner = _review_parts(parts, bus, projections, ticket_key, hosting)
        hosted, gateway = _build_hosted(inner, parts, asking, lifecycle, hosting, servers)
        resumer = resumer or hosted.resumer
    resolver, kept = _build_resolver(parts, bus, metrics, resumer)
    if hosted is not None and inner is not None:
        hosted.answers_first(kept)
        hosted.answers_first(_build_continuations(inner, hosted, gateway))
    desk = _build_desk(parts, resolver, lifecycle, projections, info, hosted, gateway)
    return Services(
        desk=desk,
        asking=asking,
        permissions=_permission_door(parts, hosted),
        lifecycle=lifecycle,
        expiry=Expiry(parts, bus, expire_after),
        cards=_build_cards(parts, bus, hosted),
        supervisor=parts.supervisor,
        bus=bus,
        metrics=metrics,
        projections=projections,
        wake=wake,
        hosting=hosted,
        gateway=gateway,
    )


def _build_desk(
    parts: Parts,
    resolver: Resolver,
    lifecycle: Lifecycle,
    projections: Projections,
    info: DeskInfo,
    hosted: Hosting | None,
    gateway: Gateway | None,
) -> LocalDesk:
    return LocalDesk(
        parts,
        resolver=resolver,
        lifecycle=lifecycle,
        requesting=Requesting(parts),
        projections=projections,
        info=info,
        conversations=hosted.conversations if hosted else NoConversations(),
        doors=_review_doors(hosted, gateway),
    )


def _build_hosted(
    inner: ReviewParts,
    parts: Parts,
    asking: Asking,
    lifecycle: Lifecycle,
    hosting: HostingMeans,
    servers: GatewayMeans | None,
) -> tuple[Hosting, Gateway | None]:
    """Agents of this desk, and the servers they reach through it."""
    reviews = Reviews(inner)
    gateway = _build_gateway(inner, parts, asking, reviews, servers)
    hosted = Hosting(hosting, parts, inner.bus, asking=asking, lifecycle=lifecycle, reviews=reviews)
    return hosted, gateway


def _build_gateway(
    inner: ReviewParts, parts: Parts, asking: Asking, reviews: Reviews, means: GatewayMeans | None
) -> Gateway | None:
    if means is None:
        return None
    forms = Elicitations(asking, Notices(parts.database, parts.clock, inner.bus))
    return Gateway(
        inner,
        reviews.tell,
        connect=Connector(parts.clock, means.start, forms.elicited),
        secrets=means.secrets,
        locate=CallerPlaces(parts.waiters),
    )


def _build_continuations(
    inner: ReviewParts, hosted: Hosting, gateway: Gateway | None
) -> Continuations:
    def is_heard(review_id: ReviewId) -> bool:
        return gateway is not None and gateway.is_heard(review_id)

    return Continuations(inner, hosted.prompter, is_heard)


def _build_cards(parts: Parts, bus: EventBus, hosted: Hosting | None) -> CardRepair:
    tell = _nobody_to_tell if hosted is None else hosted.reviews.tell
    return CardRepair(parts.database, parts.clock, bus, parts.supervisor, tell)


async def _nobody_to_tell(_review_id: ReviewId) -> None:
    """A desk that runs for one command has no window."""


def _review_doors(hosted: Hosting | None, gateway: Gateway | None) -> ReviewDoors:
    servers = NoGateway() if gateway is None else gateway.api
    if hosted is None:
        return ReviewDoors(NoReviews(), NoRules(), servers)
    return ReviewDoors(hosted.reviews, hosted.reviews.rules, servers)


def _permission_door(parts: Parts, hosted: Hosting | None) -> PermissionDoor:
    if hosted is None:
        return NoPrompts()
    return hosted.reviews.prompting(CallerPlaces(parts.waiters))


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
        default_policy=tool_policy,
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
