"""One question bundle as the window works on it: its sheet, its step and its one request."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.viewmodels.clarification_answers import AnswerSheet
from backend.domain.clarification import (
    MAX_TEXT,
    AnswerDraft,
    Answered,
    Bundle,
    BundleStatus,
    Outcome,
    Question,
    ResponseOutcome,
    Skipped,
)
from backend.errors import AppError, ErrorCode, InvalidInput
from backend.ids import ClaimId, PendingId

CLIENT_SECONDS: Final = 40.0
"""The window stops waiting for a reply after this long (clarification.md, Budgets)."""

_STORE_AWAY: Final = frozenset(
    {ErrorCode.STORE_UNREACHABLE, ErrorCode.STORE_OWNED, ErrorCode.TEMPORARILY_UNAVAILABLE}
)
_ANSWER_FIELD: Final = re.compile(r"answers\[(\d+)\]")


class Phase(StrEnum):
    """The window's state machine (clarification.md, K6.1)."""

    IDLE = "idle"
    SUBMITTING = "submitting"
    RESOLVED = "resolved"
    ERROR = "error"
    INACTIVE = "inactive"


class ActionKind(StrEnum):
    SUBMIT = "submit"
    SKIP = "skip"
    HAND_OVER = "hand_over"
    DISCARD = "discard"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request for one bundle. `generation` is the card's when it was sent."""

    pending_id: PendingId
    generation: int
    kind: ActionKind
    outcome: Outcome | None
    token: ClaimId
    reason: str = ""

    def repeats(self, other: "Attempt") -> bool:
        """Whether both ask for the same thing, so that they may share a claim token."""
        return (self.kind, self.outcome) == (other.kind, other.outcome)


@dataclass(frozen=True, slots=True)
class Failed:
    """The attempt was refused or failed, as far as is known."""

    error: AppError


@dataclass(frozen=True, slots=True)
class Unknown:
    """No reply in time: whether it was taken is not known."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """The reply makes no sense: nothing it says is believed."""


@dataclass(frozen=True, slots=True)
class Returned:
    """It failed while the store was away; since then the bundle was read, and it is still open."""


@dataclass(frozen=True, slots=True)
class Replied:
    """A reply worth believing; `outcome` is None for actions that answer nothing."""

    outcome: ResponseOutcome | None


Settlement = Failed | Unknown | Malformed | Returned | Replied


class Card:
    """What the window holds for one bundle until it is closed; made by the view model."""

    def __init__(self, bundle: Bundle, generation: int) -> None:
        self.bundle = bundle
        self.generation = generation
        self.sheet = AnswerSheet(open_questions(bundle))
        self.phase = Phase.IDLE
        self.step = 0
        self.collapsed = False
        self.attempt: Attempt | None = None
        """The request in flight while submitting, else the last one."""
        self.settlement: Settlement | None = None
        """How the last request ended, while that still matters to the human."""
        self.draft_loaded = False
        if bundle.stored_answer is not None:
            self.sheet.restore(bundle.stored_answer.answers)

    @property
    def pending_id(self) -> PendingId:
        return self.bundle.pending_id

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.sheet.questions

    @property
    def review_step(self) -> int:
        """The step after the last question; a single question has none."""
        return len(self.questions) if len(self.questions) > 1 else -1

    @property
    def reviewing(self) -> bool:
        return self.step == self.review_step

    @property
    def busy(self) -> bool:
        return self.phase is Phase.SUBMITTING

    @property
    def editable(self) -> bool:
        return self.phase in {Phase.IDLE, Phase.ERROR}

    @property
    def refused_question(self) -> int | None:
        """The question whose answer the backend refused, to say so at its field."""
        if self.phase is not Phase.ERROR or not isinstance(self.settlement, Failed):
            return None
        error = self.settlement.error
        place = _ANSWER_FIELD.match(str(error.params.get("field", "")))
        return int(place[1]) if isinstance(error, InvalidInput) and place is not None else None

    @property
    def failed_by_store(self) -> bool:
        """The last request failed as requests do while the store is away."""
        if self.phase is not Phase.ERROR or not isinstance(self.settlement, Failed):
            return False
        return self.settlement.error.code in _STORE_AWAY

    def outcome(self, kind: ActionKind, reason: str) -> Outcome | None:
        """What an action would send with the answers as they are now."""
        if kind is ActionKind.SUBMIT:
            return Answered(self.sheet.answers())
        if kind is ActionKind.SKIP:
            return Skipped(reason)
        return None

    def draft(self) -> AnswerDraft:
        step = min(self.step, len(self.questions) - 1)
        return AnswerDraft(self.pending_id, self.sheet.draft(), max(step, 0))


def open_questions(bundle: Bundle) -> tuple[Question, ...]:
    """The questions that still need an answer: siblings may be closed already (improvement 4)."""
    return tuple(
        row.question for row in bundle.questions if row.status is BundleStatus.PENDING
    ) or tuple(row.question for row in bundle.questions)


def showable(bundle: Bundle) -> bool:
    """Whether it can be answered here: open, and all its rows have arrived (K6.2)."""
    return bundle.answerable and 0 < bundle.expected_questions <= len(bundle.questions)


def is_older(bundle: Bundle, known: Bundle) -> bool:
    """Whether `bundle` was read before `known`; two reads of one revision are equally new."""
    return revision(bundle) < revision(known)


def believable(reply: object, attempt: Attempt) -> bool:
    """Whether a reply has the shape that was promised for this attempt (clarification.md)."""
    if attempt.kind in {ActionKind.CLOSE, ActionKind.DISCARD}:
        return reply is None
    if not isinstance(reply, ResponseOutcome) or reply.pending_id != attempt.pending_id:
        return False
    expected = BundleStatus.REJECTED if attempt.kind is ActionKind.SKIP else BundleStatus.ANSWERED
    if reply.status not in {BundleStatus.ANSWERED, BundleStatus.REJECTED}:
        return False
    if reply.claimed:
        return reply.status is expected
    return reply.status is BundleStatus.REJECTED or bool(reply.answers)


def reason_fits(reason: str) -> bool:
    return len(reason) <= MAX_TEXT


def revision(bundle: Bundle) -> int:
    """The newest revision of its rows."""
    return max((row.revision for row in bundle.questions), default=0)
