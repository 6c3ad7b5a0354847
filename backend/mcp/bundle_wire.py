"""Bundles and responses as JSON in Kandev's words (K3.5, K4.1); imports no validation library.

Keys are always present and never null; added keys never replace Kandev's.
"""

from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import (
    Answer,
    Bundle,
    BundleQuestion,
    BundleStatus,
    ResponseOutcome,
)
from backend.domain.conversation import SessionSummary

Json = dict[str, object]

_NANOS: Final = 1_000_000_000


def response_to_wire(outcome: ResponseOutcome) -> Json:
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


def _answer(answer: Answer) -> Json:
    return {
        "question_id": answer.question_id,
        "selected_options": list(answer.selected_options),
        "custom_text": answer.custom_text,
    }


def bundle_to_wire(bundle: Bundle, now: Nanoseconds, session: SessionSummary | None = None) -> Json:
    """One bundle in the shape of K3.5, with our own words beside it."""
    stored = bundle.stored_answer
    offered: Json = {}
    if stored is not None:
        offered["stored_answer"] = {
            "pending_id": stored.pending_id,
            "answers": [_answer(answer) for answer in stored.answers],
            "answered_at": format_timestamp(stored.answered_at),
            "delivery": stored.delivery.value,
        }
    return {
        **offered,
        "pending_id": bundle.pending_id,
        "task_id": bundle.task_id,
        "session_id": bundle.session_id,
        "created_at": format_timestamp(bundle.created_at),
        "age_seconds": max(0, now - bundle.created_at) // _NANOS,
        "context": bundle.context,
        "agent": session.agent if session is not None else "",
        "workspace": session.workspace if session is not None else "",
        "questions": [_question(item) for item in bundle.questions],
        "status": bundle.status.value,
        "active": bundle.answerable,
        "detached": bundle.detached,
        "delivery": bundle.delivery.value if bundle.delivery is not None else "",
        "reject_reason": bundle.reject_reason,
    }


def _question(item: BundleQuestion) -> Json:
    question = item.question
    wire: Json = {
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
    if item.answer is not None:
        wire["response"] = _answer(item.answer)
    return wire
