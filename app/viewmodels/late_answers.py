"""Sends late answers, by themselves after a submit that came too late or from the transcript."""

from collections.abc import Callable

from app.bridge.client import BackendClient
from app.viewmodels.clarification_afterwords import Afterwords
from app.viewmodels.clarification_board import CardBoard
from app.viewmodels.clarification_card import Card, Phase
from app.viewmodels.clarification_drafts import AnswerDraftKeeper
from app.viewmodels.clarification_recovery import RecoveryKind, RecoveryState
from app.viewmodels.late_answer import (
    LateAnswer,
    LatePhase,
    given_answers,
    may_answer_late,
    may_send_again,
)
from app.viewmodels.message_sending import (
    Admitted,
    EarlierAdmitted,
    MessageSender,
    Refused,
    SendResult,
    Uncertain,
)
from app.viewmodels.timing import Background, Deadline
from backend.domain.clarification import Answer, AnswerDraft, Withdrawn
from backend.domain.hosted import AdmissionOutcome, OutgoingMessage
from backend.domain.input_mode import InputMode
from backend.errors import AppError, Conflict, ErrorCode, NotFound
from backend.ids import OptionId, PendingId, SessionId

READ_SECONDS = 5.0
_KINDS = {
    LatePhase.SENDING: RecoveryKind.LATE_SENDING,
    LatePhase.SENT: RecoveryKind.LATE_SENT,
    LatePhase.QUEUED: RecoveryKind.LATE_QUEUED,
    LatePhase.REFUSED: RecoveryKind.LATE_REFUSED,
    LatePhase.UNAVAILABLE: RecoveryKind.LATE_UNAVAILABLE,
    LatePhase.UNKNOWN: RecoveryKind.LATE_UNKNOWN,
    LatePhase.EARLIER: RecoveryKind.LATE_EARLIER,
}


class LateAnswers:
    """One late answer per question, kept as long as the window lives (K6.5).

    `closed` when the human's own action has closed the form or the card that was shown, `told`
    after anything to show has changed.
    """

    def __init__(
        self,
        client: BackendClient,
        deadline: Deadline,
        background: Background,
        drafts: AnswerDraftKeeper,
        *,
        board: CardBoard,
        afterwords: Afterwords,
        closed: Callable[[], None],
        told: Callable[[], None],
    ) -> None:
        self._client = client
        self._deadline = deadline
        self._background = background
        self._drafts = drafts
        self._sender = MessageSender(client, deadline)
        self._board = board
        self._afterwords = afterwords
        self._closed = closed
        self._told = told
        self._known: dict[PendingId, LateAnswer] = {}
        self._opened: dict[SessionId, PendingId] = {}

    def get(self, pending_id: PendingId) -> LateAnswer | None:
        return self._known.get(pending_id)

    @property
    def opened(self) -> LateAnswer | None:
        """The form that is open in the session that is shown."""
        session = self._board.session
        pending_id = None if session is None else self._opened.get(session)
        return None if pending_id is None else self._known.get(pending_id)

    def recovery(self, card: Card | None) -> RecoveryState | None:
        """What the banner says of a late answer: the card's that is gone, else the open form's."""
        gone = card is not None and card.phase is Phase.INACTIVE
        late = self._known.get(card.pending_id) if card is not None and gone else self.opened
        if late is None or late.phase not in _KINDS:
            return None
        own = late.card.sheet.draft()
        kind = _KINDS[late.phase]
        return RecoveryState(kind, late.bundle, error=late.error, own=own)

    def take_over(self, card: Card) -> None:
        """A submit was refused because its question is closed: send what was captured (LC.6)."""
        bundle = card.bundle
        late = self._capture(card)
        if may_answer_late(bundle) and bundle.withdrawn is not Withdrawn.REPLACED:
            self._start(late)

    def send_card(self, card: Card) -> None:
        """The human decided to send what is on a card that is gone."""
        if card.phase is Phase.INACTIVE and card.bundle.hosted:
            self._start(self._capture(card))

    def send(self, pending_id: PendingId) -> None:
        """Send, or try again under the same identity; nothing while it is being sent."""
        late = self._known.get(pending_id)
        if late is not None:
            self._start(late)

    def open(self, pending_id: PendingId) -> None:
        """Open the form for an earlier question, from the transcript (LC.4)."""
        self._background.start(self._open(pending_id), name="open late answer")

    def close(self) -> None:
        """Close the form: what was put in is kept, and nothing is sent."""
        session = self._board.session
        if session is not None and self._opened.pop(session, None) is not None:
            self._drafts.flush()
            self._closed()
            self._told()

    def pick(self, index: int, option: OptionId) -> None:
        late = self.opened
        if late is not None and late.card.editable:
            late.card.sheet.pick(index, option)
            self._edited(late)

    def write(self, index: int, text: str) -> None:
        late = self.opened
        if late is not None and late.card.editable and late.card.sheet.entry(index).text != text:
            late.card.sheet.write(index, text)
            self._edited(late)

    def go_to(self, step: int) -> None:
        late = self.opened
        if late is not None and 0 <= step <= max(late.card.review_step, 0):
            late.card.step = step
            self._told()

    def _edited(self, late: LateAnswer) -> None:
        late.edited()
        self._drafts.note(late.card.draft())
        self._told()

    def _capture(self, card: Card) -> LateAnswer:
        """Whatever leads here finds the same late answer (K8.7 case 104)."""
        late = self._known.setdefault(card.pending_id, LateAnswer(card.bundle))
        late.capture(card.bundle, card.sheet.draft())
        self._drafts.note(late.card.draft())
        return late

    def _start(self, late: LateAnswer) -> None:
        if late.sendable:
            message = late.message()
            earlier, late.attempted = late.attempted, message
            late.begin()
            self._drafts.flush()
            self._background.start(self._run(late, message, earlier), name="send late answer")
            self._told()

    async def _run(
        self, late: LateAnswer, message: OutgoingMessage, earlier: OutgoingMessage | None
    ) -> None:
        result: SendResult | LatePhase = Uncertain()
        try:
            result = await self._refreshed(late)
            if result is LatePhase.NONE:
                attempted = earlier.text if earlier is not None else None
                result = await self._sender.send(message, attempted=attempted)
        finally:
            self._settle(late, result, unsent=earlier is None)

    async def _refreshed(self, late: LateAnswer) -> SendResult | LatePhase:
        """NONE when the question is closed and its conversation takes messages, as of now."""
        pending_id, session_id = late.bundle.pending_id, late.bundle.session_id
        try:
            async with self._deadline(READ_SECONDS):
                bundle = await self._client.call(lambda api: api.get_bundle(pending_id))
                conversation = await self._client.call(
                    lambda api: api.conversations.conversation(session_id)
                )
        except TimeoutError:
            return Uncertain()
        except NotFound as error:
            return Refused(error)
        except AppError as error:
            return Uncertain(error)
        late.bundle = bundle
        if not (may_answer_late(bundle) or may_send_again(bundle)):
            return Refused(Conflict(ErrorCode.NOT_ACTIVE, "the question has moved on"))
        closed = conversation is None or conversation.input is InputMode.UNAVAILABLE
        return LatePhase.UNAVAILABLE if closed else LatePhase.NONE

    def _settle(self, late: LateAnswer, result: SendResult | LatePhase, *, unsent: bool) -> None:
        match result:
            case Admitted(admission):
                sent = admission.outcome is AdmissionOutcome.SENT
                self._admit(late, LatePhase.SENT if sent else LatePhase.QUEUED)
            case EarlierAdmitted():
                late.admitted += 1
                late.attempted = None
                late.end(LatePhase.EARLIER)
            case Refused(error) if error.code is ErrorCode.NOT_ACTIVE:
                late.end(LatePhase.UNAVAILABLE, error)
            case Refused(error):
                late.end(LatePhase.REFUSED, error)
            case Uncertain(error):
                late.end(LatePhase.UNKNOWN, error)
            case LatePhase():
                late.attempted = None if unsent else late.attempted
                late.end(result)
        self._told()

    def _admit(self, late: LateAnswer, phase: LatePhase) -> None:
        """Never an answer to the question itself: its rows stay as they are (LC.9)."""
        session, pending_id = late.bundle.session_id, late.bundle.pending_id
        late.admitted += 1
        late.attempted = None
        late.end(phase)
        shown = session == self._board.session
        card = self._board.card(pending_id)
        on_screen = card is self._board.current or self._opened.get(session) == pending_id
        if card is not None and card.phase is Phase.INACTIVE:
            self._board.retire(card)
        if self._opened.get(session) == pending_id:
            del self._opened[session]
        del self._known[pending_id]
        self._known[pending_id] = _next(late)
        self._drafts.put(pending_id, AnswerDraft(pending_id))
        self._drafts.flush()
        self._afterwords.put(RecoveryState(_KINDS[phase], late.bundle))
        if shown and on_screen:
            self._closed()

    async def _open(self, pending_id: PendingId) -> None:
        late = self._known.get(pending_id)
        if late is None:
            bundle = await self._client.call(lambda api: api.get_bundle(pending_id))
            if not (may_answer_late(bundle) or may_send_again(bundle)):
                return
            late = self._known.setdefault(pending_id, LateAnswer(bundle))
        if not late.card.draft_loaded:
            late.card.draft_loaded = True
            drafted = await self._drafted(pending_id)
            late.card.sheet.restore(drafted or given_answers(late.bundle))
        if self._board.session != late.bundle.session_id:
            return
        self._opened[late.bundle.session_id] = pending_id
        card = self._board.card(pending_id)
        if card is not None and card.phase is Phase.INACTIVE:
            late.capture(card.bundle, card.sheet.draft())
            self._board.retire(card)
        elif self._board.current is not None:
            # There is room for one of them; what was put in there stays.
            self._board.current.collapsed = True
        self._told()

    async def _drafted(self, pending_id: PendingId) -> tuple[Answer, ...]:
        try:
            async with self._deadline(READ_SECONDS):
                draft = await self._client.call(lambda api: api.load_draft(pending_id))
        except (AppError, TimeoutError):
            return ()
        return () if draft is None else draft.answers


def _next(late: LateAnswer) -> LateAnswer:
    """After one was admitted the next is a message of its own, begun with an empty sheet."""
    fresh = LateAnswer(late.bundle)
    fresh.admitted = late.admitted
    fresh.card.draft_loaded = True
    return fresh
