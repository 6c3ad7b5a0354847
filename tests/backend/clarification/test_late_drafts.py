"""What is put in after a question has closed is kept where its agent can still be told (K6.5)."""

from backend.domain.clarification import AnswerDraft
from tests.helpers.builders import make_answer, make_draft
from tests.helpers.clock import FakeClock
from tests.helpers.desk import open_desk
from tests.helpers.hosted import P, hosted_desk
from tests.helpers.place import Place
from tests.helpers.store import ask

TYPED = make_answer("q1", "q1_opt2", text="and why")


async def test_a_late_answer_is_kept_as_a_draft(place: Place, clock: FakeClock) -> None:
    """clarification.md, Late answers: the draft is kept until admission succeeds."""
    async with hosted_desk(place, clock) as hosted:
        await hosted.desk.desk.close_question(P)
        await hosted.desk.desk.save_draft(AnswerDraft(P, (TYPED,)))
        kept = await hosted.draft()
        assert kept is not None
        assert kept.answers == (TYPED,)


async def test_no_draft_is_kept_for_a_question_that_was_answered(
    place: Place, clock: FakeClock
) -> None:
    async with hosted_desk(place, clock) as hosted:
        await hosted.respond()
        await hosted.desk.desk.save_draft(AnswerDraft(P, (TYPED,)))
        assert await hosted.draft() is None


async def test_no_draft_is_kept_for_a_closed_question_of_a_guest(
    place: Place, clock: FakeClock
) -> None:
    """Guests have no prompt channel."""
    async with open_desk(place, clock) as desk:
        asked = await ask(desk.database, clock, make_draft())
        await desk.desk.close_question(asked.pending_id)
        await desk.desk.save_draft(AnswerDraft(asked.pending_id, (TYPED,)))
        assert await desk.desk.load_draft(asked.pending_id) is None
