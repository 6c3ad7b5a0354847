"""What becomes of a permission whose agent waits no more."""

import asyncio

import pytest

from backend.domain.review import ReviewStatus
from backend.errors import Conflict, ErrorCode
from backend.ids import SessionId
from tests.helpers.faults import Fault, unavailable
from tests.helpers.reviewing import ReviewDesk, S, make_asked
from tests.helpers.waiting import until


async def test_a_stopped_turn_answers_every_request_cancelled_once(desk: ReviewDesk) -> None:
    """T6.3, 65: session/cancel."""
    asked = [desk.ask(make_asked(name)) for name in ("a", "b", "c")]
    await desk.opened(3)

    await desk.reviews.permissions.nobody_waits(S)
    await desk.reviews.permissions.nobody_waits(S)

    assert await asyncio.gather(*asked) == [None, None, None]
    await until(lambda: all(row["status"] == "cancelled" for row in _requests(desk)))
    cancelled = [row for row in desk.ledger() if row[1] == "cancelled"]
    assert cancelled == [("approval_resolved", "cancelled", "agent_gone")] * 3
    assert {card["status"] for card in desk.cards()} == {"expired"}
    assert await desk.reviews.list_open_reviews() == ()


async def test_another_session_goes_on_waiting(desk: ReviewDesk) -> None:
    desk.rows.session("s2")
    desk.rows.turn("turn2", "s2")
    mine = desk.ask()
    await desk.opened()
    other = desk.ask(make_asked("b"), session=SessionId("s2"), turn="turn2")  # type: ignore[arg-type]
    await desk.opened(2)

    await desk.reviews.permissions.nobody_waits(S)

    assert await mine is None
    assert not other.done()
    await desk.reviews.permissions.nobody_waits(SessionId("s2"))
    assert await other is None


async def test_a_request_the_agent_takes_back_is_cancelled(desk: ReviewDesk) -> None:
    waiting, review = await desk.ask_one()

    waiting.cancel()

    await desk.becomes("cancelled")
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await desk.reviews.get_review(review.review_id)).status is ReviewStatus.CANCELLED


async def test_nobody_decides_what_was_cancelled(desk: ReviewDesk) -> None:
    """T6.3, 67: a late approval allows nothing."""
    waiting, review = await desk.ask_one()
    await desk.reviews.permissions.nobody_waits(S)
    assert await waiting is None

    with pytest.raises(Conflict) as refused:
        await desk.decide(review)

    assert refused.value.code is ErrorCode.NOT_ACTIVE
    await desk.becomes("cancelled")
    assert desk.cards()[0]["status"] == "expired"


async def test_a_cancellation_while_the_store_is_away_is_told_at_once(desk: ReviewDesk) -> None:
    """The agent never waits for the store to hear that nobody decides; the store is told later."""
    waiting, review = await desk.ask_one()
    desk.faults.plan(Fault("before", unavailable()), Fault("before", unavailable()))

    await desk.reviews.permissions.nobody_waits(S)

    assert await waiting is None
    with pytest.raises(Conflict):
        await desk.decide(review)
    await desk.clock.advance(7)
    await desk.becomes("cancelled")


async def test_a_decision_and_a_cancellation_at_once_agree(desk: ReviewDesk) -> None:
    """Whichever is first holds: what the agent hears is what is stored."""
    waiting, review = await desk.ask_one()
    slow = Fault("at commit")
    desk.faults.plan(slow)
    deciding = asyncio.create_task(desk.decide(review))
    await slow.reached.wait()

    await desk.reviews.permissions.nobody_waits(S)
    slow.go_on.set()

    assert await waiting is None
    with pytest.raises(Conflict):
        await deciding
    await desk.becomes("cancelled")
    assert ("call_started", "pending", "told") not in desk.ledger()


async def test_an_agent_that_dies_after_it_was_told_leaves_an_unknown_outcome(
    desk: ReviewDesk,
) -> None:
    """T6.3, 64; T8.3: it is not answered again."""
    waiting, review = await desk.ask_one()
    await desk.decide(review)
    assert await waiting == "once"

    await desk.reviews.permissions.nobody_waits(S)

    await desk.becomes("failed")
    assert desk.call_statuses() == [("failed", "approved", "tool_execution_outcome_unknown")]
    assert (await desk.reviews.get_review(review.review_id)).status is ReviewStatus.OUTCOME_UNKNOWN
    assert desk.cards()[0]["status"] == "approved"


async def test_a_declined_request_stays_declined_when_its_turn_ends(desk: ReviewDesk) -> None:
    waiting, review = await desk.ask_one()
    await desk.decide(review, "no")
    await waiting

    await desk.reviews.permissions.nobody_waits(S)

    await until(lambda: len(desk.ledger()) == 3)
    assert desk.status() == "rejected"


async def test_a_request_that_cannot_be_stored_waits_for_the_store(desk: ReviewDesk) -> None:
    """Nothing is lost and nothing allowed while the store is away."""
    desk.faults.plan(Fault("before", unavailable()), Fault("after commit", unavailable()))
    waiting = desk.ask()

    await desk.clock.advance(7)
    (review,) = await desk.opened()

    assert not waiting.done()
    assert len(desk.cards()) == 1
    await desk.decide(review)
    assert await waiting == "once"


async def test_a_request_cancelled_before_it_was_stored_never_appears(desk: ReviewDesk) -> None:
    desk.faults.plan(Fault("before", unavailable()))
    waiting = desk.ask()
    await desk.clock.advance(0.5)

    waiting.cancel()
    await desk.clock.advance(7)

    assert desk.cards() == []
    assert await desk.reviews.list_open_reviews() == ()


async def test_without_options_nothing_is_asked_and_nothing_allowed(desk: ReviewDesk) -> None:
    """kandev-app.md c.5: no options is cancelled; T8.4: never the first option."""
    assert await desk.ask(make_asked(options=())) is None

    assert desk.cards() == []
    assert desk.ledger() == [("policy_decision", "denied", "permission_option_unavailable")]


async def test_equal_ids_of_the_agent_are_different_requests(desk: ReviewDesk) -> None:
    """kandev-app.md c.5: agents use their ids again."""
    first = desk.ask(make_asked("call-1"))
    await desk.opened(1)
    second = desk.ask(make_asked("call-1"))
    one, two = await desk.opened(2)

    await desk.decide(two, "no")
    await desk.decide(one, "once")

    assert (await first, await second) == ("once", "no")
    assert one.review_id != two.review_id


def _requests(desk: ReviewDesk) -> list[dict[str, object]]:
    return desk.table("tool_action_requests")
