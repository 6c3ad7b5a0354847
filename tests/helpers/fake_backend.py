"""A backend in memory for tests of the window: the front door without store, port or thread.

`FakeBackend` is the client the window gets; its `desk` is the front door behind it:

- `desk.open(bundle)`, `desk.put_session(...)`, `desk.add_messages(...)` change the desk and publish
  the event the real one would publish;
- `desk.fail("respond", error)` makes the next call of that method raise;
- `gate = desk.hold("respond")` makes calls of that method wait for `gate.set()`.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from app.bridge.client import BackendClient, T, Work
from backend.api import DeskApi, DeskInfo
from backend.clock import Nanoseconds
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
    Skipped,
    Withdrawn,
)
from backend.domain.conversation import Message, MessagePage, SessionSummary
from backend.domain.listing import BundlePage, Origin, PageQuery
from backend.errors import Conflict, ErrorCode, NotFound
from backend.events import (
    BundleChanged,
    BundleOpened,
    BundleRemoved,
    BundleResolved,
    Event,
    EventBus,
    MessagesChanged,
    SessionChanged,
    SessionRemoved,
)
from backend.ids import ClaimId, ClientId, MessageId, PendingId, SessionId, TaskId
from tests.helpers.clock import START
from tests.helpers.desk_builders import question_messages
from tests.helpers.fake_calls import FakeCalls
from tests.helpers.fake_conversations import FakeConversations
from tests.helpers.fake_gateway import FakeGateway
from tests.helpers.fake_history import closed_page
from tests.helpers.fake_reviews import FakeReviews
from tests.helpers.fake_rules import FakeRules

INFO = DeskInfo(
    version="0.1.0",
    store="/home/ann/.local/share/kandesk/kandesk.db",
    api_url="http://127.0.0.1:7777",
    mcp_url="http://127.0.0.1:7777/mcp",
    token_file="/home/ann/.local/share/kandesk/token",  # noqa: S106
)


@dataclass(frozen=True)
class Responded:
    """One recorded attempt to respond."""

    pending_id: PendingId
    outcome: Outcome
    client_id: ClientId
    claim_token: ClaimId


class FakeDesk(FakeCalls, DeskApi):
    """Implements `backend.api.DeskApi` over dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.bus = EventBus()
        self._conversations = FakeConversations(self.bus.publish)
        self._reviews = FakeReviews(self.bus.publish)
        self._rules = FakeRules(self._reviews, self.bus.publish)
        self._gateway = FakeGateway(self.bus.publish)
        self.sessions: dict[SessionId, SessionSummary] = {}
        self.messages: defaultdict[SessionId, list[Message]] = defaultdict(list)
        self.bundles: dict[PendingId, Bundle] = {}
        self.drafts: dict[PendingId, AnswerDraft] = {}
        self.responses: list[Responded] = []
        self.now = Nanoseconds(START)

    @property
    def conversations(self) -> FakeConversations:
        return self._conversations

    @property
    def reviews(self) -> FakeReviews:
        return self._reviews

    @property
    def rules(self) -> FakeRules:
        return self._rules

    @property
    def gateway(self) -> FakeGateway:
        return self._gateway

    def remove_session(self, session_id: SessionId) -> None:
        del self.sessions[session_id]
        self.bus.publish(SessionRemoved(session_id))

    def put_session(self, session: SessionSummary) -> None:
        self.sessions[session.session_id] = session
        self.bus.publish(SessionChanged(session))

    def add_messages(self, *messages: Message) -> None:
        """Add rows of one session, or replace those with the same id."""
        if not messages:
            return
        session_id = messages[0].session_id
        for message in messages:
            self._put_message(message)
        self.bus.publish(MessagesChanged(session_id, messages))

    def open(self, bundle: Bundle) -> None:
        """A new question: its rows, the badge of its session, and `BundleOpened`."""
        self.bundles[bundle.pending_id] = bundle
        self.add_messages(*question_messages(bundle))
        self._recount(bundle.session_id)
        self.bus.publish(BundleOpened(bundle))

    def change(self, bundle: Bundle) -> None:
        """Callers came or went, or it was withdrawn."""
        self.bundles[bundle.pending_id] = bundle
        self.add_messages(*question_messages(bundle))
        self._recount(bundle.session_id)
        self.bus.publish(BundleChanged(bundle))

    def remove(self, pending_id: PendingId) -> None:
        bundle = self.bundles.pop(pending_id)
        rows = self.messages[bundle.session_id]
        rows[:] = [row for row in rows if row.pending_id != pending_id]
        self._recount(bundle.session_id)
        self.bus.publish(BundleRemoved(pending_id, bundle.session_id))

    def resolve(self, bundle: Bundle, outcome: ResponseOutcome) -> None:
        self.bundles[bundle.pending_id] = bundle
        self.add_messages(*question_messages(bundle))
        self._recount(bundle.session_id)
        self.bus.publish(BundleResolved(bundle, outcome))

    async def desk_info(self) -> DeskInfo:
        await self._enter("desk_info")
        return INFO

    async def list_sessions(self) -> tuple[SessionSummary, ...]:
        await self._enter("list_sessions")
        return tuple(sorted(self.sessions.values(), key=lambda s: s.updated_at, reverse=True))

    async def list_messages(
        self,
        session_id: SessionId,
        *,
        before: MessageId | None = None,
        after: MessageId | None = None,
        limit: int = 200,
    ) -> MessagePage:
        await self._enter("list_messages")
        if session_id not in self.sessions:
            raise _not_found("session")
        rows = sorted(self.messages[session_id], key=lambda row: (row.created_at, row.revision))
        ids = [row.message_id for row in rows]
        if before is not None:
            end = ids.index(before)
            start = max(0, end - limit)
        elif after is not None:
            start = ids.index(after) + 1
            end = min(len(rows), start + limit)
        else:
            start, end = max(0, len(rows) - limit), len(rows)
        return MessagePage(tuple(rows[start:end]), start > 0, end < len(rows))

    async def list_open_bundles(self) -> tuple[Bundle, ...]:
        await self._enter("list_open_bundles")
        return tuple(bundle for bundle in self._oldest_first() if bundle.answerable)

    async def list_uncollected(self) -> tuple[Bundle, ...]:
        await self._enter("list_uncollected")
        return tuple(
            bundle
            for bundle in self._oldest_first()
            if bundle.delivery is Delivery.WAITING_FOR_AGENT
        )

    async def list_page(self, query: PageQuery) -> BundlePage:
        raise NotImplementedError

    async def list_closed_page(self, query: PageQuery) -> BundlePage:
        await self._enter("list_closed_page")
        return closed_page(self.bundles.values(), self.sessions, query)

    async def list_origins(self, session_ids: Collection[SessionId]) -> Mapping[SessionId, Origin]:
        raise NotImplementedError

    async def request_answer(
        self, session_id: SessionId, task_id: TaskId | None, draft: QuestionBundleDraft
    ) -> PendingId:
        raise NotImplementedError

    async def get_bundle(self, pending_id: PendingId) -> Bundle:
        await self._enter("get_bundle")
        return self._bundle(pending_id)

    async def respond(
        self, pending_id: PendingId, outcome: Outcome, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        await self._enter("respond")
        self.responses.append(Responded(pending_id, outcome, client_id, claim_token))
        bundle = self._bundle(pending_id)
        if not bundle.answerable:
            raise Conflict(ErrorCode.NOT_ACTIVE, "the question is no longer open")
        return self._close_with(bundle, outcome, claim_token)

    async def save_draft(self, draft: AnswerDraft) -> None:
        await self._enter("save_draft")
        self.drafts[draft.pending_id] = draft

    async def load_draft(self, pending_id: PendingId) -> AnswerDraft | None:
        await self._enter("load_draft")
        return self.drafts.get(pending_id)

    async def hand_over_stored_answer(
        self, pending_id: PendingId, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        await self._enter("hand_over_stored_answer")
        bundle = self._bundle(pending_id)
        if bundle.stored_answer is None:
            raise _not_found("stored answer")
        if not bundle.answerable:
            raise Conflict(ErrorCode.NOT_ACTIVE, "the question is no longer open")
        outcome = Answered(bundle.stored_answer.answers)
        self.responses.append(Responded(pending_id, outcome, client_id, claim_token))
        earlier = self.bundles.get(bundle.stored_answer.pending_id)
        if earlier is not None:
            self.change(replace(earlier, delivery=Delivery.REPLACED))
        return self._close_with(bundle, outcome, claim_token)

    async def discard_stored_answer(self, pending_id: PendingId) -> None:
        await self._enter("discard_stored_answer")
        bundle = self._bundle(pending_id)
        if bundle.delivery is not Delivery.WAITING_FOR_AGENT:
            raise Conflict(ErrorCode.TICKET_COLLECTED, "the answer was collected")
        self.change(replace(bundle, delivery=Delivery.DISCARDED, withdrawn=Withdrawn.BY_HUMAN))

    async def close_question(self, pending_id: PendingId) -> None:
        await self._enter("close_question")
        bundle = self._bundle(pending_id)
        if not bundle.answerable:
            raise Conflict(ErrorCode.NOT_ACTIVE, "the question is no longer open")
        self.change(
            _with_status(replace(bundle, withdrawn=Withdrawn.BY_HUMAN), BundleStatus.CANCELLED)
        )

    def _close_with(self, bundle: Bundle, outcome: Outcome, claim: ClaimId) -> ResponseOutcome:
        """Answer or skip: delivered when a call waits, else kept for the agent."""
        delivery = Delivery.DELIVERED if bundle.waiting_calls else Delivery.WAITING_FOR_AGENT
        status = BundleStatus.ANSWERED if isinstance(outcome, Answered) else BundleStatus.REJECTED
        answers = outcome.answers if isinstance(outcome, Answered) else ()
        reason = outcome.reason if isinstance(outcome, Skipped) else ""
        closed = replace(
            _with_status(bundle, status, answers),
            delivery=delivery,
            claim_id=claim,
            reject_reason=reason,
            waiting_calls=0,
        )
        result = ResponseOutcome(
            pending_id=bundle.pending_id,
            status=status,
            claimed=True,
            delivery=delivery,
            responded_at=self.now,
            answers=answers,
            reject_reason=reason,
        )
        self.resolve(closed, result)
        return result

    def _bundle(self, pending_id: PendingId) -> Bundle:
        if pending_id not in self.bundles:
            raise _not_found("question")
        return self.bundles[pending_id]

    def _oldest_first(self) -> list[Bundle]:
        return sorted(self.bundles.values(), key=lambda bundle: bundle.created_at)

    def _put_message(self, message: Message) -> None:
        rows = self.messages[message.session_id]
        for index, row in enumerate(rows):
            if row.message_id == message.message_id:
                rows[index] = message
                return
        rows.append(message)

    def _recount(self, session_id: SessionId) -> None:
        session = self.sessions.get(session_id)
        if session is None:
            return
        own = [bundle for bundle in self.bundles.values() if bundle.session_id == session_id]
        self.put_session(
            replace(
                session,
                pending_questions=sum(bundle.answerable for bundle in own),
                waiting_answers=sum(
                    bundle.delivery is Delivery.WAITING_FOR_AGENT for bundle in own
                ),
            )
        )


class FakeBackend(BackendClient):
    """The window's client on a `FakeDesk`; both live on the loop of the test."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = FakeDesk()
        self.desk.bus.subscribe(self.event_received.emit)

    async def call(self, work: Work[T]) -> T:
        return await work(self.desk)

    def publish(self, happened: Event) -> None:
        self.desk.bus.publish(happened)


def _with_status(bundle: Bundle, status: BundleStatus, answers: tuple[Answer, ...] = ()) -> Bundle:
    by_question = {answer.question_id: answer for answer in answers}
    rows = tuple(
        replace(
            row,
            status=status,
            revision=row.revision + 1_000_000,
            answer=by_question.get(row.question.id),
        )
        for row in bundle.questions
    )
    return replace(bundle, questions=rows, status=status)


def _not_found(what: str) -> NotFound:
    return NotFound(ErrorCode.NOT_FOUND, f"no such {what}")
