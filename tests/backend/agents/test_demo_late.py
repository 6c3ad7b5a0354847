"""The demo agent answers to a late answer as it does to one in time."""

from typing import Any

import pytest

from backend.agents.demo_late import late_answer
from backend.agents.demo_questions import IMPATIENT, SEVERAL
from backend.domain.clarification import Answer, Bundle, Option, Question
from backend.domain.late_text import LateLabels, late_text
from backend.domain.resume_text import resume_text
from backend.ids import OptionId, QuestionId
from tests.helpers.builders import make_answer
from tests.helpers.desk_builders import make_bundle


def asked(demo: Any) -> Bundle:
    return make_bundle(
        "p1",
        [
            Question(
                QuestionId(one["id"]),
                title=one["title"],
                prompt=one["prompt"],
                options=tuple(
                    Option(OptionId(f"o{place}"), option["label"], option["description"])
                    for place, option in enumerate(one["options"], start=1)
                ),
                multi_select=bool(one.get("multi_select")),
            )
            for one in demo["questions"]
        ],
    )


def words(found: dict[str, Any] | None) -> dict[str, list[str]]:
    assert found is not None
    return {
        question: [*(option["label"] for option in given["selected"]), given["custom_text"]]
        for question, given in found["answers"].items()
    }


LABELS = (LateLabels("Context", "Question", "Answer"), LateLabels("上下文", "问题", "回答"))


def texts(bundle: Bundle, *answers: Answer) -> list[str]:
    return [
        resume_text(bundle, answers),
        *(late_text(bundle.questions, answers, context="c", labels=each) for each in LABELS),
    ]


@pytest.mark.parametrize("way", [0, 1, 2])
def test_it_understands_one_answer_however_it_comes(way: int) -> None:
    bundle = asked(IMPATIENT)
    chosen = texts(bundle, make_answer("deploy", "o1"))[way]
    assert words(late_answer(chosen)) == {"deploy": ["Yes, deploy", ""]}
    own = texts(bundle, Answer(QuestionId("deploy"), (), "after lunch"))[way]
    assert words(late_answer(own)) == {"deploy": ["after lunch"]}


@pytest.mark.parametrize("way", [0, 1, 2])
def test_it_understands_several_answers_however_they_come(way: int) -> None:
    answers = (
        make_answer("language", "o2"),
        make_answer("checks", "o1", "o3"),
        Answer(QuestionId("name"), (), "orders"),
    )
    assert words(late_answer(texts(asked(SEVERAL), *answers)[way])) == {
        "language": ["Go", ""],
        "checks": ["Unit tests", "Linter", ""],
        "name": ["orders"],
    }


def test_what_is_no_answer_is_none() -> None:
    assert late_answer("Which database do you like?") is None
    assert late_answer("") is None
