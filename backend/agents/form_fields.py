"""A form of an agent as questions (ACP elicitation).

Pure. Labels and prompts are the agent's own; what they may be is clarification.md, Limits.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import count
from typing import Final

from backend.domain.agents import Elicited, JsonObject
from backend.domain.clarification import (
    MAX_CONTEXT,
    MAX_DESCRIPTION,
    MAX_LABEL,
    MAX_OPTIONS,
    MAX_PROMPT,
    MAX_QUESTIONS,
    MAX_TITLE,
    MIN_OPTIONS,
    Option,
    Question,
    QuestionBundleDraft,
)
from backend.ids import OptionId, QuestionId
from backend.store.metadata import as_dict, as_list, as_text
from backend.store.parameters import storable_text

MAX_FIELDS: Final = 16
_COMPANION: Final = "_custom"
"""What Claude Code appends to a question's key for the human's own words beside its options."""


class UnsupportedForm(Exception):
    """No question can stand for it; the text says why."""


class Kind(Enum):
    """What a field wants."""

    CHOICE = auto()
    SEVERAL = auto()
    SWITCH = auto()
    NUMBER = auto()
    INTEGER = auto()
    TEXT = auto()
    LINES = auto()


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class FormField:
    """One property of the form and the question that asks for it."""

    name: str
    kind: Kind
    question: Question
    choices: Mapping[str, Choice] = field(default_factory=dict)
    """By option id; too many, or too few, for options they are listed in the prompt."""
    companion: str = ""
    """The property that takes the human's own words beside this one's options."""
    schema: JsonObject = field(default_factory=dict)


_SWITCH: Final = (Choice("true", "Yes"), Choice("false", "No"))
_PLAIN: Final = {"number": Kind.NUMBER, "integer": Kind.INTEGER, "string": Kind.TEXT}


def read_form(elicited: Elicited) -> tuple[FormField, ...]:
    """The fields in the form's order.

    Raises:
        UnsupportedForm: it has none, too many, or one of a type that is not a form's.
    """
    properties = as_dict(elicited.schema.get("properties"))
    companions = {f"{name}{_COMPANION}" for name in properties} & properties.keys()
    asked = [name for name in properties if name not in companions]
    if not 1 <= len(asked) <= MAX_FIELDS:
        text = f"the form has {len(asked)} fields; it may have from 1 to {MAX_FIELDS}"
        raise UnsupportedForm(text)
    message = elicited.message if len(asked) == 1 else ""
    required = as_list(elicited.schema.get("required"))
    read = (
        _field(f"q{number}", name, as_dict(properties[name]), message, companions)
        for number, name in enumerate(asked, start=1)
    )
    return tuple(
        item
        if item.name in required
        else replace(item, question=replace(item.question, optional=True))
        for item in read
    )


def drafts_of(
    fields: tuple[FormField, ...], message: str
) -> Iterator[tuple[tuple[FormField, ...], QuestionBundleDraft]]:
    """The fields in bundles, each small enough for one card."""
    context = clipped(message, MAX_CONTEXT) if len(fields) > 1 else ""
    for start in range(0, len(fields), MAX_QUESTIONS):
        part = fields[start : start + MAX_QUESTIONS]
        yield part, QuestionBundleDraft(tuple(item.question for item in part), context)


def clipped(text: str, limit: int) -> str:
    """Text as it can be stored and shown, cut visibly."""
    clean = storable_text(text).strip()
    return clean if len(clean) <= limit else f"{clean[: limit - 1]}…"


def _field(
    number: str, name: str, schema: JsonObject, message: str, companions: set[str]
) -> FormField:
    kind, choices = _kind(name, schema)
    fits = MIN_OPTIONS <= len(choices) <= MAX_OPTIONS
    by_id = {f"{number}_opt{place}": choice for place, choice in enumerate(choices, start=1)}
    title, description = as_text(schema.get("title")), as_text(schema.get("description"))
    prompt = "\n\n".join(dict.fromkeys(filter(None, (message, description)))) or title or name
    if choices and not fits:
        listed = "\n".join(f"- {choice.label}" for choice in choices)
        prompt = f"{prompt}\n\n{listed}"
    companion = f"{name}{_COMPANION}"
    return FormField(
        name=name,
        kind=kind,
        question=Question(
            id=QuestionId(number),
            prompt=clipped(prompt, MAX_PROMPT) or "?",
            title="" if title == prompt else clipped(title, MAX_TITLE),
            options=_options(by_id) if fits else (),
            multi_select=fits and kind is Kind.SEVERAL,
        ),
        choices=by_id,
        companion=companion if companion in companions else "",
        schema=schema,
    )


def _kind(name: str, schema: JsonObject) -> tuple[Kind, tuple[Choice, ...]]:
    told = as_text(schema.get("type"))
    choices = _choices(schema)
    if told == "boolean":
        return Kind.SWITCH, _SWITCH
    if told == "array":
        items = as_dict(schema.get("items"))
        several = _choices(items)
        if several:
            return Kind.SEVERAL, several
        if items.get("type", "string") == "string":
            return Kind.LINES, ()
    elif told in ("string", "") and choices:
        return Kind.CHOICE, choices
    elif told in _PLAIN:
        return _PLAIN[told], ()
    message = f"the field {clipped(name, MAX_TITLE)} is of a type no form has"
    raise UnsupportedForm(message)


def _choices(schema: JsonObject) -> tuple[Choice, ...]:
    """Of the three ways in which a schema may list them."""
    titled = [as_dict(item) for key in ("oneOf", "anyOf") for item in as_list(schema.get(key))]
    if titled:
        return tuple(
            Choice(
                as_text(item.get("const")),
                as_text(item.get("title")) or as_text(item.get("const")),
                as_text(item.get("description")),
            )
            for item in titled
            if as_text(item.get("const"))
        )
    values = [value for value in as_list(schema.get("enum")) if isinstance(value, str) and value]
    names = [as_text(name) for name in as_list(schema.get("enumNames"))]
    if len(names) != len(values):
        names = values
    return tuple(Choice(value, name or value) for value, name in zip(values, names, strict=True))


def _options(by_id: Mapping[str, Choice]) -> tuple[Option, ...]:
    """Each with a label of its own, as a card needs it."""
    taken: set[str] = set()
    options: list[Option] = []
    for number, (option_id, choice) in enumerate(by_id.items(), start=1):
        wanted = clipped(choice.label, MAX_LABEL - 8) or clipped(choice.value, MAX_LABEL - 8)
        numbers, label = count(number), wanted
        while not label or label in taken:
            label = f"{wanted} ({next(numbers)})".strip()
        taken.add(label)
        description = clipped(choice.description, MAX_DESCRIPTION)
        options.append(Option(OptionId(option_id), label, description))
    return tuple(options)
