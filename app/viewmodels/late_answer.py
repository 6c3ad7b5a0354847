"""Answers that come too late for their question and go to its agent as new messages (K6.5)."""

import json
import uuid
from dataclasses import replace
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.viewmodels.clarification_card import Card, Phase
from backend.domain.clarification import Answer, Bundle, BundleStatus, Delivery
from backend.domain.hosted import OutgoingMessage
from backend.domain.late_text import LateLabels, late_text
from backend.errors import AppError
from backend.ids import AdmissionId

_NAMESPACE: Final = uuid.UUID("5f0c4e3a-3c55-5b9e-9a3c-6a0f2d1f8b77")
_SETTLED: Final = frozenset({BundleStatus.ANSWERED, BundleStatus.REJECTED})


class LatePhase(StrEnum):
    """What became of a late answer; beside the state of the question itself."""

    NONE = "none"
    SENDING = "sending"
    SENT = "sent"
    QUEUED = "queued"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    """The conversation takes no message now; what was put in is kept."""
    UNKNOWN = "unknown"
    """Not known whether it was admitted."""
    EARLIER = "earlier"
    """An earlier answer to this question was admitted as a message; this one was not."""


class LateAnswer:
    """One question's late answer: the same for every way that leads to it."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.card = Card(_unanswered(bundle), generation=0)
        self.phase = LatePhase.NONE
        self.error: AppError | None = None
        self.admitted = 0
        """How many messages were admitted for this question."""
        self.attempted: OutgoingMessage | None = None
        """What was sent and has no known result."""
        self._answers: tuple[Answer, ...] = ()

    @property
    def missing(self) -> tuple[int, ...]:
        """The questions that must be answered before it can be sent; none while it is."""
        return () if self.phase is LatePhase.SENDING else self.card.sheet.missing

    @property
    def sendable(self) -> bool:
        return self.card.sheet.complete and self.phase is not LatePhase.SENDING

    @property
    def identity(self) -> AdmissionId:
        """Stable for task, session and question, whichever way and program run sends it."""
        bundle = self.bundle
        parts = [bundle.task_id, bundle.session_id, bundle.pending_id, self.admitted]
        return AdmissionId(f"late-{uuid.uuid5(_NAMESPACE, json.dumps(parts))}")

    def message(self) -> OutgoingMessage:
        """The answers as they are now; unchanged ones keep their words in every language."""
        answers = self.card.sheet.answers()
        attempted = self.attempted
        if attempted is not None and answers == self._answers:
            return attempted
        self._answers = answers
        text = late_text(
            self.card.bundle.questions,
            answers,
            context=self.bundle.context,
            labels=late_labels(),
        )
        return OutgoingMessage(self.identity, self.bundle.session_id, text, self.bundle.pending_id)

    def capture(self, bundle: Bundle, answers: tuple[Answer, ...]) -> None:
        """Take over what was put in elsewhere; nothing has to be entered again (LC.6)."""
        self.bundle = bundle
        self.card = Card(_unanswered(bundle), generation=0)
        self.card.sheet.put_in(answers)
        self.card.draft_loaded = True

    def begin(self) -> None:
        self.phase, self.error = LatePhase.SENDING, None
        self.card.phase = Phase.SUBMITTING

    def end(self, phase: LatePhase, error: AppError | None = None) -> None:
        self.phase, self.error = phase, error
        self.card.phase = Phase.IDLE

    def edited(self) -> None:
        """What was said about other answers no longer matters; an unknown outcome still does."""
        if self.phase is not LatePhase.UNKNOWN:
            self.phase, self.error = LatePhase.NONE, None


def late_labels() -> LateLabels:
    return LateLabels(
        context=QCoreApplication.translate("LateAnswer", "Context"),
        question=QCoreApplication.translate("LateAnswer", "Question"),
        answer=QCoreApplication.translate("LateAnswer", "Answer"),
    )


def may_answer_late(bundle: Bundle) -> bool:
    """Closed without an answer, and its agent can be given a message (LC.4)."""
    return bundle.hosted and not bundle.answerable and bundle.status not in _SETTLED


def may_send_again(bundle: Bundle) -> bool:
    """Answered, and not known to have reached its agent, which can be given a message."""
    unknown = bundle.delivery is Delivery.UNKNOWN
    return bundle.hosted and bundle.status is BundleStatus.ANSWERED and unknown


def given_answers(bundle: Bundle) -> tuple[Answer, ...]:
    """What the form begins with where an answer is sent again."""
    if not may_send_again(bundle):
        return ()
    return tuple(row.answer for row in bundle.questions if row.answer is not None)


def _unanswered(bundle: Bundle) -> Bundle:
    rows = tuple(row for row in bundle.questions if row.status not in _SETTLED)
    return replace(bundle, questions=rows or bundle.questions, stored_answer=None)
