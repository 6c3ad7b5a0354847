"""Forms as questions and back (agents.md, ACP; ACP elicitation schemas)."""

import time
from typing import Any

import pytest

from backend.agents.form_content import Unfit, content_of
from backend.agents.form_fields import UnsupportedForm, drafts_of, read_form
from backend.domain.agents import Elicited
from backend.domain.clarification import Answer
from backend.domain.validation import validate_draft
from backend.ids import OptionId, QuestionId

CLAUDE: dict[str, Any] = {
    "question_0": {
        "type": "string",
        "title": "Database",
        "oneOf": [
            {"const": "SQLite", "title": "SQLite", "description": "one file"},
            {"const": "PostgreSQL", "title": "PostgreSQL"},
        ],
    },
    "question_0_custom": {"type": "string", "title": "Other"},
}
"""What Claude Code's own question is as a form; nothing in it is required."""


def form(
    properties: dict[str, Any], message: str = "Which one?", required: tuple[str, ...] = ()
) -> Elicited:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Elicited(message, schema)


def answer(*options: str, text: str = "", question: str = "q1") -> Answer:
    return Answer(QuestionId(question), tuple(map(OptionId, options)), text)


def optional_form(*required: str) -> Elicited:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"enum": ["small", "large"]}},
        "required": list(required),
    }
    return Elicited("Tell me", schema)


def test_what_a_schema_does_not_require_may_be_left_out() -> None:
    """JSON Schema, required."""
    fields = read_form(optional_form("name"))
    assert [field.question.optional for field in fields] == [False, True]
    given = (answer(text="x"), answer(question="q2"))
    assert content_of(fields, given) == {"name": "x"}
    with pytest.raises(Unfit):
        content_of(fields, (answer(), answer("q2_opt1", question="q2")))


def content(properties: dict[str, Any], *answers: Answer) -> dict[str, object]:
    return content_of(read_form(form(properties, required=tuple(properties))), answers)


def test_claude_codes_question_is_one_question_with_its_own_words_beside_it() -> None:
    (field,) = read_form(form(CLAUDE))
    assert field.question.prompt == "Which one?"
    assert field.question.title == "Database"
    assert [option.label for option in field.question.options] == ["SQLite", "PostgreSQL"]
    assert field.question.options[0].description == "one file"


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        (answer("q1_opt2"), {"question_0": "PostgreSQL"}),
        (answer(text="MariaDB"), {"question_0_custom": "MariaDB"}),
        (
            answer("q1_opt1", text="with WAL"),
            {"question_0": "SQLite", "question_0_custom": "with WAL"},
        ),
    ],
)
def test_what_claude_code_hears(given: Answer, accepted: dict[str, object]) -> None:
    assert content(CLAUDE, given) == accepted


_SEVERAL = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}
_TITLED = [{"const": "x", "title": "X"}, {"const": "y", "title": "Y"}]
_NAMED = {"type": "string", "enum": ["a", "b"], "enumNames": ["Ann", "Bob"]}


@pytest.mark.parametrize(
    ("schema", "given", "accepted"),
    [
        ({"type": "boolean"}, answer("q1_opt1"), True),
        ({"type": "boolean"}, answer("q1_opt2"), False),
        ({"type": "boolean"}, answer(text="no"), False),
        ({"type": "string"}, answer(text=" as typed "), "as typed"),
        ({"type": "integer", "minimum": 1}, answer(text="42"), 42),
        ({"type": "number"}, answer(text="4.5"), 4.5),
        ({"type": "string", "enum": ["a", "b"]}, answer("q1_opt2"), "b"),
        (_NAMED, answer(text="bob"), "b"),
        ({"type": "string", "enum": list("abcdefgh")}, answer(text="h"), "h"),
        (_SEVERAL, answer("q1_opt1", "q1_opt3"), ["a", "c"]),
        ({"type": "array", "items": {"anyOf": _TITLED}}, answer("q1_opt2"), ["y"]),
        ({"type": "array", "items": {"type": "string"}}, answer(text="one\n two "), ["one", "two"]),
    ],
)  # fmt: skip
def test_each_kind_of_field_gets_what_it_wants(
    schema: dict[str, Any], given: Answer, accepted: object
) -> None:
    assert content({"f": schema}, given) == {"f": accepted}


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"type": "string"}, answer()),
        ({"type": "string"}, answer(text="   ")),
        ({"type": "string", "maxLength": 3}, answer(text="four")),
        ({"type": "integer"}, answer(text="4.5")),
        ({"type": "number", "maximum": 3}, answer(text="4")),
        ({"type": "number"}, answer(text="nan")),
        ({"type": "boolean"}, answer(text="perhaps")),
        ({"type": "string", "enum": ["a", "b"]}, answer(text="c")),
        ({"type": "string", "enum": ["a", "b"]}, answer("q1_opt1", text="b")),
        (
            {"type": "array", "minItems": 2, "items": {"type": "string", "enum": ["a", "b"]}},
            answer("q1_opt1"),
        ),
    ],
)
def test_what_a_field_does_not_take_is_never_guessed(schema: dict[str, Any], given: Answer) -> None:
    """Empty answers are refused."""
    with pytest.raises(Unfit):
        content({"f": schema}, given)


@pytest.mark.parametrize(
    "properties",
    [
        {},
        {"f": {"type": "object"}},
        {"f": {"type": "array", "items": {"type": "number"}}},
        {"f": "text"},
        {f"f{number}": {"type": "string"} for number in range(17)},
    ],
)
def test_what_no_question_can_stand_for_is_said_to_be_unsupported(
    properties: dict[str, Any],
) -> None:
    if properties == {"f": "text"}:
        # A schema that is none at all says nothing of what it wants.
        properties = {"f": {"type": ["string", "null"]}}
    with pytest.raises(UnsupportedForm):
        read_form(form(properties))


def test_a_large_form_is_several_cards_each_within_the_limits() -> None:
    """clarification.md 11."""
    properties: dict[str, Any] = {
        f"field{number}": {"type": "string", "title": "t" * 300, "description": "d" * 9_000}
        for number in range(6)
    }
    properties["many"] = {"type": "string", "enum": [str(number) for number in range(40)]}
    same = [{"const": "a", "title": "X"}, {"const": "b", "title": "X"}]
    properties["same"] = {"type": "string", "oneOf": same}
    drafts = list(drafts_of(read_form(form(properties, "m\0" * 40_000)), "m\0" * 40_000))
    assert [len(fields) for fields, _ in drafts] == [4, 4]
    for _, draft in drafts:
        validate_draft(draft)


def test_numbers_beyond_every_float_are_compared_as_what_they_are() -> None:
    huge = "9" * 400
    fields = read_form(form({"n": {"type": "integer", "maximum": int(huge)}}, required=("n",)))
    assert content_of(fields, [answer(text=huge)]) == {"n": int(huge)}
    with pytest.raises(Unfit):
        content_of(fields, [answer(text=f"{huge}0")])


def test_labels_are_distinct_whatever_the_agent_calls_its_choices() -> None:
    for titles in (["a (3)", "a", "a"], ["a (2)", "a (3)", "a", "a"], ["\0", "\0", "x"]):
        listed = [{"const": str(n), "title": title} for n, title in enumerate(titles)]
        fields = read_form(form({"f": {"type": "string", "oneOf": listed}}))
        for _, draft in drafts_of(fields, ""):
            validate_draft(draft)


def test_a_form_with_very_many_choices_is_read_at_once() -> None:
    """Every other session waits meanwhile."""
    many = [f"choice {number}" for number in range(60_000)]
    began = time.process_time()
    (field,) = read_form(form({"f": {"type": "string", "enum": many}}, required=("f",)))
    assert content_of((field,), [answer(text=many[-1])]) == {"f": many[-1]}
    assert time.process_time() - began < 2
