"""The front door as the window, HTTP, MCP's operators and the command line enter it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from backend.api import ConversationApi, DeskInfo
from backend.clarification.lifecycle import Lifecycle
from backend.clarification.parts import Parts
from backend.clarification.projections import Projections
from backend.clarification.requesting import Requesting
from backend.clarification.resolver import Resolver
from backend.clock import Deadline
from backend.domain.clarification import (
    AnswerDraft,
    Bundle,
    BundleStatus,
    Delivery,
    Outcome,
    QuestionBundleDraft,
    ResponseOutcome,
    Withdrawn,
)
from backend.domain.conversation import MessagePage, SessionSummary
from backend.domain.listing import BundlePage, Origin, PageQuery
from backend.domain.validation import validate_answer_draft
from backend.errors import (
    Conflict,
    ErrorCode,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import ClaimId, ClientId, MessageId, PendingId, SessionId, TaskId
from backend.review_api import GatewayApi, ReviewApi, RuleApi
from backend.store import (
    bundles,
    deliveries,
    drafts,
    listing,
    messages,
    sessions,
)
from backend.store.database import Priority
from backend.store.locks import lock_bundle

CALL_BUDGET: Final = 5.0


@dataclass(frozen=True, slots=True)
class ReviewDoors:
    """What may be asked of what agents may do."""

    reviews: ReviewApi
    rules: RuleApi
    gateway: GatewayApi


class LocalDesk:
    """Implements `backend.api.DeskApi` on this process's store."""

    def __init__(
        self,
        parts: Parts,
        *,
        resolver: Resolver,
        lifecycle: Lifecycle,
        requesting: Requesting,
        projections: Projections,
        info: DeskInfo,
        conversations: ConversationApi,
        doors: ReviewDoors,
    ) -> None:
        self.conversations: ConversationApi = conversations
        self.reviews: ReviewApi = doors.reviews
        self.rules: RuleApi = doors.rules
        self.gateway: GatewayApi = doors.gateway
        self._database = parts.database
        self._clock = parts.clock
        self._waiters = parts.waiters
        self._announcer = parts.announcer
        self._supervisor = parts.supervisor
        self._resolver = resolver
        self._lifecycle = lifecycle
        self._projections = projections
        self._info = info
        self._requesting = requesting

    async def desk_info(self) -> DeskInfo:
        return self._info

    def listens_at(self, api_url: str, mcp_url: str) -> None:
        """Tell where the desk listens, once the port is bound."""
        self._info = replace(self._info, api_url=api_url, mcp_url=mcp_url)

    async def list_sessions(self) -> tuple[SessionSummary, ...]:
        projected = self._projections.next()
        async with self._database.reading(self._deadline()) as tx:
            found = await sessions.list_summaries(tx)
        return tuple(replace(summary, projected=projected) for summary in found)

    async def list_messages(
        self,
        session_id: SessionId,
        *,
        before: MessageId | None = None,
        after: MessageId | None = None,
        limit: int = 200,
    ) -> MessagePage:
        async with self._database.reading(self._deadline()) as tx:
            if await sessions.get_summary(tx, session_id) is None:
                raise NotFound(ErrorCode.NOT_FOUND, "no such session")
            return await messages.page(tx, session_id, before=before, after=after, limit=limit)

    async def list_open_bundles(self) -> tuple[Bundle, ...]:
        async with self._database.reading(self._deadline()) as tx:
            found = await bundles.list_open(tx)
        return tuple(self._announcer.live(bundle) for bundle in found)

    async def list_uncollected(self) -> tuple[Bundle, ...]:
        async with self._database.reading(self._deadline()) as tx:
            found = await bundles.list_uncollected(tx)
        return tuple(self._announcer.live(bundle) for bundle in found)

    async def list_page(self, query: PageQuery) -> BundlePage:
        async with self._database.reading(self._deadline()) as tx:
            page = await listing.list_open(tx, query)
        live = (replace(item, bundle=self._announcer.live(item.bundle)) for item in page.bundles)
        return replace(page, bundles=tuple(live))

    async def list_closed_page(self, query: PageQuery) -> BundlePage:
        async with self._database.reading(self._deadline()) as tx:
            return await listing.list_closed(tx, query)

    async def list_origins(self, session_ids: Collection[SessionId]) -> Mapping[SessionId, Origin]:
        async with self._database.reading(self._deadline()) as tx:
            return await listing.origins(tx, session_ids)

    async def get_bundle(self, pending_id: PendingId) -> Bundle:
        async with self._database.reading(self._deadline()) as tx:
            bundle = await bundles.require_bundle(tx, pending_id)
        return self._announcer.live(bundle)

    async def request_answer(
        self, session_id: SessionId, task_id: TaskId | None, draft: QuestionBundleDraft
    ) -> PendingId:
        return await self._requesting.request(session_id, task_id, draft)

    async def respond(
        self, pending_id: PendingId, outcome: Outcome, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        return await self._resolver.respond(
            pending_id, outcome, client_id=client_id, claim_token=claim_token
        )

    async def save_draft(self, draft: AnswerDraft) -> None:
        validate_answer_draft(draft)
        await self._supervisor.run_to_end(self._save_draft(draft), name="save draft")

    async def load_draft(self, pending_id: PendingId) -> AnswerDraft | None:
        async with self._database.reading(self._deadline()) as tx:
            return await drafts.load(tx, pending_id)

    async def hand_over_stored_answer(
        self, pending_id: PendingId, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        return await self._resolver.hand_over(
            pending_id, client_id=client_id, claim_token=claim_token
        )

    async def discard_stored_answer(self, pending_id: PendingId) -> None:
        await self._supervisor.run_to_end(self._discard(pending_id), name="discard answer")

    async def close_question(self, pending_id: PendingId) -> None:
        await self._lifecycle.cancel(pending_id, Withdrawn.BY_HUMAN)

    async def _save_draft(self, draft: AnswerDraft) -> None:
        async with self._database.writing(self._deadline()) as tx:
            await lock_bundle(tx, draft.pending_id)
            bundle = await bundles.load_bundle(tx, draft.pending_id)
            if bundle is not None and _takes_draft(bundle):
                await drafts.save(tx, draft, self._clock.now())

    async def _discard(self, pending_id: PendingId) -> None:
        try:
            moved = await self._move_to_discarded(pending_id)
        except (TemporarilyUnavailable, StorageFailed):
            self._announcer.later(pending_id)
            raise
        if not moved:
            raise Conflict(ErrorCode.TICKET_COLLECTED, "the answer is no longer stored")
        self._waiters.look_again(pending_id)
        await self._announcer.settled(pending_id)

    async def _move_to_discarded(self, pending_id: PendingId) -> bool:
        async with self._database.writing(self._deadline(), priority=Priority.CLAIM) as tx:
            await lock_bundle(tx, pending_id)
            await bundles.require_bundle(tx, pending_id)
            return await deliveries.move(
                tx,
                pending_id,
                expected=Delivery.WAITING_FOR_AGENT,
                to=Delivery.DISCARDED,
                now=self._clock.now(),
            )

    def _deadline(self) -> Deadline:
        return Deadline(self._clock, CALL_BUDGET)


def _takes_draft(bundle: Bundle) -> bool:
    """Open, or closed unanswered where its agent can still be told: a late answer (K6.5)."""
    if bundle.status is BundleStatus.PENDING:
        return True
    late = bundle.status in {BundleStatus.EXPIRED, BundleStatus.CANCELLED}
    return bundle.hosted and late
