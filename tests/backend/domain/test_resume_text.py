"""The prompt that carries an answer to a hosted agent (K3.4; clarification.md, improvement 7)."""

from backend.domain.resume_text import resume_text
from tests.helpers.builders import make_answer, make_bundle, make_question

DATABASE = make_question("q1", "Which database?", ("SQLite", "PostgreSQL", "None"))
LANGUAGE = make_question("q2", "Which language?", ("Python", "Go"), multi_select=True)


def test_one_answer_names_question_label_and_id() -> None:
    """Improvement 7: K9.2 7, opaque ids."""
    text = resume_text(make_bundle(DATABASE), (make_answer("q1", "q1_opt2"),))
    assert '"Which database?"' in text
    assert "PostgreSQL [q1_opt2]" in text
    assert "SQLite" not in text
    assert text.endswith("Do not ask the same question again.")


def test_every_selected_option_and_the_own_words_are_there() -> None:
    """Improvements 7 and 8: K9.2 8, several options."""
    answer = make_answer("q2", "q2_opt1", "q2_opt2", text="and some\nRust")
    text = resume_text(make_bundle(LANGUAGE), (answer,))
    assert "Python [q2_opt1], Go [q2_opt2]" in text
    assert "in the user's own words: and some\nRust" in text


def test_several_answers_are_keyed_by_question_in_the_order_asked() -> None:
    """Improvement 7; K3.4."""
    answers = (make_answer("q2", "q2_opt2"), make_answer("q1", text="none at all"))
    lines = resume_text(make_bundle(DATABASE, LANGUAGE), answers).splitlines()
    assert [line for line in lines if line.startswith(("Q", "A"))] == [
        "Q1 (q1): Which database?",
        "Q2 (q2): Which language?",
        "A1 (q1): in the user's own words: none at all",
        "A2 (q2): selected Go [q2_opt2]",
    ]


def test_a_question_without_an_answer_is_never_taken_for_agreed() -> None:
    """K3.4: "no specific answer"."""
    assert "no answer given" in resume_text(make_bundle(DATABASE), (make_answer("q1"),))
    assert "A2 (q2): no answer given" in resume_text(
        make_bundle(DATABASE, LANGUAGE), (make_answer("q1", "q1_opt1"),)
    )


def test_an_option_that_is_not_known_stands_for_itself() -> None:
    assert "selected [gone]" in resume_text(make_bundle(DATABASE), (make_answer("q1", "gone"),))
