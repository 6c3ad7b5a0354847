"""What is typed is kept: within 300 ms, through collapse, navigation, failure and restart."""

import asyncio
import dataclasses

import pytest

from app.viewmodels.draft_keeper import DRAFT_SECONDS
from backend.domain.clarification import Answer, AnswerDraft, Delivery, StoredAnswer
from backend.errors import ErrorCode, InvalidInput, TemporarilyUnavailable
from backend.ids import OptionId, PendingId, QuestionId, SessionId
from tests.helpers.clarification_case import Case
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question, moment

P1 = PendingId("p1")
Q1 = QuestionId("q1")
BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")


@pytest.fixture
def case(qapp: object) -> Case:
    return Case()


def test_a_keystroke_is_saved_within_300_ms() -> None:
    """clarification.md, the window's state machine."""
    assert DRAFT_SECONDS <= 0.3


async def test_steady_typing_is_saved_while_it_goes_on(case: Case) -> None:
    await case.show(make_bundle())
    for count in range(1, 11):
        case.view_model.write(0, "x" * count)
        await case.clock.advance(0.1)
    assert len(case.desk.drafts[P1].answers[0].custom_text) >= 8
    assert case.desk.calls.count("save_draft") < 10
    await case.clock.advance(1)
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "x" * 10),)
    assert case.clock.pending_timers == 0


@pytest.mark.parametrize("how", ["collapse", "navigate", "flush", "submit"])
async def test_leaving_saves_at_once(case: Case, how: str) -> None:
    await case.show(make_bundle())
    case.desk.hold("respond")
    case.view_model.write(0, "half a thought")
    if how == "collapse":
        case.view_model.set_collapsed(collapsed=True)
    elif how == "navigate":
        case.view_model.show_session(SessionId("s2"))
    elif how == "submit":
        case.view_model.submit()
    else:
        await case.view_model.save()
    await settle()
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "half a thought"),)
    await case.clock.advance(41)
    assert case.clock.pending_timers == 0


async def test_closing_the_window_waits_for_the_last_words(case: Case) -> None:
    await case.show(make_bundle())
    case.view_model.write(0, "last words")
    await case.view_model.close()
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "last words"),)
    assert case.clock.pending_timers == 0


async def test_closing_the_window_waits_for_words_whose_save_is_under_way(case: Case) -> None:
    """window.md: what was typed just before Quit is there after the restart."""
    await case.show(make_bundle())
    gate = case.desk.hold("save_draft")
    case.view_model.write(0, "almost saved")
    await case.clock.advance(0.3)
    closing = asyncio.ensure_future(case.view_model.close())
    await settle()
    await case.tasks.stop()
    gate.set()
    await closing
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "almost saved"),)
    assert case.clock.pending_timers == 0


async def test_a_draft_comes_back_with_its_place(case: Case) -> None:
    """window.md: restored after restart and crash."""
    case.desk.drafts[P1] = AnswerDraft(P1, (Answer(Q1, (OptionId("o2"),), "aside"),), 1)
    await case.show(make_bundle(questions=(make_question(), make_question(name="q2"))))
    assert case.card.sheet.entry(0).selected == ("o2",)
    assert case.card.sheet.entry(0).text == "aside"
    assert case.card.step == 1
    assert not case.card.sheet.touched


async def test_words_typed_before_the_draft_arrived_win(case: Case) -> None:
    """peer-baseline.md: text typed in the first seconds was wiped 4 of 4 times elsewhere."""
    case.desk.drafts[P1] = AnswerDraft(P1, (Answer(Q1, (), "old"),))
    gate = case.desk.hold("load_draft")
    await case.show(make_bundle())
    case.view_model.write(0, "new")
    gate.set()
    await settle()
    assert case.card.sheet.entry(0).text == "new"


async def test_another_question_wipes_nothing(case: Case) -> None:
    """peer-baseline.md: a draft was wiped when another question arrived."""
    await case.show(make_bundle())
    case.view_model.write(0, "mine")
    case.desk.open(make_bundle("p2", created=1))
    await case.clock.advance(1)
    assert case.card.pending_id == P1
    assert case.card.sheet.entry(0).text == "mine"
    assert case.desk.drafts[P1].answers[0].custom_text == "mine"


async def test_a_draft_takes_the_place_of_a_stored_answer(case: Case) -> None:
    stored = StoredAnswer(
        PendingId("p0"), (Answer(Q1, (OptionId("o2"),)),), moment(-60), Delivery.DELIVERED
    )
    case.desk.drafts[P1] = AnswerDraft(P1, (Answer(Q1, (OptionId("o1"),)),))
    await case.show(dataclasses.replace(make_bundle(), stored_answer=stored))
    assert case.card.sheet.entry(0).selected == ("o1",)


async def test_a_failed_save_is_tried_again_until_it_is_kept(case: Case) -> None:
    """architecture.md: drafts kept and saved again."""
    await case.show(make_bundle())
    case.desk.fail("save_draft", BUSY)
    case.desk.fail("save_draft", BUSY)
    case.view_model.write(0, "kept")
    await case.clock.advance(0.3)
    assert P1 not in case.desk.drafts
    await case.clock.advance(10)
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "kept"),)
    assert case.clock.pending_timers == 0


async def test_a_save_that_hangs_is_given_up_and_repeated(case: Case) -> None:
    await case.show(make_bundle())
    gate = case.desk.hold("save_draft")
    case.view_model.write(0, "kept")
    await case.clock.advance(5.5)
    gate.set()
    await case.clock.advance(5)
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "kept"),)
    assert case.clock.pending_timers == 0


async def test_a_draft_that_is_refused_is_not_sent_for_ever(case: Case) -> None:
    await case.show(make_bundle())
    case.desk.fail("save_draft", InvalidInput(ErrorCode.INVALID, "", field="answers"))
    case.view_model.write(0, "odd")
    await case.clock.advance(120)
    assert case.desk.calls.count("save_draft") == 1
    assert case.clock.pending_timers == 0


async def test_a_draft_that_could_not_be_read_is_read_next_time(case: Case) -> None:
    case.desk.drafts[P1] = AnswerDraft(P1, (Answer(Q1, (), "old"),))
    case.desk.fail("load_draft", BUSY)
    await case.show(make_bundle())
    assert case.card.sheet.blank
    case.view_model.show_session(None)
    case.view_model.show_session(SessionId("s1"))
    await settle()
    assert case.card.sheet.entry(0).text == "old"


async def test_a_draft_typed_while_the_store_was_away_is_saved_when_it_is_back(case: Case) -> None:
    """architecture.md, The store: drafts kept and saved again; not when some timer is due."""
    await case.show(make_bundle())
    for _ in range(4):
        case.desk.fail("save_draft", BUSY)
    case.view_model.write(0, "typed meanwhile")
    await case.clock.advance(0.3 + 2 + 5 + 15)
    assert P1 not in case.desk.drafts
    await case.view_model.reload()
    await settle()
    assert case.desk.drafts[P1].answers == (Answer(Q1, (), "typed meanwhile"),)
    assert case.clock.pending_timers == 0


async def test_a_draft_that_could_not_be_read_is_read_when_the_store_is_back(case: Case) -> None:
    case.desk.drafts[P1] = AnswerDraft(P1, (Answer(Q1, (), "from before"),), 0)
    case.desk.fail("load_draft", BUSY)
    await case.show(make_bundle())
    await settle()
    await case.view_model.reload()
    await settle()
    card = case.view_model.card
    assert card is not None
    assert card.sheet.entry(0).text == "from before"
