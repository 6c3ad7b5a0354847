"""Tool arguments in and results out (agents.md; K3.1, K3.2)."""

import tracemalloc
from typing import Any

import pytest

from backend.clarification.ask_result import AskResult, AskStatus
from backend.domain.clarification import Option, Question, QuestionBundleDraft
from backend.domain.validation import validate_draft
from backend.errors import ErrorCode, InvalidInput
from backend.ids import OptionId, PendingId, QuestionId, Ticket
from backend.mcp import tools
from backend.mcp.wire import (
    AskIn,
    draft_from_wire,
    kandev_result_to_wire,
    parse,
    result_to_wire,
    waiting_to_wire,
)
from tests.helpers.fake_asking import answer_of

OPTIONS = [{"label": "A"}, {"label": "B"}]


def _question(**changes: object) -> dict[str, Any]:
    return {"questions": [{"prompt": "Which?", "options": OPTIONS, **changes}]}


def nested(depth: int, value: object) -> object:
    for _ in range(depth):
        value = {"k" * 200: value}
    return value


def test_our_own_shape_is_read_whole() -> None:
    draft = draft_from_wire(
        {
            "questions": [
                {
                    "id": "db",
                    "title": "Database",
                    "prompt": "Which?",
                    "multi_select": True,
                    "options": [{"id": "a", "label": "A", "description": "first"}, {"label": "B"}],
                },
                {"prompt": "Why?"},
            ],
            "context": "# Background",
        }
    )
    options = (Option(OptionId("a"), "A", "first"), Option(OptionId("q1_opt2"), "B"))
    assert draft == QuestionBundleDraft(
        (
            Question(QuestionId("db"), "Which?", "Database", options, multi_select=True),
            Question(QuestionId("q2"), "Why?"),
        ),
        "# Background",
    )


def test_kandevs_shape_is_read_unchanged() -> None:
    """K3.1: option_id is honoured, context_paragraphs override context."""
    draft = draft_from_wire(
        {
            "questions": [
                {
                    "id": "q",
                    "prompt": "Which?",
                    "options": [
                        {"label": "A", "description": "d", "option_id": "one"},
                        {"label": "B", "description": "e"},
                    ],
                }
            ],
            "context": "dropped",
            "context_paragraphs": ["First.", "Second."],
        }
    )
    assert [option.id for option in draft.questions[0].options] == ["one", "q1_opt2"]
    assert draft.context == "First.\n\nSecond."


def test_escapes_in_a_text_stay_as_they_are() -> None:
    """K8.6 87: what looks like an escape in an agent's text is text."""
    odd = 'C:\\new\\table \\u0041 \\n "q" %s {0} &lt;b&gt;'
    draft = draft_from_wire(
        {
            "questions": [{"prompt": odd, "options": [{"label": odd}, {"label": "B"}]}],
            "context_paragraphs": [odd, odd],
        }
    )
    (question,) = draft.questions
    assert (question.prompt, question.options[0].label) == (odd, odd)
    assert draft.context == f"{odd}\n\n{odd}"


def test_empty_paragraphs_leave_the_context() -> None:
    assert draft_from_wire({**_question(), "context": "c", "context_paragraphs": []}).context == "c"


def test_claude_codes_own_tool_shape_is_read_unchanged() -> None:
    """agents.md: AskUserQuestion with question, header, multiSelect."""
    draft = draft_from_wire(
        {
            "questions": [
                {
                    "question": "Which library?",
                    "header": "Library",
                    "multiSelect": False,
                    "options": [
                        {"label": "A", "description": "small", "preview": "import a"},
                        {"label": "B", "description": "big"},
                    ],
                }
            ],
            "metadata": {"source": "plan"},
        }
    )
    assert draft.questions[0] == Question(
        QuestionId("q1"),
        "Which library?",
        "Library",
        (
            Option(OptionId("q1_opt1"), "A", "small\n\nimport a"),
            Option(OptionId("q1_opt2"), "B", "big"),
        ),
    )


@pytest.mark.parametrize(
    ("arguments", "field", "words"),
    [
        ({}, "questions", "is required"),
        ([], "arguments", "must be an object"),
        ({"questions": "no"}, "questions", "must be an array"),
        ({"questions": [3]}, "questions[0]", "must be an object"),
        ({"questions": [{"options": OPTIONS}]}, "questions[0].prompt", "is required"),
        (_question(prompt=7), "questions[0].prompt", "must be a string"),
        (_question(multi_select="yes"), "questions[0].multi_select", "must be a boolean"),
        (_question(multi_select=1), "questions[0].multi_select", "must be a boolean"),
        (_question(timeout=3), "questions[0].timeout", "is not a known field"),
        ({**_question(), "prompt": "old"}, "prompt", "is not a known field"),
        (_question(options={}), "questions[0].options", "must be an array"),
        (_question(options=["A", "B"]), "questions[0].options[0]", "must be an object"),
        (
            _question(options=[{"label": "A"}, {"label": None}]),
            "questions[0].options[1].label",
            "must be a string",
        ),
        (
            _question(options=[{"label": "A"}, {"name": "B"}]),
            "questions[0].options[1].label",
            "is required",
        ),
        (_question(question="twice"), "questions[0].question", "given twice"),
        ({"prompt": "Which?", "options": OPTIONS}, "questions", "is required"),
        ({**_question(), "context_paragraphs": [1]}, "context_paragraphs[0]", "must be a string"),
    ],
)
def test_wrong_structure_names_the_field(arguments: object, field: str, words: str) -> None:
    """K8.6 87: questions are required, and one question without the list is no question."""
    with pytest.raises(InvalidInput) as caught:
        draft_from_wire(arguments)
    assert caught.value.params["field"] == field
    assert caught.value.detail.startswith(field)
    assert words in caught.value.detail


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (_question(prompt="half \ud83d"), "questions[0].prompt"),
        (_question(options=[{"label": "A"}, {"label": "\udc00"}]), "questions[0].options[1].label"),
        ({**_question(), "context": "a\0b"}, "context"),
        (_question(**{"x\ud800": 1}), "questions[0]"),
    ],
)
def test_text_that_cannot_be_stored_is_refused_before_anything_else(
    arguments: object, field: str
) -> None:
    """architecture.md, edge rule: NUL and lone surrogates."""
    with pytest.raises(InvalidInput) as caught:
        draft_from_wire(arguments)
    assert caught.value.params["field"] == field
    assert caught.value.detail.encode()


@pytest.mark.parametrize(
    ("arguments", "field", "limit"),
    [
        ({"questions": []}, "questions", 1),
        ({"questions": [{"prompt": "?"}] * 5}, "questions", 4),
        (_question(prompt="x" * 8_001), "questions[0].prompt", 8_000),
        (_question(title="x" * 121), "questions[0].title", 120),
        (_question(options=[{"label": "only"}]), "questions[0].options", 2),
        (_question(options=[{"label": "x" * 201}, *OPTIONS]), "questions[0].options[0].label", 200),
        ({**_question(), "context": "x" * 32_001}, "context", 32_000),
    ],
)
def test_a_value_over_its_limit_names_field_and_limit(
    arguments: object, field: str, limit: int
) -> None:
    """clarification.md 11, through the structure into the domain."""
    with pytest.raises(InvalidInput) as caught:
        validate_draft(draft_from_wire(arguments))
    assert (caught.value.params["field"], caught.value.params["limit"]) == (field, limit)


def test_a_repeated_question_id_is_refused() -> None:
    twice = {"questions": [{"prompt": "a", "id": "x"}, {"prompt": "b", "id": "x"}]}
    with pytest.raises(InvalidInput, match=r"questions\[1\]\.id"):
        validate_draft(draft_from_wire(twice))


@pytest.mark.parametrize("reserved", sorted(tools.KANDEV_RESERVED_IDS))
def test_the_alias_refuses_ids_that_its_result_uses(reserved: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        draft_from_wire(_question(id=reserved), reserved_ids=tools.KANDEV_RESERVED_IDS)
    assert caught.value.code is ErrorCode.INVALID
    assert caught.value.params["field"] == "questions[0].id"
    assert draft_from_wire(_question(id=reserved)).questions[0].id == reserved


def test_a_million_wrong_entries_cost_one_error() -> None:
    with pytest.raises(InvalidInput, match=r"questions\[0\]\.options\[0\]"):
        draft_from_wire(_question(options=[1] * 200_000))


QUESTIONS = (
    Question(
        QuestionId("db"),
        "Which?",
        options=(Option(OptionId("a"), "A 中"), Option(OptionId("b"), "B")),
        multi_select=True,
    ),
    Question(QuestionId("why"), "Why?"),
)


def _result(status: AskStatus, **changes: Any) -> AskResult:
    return AskResult(pending_id=PendingId("p1"), status=status, questions=QUESTIONS, **changes)


def test_answers_carry_ids_labels_and_text_by_question_id() -> None:
    """clarification.md 7."""
    answers = (answer_of("db", "a", "b", text="and 🐘"), answer_of("why", text="لأن"))
    assert result_to_wire(_result(AskStatus.ANSWERED, answers=answers)) == {
        "status": "answered",
        "answers": {
            "db": {
                "selected": [{"id": "a", "label": "A 中"}, {"id": "b", "label": "B"}],
                "selected_option": "a",
                "custom_text": "and 🐘",
            },
            "why": {"selected": [], "custom_text": "لأن"},
        },
    }


@pytest.mark.parametrize(
    ("result", "wire"),
    [
        (
            _result(AskStatus.SKIPPED, reject_reason="later"),
            {"status": "skipped", "reject_reason": "later"},
        ),
        (_result(AskStatus.UNANSWERED), {"status": "unanswered"}),
        (
            _result(AskStatus.WITHDRAWN, reason="superseded"),
            {"status": "withdrawn", "reason": "superseded"},
        ),
        (
            _result(AskStatus.WITHDRAWN, reason="replaced", replaced_by=PendingId("p2")),
            {"status": "withdrawn", "reason": "replaced", "replaced_by": "p2"},
        ),
    ],
)
def test_what_is_no_answer_brings_no_answers(result: AskResult, wire: dict[str, Any]) -> None:
    """product.md P5."""
    assert result_to_wire(result) == wire


def test_a_waiting_result_brings_its_ticket() -> None:
    wire = waiting_to_wire(Ticket("t1"))
    assert (wire["status"], wire["ticket"]) == ("waiting", "t1")
    assert "answers" not in wire


def test_the_alias_returns_kandevs_keys_beside_ours() -> None:
    """K3.2: the first option, the text, answered false without either."""
    answers = (answer_of("db", "a", "b"), answer_of("why"))
    wire = kandev_result_to_wire(_result(AskStatus.ANSWERED, answers=answers))
    assert wire["db"] == {"selected_option": "a"}
    assert wire["why"] == {"answered": False}
    assert wire["status"] == "answered"
    skipped = kandev_result_to_wire(_result(AskStatus.SKIPPED, reject_reason="no"))
    assert skipped == {
        "status": "skipped",
        "rejected": True,
        "reject_reason": "no",
        "db": {"answered": False, "rejected": True},
        "why": {"answered": False, "rejected": True},
    }


def test_a_long_key_above_many_values_costs_no_more_than_the_body_itself() -> None:
    """agents.md, Security: a body of 1 MiB must not fill the memory of the desk."""
    body = {"questions": [], "metadata": {"k" * 100_000: [0] * 2_000}}
    tracemalloc.start()
    try:
        parse(AskIn, body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"k" * 100_000: 1},
        {"questions": [], "metadata": {"k" * 100_000: "\ud800"}},
        {**_question(), "metadata": nested(1_000, "\0")},
    ],
)
def test_an_error_never_repeats_a_field_name_at_any_length(arguments: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        draft_from_wire(arguments)
    assert len(caught.value.detail) < 1_000
    assert len(str(caught.value.params["field"])) < 1_000
