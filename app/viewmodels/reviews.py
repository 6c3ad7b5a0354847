"""What agents want to do and may not do unasked: every open request, and the card of one."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.review_choices import NO_OPTION, Decision
from app.viewmodels.timing import Background, Deadline, WindowClock
from backend.domain.review import Owner, Review, ReviewOutcome, ReviewStatus
from backend.errors import AppError, Conflict, ErrorCode, NotFound, TemporarilyUnavailable
from backend.events import Event, ReviewChanged, ReviewOpened
from backend.ids import ClaimId, ClientId, ReviewId, SessionId, new_id

DECIDE_SECONDS: Final = 40.0
"""As for answers: whoever decides hears within this, or that it is not known."""
READ_SECONDS: Final = 5.0
NOTHING: Final = Decision(NO_OPTION)


class ReviewPhase(StrEnum):
    OPEN = "open"
    SENDING = "sending"
    ERROR = "error"
    """Not known to be decided, or refused for the store's sake: it can be sent again."""
    COVERED = "covered"
    """Decided here with a rule that would decide others that wait: `covered`."""
    CLOSED = "closed"
    """Nothing more to decide; `review.status` says why, and what came of it."""


@dataclass(slots=True)
class ReviewCard:
    """One request as the window shows it."""

    review: Review
    phase: ReviewPhase = ReviewPhase.OPEN
    decision: Decision = NOTHING
    """What was chosen last."""
    token: ClaimId | None = None
    error: AppError | None = None
    whole: bool = False
    """All of it is shown, however long it is."""
    seen: bool = False
    """Its end was in sight."""
    covered: tuple[Review, ...] = ()
    settling: bool = False
    """Those it covers are being decided."""
    kept: bool = False
    """Decided here, and only shown for what comes of it: whatever waits goes before it."""

    @property
    def decidable(self) -> bool:
        return self.phase in {ReviewPhase.OPEN, ReviewPhase.ERROR}


class ReviewsViewModel(QObject):
    """Follows the backend.

    `changed` after anything changed, `card_replaced` when another card, or none, is shown,
    `arrived` with a `Review` that was not open before, `left` with the id of one that no longer
    is, `closed_here` when the human's own decision has closed the card.
    """

    changed = Signal()
    card_replaced = Signal()
    arrived = Signal(object)
    left = Signal(object)
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
        self.clock = clock
        self._client = client
        self._deadline = deadline
        self._background = background
        self._client_id = client_id
        self._open: dict[ReviewId, Review] = {}
        self._cards: dict[ReviewId, ReviewCard] = {}
        self._session: SessionId | None = None
        self._wanted: ReviewId | None = None
        self._heard: set[ReviewId] | None = None
        self.card: ReviewCard | None = None
        client.event_received.connect(self._apply)

    @property
    def open(self) -> tuple[Review, ...]:
        """Of every session, oldest first."""
        return tuple(sorted(self._open.values(), key=lambda each: (each.asked_at, each.review_id)))

    @property
    def count(self) -> int:
        return len(self._open)

    @property
    def more_waiting(self) -> int:
        """Other open requests of the session that is shown."""
        shown = self.card.review.review_id if self.card is not None else None
        return sum(each.review_id != shown for each in self._of_session())

    @property
    def was_opened(self) -> bool:
        """The human has asked for the card that is shown."""
        return self.card is not None and self.card.review.review_id == self._wanted

    async def load(self) -> None:
        """Read every open request; what was heard meanwhile is newer. Raises `AppError`."""
        heard: set[ReviewId] = set()
        self._heard = heard
        try:
            found = await self._client.call(lambda api: api.reviews.list_open_reviews())
        finally:
            self._heard = None
        listed = {review.review_id: review for review in found}
        for review_id in self._open.keys() - listed.keys() - heard:
            self._forget(review_id)
        for review in found:
            if review.review_id not in heard:
                self._open[review.review_id] = review
        self._choose()
        self.changed.emit()

    def show_session(self, session_id: SessionId | None) -> None:
        self._session = session_id
        self._wanted = None
        self._choose()

    def open_review(self, review_id: ReviewId) -> None:
        """Show this request of the session rather than its oldest."""
        if review_id in self._open:
            self._wanted = review_id
            self._choose()
            self.changed.emit()

    def show_all(self) -> None:
        if self.card is not None:
            self.card.whole = True
            self.changed.emit()

    def end_seen(self) -> None:
        """The end of what is asked for was in sight: it may be allowed now."""
        if self.card is not None and not self.card.seen:
            self.card.seen = True
            self.changed.emit()

    def decide(self, decision: Decision) -> None:
        """Choose an option; nothing while a choice is on its way."""
        card = self.card
        if card is None or not card.decidable:
            return
        if card.token is None or decision != card.decision:
            card.token = ClaimId(new_id())
        card.decision = decision
        card.error, card.phase = None, ReviewPhase.SENDING
        self._background.start(self._send(card, card.token), name="decide permission")
        self.changed.emit()

    def retry(self) -> None:
        """Send the last choice again: the same one, so that it is never made twice."""
        if self.card is not None and self.card.phase is ReviewPhase.ERROR:
            self.decide(self.card.decision)

    def settle_covered(self) -> None:
        """The human confirms: decide what the new rule covers as well."""
        card = self.card
        if card is None or card.phase is not ReviewPhase.COVERED or card.settling:
            return
        card.settling, card.error = True, None
        self._background.start(self._settle(card), name="settle covered permissions")
        self.changed.emit()

    def leave_covered(self) -> None:
        """What the new rule covers stays open, to be decided one by one."""
        card = self.card
        if card is not None and card.phase is ReviewPhase.COVERED and not card.settling:
            self._finish(card)
            self.changed.emit()

    def dismiss(self) -> None:
        """Put a closed card away."""
        if self.card is not None and self.card.phase is ReviewPhase.CLOSED:
            self._retire(self.card)

    async def _send(self, card: ReviewCard, token: ClaimId) -> None:
        review_id = card.review.review_id
        wanted = card.decision
        error: AppError | None = None
        outcome: ReviewOutcome | None = None
        try:
            async with self._deadline(DECIDE_SECONDS):
                outcome = await self._client.call(
                    lambda api: api.reviews.decide(
                        review_id,
                        wanted.option_id,
                        client_id=self._client_id,
                        claim_token=token,
                        remember=wanted.remember,
                        remember_for=wanted.remember_for,
                        reason=wanted.reason,
                    )
                )
        except TimeoutError:
            pass
        except AppError as failed:
            error = failed
        if card.token != token or card.phase is not ReviewPhase.SENDING:
            return
        if outcome is not None:
            self._take(card, outcome)
        elif isinstance(error, NotFound) or _not_active(error):
            await self._close(card)
        else:
            card.error, card.phase = error, ReviewPhase.ERROR
        self.changed.emit()

    def _take(self, card: ReviewCard, outcome: ReviewOutcome) -> None:
        """It is decided; what was heard of it meanwhile may be newer."""
        if card.review.status in {ReviewStatus.PENDING, ReviewStatus.APPROVED}:
            card.review = outcome.review
        review_id = card.review.review_id
        if self._open.pop(review_id, None) is not None:
            self.left.emit(review_id)
        card.covered = tuple(each for each in outcome.covered if each.review_id in self._open)
        if card.covered and card is self.card:
            card.phase = ReviewPhase.COVERED
        else:
            self._finish(card)

    def _finish(self, card: ReviewCard) -> None:
        """Nothing more to say to it: what this desk carries out stays to show how it went."""
        if card is self.card:
            self.closed_here.emit()
        declined = card.review.status is ReviewStatus.DECLINED
        if card is not self.card or card.review.owner is not Owner.GATEWAY or declined:
            self._retire(card)
            return
        card.covered, card.kept, card.phase = (), True, ReviewPhase.CLOSED
        self._choose()

    async def _settle(self, card: ReviewCard) -> None:
        rule_id = card.review.rule_id
        covered = [review.review_id for review in card.covered]
        error: AppError | None = None
        try:
            if rule_id is not None:
                async with self._deadline(DECIDE_SECONDS):
                    await self._client.call(
                        lambda api: api.rules.settle_covered(
                            rule_id, covered, client_id=self._client_id
                        )
                    )
        except TimeoutError:
            error = _not_known()
        except AppError as failed:
            error = failed
        card.settling, card.error = False, error
        if error is None and card.phase is ReviewPhase.COVERED:
            self._finish(card)
        self.changed.emit()

    async def _close(self, card: ReviewCard) -> None:
        """It can no longer be decided: say what holds."""
        review_id = card.review.review_id
        try:
            async with self._deadline(READ_SECONDS):
                card.review = await self._client.call(lambda api: api.reviews.get_review(review_id))
        except (AppError, TimeoutError):
            pass
        card.phase = ReviewPhase.CLOSED
        if self._open.pop(review_id, None) is not None:
            self.left.emit(review_id)

    def _apply(self, happened: Event) -> None:
        match happened:
            case ReviewOpened(review) if review.status is ReviewStatus.PENDING:
                self._hear_of_open(review)
            case ReviewOpened(review) | ReviewChanged(review):
                self._hear_of_end(review)
            case _:
                return
        self.changed.emit()

    def _hear_of_open(self, review: Review) -> None:
        if self._heard is not None:
            self._heard.add(review.review_id)
        known = review.review_id in self._open
        self._open[review.review_id] = review
        self._choose()
        if not known:
            self.arrived.emit(review)

    def _hear_of_end(self, review: Review) -> None:
        if self._heard is not None:
            self._heard.add(review.review_id)
        card = self._cards.get(review.review_id)
        if self._open.pop(review.review_id, None) is not None:
            self.left.emit(review.review_id)
        self._uncover(review.review_id)
        if card is None:
            return
        card.review = review
        if card.phase in {ReviewPhase.SENDING, ReviewPhase.COVERED}:
            return
        card.phase = ReviewPhase.CLOSED
        if card is not self.card:
            self._retire(card)

    def _uncover(self, review_id: ReviewId) -> None:
        """It is no longer open: there is nothing to confirm for it."""
        for card in tuple(self._cards.values()):
            if card.phase is ReviewPhase.COVERED:
                card.covered = tuple(each for each in card.covered if each.review_id != review_id)
                if not card.covered and not card.settling:
                    self._finish(card)

    def _forget(self, review_id: ReviewId) -> None:
        """It was open when the store was read before, and is not any more."""
        self._open.pop(review_id, None)
        self.left.emit(review_id)
        card = self._cards.get(review_id)
        if card is not None and card.phase is not ReviewPhase.SENDING:
            self._retire(card)

    def _retire(self, card: ReviewCard) -> None:
        self._cards.pop(card.review.review_id, None)
        if self._wanted == card.review.review_id:
            self._wanted = None
        if card is self.card:
            self.card = None
            self._choose(replaced=True)

    def _choose(self, *, replaced: bool = False) -> None:
        """What the session shows: what the human opened, what is shown already, its oldest."""
        before = self.card
        self.card = self._choice()
        if before is not None and before.kept and before is not self.card:
            self._cards.pop(before.review.review_id, None)
        if replaced or self.card is not before:
            self.card_replaced.emit()

    def _choice(self) -> ReviewCard | None:
        if self._wanted is not None and self._wanted in self._open:
            return self._made(self._open[self._wanted])
        shown, waiting = self.card, self._of_session()
        stays = shown is not None and not (shown.kept and waiting)
        if stays and shown is not None and shown.review.session_id == self._session:
            return shown
        return self._made(waiting[0]) if waiting else None

    def _made(self, review: Review) -> ReviewCard:
        return self._cards.setdefault(review.review_id, ReviewCard(review))

    def _of_session(self) -> tuple[Review, ...]:
        return tuple(review for review in self.open if review.session_id == self._session)


def _not_active(error: AppError | None) -> bool:
    return isinstance(error, Conflict) and error.code is ErrorCode.NOT_ACTIVE


def _not_known() -> TemporarilyUnavailable:
    return TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "no reply in time")
