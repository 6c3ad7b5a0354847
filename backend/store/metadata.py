"""JSON columns: how they are written and read, and the keys of a question's row (K1.3)."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeVar

from backend.clock import Nanoseconds, parse_timestamp
from backend.domain.clarification import Answer, BundleStatus, Option, Question
from backend.ids import OptionId, QuestionId
from backend.store.database import SqlValue
from backend.store.parameters import storable_text

JsonDict = dict[str, object]
E = TypeVar("E", bound=StrEnum)

OWN_KEY: Final = "kandesk"
"""Everything Kandev has no key for lives under this one (clarification.md, Shape)."""


def encode(value: object) -> str:
    """Compact JSON in ASCII; what neither dialect may hold is written as U+FFFD."""
    text = json.dumps(value, separators=(",", ":"))
    if "\\u0000" in text or "\\ud" in text:
        return json.dumps(_storable(value), separators=(",", ":"))
    return text


def _storable(value: object) -> object:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, Mapping):
        return {storable_text(str(key)): _storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return value


def decode(column: SqlValue) -> JsonDict:
    """The object in a metadata column; anything that is not an object reads as empty.

    So does what the database takes for JSON and Python does not: very deep or very long numbers.
    """
    if not isinstance(column, str) or not column:
        return {}
    try:
        return as_dict(json.loads(column))
    except (ValueError, RecursionError):
        return {}


def as_dict(value: object) -> JsonDict:
    return dict(value) if isinstance(value, Mapping) else {}


def as_text(value: object) -> str:
    """A text that can be sent and shown; what no text may hold reads as U+FFFD."""
    return storable_text(value) if isinstance(value, str) else ""


def as_time(column: SqlValue) -> Nanoseconds:
    """A stored moment; one nobody can read is the start of time, so that its row is still shown."""
    try:
        return parse_timestamp(str(column))
    except ValueError:
        return Nanoseconds(0)


def decode_list(column: SqlValue) -> Sequence[object]:
    """The list in a column; anything else reads as empty."""
    try:
        return as_list(json.loads(str(column)))
    except (ValueError, RecursionError):
        return ()


def as_kind(kinds: type[E], column: SqlValue, unknown: E) -> E:
    """A stored value of an enumeration; one nobody knows, of a newer desk or a damaged store, reads
    as `unknown`, so that its row is still shown and still ends.
    """
    try:
        return kinds(str(column))
    except ValueError:
        return unknown


def as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def is_set(value: object) -> bool:
    """The tolerant truth of K1.4: true, 1, "true" and "1"."""
    return value is True or value in (1, "true", "1")


def question_to_json(question: Question) -> JsonDict:
    return {
        "id": question.id,
        "title": question.title,
        "prompt": question.prompt,
        "options": [
            {"option_id": option.id, "label": option.label, "description": option.description}
            for option in question.options
        ],
    }


def question_id(metadata: JsonDict) -> QuestionId:
    """The flat key, else the one inside the question; empty when there is neither."""
    nested = as_dict(metadata.get("question"))
    return QuestionId(as_text(metadata.get("question_id")) or as_text(nested.get("id")))


def question_from_json(metadata: JsonDict, content: str) -> Question:
    """The question of a row; one that cannot be parsed degrades to its prompt (K8.6, 45)."""
    question = as_dict(metadata.get("question"))
    options = (as_dict(option) for option in as_list(question.get("options")))
    own = as_dict(metadata.get(OWN_KEY))
    return Question(
        id=question_id(metadata),
        prompt=as_text(question.get("prompt")) or content,
        title=as_text(question.get("title")),
        options=tuple(
            Option(
                id=OptionId(as_text(option.get("option_id")) or as_text(option.get("id"))),
                label=as_text(option.get("label")),
                description=as_text(option.get("description")),
            )
            for option in options
        ),
        multi_select=is_set(own.get("multi_select")),
        optional=is_set(own.get("optional")),
    )


def answer_to_json(answer: Answer) -> JsonDict:
    """Kandev leaves out what is empty (K1.3)."""
    value: JsonDict = {"question_id": answer.question_id}
    if answer.selected_options:
        value["selected_options"] = list(answer.selected_options)
    if answer.custom_text:
        value["custom_text"] = answer.custom_text
    return value


def answer_from_json(value: object, fallback: QuestionId) -> Answer | None:
    """None when nothing readable is stored."""
    if not isinstance(value, Mapping):
        return None
    answer = as_dict(value)
    return Answer(
        question_id=QuestionId(as_text(answer.get("question_id")) or fallback),
        selected_options=tuple(
            OptionId(option)
            for option in as_list(answer.get("selected_options"))
            if isinstance(option, str)
        ),
        custom_text=as_text(answer.get("custom_text")),
    )


def is_pending(metadata: JsonDict) -> bool:
    """Absent and empty mean pending; an unknown status does not (K1.5)."""
    status = metadata.get("status")
    return status is None or status in ("", BundleStatus.PENDING)


def row_status(metadata: JsonDict) -> BundleStatus:
    """An unknown status is reported as pending (K1.5); `is_pending` decides what may be claimed."""
    try:
        return BundleStatus(as_text(metadata.get("status")))
    except ValueError:
        return BundleStatus.PENDING


def question_index(metadata: JsonDict) -> int:
    """Missing or unparseable reads as 0 (K1.3)."""
    index = metadata.get("question_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else 0
