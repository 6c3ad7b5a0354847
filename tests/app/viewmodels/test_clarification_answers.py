"""What counts as an answer, and what is kept of everything that was put in (K6.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.viewmodels.clarification_answers import AnswerSheet, text_problem
from backend.domain.clarification import Answer, Question
from backend.errors import ErrorCode
from backend.ids import OptionId, QuestionId
from tests.helpers.desk_builders import make_question

SINGLE = make_question()
MULTI = make_question(labels=("a", "b", "c"), name="q2", multi_select=True)
FREE = Question(QuestionId("q3"), "Name?")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fine", None),
        ("🐘" * 2_000, None),
        ("🐘" * 2_001, ErrorCode.TOO_LONG),
        ("a\0b", ErrorCode.INVALID),
        ("a\ud800b", ErrorCode.INVALID),
    ],
)
def test_a_text_that_cannot_be_stored_is_known_before_it_is_sent(
    text: str, problem: ErrorCode | None
) -> None:
    """K4.2; architecture.md: one edge rule for both dialects."""
    assert text_problem(text) is problem


def test_a_single_select_question_holds_one_option() -> None:
    sheet = AnswerSheet((SINGLE,))
    sheet.pick(0, OptionId("o2"))
    sheet.pick(0, OptionId("o1"))
    assert sheet.answers() == (Answer(QuestionId("q1"), (OptionId("o1"),)),)


def test_ticks_are_kept_in_the_order_of_the_options() -> None:
    sheet = AnswerSheet((MULTI,))
    for option in ("o3", "o1", "o2", "o1"):
        sheet.pick(0, OptionId(option))
    assert sheet.entry(0).selected == ("o2", "o3")


def test_a_blank_text_is_no_answer() -> None:
    sheet = AnswerSheet((FREE,))
    sheet.write(0, "  \n ")
    assert not sheet.answered(0)
    assert not sheet.complete


def test_a_text_set_aside_stays_in_the_draft_and_counts_again_when_edited() -> None:
    sheet = AnswerSheet((SINGLE,))
    sheet.write(0, "words")
    sheet.pick(0, OptionId("o1"))
    assert sheet.answers()[0].custom_text == ""
    assert sheet.draft() == (Answer(QuestionId("q1"), (OptionId("o1"),), "words"),)
    sheet.write(0, "words!")
    assert sheet.answers() == (Answer(QuestionId("q1"), (), "words!"),)


def test_a_bad_text_set_aside_does_not_stand_in_the_way() -> None:
    sheet = AnswerSheet((SINGLE,))
    sheet.write(0, "x" * 3_000)
    assert not sheet.answered(0)
    sheet.pick(0, OptionId("o1"))
    assert sheet.complete


def test_restoring_never_overwrites_what_the_human_put_in() -> None:
    sheet = AnswerSheet((SINGLE, FREE))
    sheet.write(1, "mine")
    sheet.restore(
        (Answer(QuestionId("q1"), (OptionId("o2"),)), Answer(QuestionId("q3"), (), "draft"))
    )
    assert sheet.entry(0).selected == ("o2",)
    assert sheet.entry(1).text == "mine"


def test_options_and_questions_that_are_gone_are_not_restored() -> None:
    sheet = AnswerSheet((SINGLE,))
    sheet.restore((Answer(QuestionId("q1"), (OptionId("o9"),)), Answer(QuestionId("q8"))))
    assert sheet.blank


@given(st.lists(st.sampled_from(["o1", "o2", "text", ""]), max_size=12))
def test_a_single_select_answer_is_an_option_or_a_text_but_never_both(steps: list[str]) -> None:
    """K6.2."""
    sheet = AnswerSheet((SINGLE,))
    for step in steps:
        if step.startswith("o"):
            sheet.pick(0, OptionId(step))
        else:
            sheet.write(0, step)
    answer = sheet.answers()[0]
    assert not (answer.selected_options and answer.custom_text)
    assert sheet.answered(0) is bool(answer.selected_options or answer.custom_text)
