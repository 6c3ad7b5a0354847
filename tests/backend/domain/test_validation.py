"""What may be asked and what may answer it (clarification.md 11; K4.2, K8.6 39-43)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.clarification import (
    Answer,
    Answered,
    BundleStatus,
    Option,
    Outcome,
    QuestionBundleDraft,
    Skipped,
)
from backend.domain.digest import payload_digest, question_digest
from backend.domain.validation import validate_draft, validate_outcome
from backend.errors import ErrorCode, InvalidInput
from backend.ids import OptionId, QuestionId
from tests.helpers.builders import (
    make_answer,
    make_bundle,
    make_draft,
    make_question,
    with_question,
)

LONG_LABEL = "x" * 201


def refused(draft: QuestionBundleDraft) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        validate_draft(draft)
    return caught.value


def test_one_to_four_complete_questions_may_be_asked() -> None:
    questions = tuple(make_question(f"q{n}") for n in range(1, 5))
    draft = make_draft(*questions)
    assert validate_draft(draft) is draft


def test_a_question_without_options_is_asked_for_free_text() -> None:
    validate_draft(make_draft(make_question(labels=())))


@pytest.mark.parametrize(
    ("draft", "field", "limit"),
    [
        (QuestionBundleDraft(()), "questions", 1),
        (make_draft(*(make_question(f"q{n}") for n in range(5))), "questions", 4),
        (make_draft(make_question(labels=("only",))), "questions[0].options", 2),
        (make_draft(make_question(labels=tuple("abcdefg"))), "questions[0].options", 6),
        (make_draft(make_question(prompt="x" * 8001)), "questions[0].prompt", 8000),
        (make_draft(make_question(prompt=" \n")), "questions[0].prompt", 8000),
        (make_draft(make_question(title="x" * 121)), "questions[0].title", 120),
        (make_draft(make_question(labels=("a", LONG_LABEL))), "questions[0].options[1].label", 200),
        (make_draft(make_question(labels=("a", " "))), "questions[0].options[1].label", 200),
        (make_draft(context="x" * 32_001), "context", 32_000),
        (make_draft(make_question("x" * 129)), "questions[0].id", 128),
    ],
)
def test_a_value_over_its_limit_is_refused_by_field_and_limit(
    draft: QuestionBundleDraft, field: str, limit: int
) -> None:
    """Improvement 11: every limit, and the error that names it (K9.2 16)."""
    error = refused(draft)
    assert error.params["field"] == field
    assert error.params["limit"] == limit
    assert field in error.detail


def test_a_description_over_its_limit_is_refused() -> None:
    question = make_question()
    options = (replace(question.options[0], description="x" * 2001), question.options[1])
    error = refused(make_draft(replace(question, options=options)))
    assert error.params == {"field": "questions[0].options[0].description", "limit": 2000}
    assert error.code is ErrorCode.TOO_LONG


def test_limits_count_code_points_not_bytes() -> None:
    """Improvement 11."""
    validate_draft(make_draft(make_question(title="👩" * 120)))


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (make_draft(make_question("q"), make_question("q")), "questions[1].id"),
        (make_draft(make_question(labels=("same", "same"))), "questions[0].options[1].label"),
    ],
)
def test_repeated_ids_and_labels_are_refused(draft: QuestionBundleDraft, field: str) -> None:
    assert refused(draft).params["field"] == field


def test_a_repeated_option_id_is_refused() -> None:
    options = (Option(OptionId("o"), "a"), Option(OptionId("o"), "b"))
    error = refused(make_draft(replace(make_question(), options=options)))
    assert error.params["field"] == "questions[0].options[1].id"


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "\udfff"])
def test_nul_and_lone_surrogates_are_refused_in_questions_and_answers(text: str) -> None:
    assert refused(make_draft(make_question(prompt=text))).params["field"] == "questions[0].prompt"
    with pytest.raises(InvalidInput) as caught:
        validate_outcome(make_bundle(), Answered((make_answer(text=text),)))
    assert caught.value.params["field"] == "answers[0].custom_text"


def test_multi_select_without_options_is_refused() -> None:
    draft = make_draft(make_question(labels=(), multi_select=True))
    assert refused(draft).params["field"] == "questions[0].multi_select"


TWO = make_bundle(make_question("q1"), make_question("q2"))


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ((), "answers"),
        ((make_answer("q1", "q1_opt1"),), "answers"),
        ((make_answer("q1"), make_answer("")), "answers[1].question_id"),
        ((make_answer("q1"), make_answer("q3")), "answers[1].question_id"),
        ((make_answer("q1"), make_answer("q1")), "answers[1].question_id"),
        ((make_answer("q1", "q2_opt1"), make_answer("q2")), "answers[0].selected_options"),
    ],
)
def test_answers_that_do_not_fit_the_questions_are_refused(
    answers: tuple[Answer, ...], field: str
) -> None:
    """K8.6 39: wrong count, empty, unknown and repeated question id, unknown option."""
    with pytest.raises(InvalidInput) as caught:
        validate_outcome(TWO, Answered(answers))
    assert caught.value.params["field"] == field


def test_an_entry_with_neither_option_nor_text_and_several_options_are_accepted() -> None:
    """K8.6 39."""
    answers = (make_answer("q1"), make_answer("q2", "q2_opt2", "q2_opt1"))
    assert isinstance(validate_outcome(TWO, Answered(answers)), Answered)


@pytest.mark.parametrize("length", [2000, 2001])
def test_text_and_reason_are_counted_in_code_points_before_trimming(length: int) -> None:
    """K8.6 41: 2000 pass, 2001 are refused even when the last one is a blank."""
    text = "é" * (length - 1) + " "
    outcomes: tuple[Outcome, ...] = (Answered((make_answer(text=text),)), Skipped(text))
    for outcome in outcomes:
        if length == 2000:
            validate_outcome(make_bundle(), outcome)
            continue
        with pytest.raises(InvalidInput) as caught:
            validate_outcome(make_bundle(), outcome)
        assert caught.value.params["limit"] == 2000


def test_equivalent_submissions_become_one_value() -> None:
    """K8.6 43: bundle order, option order, no repeats, trimmed text, one digest."""
    first = validate_outcome(
        TWO, Answered((make_answer("q2", text=" b "), make_answer("q1", "q1_opt2", "q1_opt1")))
    )
    second = validate_outcome(
        TWO,
        Answered((make_answer("q1", "q1_opt1", "q1_opt2", "q1_opt1"), make_answer("q2", text="b"))),
    )
    assert first == second
    assert payload_digest(first) == payload_digest(second)


def test_a_mixed_bundle_needs_answers_for_its_pending_questions_only() -> None:
    """clarification.md, improvement 4."""
    mixed = with_question(TWO, 0, status=BundleStatus.ANSWERED)
    validate_outcome(mixed, Answered((make_answer("q2", "q2_opt1"),)))
    with pytest.raises(InvalidInput):
        validate_outcome(mixed, Answered((make_answer("q1", "q1_opt1"),)))


def test_a_malformed_retry_is_refused_although_the_bundle_is_resolved() -> None:
    """K8.4 R2c: validation comes before the loser branch."""
    resolved = with_question(make_bundle(), 0, status=BundleStatus.ANSWERED)
    with pytest.raises(InvalidInput):
        validate_outcome(resolved, Answered(()))


def test_a_bundle_with_a_missing_question_id_is_refused_for_every_outcome() -> None:
    """K8.6 36."""
    broken = with_question(make_bundle(), 0, question=replace(make_question(), id=QuestionId("")))
    for outcome in (Skipped(), Answered(())):
        with pytest.raises(InvalidInput):
            validate_outcome(broken, outcome)


def test_questions_are_equal_whatever_ids_the_agent_gives_them() -> None:
    assert question_digest(make_draft(make_question("a"))) == question_digest(
        make_draft(make_question("b"))
    )


@pytest.mark.parametrize(
    "other",
    [
        make_draft(make_question(prompt="Which colour?")),
        make_draft(make_question(labels=("SQLite", "MySQL"))),
        make_draft(make_question(multi_select=True)),
        make_draft(context="Proceed with staging"),
        make_draft(make_question(title="Database")),
    ],
)
def test_any_visible_difference_makes_questions_unequal(other: QuestionBundleDraft) -> None:
    assert question_digest(make_draft()) != question_digest(other)


@given(text=st.text(max_size=50), reason=st.text(max_size=50))
def test_normalizing_twice_changes_nothing(text: str, reason: str) -> None:
    bundle = make_bundle()
    for outcome in (Answered((make_answer(text=text),)), Skipped(reason)):
        try:
            once = validate_outcome(bundle, outcome)
        except InvalidInput:
            continue
        assert validate_outcome(bundle, once) == once
