"""The question in front of the human: what is shown, what is put in, what becomes of it."""

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.clarification_afterwords import Afterwords
from app.viewmodels.clarification_board import CardBoard
from app.viewmodels.clarification_card import (
    ActionKind,
    Card,
    Phase,
    open_questions,
    reason_fits,
)
from app.viewmodels.clarification_drafts import AnswerDraftKeeper
from app.viewmodels.clarification_recovery import LATE_OPEN, RecoveryState, recovery_of_card
from app.viewmodels.clarification_responder import READ_SECONDS, Responder
from app.viewmodels.late_answers import LateAnswers
from app.viewmodels.timing import Background, Deadline, WindowClock
from backend.domain.clarification import Bundle, ResponseOutcome
from backend.domain.conversation import SessionSummary
from backend.errors import AppError, NotFound
from backend.events import (
    BundleChanged,
    BundleOpened,
    BundleRemoved,
    BundleResolved,
    Event,
    SessionChanged,
)
from backend.ids import ClientId, OptionId, PendingId, SessionId


class ClarificationViewModel(QObject):
    """Shows one bundle of the current session at a time.

    `card_replaced` when another card is shown, or none; `changed` after anything on it changed;
    `recovery_changed` when the banner may have something else to say; `closed_here` after the
    human's own action has closed the card that was shown, before the next one appears.
    """

    card_replaced = Signal()
    changed = Signal()
    recovery_changed = Signal()
    closed_here = Signal()

    def __init__(
        self,
        client: BackendClient,
        *,
        clock: WindowClock,
        deadline: Deadline,
        background: Background,
        client_id: ClientId,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._clock = clock
        self._deadline = deadline
        self._background = background
        self._board = CardBoard()
        self._afterwords = Afterwords(clock, self.recovery_changed.emit)
        self._drafts = AnswerDraftKeeper(client, clock, deadline, background)
        self.late = LateAnswers(
            client,
            deadline,
            background,
            self._drafts,
            board=self._board,
            afterwords=self._afterwords,
            closed=self.closed_here.emit,
            told=self._show_result,
        )
        self._responder = Responder(
            client,
            deadline,
            background,
            client_id,
            board=self._board,
            afterwords=self._afterwords,
            closed=self.closed_here.emit,
            told=self._show_result,
            too_late=self.late.take_over,
        )
        self._sessions: dict[SessionId, SessionSummary] = {}
        self._heard_while_loading: set[PendingId] | None = None
        self.expire_after: float | None = None
        """Seconds until a question nobody begins to answer expires; None for never."""
        client.event_received.connect(self._apply)

    @property
    def clock(self) -> WindowClock:
        return self._clock

    @property
    def deadline(self) -> Deadline:
        return self._deadline

    @property
    def card(self) -> Card | None:
        return self._board.current

    @property
    def session(self) -> SessionSummary | None:
        """Who asks, as far as it is known."""
        session = self._board.session
        return None if session is None else self._sessions.get(session)

    @property
    def expires_at(self) -> int | None:
        """When the shown question expires; None for never, and once somebody is answering it."""
        card = self._board.current
        if card is None or self.expire_after is None or not card.sheet.blank:
            return None
        return card.bundle.created_at + round(self.expire_after * 1e9)

    @property
    def more_waiting(self) -> int:
        """Open bundles of this session besides the one that is shown."""
        return self._board.more_waiting

    @property
    def recovery(self) -> RecoveryState | None:
        card, session = self._board.current, self._board.session
        late = self.late.recovery(card)
        if card is not None and (own := recovery_of_card(card)) is not None:
            return late if late is not None and card.phase is Phase.INACTIVE else own
        if late is not None:
            return late
        return None if session is None else self._afterwords.get(session)

    @property
    def can_submit(self) -> bool:
        card = self._board.current
        return card is not None and card.editable and card.sheet.complete

    @property
    def can_skip(self) -> bool:
        card = self._board.current
        return card is not None and card.editable

    async def load(self) -> None:
        """Read everything that is open; an event heard meanwhile is newer than what was read."""
        heard: set[PendingId] = set()
        self._heard_while_loading = heard
        try:
            bundles = await self._client.call(lambda api: api.list_open_bundles())
            sessions = await self._client.call(lambda api: api.list_sessions())
        finally:
            self._heard_while_loading = None
        for session in sessions:
            self._sessions.setdefault(session.session_id, session)
        gone = self._board.pool.ids() - heard
        for bundle in bundles:
            gone.discard(bundle.pending_id)
            if bundle.pending_id not in heard:
                self._take_in(bundle, None)
        for pending_id in gone:
            await self._ask_what_became(pending_id)
        self.changed.emit()

    async def reload(self) -> None:
        """The store was away and is back: save what was typed meanwhile, and read again.

        Raises:
            AppError: it cannot be read.
        """
        self._drafts.flush()
        await self.load()
        self._responder.store_is_back()
        self._load_draft_of_current()

    async def _ask_what_became(self, pending_id: PendingId) -> None:
        """A question that is known here as open, and no longer is."""
        try:
            bundle = await self._client.call(lambda api: api.get_bundle(pending_id))
        except NotFound:
            self._remove(pending_id)
        else:
            self._take_in(bundle, None)

    def show_session(self, session_id: SessionId | None) -> None:
        """The human went to another conversation; what was typed in this one is kept."""
        if session_id != self._board.session:
            self._drafts.flush()
            self._board.session = session_id
            self._choose()
            self.recovery_changed.emit()

    def open_bundle(self, pending_id: PendingId) -> bool:
        """Show this bundle of the current session; False when it is not open there."""
        if not self._board.open(pending_id):
            return False
        self._drafts.flush()
        self._choose()
        self.set_collapsed(collapsed=False)
        return True

    def set_collapsed(self, *, collapsed: bool) -> None:
        """Collapsing never changes the bundle; it saves what was typed."""
        card = self._board.current
        if card is not None and card.collapsed is not collapsed:
            card.collapsed = collapsed
            self._drafts.flush()
            self.changed.emit()

    def pick(self, index: int, option: OptionId) -> None:
        """Choose an option; the first choice on a single-select question moves to the next."""
        card = self._board.current
        if card is None or not card.editable:
            return
        was_answered = card.sheet.answered(index)
        card.sheet.pick(index, option)
        single = not card.questions[index].multi_select
        if single and not was_answered and index + 1 < len(card.questions):
            card.step = index + 1
        self._keep(card)

    def write(self, index: int, text: str) -> None:
        """Keep the own words for a question as they are typed."""
        card = self._board.current
        if card is not None and card.editable and card.sheet.entry(index).text != text:
            card.sheet.write(index, text)
            self._keep(card)

    def go_to(self, step: int) -> None:
        """Show a question by its index, or the review after the last one."""
        card = self._board.current
        if card is None or not 0 <= step <= max(card.review_step, 0) or step == card.step:
            return
        card.step = step
        self._keep(card)

    def submit(self) -> None:
        if self.can_submit:
            self._perform(ActionKind.SUBMIT)

    def skip(self, reason: str) -> None:
        """Refuse to answer: the only rejection there is."""
        if self.can_skip and reason_fits(reason):
            self._perform(ActionKind.SKIP, reason)

    def hand_over(self) -> None:
        """Give the stored answer of an earlier equal question to this one (rule 4)."""
        if self._has_stored_answer():
            self._perform(ActionKind.HAND_OVER)

    def discard_stored(self) -> None:
        """Drop the stored answer that nobody has collected."""
        if self._has_stored_answer():
            self._perform(ActionKind.DISCARD)

    def close_question(self) -> None:
        """Withdraw the question without answering it."""
        self._perform(ActionKind.CLOSE)

    def retry(self) -> None:
        """Repeat the last action: a submit with the answers as they are now, a skip as it was."""
        card, state = self._board.current, self.recovery
        if state is not None and state.kind in LATE_OPEN:
            self.late.send(state.pending_id)
        elif card is not None:
            self._drafts.flush()
            self._responder.retry(card)

    def send_late(self) -> None:
        """Send what stands there as a new message to the agent (K6.5)."""
        card, state = self._board.current, self.recovery
        if state is not None and state.kind in LATE_OPEN:
            self.late.send(state.pending_id)
        elif card is not None:
            self.late.send_card(card)

    def dismiss(self) -> None:
        """Close what the banner tells; of a question that is gone, its card too."""
        card, session = self._board.current, self._board.session
        gone = card is not None and card.phase is Phase.INACTIVE
        if card is not None and gone:
            self._board.retire(card)
        elif self.late.recovery(card) is not None:
            self.late.close()
        elif card is not None and card.phase is Phase.ERROR:
            card.phase, card.settlement = Phase.IDLE, None
        elif session is not None:
            self._afterwords.forget(session)
        if gone:
            self.closed_here.emit()
        self._show_result()

    async def save(self) -> bool:
        """Whether every draft is kept, after one try."""
        return await self._drafts.save_all()

    async def close(self) -> None:
        """Save every draft and return when each was tried: the window is about to close."""
        self._afterwords.close()
        await self._drafts.finish()

    def _perform(self, kind: ActionKind, reason: str = "") -> None:
        card = self._board.current
        if card is not None and card.editable:
            self._drafts.flush()
            self._responder.perform(card, kind, reason)

    def _has_stored_answer(self) -> bool:
        card = self._board.current
        return card is not None and card.bundle.stored_answer is not None

    def _keep(self, card: Card) -> None:
        if card.phase is not Phase.INACTIVE:
            self._drafts.note(card.draft())
        self.changed.emit()

    def _show_result(self) -> None:
        self._choose()
        self.changed.emit()
        self.recovery_changed.emit()

    def _choose(self) -> None:
        if not self._board.choose():
            return
        self.card_replaced.emit()
        self._load_draft_of_current()

    def _load_draft_of_current(self) -> None:
        card = self._board.current
        if card is not None and not card.draft_loaded:
            card.draft_loaded = True
            self._background.start(self._load_draft(card), name="load draft")

    async def _load_draft(self, card: Card) -> None:
        try:
            async with self._deadline(READ_SECONDS):
                draft = await self._client.call(lambda api: api.load_draft(card.pending_id))
        except (AppError, TimeoutError):
            card.draft_loaded = False
            return
        if draft is None or not (draft.answers or draft.current_question):
            return
        card.sheet.clear_restored()
        card.sheet.restore(draft.answers)
        if card.step == 0 and not card.sheet.touched:
            card.step = min(max(draft.current_question, 0), len(card.questions) - 1)
        self.changed.emit()

    def _apply(self, happened: Event) -> None:
        match happened:
            case BundleOpened(bundle) | BundleChanged(bundle):
                self._hear(bundle.pending_id)
                self._take_in(bundle, None)
            case BundleResolved(bundle, outcome):
                self._hear(bundle.pending_id)
                self._take_in(bundle, outcome)
            case BundleRemoved(pending_id):
                self._hear(pending_id)
                self._remove(pending_id)
            case SessionChanged(session):
                self._sessions[session.session_id] = session
                if session.session_id == self._board.session:
                    self.changed.emit()
            case _:
                return

    def _hear(self, pending_id: PendingId) -> None:
        if self._heard_while_loading is not None:
            self._heard_while_loading.add(pending_id)

    def _take_in(self, bundle: Bundle, outcome: ResponseOutcome | None) -> None:
        if not self._board.pool.put(bundle):
            return
        if self._afterwords.follow(bundle, outcome):
            self.recovery_changed.emit()
        card = self._board.card(bundle.pending_id)
        if card is not None:
            self._follow(card, bundle, outcome)
        self._choose()
        self.changed.emit()

    def _follow(self, card: Card, bundle: Bundle, outcome: ResponseOutcome | None) -> None:
        """Bring a card up to date; while its request is in flight, only the reply decides."""
        reopened = card.phase is Phase.INACTIVE and bundle.answerable
        regrouped = card.editable and open_questions(bundle) != card.questions
        card.bundle = bundle
        if bundle.answerable and (reopened or regrouped):
            self._board.renew(card, bundle)
        elif card.editable and not bundle.answerable:
            self._responder.closed_elsewhere(card, outcome)

    def _remove(self, pending_id: PendingId) -> None:
        self._board.pool.remove(pending_id)
        card = self._board.card(pending_id)
        if card is not None and card.editable:
            self._drafts.forget(pending_id)
            self._board.retire(card)
        self._choose()
        self.changed.emit()
