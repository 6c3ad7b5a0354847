"""Digests that tell whether two questions, answers or messages are the same."""

import hashlib
import hmac
import json
from collections.abc import Mapping

from backend.domain.clarification import Outcome, QuestionBundleDraft, Skipped
from backend.domain.hosted import OutgoingMessage
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


def message_digest(message: OutgoingMessage) -> str:
    """Equal for the same text to the same session, answering the same question or none."""
    content = {"session": message.session_id, "text": message.text, "answers": message.answers}
    return hashlib.sha256(canonical_json(content).encode("ascii")).hexdigest()


def ticket_hash(ticket: Ticket) -> str:
    """What the store keeps of a ticket."""
    return hashlib.sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_json(value: object) -> str:
    """One text for one value: keys in order, and ASCII only, so that nothing is lost in a store.

    Raises:
        ValueError: it is not JSON, or nested deeper than can be written.
    """
    try:
        return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"))
    except (RecursionError, TypeError) as error:
        message = "the value cannot be written as JSON"
        raise ValueError(message) from error


def signed_digest(key: bytes, text: str) -> str:
    """HMAC-SHA256 of a canonical text (tool-review.md): equal only for the same key and text."""
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()


def same_digest(one: str, other: str) -> bool:
    """Compared in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
