"""What the banner tells about the last thing done to a question, and what can be done now."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.viewmodels.clarification_card import (
    ActionKind,
    Card,
    Failed,
    Malformed,
    Phase,
    Returned,
    Unknown,
    open_questions,
)
from backend.domain.clarification import Answer, Bundle, Delivery, Question, ResponseOutcome
from backend.errors import AppError
from backend.ids import PendingId


class RecoveryKind(StrEnum):
    SUBMITTING = "submitting"
    ERROR = "error"
    UNKNOWN = "unknown"
    """No reply, or one that makes no sense: whether it was taken is not known."""
    RETURNED = "returned"
    """The store was away and is back: nothing was taken, and it can be sent again."""
    INACTIVE = "inactive"
    """It can no longer be answered."""
    ELSEWHERE = "elsewhere"
    """Somebody else was first; the outcome shown is theirs."""
    SAVED = "saved"
    """Durable, and waiting until the agent calls again."""
    DELIVERED = "delivered"
    UNCONFIRMED = "unconfirmed"
    """Durable, but whether the agent has it is not known."""
    COLLECTED = "collected"
    """The stored answer was collected meanwhile; nothing was done."""
    LATE_SENDING = "late_sending"
    LATE_SENT = "late_sent"
    """As a new message; the question itself stays unanswered."""
    LATE_QUEUED = "late_queued"
    LATE_REFUSED = "late_refused"
    LATE_UNAVAILABLE = "late_unavailable"
    LATE_UNKNOWN = "late_unknown"
    LATE_EARLIER = "late_earlier"


LATE_OPEN: Final = frozenset(
    {
        RecoveryKind.LATE_REFUSED,
        RecoveryKind.LATE_UNAVAILABLE,
        RecoveryKind.LATE_UNKNOWN,
        RecoveryKind.LATE_EARLIER,
    }
)
"""What the human put in was not sent as a message, as far as is known."""


_UNSENT: Final = LATE_OPEN | {RecoveryKind.INACTIVE, RecoveryKind.ELSEWHERE}
_CALM_RETRIES: Final = frozenset({RecoveryKind.RETURNED, RecoveryKind.LATE_UNAVAILABLE})
_ALARMS: Final = frozenset(
    {
        RecoveryKind.ERROR,
        RecoveryKind.UNKNOWN,
        RecoveryKind.LATE_REFUSED,
        RecoveryKind.LATE_UNKNOWN,
    }
)


@dataclass(frozen=True, slots=True)
class RecoveryState:
    """One state for every layout of the window."""

    kind: RecoveryKind
    bundle: Bundle
    action: ActionKind = ActionKind.SUBMIT
    error: AppError | None = None
    outcome: ResponseOutcome | None = None
    own: tuple[Answer, ...] = ()
    """What the human had put in, where it was not sent."""

    @property
    def pending_id(self) -> PendingId:
        return self.bundle.pending_id

    @property
    def can_retry(self) -> bool:
        return self.alarming or self.kind in _CALM_RETRIES

    @property
    def can_send_late(self) -> bool:
        """What stands there may become a message of its own, if the human wants it."""
        if self.kind is RecoveryKind.LATE_EARLIER:
            return True
        return self.kind is RecoveryKind.INACTIVE and self.bundle.hosted and bool(self.own)

    @property
    def alarming(self) -> bool:
        """The human should hear of it at once."""
        return self.kind in _ALARMS

    @property
    def copyable(self) -> tuple[Answer, ...]:
        """The answer worth copying: one that did not reach, or has not yet reached, the agent."""
        if self.kind is RecoveryKind.SAVED and self.outcome is not None:
            return self.outcome.answers
        return self.own if self.kind in _UNSENT else ()


def recovery_of_card(card: Card) -> RecoveryState | None:
    """What a card on the desk has to say; None while it only waits for the human."""
    action = card.attempt.kind if card.attempt is not None else ActionKind.SUBMIT
    if card.phase is Phase.SUBMITTING:
        return RecoveryState(RecoveryKind.SUBMITTING, card.bundle, action)
    if card.phase is Phase.INACTIVE:
        return RecoveryState(RecoveryKind.INACTIVE, card.bundle, action, own=filled(card))
    if card.phase is not Phase.ERROR:
        return None
    settlement = card.settlement
    if isinstance(settlement, Failed):
        return RecoveryState(RecoveryKind.ERROR, card.bundle, action, error=settlement.error)
    if isinstance(settlement, Returned):
        return RecoveryState(RecoveryKind.RETURNED, card.bundle, action)
    unknown = isinstance(settlement, Unknown | Malformed)
    return RecoveryState(RecoveryKind.UNKNOWN, card.bundle, action) if unknown else None


def recovery_of_outcome(card: Card, outcome: ResponseOutcome, *, ours: bool) -> RecoveryState:
    """What to say after the bundle has been closed with `outcome`, ours or somebody else's."""
    action = card.attempt.kind if card.attempt is not None else ActionKind.SUBMIT
    kind = delivery_kind(outcome.delivery) if ours else RecoveryKind.ELSEWHERE
    own = () if ours else filled(card)
    return RecoveryState(kind, card.bundle, action, outcome=outcome, own=own)


def delivery_kind(delivery: Delivery) -> RecoveryKind:
    if delivery is Delivery.DELIVERED:
        return RecoveryKind.DELIVERED
    if delivery in {Delivery.PENDING, Delivery.UNKNOWN}:
        return RecoveryKind.UNCONFIRMED
    return RecoveryKind.SAVED


def filled(card: Card) -> tuple[Answer, ...]:
    """What the human put in; empty when only a draft or a stored answer was there."""
    return card.sheet.draft() if card.sheet.touched else ()


def answers_text(bundle: Bundle, answers: tuple[Answer, ...]) -> str:
    """Answers as plain text for people: labels and own words, one question a paragraph."""
    questions = {row.question.id: row.question for row in bundle.questions}
    several = len(open_questions(bundle)) > 1
    paragraphs = []
    for answer in answers:
        question = questions.get(answer.question_id)
        words = answer_words(question, answer)
        asked = question.title or question.prompt if question is not None else ""
        paragraphs.append(f"{asked}\n{words}" if several and asked else words)
    return "\n\n".join(paragraphs)


def answer_words(question: Question | None, answer: Answer) -> str:
    """Labels in the order of the options, then the own words; an unknown id stands for itself."""
    labels = {option.id: option.label for option in question.options} if question else {}
    words = ", ".join(labels.get(option, option) for option in answer.selected_options)
    text = answer.custom_text.strip()
    return "\n".join(part for part in (words, text) if part)
