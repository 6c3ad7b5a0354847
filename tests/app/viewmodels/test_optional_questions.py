"""Questions of a card that may be left out: fields a form of an agent does not require."""

from dataclasses import replace

import pytest

from backend.domain.clarification import Answer, Answered
from backend.ids import OptionId, QuestionId
from tests.helpers.clarification_case import Case
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question


def answer(option: str) -> Answer:
    return Answer(QuestionId("q1"), (OptionId(option),))


def complete(case: Case) -> bool:
    return case.view_model.can_submit


@pytest.fixture
def case(qapp: object) -> Case:
    del qapp
    return Case()


async def test_what_may_be_left_out_holds_nothing_back_but_the_rest_does(case: Case) -> None:
    """A form's field that is not required: empty is left out, and something must be said."""
    optional = replace(make_question(name="q2"), optional=True)
    await case.show(make_bundle(questions=(make_question(), optional)))
    case.pick(1, "o2")
    assert not complete(case)
    case.pick(0, "o1")
    assert complete(case)
    case.view_model.submit()
    await settle()
    assert case.sent[-1][1] == Answered((answer("o1"), Answer(QuestionId("q2"), (OptionId("o2"),))))


async def test_what_is_left_out_is_sent_as_nothing(case: Case) -> None:
    optional = replace(make_question(name="q2"), optional=True)
    await case.show(make_bundle(questions=(make_question(), optional)))
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    assert case.sent[-1][1] == Answered((answer("o1"), Answer(QuestionId("q2"))))


async def test_nothing_at_all_is_no_answer(case: Case) -> None:
    optional = replace(make_question(), optional=True)
    await case.show(make_bundle(questions=(optional, replace(optional, id=QuestionId("q2")))))
    assert not complete(case)
    case.view_model.write(1, "  ")
    assert not complete(case)
    case.pick(1, "o1")
    assert complete(case)
