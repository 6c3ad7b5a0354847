"""What a question bundle is, what may answer it, and what became of it (K1, K2)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.clock import Nanoseconds
from backend.ids import (
    ClaimId,
    MessageId,
    OptionId,
    PendingId,
    QuestionId,
    SessionId,
    TaskId,
    TurnId,
)

MAX_QUESTIONS: Final = 4
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 6
MAX_PROMPT: Final = 8_000
MAX_TITLE: Final = 120
MAX_LABEL: Final = 200
MAX_DESCRIPTION: Final = 2_000
MAX_CONTEXT: Final = 32_000
MAX_ID: Final = 128
MAX_TEXT: Final = 2_000
"""Code points of a custom text or a reason, counted before trimming (K4.2)."""


class BundleStatus(StrEnum):
    """The status of a row and of a bundle, in Kandev's words (K1.5)."""

    PENDING = "pending"
    ANSWERED = "answered"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class Delivery(StrEnum):
    """Where an answer is on its way to the agent; never a status (clarification.md, Words)."""

    PENDING = "pending"
    DELIVERED = "delivered"
    WAITING_FOR_AGENT = "waiting_for_agent"
    DISCARDED = "discarded"
    REPLACED = "replaced"
    UNKNOWN = "unknown"


class Withdrawn(StrEnum):
    """Why a question can no longer be answered."""

    BY_HUMAN = "by_human"
    BY_AGENT = "by_agent"
    SUPERSEDED = "superseded"
    REPLACED = "replaced"
    SESSION_ENDED = "session_ended"


@dataclass(frozen=True, slots=True)
class Option:
    id: OptionId
    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; without options it is answered in the human's own words."""

    id: QuestionId
    prompt: str
    title: str = ""
    options: tuple[Option, ...] = ()
    multi_select: bool = False
    optional: bool = False
    """It may be left out where another question of the bundle is answered."""


@dataclass(frozen=True, slots=True)
class QuestionBundleDraft:
    """What an agent asks, valid and complete, before it has an identity."""

    questions: tuple[Question, ...]
    context: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    question_id: QuestionId
    selected_options: tuple[OptionId, ...] = ()
    custom_text: str = ""

    @property
    def empty(self) -> bool:
        """It says nothing: its question was left out."""
        return not self.selected_options and not self.custom_text.strip()


@dataclass(frozen=True, slots=True)
class Answered:
    """The human answered."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """The human refused to answer: the only rejection there is."""

    reason: str = ""


Outcome = Answered | Skipped


@dataclass(frozen=True, slots=True)
class BundleQuestion:
    """A question as its message row holds it."""

    message_id: MessageId
    revision: int
    question: Question
    status: BundleStatus
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer given earlier to an equal question: offered, never consumed by itself (rule 4)."""

    pending_id: PendingId
    answers: tuple[Answer, ...]
    answered_at: Nanoseconds
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class Bundle:
    """One to four questions that are answered together."""

    pending_id: PendingId
    session_id: SessionId
    task_id: TaskId
    turn_id: TurnId
    questions: tuple[BundleQuestion, ...]
    created_at: Nanoseconds
    updated_at: Nanoseconds
    status: BundleStatus
    context: str = ""
    expected_questions: int = 1
    hosted: bool = False
    """The desk runs the agent of this session and can give it a prompt."""
    detached: bool = False
    """The call that asked is known to be gone."""
    superseded: bool = False
    """A newer turn owns the session; the rows still say pending."""
    waiting_calls: int = 0
    """Calls that would receive the answer at once."""
    calls_end_at: Nanoseconds | None = None
    """When the last of them returns without an answer; None while one has no limit."""
    delivery: Delivery | None = None
    claim_id: ClaimId | None = None
    responded_at: Nanoseconds | None = None
    """Written by the claim; finalizing never moves it (K4.1)."""
    reject_reason: str = ""
    withdrawn: Withdrawn | None = None
    replaced_by: PendingId | None = None
    """The newer equal bundle that took this one's place."""
    stored_answer: StoredAnswer | None = None
    asked_again_of: PendingId | None = None
    """An older, still open bundle with equal questions; answering this one withdraws it."""

    @property
    def answerable(self) -> bool:
        return self.status is BundleStatus.PENDING and not self.superseded


@dataclass(frozen=True, slots=True)
class ResponseOutcome:
    """What became of one attempt to respond (K4.1 respond; clarification.md improvements 1-3)."""

    pending_id: PendingId
    status: BundleStatus
    claimed: bool
    delivery: Delivery
    responded_at: Nanoseconds
    answers: tuple[Answer, ...] = ()
    reject_reason: str = ""
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """What the human has typed or ticked so far; kept until the bundle is closed for good."""

    pending_id: PendingId
    answers: tuple[Answer, ...] = ()
    current_question: int = 0
