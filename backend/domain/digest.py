"""Digests that tell whether two questions, or two answers, are the same."""

import hashlib
import json

from backend.domain.clarification import Outcome, QuestionBundleDraft, Skipped
from backend.ids import Ticket


def question_digest(draft: QuestionBundleDraft) -> str:
    """Equal for equal questions with equal context, whatever ids the agent gave them."""
    return _digest(
        {
            "context": draft.context,
            "questions": [
                {
                    "title": question.title,
                    "prompt": question.prompt,
                    "multi_select": question.multi_select,
                    "options": [[option.label, option.description] for option in question.options],
                }
                for question in draft.questions
            ],
        }
    )


def payload_digest(outcome: Outcome) -> str:
    """Equal for equal normalized outcomes."""
    if isinstance(outcome, Skipped):
        return _digest({"rejected": True, "reason": outcome.reason})
    return _digest(
        {
            "answers": [
                [answer.question_id, list(answer.selected_options), answer.custom_text]
                for answer in outcome.answers
            ]
        }
    )


def ticket_hash(ticket: Ticket) -> str:
    """What the store keeps of a ticket."""
    return hashlib.sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
