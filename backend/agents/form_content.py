"""The answers to a form's questions as the content its schema wants. Pure."""

import math
from collections.abc import Iterable

from backend.agents.form_fields import Choice, FormField, Kind
from backend.domain.clarification import Answer


class Unfit(Exception):
    """An answer is none the form takes; nothing of it may be guessed."""


def content_of(fields: Iterable[FormField], answers: Iterable[Answer]) -> dict[str, object]:
    """What is accepted for these fields; one that is left out is not in it.

    Raises:
        Unfit: an answer is missing, or is not what its field wants.
    """
    given = {answer.question_id: answer for answer in answers}
    content: dict[str, object] = {}
    for field in fields:
        answer = given.get(field.question.id)
        if answer is None or answer.empty:
            if field.question.optional:
                continue
            raise Unfit(field.name)
        content.update(_values(field, answer))
    return content


def _values(field: FormField, answer: Answer) -> dict[str, object]:
    text = answer.custom_text.strip()
    picked = [field.choices[option].value for option in answer.selected_options]
    if field.companion and text:
        own: dict[str, object] = {field.companion: text}
        return own | ({field.name: _of_choices(field, picked)} if picked else {})
    if field.choices:
        return {field.name: _of_choices(field, [*picked, *_named(field, text)])}
    return {field.name: _plain(field, text)}


def _of_choices(field: FormField, values: list[str]) -> object:
    distinct = list(dict.fromkeys(values))
    if field.kind is Kind.SEVERAL:
        low, high = _bounds(field, "minItems", "maxItems")
        if not low <= len(distinct) <= high:
            raise Unfit(field.name)
        return distinct
    if len(distinct) != 1:
        raise Unfit(field.name)
    return distinct[0] == "true" if field.kind is Kind.SWITCH else distinct[0]


def _named(field: FormField, text: str) -> list[str]:
    """The choices a human wrote in words, one or, where several may be, one a line."""
    if not text:
        return []
    written = text.splitlines() if field.kind is Kind.SEVERAL else [text]
    return [_find(field, line) for line in written if line.strip()]


def _find(field: FormField, line: str) -> str:
    wanted = line.strip().removeprefix("- ").casefold()
    for choice in field.choices.values():
        if wanted in _names(choice):
            return choice.value
    raise Unfit(field.name)


def _names(choice: Choice) -> tuple[str, str]:
    return choice.value.casefold(), choice.label.casefold()


def _plain(field: FormField, text: str) -> object:
    match field.kind:
        case Kind.NUMBER | Kind.INTEGER:
            return _number(field, text)
        case Kind.LINES:
            return [line.strip() for line in text.splitlines() if line.strip()]
        case _:
            low, high = _bounds(field, "minLength", "maxLength")
            if not low <= len(text) <= high:
                raise Unfit(field.name)
            return text


def _number(field: FormField, text: str) -> int | float:
    try:
        value: int | float = int(text) if field.kind is Kind.INTEGER else float(text)
    except ValueError as error:
        raise Unfit(field.name) from error
    low, high = _bounds(field, "minimum", "maximum")
    if not -math.inf < value < math.inf or not low <= value <= high:
        raise Unfit(field.name)
    return value


def _bounds(field: FormField, low: str, high: str) -> tuple[float, float]:
    return _bound(field, low, -math.inf), _bound(field, high, math.inf)


def _bound(field: FormField, name: str, missing: float) -> float:
    told = field.schema.get(name)
    return told if isinstance(told, int | float) else missing
