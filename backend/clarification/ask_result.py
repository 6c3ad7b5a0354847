"""How an ask ended, in MCP's words (clarification.md, Words)."""

from dataclasses import dataclass
from enum import StrEnum

from backend.domain.clarification import (
    Answer,
    Bundle,
    BundleStatus,
    Delivery,
    Outcome,
    Question,
    Skipped,
    Withdrawn,
)
from backend.ids import PendingId


class AskStatus(StrEnum):
    """MCP's word for how an ask ended (clarification.md, Words)."""

    ANSWERED = "answered"
    SKIPPED = "skipped"
    UNANSWERED = "unanswered"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class AskResult:
    """The one result of a bundle; asking for it again gives the same."""

    pending_id: PendingId
    status: AskStatus
    questions: tuple[Question, ...]
    answers: tuple[Answer, ...] = ()
    reject_reason: str = ""
    reason: str = ""
    replaced_by: PendingId | None = None
    replayed: bool = False


def handed_over(bundle: Bundle, outcome: Outcome) -> AskResult | None:
    """What `result_of` will read of a bundle whose every question this outcome has closed."""
    if any(item.status is not BundleStatus.PENDING for item in bundle.questions):
        return None
    skipped = isinstance(outcome, Skipped)
    return AskResult(
        pending_id=bundle.pending_id,
        status=AskStatus.SKIPPED if skipped else AskStatus.ANSWERED,
        questions=tuple(item.question for item in bundle.questions),
        answers=() if isinstance(outcome, Skipped) else outcome.answers,
        reject_reason=outcome.reason if isinstance(outcome, Skipped) else "",
    )


def result_of(bundle: Bundle) -> AskResult | None:
    """The result of a closed bundle in MCP's words; None while it is open or on its way."""
    ending = _ending(bundle)
    if ending is None:
        return None
    status, reason = ending
    answered = status is AskStatus.ANSWERED
    return AskResult(
        pending_id=bundle.pending_id,
        status=status,
        questions=tuple(item.question for item in bundle.questions),
        answers=tuple(item.answer for item in bundle.questions if answered and item.answer),
        reject_reason=bundle.reject_reason if status is AskStatus.SKIPPED else "",
        reason=reason,
        replaced_by=bundle.replaced_by,
    )


def _ending(bundle: Bundle) -> tuple[AskStatus, str] | None:
    """The status, and why where the question was withdrawn."""
    if bundle.superseded:
        return AskStatus.WITHDRAWN, (bundle.withdrawn or Withdrawn.SUPERSEDED).value
    if bundle.status is BundleStatus.PENDING or bundle.delivery is Delivery.PENDING:
        return None
    told = bundle.hosted and bundle.status is BundleStatus.REJECTED
    delivery = bundle.delivery
    if not told and (delivery is Delivery.DISCARDED or delivery is Delivery.REPLACED):
        return AskStatus.WITHDRAWN, delivery.value
    if bundle.status is BundleStatus.CANCELLED:
        reason = bundle.withdrawn
        return AskStatus.WITHDRAWN, reason.value if reason is not None else ""
    closed = {
        BundleStatus.EXPIRED: AskStatus.UNANSWERED,
        BundleStatus.REJECTED: AskStatus.SKIPPED,
    }
    return closed.get(bundle.status, AskStatus.ANSWERED), ""
