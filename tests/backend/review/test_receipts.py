"""Receipts of verdicts that agents carry out themselves: told in their own call, or owed (T1.4)."""

from collections.abc import AsyncIterator

import pytest

from backend.domain.clarification import Delivery
from backend.ids import ReviewId
from backend.review.recovery import recover
from backend.store import deliveries, receipts, review_outcomes, reviews
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.receipts import receipts_of
from tests.helpers.reviewing import WINDOW, ReviewDesk, new_token, review_desk
from tests.helpers.waiting import until


@pytest.fixture
async def desk(place: Place, clock: FakeClock) -> AsyncIterator[ReviewDesk]:
    async with review_desk(place, clock) as made:
        yield made


def run(desk: ReviewDesk, sql: str, *params: object) -> None:
    with raw(desk.place) as connection:
        connection.execute(sql, params)
        connection.commit()


@pytest.mark.parametrize("option", ["once", "no"])
async def test_a_verdict_its_agent_was_told_is_delivered(desk: ReviewDesk, option: str) -> None:
    """T1.4, T8.3: the answer of its own call is the delivery; a card's state is none."""
    waiting, review = await desk.ask_one()
    assert receipts_of(desk.place) == [""]
    await desk.decide(review, option)
    assert await waiting == option
    await until(lambda: receipts_of(desk.place) == ["delivered"])
    desk.tool_ended()
    await desk.supervisor.stop(5)
    assert receipts_of(desk.place) == ["delivered"]


@pytest.mark.parametrize(("option", "status"), [("once", "cancelled"), ("no", "rejected")])
async def test_a_verdict_whose_call_has_gone_before_it_was_told_is_owed(
    desk: ReviewDesk, option: str, status: str
) -> None:
    """No approval moves to another call; what was decided is told all the same."""
    waiting, review = await desk.ask_one()
    async with desk.parts.database.writing() as tx:
        stored = await reviews.find(tx, review.review_id)
        assert stored is not None
        await review_outcomes.decide(
            tx,
            stored,
            review_outcomes.Decision(
                review_id=review.review_id,
                option_id=option,
                status="approved" if option == "once" else "rejected",
                claim_id=new_token(),
                client_id=WINDOW,
                door="window",
                now=desk.clock.now(),
            ),
        )
    assert receipts_of(desk.place) == ["pending"]
    waiting.cancel()
    await desk.becomes(status)
    await until(lambda: receipts_of(desk.place) == ["waiting_for_agent"])


async def test_what_nobody_has_decided_is_owed_to_no_agent(desk: ReviewDesk) -> None:
    waiting, _ = await desk.ask_one()
    waiting.cancel()
    await desk.becomes("cancelled")
    assert receipts_of(desk.place) == [""]


@pytest.mark.parametrize("option", ["once", "no"])
async def test_what_a_run_that_died_may_have_told_is_not_confirmed_and_never_told_again(
    desk: ReviewDesk, clock: FakeClock, option: str
) -> None:
    """T8.3: decided, and no note that its agent was told."""
    waiting, review = await desk.ask_one()
    await desk.decide(review, option)
    await waiting
    await until(lambda: receipts_of(desk.place) == ["delivered"])
    decided = "approved" if option == "once" else "rejected"
    run(desk, "UPDATE tool_action_requests SET execution_token = NULL, status = ?", decided)
    run(desk, "UPDATE interaction_deliveries SET state = 'pending'")
    await recover(desk.parts.database, clock)
    assert receipts_of(desk.place) == ["unknown"]
    assert await recover(desk.parts.database, clock) == 0
    assert receipts_of(desk.place) == ["unknown"]


async def test_a_request_of_an_older_store_gets_its_receipt_with_its_decision(
    desk: ReviewDesk,
) -> None:
    """T1.4: inserted again at the decision."""
    waiting, review = await desk.ask_one()
    run(desk, "DELETE FROM interaction_deliveries")
    await desk.decide(review, "no")
    await waiting
    await until(lambda: receipts_of(desk.place) == ["delivered"])


async def test_the_receipt_of_a_question_is_no_receipt_of_a_request(desk: ReviewDesk) -> None:
    _, review = await desk.ask_one()
    run(desk, "UPDATE interaction_deliveries SET kind = 'question', state = 'waiting_for_agent'")
    now = desk.clock.now()
    async with desk.parts.database.writing() as tx:
        stored = await reviews.find(tx, ReviewId(review.review_id))
        assert stored is not None
        await tx.execute_each([receipts.telling(stored.review, now)])
        assert await receipts.leave(tx, [review.review_id], now) == 0
        assert await receipts.retire(tx, [review.review_id], now) == 0
        states = await deliveries.states_of(tx, [review.review_id])  # type: ignore[list-item]
    assert list(states.values()) == [Delivery.WAITING_FOR_AGENT]
