"""The claim alone decides whether a question is open, and it is stored before anything is sent."""

import asyncio

import pytest

from backend.domain.clarification import BundleStatus, Delivery, Outcome, Skipped
from backend.errors import Conflict, ErrorCode
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault
from tests.helpers.hosted import NO, YES, HostedDesk, P, hosted_desk
from tests.helpers.place import Place, raw
from tests.helpers.store import metadata_of


async def test_a_question_that_was_superseded_when_it_was_read_can_be_open_when_it_is_claimed(
    hosted: HostedDesk,
) -> None:
    """K8.4 P2; K5.1: nothing before the claim judges whether the question is open."""
    hosted.rows.turn("turn2")
    assert (await hosted.bundle()).superseded
    held = Fault("before")
    hosted.faults.plan(held)
    response = hosted.start_response()
    await held.reached.wait()
    with raw(hosted.place) as connection:
        connection.execute("DELETE FROM task_session_turns WHERE id = 'turn2'")
    held.go_on.set()
    outcome = await response
    assert (outcome.claimed, outcome.delivery) == (True, Delivery.DELIVERED)


@pytest.mark.parametrize("outcome", [YES, Skipped("no")], ids=["answer", "skip"])
async def test_a_question_that_was_open_when_it_was_read_can_be_superseded_when_it_is_claimed(
    hosted: HostedDesk, outcome: Outcome
) -> None:
    """K8.4 P2, R2; LC.1: the rows stay as they are and nothing is sent."""
    before = metadata_of(hosted.place, P)
    held = Fault("before")
    hosted.faults.plan(held)
    response = hosted.start_response(outcome)
    await held.reached.wait()
    hosted.rows.turn("turn2")
    held.go_on.set()
    with pytest.raises(Conflict) as caught:
        await response
    assert caught.value.code is ErrorCode.NOT_ACTIVE
    assert metadata_of(hosted.place, P) == before
    assert hosted.resumer.requests == []


async def test_an_answer_is_stored_before_its_prompt_is_sent(hosted: HostedDesk) -> None:
    """K8.4 R4: whoever reads the store while the agent is asked finds the answer claimed."""
    hosted.resumer.hang()
    response = hosted.start_response()
    await hosted.resumer.reached.wait()
    (row,) = metadata_of(hosted.place, P)
    assert (row["status"], row["response_delivery_pending"]) == ("answered", True)
    assert row["response"] == {"question_id": "q1", "selected_options": ["q1_opt1"]}
    hosted.resumer.answers.set()
    assert (await response).delivery is Delivery.DELIVERED


async def test_an_answer_is_stored_before_a_waiting_call_gets_it(hosted: HostedDesk) -> None:
    """K8.4 R4, R7."""
    call = await hosted.waiting_call()
    confirming = Fault("before")
    hosted.faults.plan(None, confirming)
    response = hosted.start_response()
    await confirming.reached.wait()
    (row,) = metadata_of(hosted.place, P)
    assert (row["status"], row["response_delivery_pending"]) == ("answered", True)
    assert not call.done()
    confirming.go_on.set()
    assert (await response).delivery is Delivery.DELIVERED
    assert (await call).answers == YES.answers


async def test_after_a_restart_a_question_is_claimed_and_sent_once(
    store_path: Place, clock: FakeClock
) -> None:
    """K8.4 R6: the claim needs nothing that the desk which asked had in memory."""
    async with hosted_desk(store_path, clock) as asking:
        assert (await asking.bundle()).answerable
    async with hosted_desk(store_path, clock, ask=False) as answering:
        attempts = [answering.respond(YES), answering.respond(NO), answering.respond(Skipped(""))]
        outcomes = await asyncio.gather(*attempts)
        (winner,) = [outcome for outcome in outcomes if outcome.claimed]
        assert {outcome.status for outcome in outcomes} == {winner.status}
        assert {outcome.responded_at for outcome in outcomes} == {winner.responded_at}
        sent = [request.prompt for request in answering.resumer.requests]
        assert len(sent) == (1 if winner.status is BundleStatus.ANSWERED else 0)
    async with hosted_desk(store_path, clock, ask=False) as later:
        assert not (await later.respond(NO)).claimed
        assert later.resumer.requests == []
        assert (await later.bundle()).status is winner.status
