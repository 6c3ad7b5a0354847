"""An `Asking` and a `DeskApi` that tests of the doors script by hand."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from backend.api import ConversationApi, DeskApi, DeskInfo
from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import AskCaller, OpenAsk
from backend.clock import Nanoseconds
from backend.conversation.unavailable import NoConversations
from backend.domain.clarification import (
    Answer,
    AnswerDraft,
    Answered,
    Bundle,
    BundleStatus,
    Delivery,
    Outcome,
    QuestionBundleDraft,
    ResponseOutcome,
)
from backend.domain.conversation import MessagePage, SessionSummary
from backend.domain.listing import BundlePage, ListedBundle, Origin, PageQuery
from backend.domain.validation import check_note, validate_draft
from backend.errors import AppError, ErrorCode, NotFound
from backend.ids import (
    ClaimId,
    ClientId,
    MessageId,
    OptionId,
    PendingId,
    QuestionId,
    SessionId,
    TaskId,
    Ticket,
)
from backend.review.unavailable import NoGateway, NoReviews, NoRules
from backend.review_api import GatewayApi, ReviewApi, RuleApi


@dataclass
class Asked:
    """One bundle the fake holds open."""

    caller: AskCaller
    draft: QuestionBundleDraft
    opened: OpenAsk
    result: asyncio.Future[AskResult] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    waiting: int = 0


class FakeAsking:
    """Keeps bundles in memory; `answer` plays the human, `cuts` tells who was given up."""

    def __init__(self) -> None:
        self.draining = asyncio.Event()
        self.asked: list[Asked] = []
        self.cuts: list[PendingId] = []
        self.notes: list[tuple[AskCaller, str]] = []
        self.fail: AppError | None = None
        self.gate: asyncio.Event | None = None
        """When set, `open` waits for it: a slow store."""

    async def open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk:
        valid = validate_draft(draft)
        if self.gate is not None:
            await self.gate.wait()
        if self.fail is not None:
            raise self.fail
        key = caller.idempotency_key
        for found in self.asked:
            if key is not None and found.caller.idempotency_key == key:
                return found.opened
        number = len(self.asked) + 1
        opened = OpenAsk(PendingId(f"p{number}"), SessionId("s1"), Ticket(f"ticket-{number}"))
        self.asked.append(Asked(caller, valid, opened))
        return opened

    async def wait(self, pending_id: PendingId, *, limit: float | None = None) -> AskResult:
        asked = self.find(pending_id)
        asked.waiting += 1
        try:
            return await asyncio.shield(asked.result)
        finally:
            asked.waiting -= 1

    def cut(self, pending_id: PendingId) -> None:
        self.cuts.append(pending_id)

    async def redeem(self, ticket: Ticket) -> OpenAsk:
        for asked in self.asked:
            if asked.opened.ticket == ticket:
                return asked.opened
        raise NotFound(ErrorCode.NOT_FOUND, "no question belongs to this ticket")

    async def note(self, caller: AskCaller, text: str) -> None:
        check_note("text", text, 32_000)
        self.notes.append((caller, text))

    def find(self, pending_id: PendingId) -> Asked:
        return next(asked for asked in self.asked if asked.opened.pending_id == pending_id)

    def answer(self, number: int = 1, *, options: tuple[str, ...] = (), text: str = "") -> None:
        """Answer every question of the bundle with these options and this text."""
        asked = self.asked[number - 1]
        chosen = tuple(OptionId(option) for option in options)
        answers = tuple(
            Answer(question.id, chosen if question.options else (), text)
            for question in asked.draft.questions
        )
        self.end(number, AskStatus.ANSWERED, answers=answers)

    def end(
        self,
        number: int,
        status: AskStatus,
        *,
        answers: tuple[Answer, ...] = (),
        reject_reason: str = "",
        reason: str = "",
    ) -> None:
        asked = self.asked[number - 1]
        asked.result.set_result(
            AskResult(
                pending_id=asked.opened.pending_id,
                status=status,
                questions=asked.draft.questions,
                answers=answers,
                reject_reason=reject_reason,
                reason=reason,
            )
        )


class ScriptedDesk(DeskApi):
    """A desk with the bundles a test put there; `responses` keeps what arrived."""

    @property
    def conversations(self) -> ConversationApi:
        return NoConversations()

    @property
    def reviews(self) -> ReviewApi:
        return NoReviews()

    @property
    def rules(self) -> RuleApi:
        return NoRules()

    @property
    def gateway(self) -> GatewayApi:
        return NoGateway()

    def __init__(self) -> None:
        self.bundles: list[Bundle] = []
        self.responses: list[tuple[PendingId, Outcome, ClientId, ClaimId]] = []
        self.closed: list[PendingId] = []
        self.queries: list[PageQuery] = []
        self.requests: list[tuple[SessionId, TaskId | None, QuestionBundleDraft]] = []
        self.fail: BaseException | None = None

    async def list_open_bundles(self) -> tuple[Bundle, ...]:
        self._enter()
        return tuple(self.bundles)

    async def list_page(self, query: PageQuery) -> BundlePage:
        self._enter()
        self.queries.append(query)
        listed = tuple(
            ListedBundle(bundle, Origin(bundle.session_id))
            for bundle in self.bundles[: query.limit]
        )
        return BundlePage(listed, len(self.bundles))

    async def list_closed_page(self, query: PageQuery) -> BundlePage:
        return await self.list_page(query)

    async def list_origins(self, session_ids: Collection[SessionId]) -> Mapping[SessionId, Origin]:
        return {session_id: Origin(session_id) for session_id in session_ids}

    async def request_answer(
        self, session_id: SessionId, task_id: TaskId | None, draft: QuestionBundleDraft
    ) -> PendingId:
        validate_draft(draft)
        self._enter()
        self.requests.append((session_id, task_id, draft))
        return PendingId("p-requested")

    async def get_bundle(self, pending_id: PendingId) -> Bundle:
        self._enter()
        for bundle in self.bundles:
            if bundle.pending_id == pending_id:
                return bundle
        raise NotFound(ErrorCode.NOT_FOUND, f"no bundle {pending_id}")

    async def respond(
        self, pending_id: PendingId, outcome: Outcome, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        await self.get_bundle(pending_id)
        self.responses.append((pending_id, outcome, client_id, claim_token))
        answered = isinstance(outcome, Answered)
        return ResponseOutcome(
            pending_id=pending_id,
            status=BundleStatus.ANSWERED if answered else BundleStatus.REJECTED,
            claimed=True,
            delivery=Delivery.DELIVERED,
            responded_at=Nanoseconds(1_790_000_000_000_000_000),
            answers=outcome.answers if isinstance(outcome, Answered) else (),
            reject_reason="" if isinstance(outcome, Answered) else outcome.reason,
        )

    async def close_question(self, pending_id: PendingId) -> None:
        await self.get_bundle(pending_id)
        self.closed.append(pending_id)

    async def desk_info(self) -> DeskInfo:
        raise NotImplementedError

    async def list_sessions(self) -> tuple[SessionSummary, ...]:
        return ()

    async def list_messages(
        self,
        session_id: SessionId,
        *,
        before: MessageId | None = None,
        after: MessageId | None = None,
        limit: int = 200,
    ) -> MessagePage:
        raise NotImplementedError

    async def list_uncollected(self) -> tuple[Bundle, ...]:
        self._enter()
        return ()

    async def save_draft(self, draft: AnswerDraft) -> None:
        raise NotImplementedError

    async def load_draft(self, pending_id: PendingId) -> AnswerDraft | None:
        raise NotImplementedError

    async def hand_over_stored_answer(
        self, pending_id: PendingId, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        raise NotImplementedError

    async def discard_stored_answer(self, pending_id: PendingId) -> None:
        raise NotImplementedError

    def _enter(self) -> None:
        if self.fail is not None:
            raise self.fail


def answer_of(question: str, *options: str, text: str = "") -> Answer:
    """One answer, short to write."""
    return Answer(QuestionId(question), tuple(OptionId(option) for option in options), text)
