"""Bundles and responses as JSON in Kandev's words (K3.5, K4.1, K4.5).

Keys are always present and never null; added keys never replace Kandev's. The types say which
keys there are, here and in the document of the HTTP API.
"""

from typing import Final, NotRequired

from typing_extensions import TypedDict

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import (
    Answer,
    Bundle,
    BundleQuestion,
    BundleStatus,
    ResponseOutcome,
    StoredAnswer,
)
from backend.domain.listing import BundlePage, ListedBundle, Origin

_NANOS: Final = 1_000_000_000
_KIND: Final = "clarification"


class AnswerOut(TypedDict):
    question_id: str
    selected_options: list[str]
    custom_text: str


class OptionOut(TypedDict):
    option_id: str
    label: str
    description: str


class QuestionOut(TypedDict):
    question_id: str
    title: str
    prompt: str
    status: str
    options: list[OptionOut]
    multi_select: bool
    optional: NotRequired[bool]
    response: NotRequired[AnswerOut]


class StoredAnswerOut(TypedDict):
    """The answer that was given to an equal question before."""

    pending_id: str
    answers: list[AnswerOut]
    answered_at: str
    delivery: str


class BundleOut(TypedDict):
    """One bundle; `status` is the stored one, `active` whether it can be answered now."""

    pending_id: str
    task_id: str
    session_id: str
    session_state: str
    task_title: str
    agent: str
    workspace: str
    created_at: str
    age_seconds: int
    context: str
    questions: list[QuestionOut]
    status: str
    active: bool
    detached: bool
    delivery: str
    reject_reason: str
    stored_answer: NotRequired[StoredAnswerOut]


class ClosedBundleOut(BundleOut):
    """`responded_at` and `superseding_turn_id` are empty where there is none."""

    kind: str
    reason: str
    asking_turn_id: str
    superseding_turn_id: str
    responded_at: str


class BundlePageOut(TypedDict):
    """`count` is of this page, `total` of all; `next_cursor` is empty on the last page."""

    bundles: list[BundleOut]
    count: int
    total: int
    next_cursor: str


class InboxPageOut(BundlePageOut):
    """`permissions_waiting` are requests of agents no question stands for, of all workspaces."""

    permissions_waiting: int


class ClosedPageOut(TypedDict):
    bundles: list[ClosedBundleOut]
    count: int
    total: int
    next_cursor: str


class ResponseOut(TypedDict):
    """What was answered, as K4.1 has it."""

    pending_id: str
    answers: list[AnswerOut]
    rejected: bool
    reject_reason: str
    responded_at: str


class OutcomeOut(TypedDict):
    claimed: bool
    status: str
    delivery: str
    replayed: bool
    response: ResponseOut


def response_to_wire(outcome: ResponseOutcome) -> OutcomeOut:
    """What became of an attempt; `response` always has all its keys."""
    return {
        "claimed": outcome.claimed,
        "status": outcome.status.value,
        "delivery": outcome.delivery.value,
        "replayed": outcome.replayed,
        "response": {
            "pending_id": outcome.pending_id,
            "answers": [_answer(answer) for answer in outcome.answers],
            "rejected": outcome.status is BundleStatus.REJECTED,
            "reject_reason": outcome.reject_reason,
            "responded_at": format_timestamp(outcome.responded_at),
        },
    }


def bundle_to_wire(bundle: Bundle, now: Nanoseconds, origin: Origin | None = None) -> BundleOut:
    """One bundle in the shape of K3.5, with our own words beside it."""
    place = origin or Origin(bundle.session_id)
    wire: BundleOut = {
        "pending_id": bundle.pending_id,
        "task_id": bundle.task_id,
        "session_id": bundle.session_id,
        "session_state": place.session_state,
        "task_title": place.task_title,
        "agent": place.agent,
        "workspace": place.workspace,
        "created_at": format_timestamp(bundle.created_at),
        "age_seconds": max(0, now - bundle.created_at) // _NANOS,
        "context": bundle.context,
        "questions": [_question(item) for item in bundle.questions],
        "status": bundle.status.value,
        "active": bundle.answerable,
        "detached": bundle.detached,
        "delivery": bundle.delivery.value if bundle.delivery is not None else "",
        "reject_reason": bundle.reject_reason,
    }
    if bundle.stored_answer is not None:
        wire["stored_answer"] = _stored(bundle.stored_answer)
    return wire


def closed_to_wire(item: ListedBundle, now: Nanoseconds) -> ClosedBundleOut:
    """A bundle of the history: why it closed, and which turn asked and which took over."""
    bundle = item.bundle
    responded = bundle.responded_at
    return {
        **bundle_to_wire(bundle, now, item.origin),
        "kind": _KIND,
        "reason": item.reason,
        "asking_turn_id": bundle.turn_id,
        "superseding_turn_id": item.superseding_turn or "",
        "responded_at": format_timestamp(responded) if responded is not None else "",
    }


def page_to_wire(page: BundlePage, cursor: str, now: Nanoseconds) -> BundlePageOut:
    """One page of the Inbox."""
    return {
        "bundles": [bundle_to_wire(item.bundle, now, item.origin) for item in page.bundles],
        "count": len(page.bundles),
        "total": page.total,
        "next_cursor": cursor,
    }


def closed_page_to_wire(page: BundlePage, cursor: str, now: Nanoseconds) -> ClosedPageOut:
    """One page of the history."""
    return {
        "bundles": [closed_to_wire(item, now) for item in page.bundles],
        "count": len(page.bundles),
        "total": page.total,
        "next_cursor": cursor,
    }


def _answer(answer: Answer) -> AnswerOut:
    return {
        "question_id": answer.question_id,
        "selected_options": list(answer.selected_options),
        "custom_text": answer.custom_text,
    }


def _stored(stored: StoredAnswer) -> StoredAnswerOut:
    return {
        "pending_id": stored.pending_id,
        "answers": [_answer(answer) for answer in stored.answers],
        "answered_at": format_timestamp(stored.answered_at),
        "delivery": stored.delivery.value,
    }


def _question(item: BundleQuestion) -> QuestionOut:
    question = item.question
    wire: QuestionOut = {
        "question_id": question.id,
        "title": question.title,
        "prompt": question.prompt,
        "status": item.status.value,
        "options": [
            {"option_id": option.id, "label": option.label, "description": option.description}
            for option in question.options
        ],
        "multi_select": question.multi_select,
    }
    if question.optional:
        wire["optional"] = True
    if item.answer is not None:
        wire["response"] = _answer(item.answer)
    return wire
