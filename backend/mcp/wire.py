"""What crosses the MCP wire: tool arguments in, tool results out.

Structure is checked here (names and types), lengths and counts by `backend.domain.validation`;
both name the field by its path from zero, as in `questions[0].options[1].label`.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from backend.clarification.ask_result import AskResult, AskStatus
from backend.domain.clarification import (
    MAX_CONTEXT,
    MAX_DESCRIPTION,
    MAX_ID,
    MAX_LABEL,
    MAX_OPTIONS,
    MAX_PROMPT,
    MAX_QUESTIONS,
    MAX_TITLE,
    Answer,
    Option,
    Question,
    QuestionBundleDraft,
)
from backend.errors import ErrorCode, InvalidInput
from backend.ids import OptionId, QuestionId, Ticket
from backend.mcp import tools
from backend.mcp.argument_texts import check_texts, field_path

Wire = dict[str, object]

_EXPECTED: Final = {
    "string_type": "a string",
    "bool_type": "a boolean",
    "int_type": "an integer",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


class WireModel(BaseModel):
    """Nothing is coerced and nothing unknown is dropped in silence."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def text_schema(longest: int | None, shortest: int = 0) -> dict[str, JsonValue]:
    """The limits of a text for a JSON schema, in code points; `domain.validation` enforces them."""
    limits: dict[str, JsonValue] = {"pattern": "^[^\\u0000]*$"}
    if shortest:
        limits["minLength"] = shortest
    if longest is not None:
        limits["maxLength"] = longest
    return limits


class OptionIn(WireModel):
    label: str = Field(json_schema_extra=text_schema(MAX_LABEL, 1))
    description: str | None = Field(default=None, json_schema_extra=text_schema(MAX_DESCRIPTION))
    id: str | None = Field(default=None, json_schema_extra=text_schema(MAX_ID, 1))
    option_id: str | None = Field(default=None, json_schema_extra=text_schema(MAX_ID, 1))
    preview: str | None = Field(default=None, json_schema_extra=text_schema(MAX_DESCRIPTION))


_ONE_PROMPT: Final[dict[str, JsonValue]] = {
    "oneOf": [
        {"required": [name], "properties": {name: {"type": "string"}, other: {"type": "null"}}}
        for name, other in (("prompt", "question"), ("question", "prompt"))
    ]
}


class QuestionIn(WireModel):
    model_config = ConfigDict(json_schema_extra=_ONE_PROMPT)

    prompt: str | None = Field(default=None, json_schema_extra=text_schema(MAX_PROMPT, 1))
    question: str | None = Field(default=None, json_schema_extra=text_schema(MAX_PROMPT, 1))
    options: list[OptionIn] | None = Field(
        default=None, fail_fast=True, json_schema_extra={"maxItems": MAX_OPTIONS}
    )
    title: str | None = Field(default=None, json_schema_extra=text_schema(MAX_TITLE))
    header: str | None = Field(default=None, json_schema_extra=text_schema(MAX_TITLE))
    multi_select: bool | None = None
    multiSelect: bool | None = None  # noqa: N815 - Claude Code's spelling
    id: str | None = Field(default=None, json_schema_extra=text_schema(MAX_ID, 1))


class AskIn(WireModel):
    questions: list[QuestionIn] = Field(
        fail_fast=True, json_schema_extra={"minItems": 1, "maxItems": MAX_QUESTIONS}
    )
    context: str | None = Field(default=None, json_schema_extra=text_schema(MAX_CONTEXT))
    context_paragraphs: list[str] | None = Field(default=None, fail_fast=True)
    metadata: dict[str, object] | None = None
    """Claude Code adds it; it says nothing about the question."""


class TicketIn(WireModel):
    ticket: str


class NoteIn(WireModel):
    text: str


Model = TypeVar("Model", bound=WireModel)


def parse(model: type[Model], arguments: object) -> Model:
    """Read `arguments` as `model`.

    Raises:
        InvalidInput: names the first field that is missing, unknown, of the wrong type or holds
            text that cannot be stored.
    """
    check_texts(arguments)
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _invalid(field_path(first["loc"]), first["type"]) from None


def _invalid(path: str, kind: str) -> InvalidInput:
    if kind == "missing":
        text, code = tools.REQUIRED.format(path=path), ErrorCode.INVALID
    elif kind == "extra_forbidden":
        text, code = tools.UNKNOWN_FIELD.format(path=path), ErrorCode.UNKNOWN_FIELD
    else:
        expected = _EXPECTED.get(kind, kind)
        text, code = tools.WRONG_TYPE.format(path=path, expected=expected), ErrorCode.INVALID
    return InvalidInput(code, text, field=path)


def draft_from_wire(
    arguments: object, *, reserved_ids: AbstractSet[str] = frozenset()
) -> QuestionBundleDraft:
    """Read our own argument shape, Kandev's, or Claude Code's `AskUserQuestion`.

    Raises:
        InvalidInput: as `parse`; also for a value given under two names or a reserved id.
    """
    return draft_of(parse(AskIn, arguments), reserved_ids=reserved_ids)


def draft_of(asked: AskIn, *, reserved_ids: AbstractSet[str] = frozenset()) -> QuestionBundleDraft:
    """What was asked, as `draft_from_wire` gives it."""
    questions = tuple(
        _question(position, question) for position, question in enumerate(asked.questions)
    )
    for position, question in enumerate(questions):
        if question.id in reserved_ids:
            path = f"questions[{position}].id"
            raise InvalidInput(
                ErrorCode.INVALID,
                tools.RESERVED_ID.format(path=path, value=question.id),
                field=path,
            )
    return QuestionBundleDraft(questions, _context(asked))


def _context(asked: AskIn) -> str:
    paragraphs = [text for text in asked.context_paragraphs or () if text.strip()]
    return "\n\n".join(paragraphs) or asked.context or ""


def _question(position: int, question: QuestionIn) -> Question:
    path = f"questions[{position}]"
    number = position + 1
    prompt = _one_of(path, "prompt", question.prompt, "question", question.question)
    title = _one_of(path, "title", question.title, "header", question.header)
    multi = _one_of(
        path, "multi_select", question.multi_select, "multiSelect", question.multiSelect
    )
    if prompt is None:
        raise _invalid(f"{path}.prompt", "missing")
    return Question(
        id=QuestionId(f"q{number}" if question.id is None else question.id),
        prompt=prompt,
        title=title or "",
        options=tuple(
            _option(f"{path}.options[{index}]", f"q{number}_opt{index + 1}", option)
            for index, option in enumerate(question.options or ())
        ),
        multi_select=multi or False,
    )


def _option(path: str, default_id: str, option: OptionIn) -> Option:
    given = _one_of(path, "id", option.id, "option_id", option.option_id)
    parts = [text for text in (option.description, option.preview) if text]
    return Option(
        id=OptionId(default_id if given is None else given),
        label=option.label,
        description="\n\n".join(parts),
    )


Value = TypeVar("Value", str, bool)


def _one_of(
    path: str, name: str, value: Value | None, other_name: str, other: Value | None
) -> Value | None:
    if value is not None and other is not None:
        text = tools.GIVEN_TWICE.format(path=f"{path}.{other_name}", other=name)
        raise InvalidInput(ErrorCode.INVALID, text, field=f"{path}.{other_name}")
    return other if value is None else value


def result_to_wire(result: AskResult) -> Wire:
    """The result of a question, by question id; `answers` only when there are any."""
    wire: Wire = {"status": result.status.value}
    if result.status is AskStatus.ANSWERED:
        wire["answers"] = _answers(result)
    if result.status is AskStatus.SKIPPED:
        wire["reject_reason"] = result.reject_reason
    if result.reason:
        wire["reason"] = result.reason
    if result.replaced_by is not None:
        wire["replaced_by"] = result.replaced_by
    if result.replayed:
        wire["replayed"] = True
    return wire


def _answers(result: AskResult) -> Wire:
    given = {answer.question_id: answer for answer in result.answers}
    return {
        question.id: _answer(question, given[question.id])
        for question in result.questions
        if question.id in given
    }


def _answer(question: Question, answer: Answer) -> Wire:
    labels = {option.id: option.label for option in question.options}
    wire: Wire = {
        "selected": [{"id": id_, "label": labels.get(id_, "")} for id_ in answer.selected_options],
        "custom_text": answer.custom_text,
    }
    if answer.selected_options:
        wire["selected_option"] = answer.selected_options[0]
    return wire


def waiting_to_wire(ticket: Ticket) -> Wire:
    """The result of a call that ends before its question does."""
    return {"status": "waiting", "ticket": ticket, "message": tools.waiting_text(ticket)}


def kandev_result_to_wire(result: AskResult) -> Wire:
    """Kandev's keys for each question (K3.2) beside `status` and `answers`."""
    wire: Wire = {"status": result.status.value}
    given = {answer.question_id: answer for answer in result.answers}
    if result.status is AskStatus.ANSWERED:
        wire["answers"] = _answers(result)
        for question in result.questions:
            wire[question.id] = _kandev_answer(given.get(question.id))
    if result.status is AskStatus.SKIPPED:
        wire |= {"rejected": True, "reject_reason": result.reject_reason}
        for question in result.questions:
            wire[question.id] = {"answered": False, "rejected": True}
    return wire


def _kandev_answer(answer: Answer | None) -> Mapping[str, object]:
    wire: Wire = {}
    if answer is not None and answer.selected_options:
        wire["selected_option"] = answer.selected_options[0]
    if answer is not None and answer.custom_text:
        wire["custom_text"] = answer.custom_text
    return wire or {"answered": False}
