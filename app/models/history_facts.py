"""Closed questions and permissions as lines to read, each with its ending in words."""

from PySide6.QtCore import QObject

from app.models.fact_model import Fact
from app.models.ledger_words import LedgerWords
from app.models.policy_words import PolicyWords
from app.models.reason_text import failure_text, reason_text
from app.models.review_words import ReviewWords
from app.resources import Icon
from app.text import (
    age_text,
    clock_text,
    delivery_text,
    status_text,
    superseded_text,
    workspace_text,
)
from app.viewmodels.answer_text import answer_text
from app.viewmodels.history_items import HistoryItem
from backend.domain.clarification import Bundle, BundleStatus
from backend.domain.conversation import SessionSummary
from backend.domain.listing import ListedBundle, Unanswerable
from backend.domain.review import Review, ReviewStatus

_REVIEW_LOOKS = {
    ReviewStatus.APPROVED: (Icon.ANSWERED, "text_muted"),
    ReviewStatus.EXECUTED: (Icon.ANSWERED, "success"),
    ReviewStatus.DECLINED: (Icon.SKIPPED, "text_muted"),
    ReviewStatus.FAILED: (Icon.FAILED, "danger"),
    ReviewStatus.OUTCOME_UNKNOWN: (Icon.UNKNOWN, "danger"),
    ReviewStatus.EXPIRED: (Icon.WAITING, "text_muted"),
    ReviewStatus.CANCELLED: (Icon.WITHDRAWN, "text_muted"),
    ReviewStatus.PENDING: (Icon.PERMISSION, "attention"),
}
_QUESTION_LOOKS = {
    BundleStatus.ANSWERED: (Icon.ANSWERED, "success"),
    BundleStatus.REJECTED: (Icon.SKIPPED, "text_muted"),
}
_LONGEST = 2_000
"""Characters of what was asked that are shown; the whole is in the conversation."""


class HistoryFacts(QObject):
    """One for each kind of line; `ending` is the word both lists and details use."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reviews = ReviewWords(self)
        self._doors = LedgerWords(self)

    def fact(self, item: HistoryItem, session: SessionSummary | None, now: int) -> Fact:
        """`session` is None where it is not known any more."""
        if item.review is not None:
            return self._of_review(item, item.review, session, now)
        return self._of_question(item, now)

    def heading(self, item: HistoryItem) -> str:
        if item.review is not None:
            return _cut(self._reviews.what(item.review))
        return "" if item.listed is None else _title(item.listed.bundle)

    def lines(self, item: HistoryItem, now: int) -> list[tuple[str, str]]:
        if item.review is not None:
            return self._review_lines(item.review, now)
        return [] if item.listed is None else self._question_lines(item.listed, now)

    def _of_review(
        self, item: HistoryItem, review: Review, session: SessionSummary | None, now: int
    ) -> Fact:
        icon, colour = _REVIEW_LOOKS[review.status]
        # A conversation of no project works in a folder all the same: its name says nothing.
        place = review.folder if session is None else session.workspace
        where = (review.agent_name, workspace_text(place), age_text(review.asked_at, now))
        return Fact(
            key=item.key,
            title=self._reviews.short(review),
            icon=icon,
            second=" · ".join(part for part in (self.tr("Permission"), *where) if part),
            state=self._reviews.standing(review),
            colour=colour,
            subject=item,
        )

    def _of_question(self, item: HistoryItem, now: int) -> Fact:
        if item.listed is None:
            return Fact(item.key, "", Icon.UNKNOWN)
        listed = item.listed
        icon, colour = _QUESTION_LOOKS.get(listed.bundle.status, (Icon.WITHDRAWN, "text_muted"))
        origin = listed.origin
        age = age_text(listed.bundle.created_at, now)
        parts = (self.tr("Question"), origin.agent, workspace_text(origin.workspace), age)
        return Fact(
            key=item.key,
            title=_title(listed.bundle),
            icon=icon,
            second=" · ".join(part for part in parts if part),
            state=_ending(listed),
            colour=colour,
            subject=item,
        )

    def _review_lines(self, review: Review, now: int) -> list[tuple[str, str]]:
        declined = review.status is ReviewStatus.DECLINED
        reason = review.reason if declined else reason_text(review.reason)
        decided = "" if review.decided_at is None else clock_text(review.decided_at, now)
        door = self._doors.door(review.door)
        return [
            (self.tr("What"), _cut(self._reviews.short(review))),
            (self.tr("Ended"), self._reviews.standing(review)),
            (self.tr("Because"), reason),
            (self.tr("Error"), failure_text(review.error) if review.error else ""),
            (self.tr("Risk"), PolicyWords().risk(review.risk)),
            (self.tr("Server"), review.server_name),
            (self.tr("Folder"), review.folder),
            (self.tr("Asked"), clock_text(review.asked_at, now)),
            (self.tr("Decided"), " ".join(part for part in (decided, door) if part)),
        ]

    def _question_lines(self, listed: ListedBundle, now: int) -> list[tuple[str, str]]:
        bundle = listed.bundle
        delivery = "" if bundle.delivery is None else delivery_text(bundle.delivery)
        answered = bundle.status is BundleStatus.ANSWERED
        return [
            (self.tr("Ended"), _ending(listed)),
            (self.tr("Answer"), _cut(answer_text(bundle)) if answered else ""),
            (self.tr("Because"), bundle.reject_reason),
            (self.tr("Answer is"), delivery),
            (self.tr("Agent"), listed.origin.agent),
            (self.tr("Project"), listed.origin.workspace),
            (self.tr("Asked"), clock_text(bundle.created_at, now)),
        ]


def _ending(listed: ListedBundle) -> str:
    bundle = listed.bundle
    if listed.unanswerable is Unanswerable.SUPERSEDED:
        return superseded_text()
    if bundle.status is BundleStatus.PENDING:
        return status_text(BundleStatus.CANCELLED, bundle.withdrawn)
    return status_text(bundle.status, bundle.withdrawn)


def _title(bundle: Bundle) -> str:
    first = bundle.questions[0].question
    return " ".join((first.title or first.prompt).split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
