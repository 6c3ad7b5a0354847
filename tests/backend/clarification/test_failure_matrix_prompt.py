"""The failure matrix of hosted sessions (K5.6): an answer that goes out as a prompt."""

import logging

import pytest

from backend.clarification import detached, hosted_delivery
from backend.clarification.ask_result import AskStatus
from backend.domain.clarification import BundleStatus, Delivery, Skipped
from backend.ids import PendingId
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import new_token
from tests.helpers.failure_matrix import (
    BROKEN,
    REFUSED,
    end_without_compensation,
    failed,
    is_restored,
    no_reservation,
)
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import NO, YES, HostedDesk, P, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import eventually, until


@pytest.mark.parametrize("how", ["refused", "not promptable", "no agents"])
async def test_row_11_an_answer_no_agent_takes_is_given_back(
    store_path: Place, clock: FakeClock, how: str
) -> None:
    """K5.6 row 11; K8.5 16; K8.6 23, 71, 79."""
    async with hosted_desk(store_path, clock, has_resumer=how != "no agents") as hosted:
        hosted.resumer.is_promptable = how != "not promptable"
        hosted.resumer.error = REFUSED
        assert await failed(hosted.start_response()) == detached.NOT_RESUMED
        await is_restored(hosted)
        first = len(hosted.resumer.requests)
        assert first == (1 if how == "refused" else 0)
        if how != "no agents":
            hosted.resumer.error = None
            hosted.resumer.is_promptable = True
            assert (await hosted.respond()).delivery is Delivery.DELIVERED
            assert len(hosted.resumer.requests) == first + 1


async def test_row_11_an_attempt_without_an_acknowledgement_is_unknown_and_never_repeated(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K8.6 79; K5.6 row 11, no acknowledgement in 30 s: deviates on purpose. The prompt may have
    arrived, so nothing is taken back (clarification.md, Budgets); K8.5 34.
    """
    hosted.resumer.hang()
    token = new_token()
    response = hosted.start_response(token=token)
    await hosted.resumer.reached.wait()
    await clock.advance(30)
    assert (await response).delivery is Delivery.UNKNOWN
    again = await hosted.respond(token=token)
    assert (again.replayed, again.delivery) == (True, Delivery.PENDING)
    await clock.advance(1_000)
    assert len(hosted.resumer.requests) == 1
    hosted.resumer.answers.set()

    async def delivered() -> bool:
        return await hosted.delivery() is Delivery.DELIVERED

    await eventually(delivered)
    assert len(hosted.turns()) == 2


async def test_row_11_a_late_refusal_makes_the_question_answerable_again(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """clarification.md, Budgets: it goes on in the background."""
    hosted.resumer.hang()
    hosted.resumer.error = REFUSED
    response = hosted.start_response()
    await hosted.resumer.reached.wait()
    await clock.advance(30)
    assert (await response).delivery is Delivery.UNKNOWN
    hosted.resumer.answers.set()

    async def restored() -> bool:
        return (await hosted.bundle()).answerable

    await eventually(restored)
    await is_restored(hosted)


async def test_row_11_a_failure_that_is_no_refusal_counts_as_given(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K8.6 79; K1.4, at-most-once: only the agent's own refusal takes the answer back."""
    hosted.resumer.error = unavailable()
    outcome = await hosted.respond()
    assert outcome.delivery is Delivery.UNKNOWN
    await clock.advance(1_000)
    bundle = await hosted.bundle()
    assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.PENDING)
    assert len(hosted.resumer.requests) == 1
    assert len(hosted.turns()) == 2


async def test_row_11_whoever_joined_a_delivery_is_told_that_it_failed(
    hosted: HostedDesk, caplog: pytest.LogCaptureFixture
) -> None:
    """Improvement 1: success is never reported for what was not delivered (K9.2 3)."""
    caplog.set_level(logging.INFO, "clarification.response")
    hosted.resumer.hang()
    hosted.resumer.error = REFUSED
    token = new_token()
    first = hosted.start_response(token=token)
    await hosted.resumer.reached.wait()
    retry = hosted.start_response(token=token)
    other = hosted.start_response(NO)
    await until(
        lambda: [record.__dict__.get("phase") for record in caplog.records].count("validation") == 3
    )
    hosted.resumer.answers.set()
    for response in (first, retry, other):
        assert await failed(response) == detached.NOT_RESUMED
    await is_restored(hosted)
    assert len(hosted.resumer.requests) == 1


async def test_row_12_a_failed_restore_says_so_and_the_running_desk_repairs_it(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 12; K5.7 step 2 in the running desk: 1, 5, 30, 300 s."""
    async with hosted_desk(store_path, clock, has_resumer=False) as hosted:
        hosted.faults.plan(None, Fault("before", BROKEN))
        token = new_token()
        assert await failed(hosted.start_response(token=token)) == detached.NOT_RECOVERED
        again = await hosted.respond(token=token)
        assert (again.replayed, again.delivery) == (True, Delivery.PENDING)
        second = Fault("before", BROKEN)
        hosted.faults.plan(second)
        await clock.advance(1)
        await second.reached.wait()
        assert not (await hosted.bundle()).answerable

        async def restored() -> bool:
            await clock.advance(1)
            return (await hosted.bundle()).answerable

        await eventually(restored)
        await is_restored(hosted)
        await until(lambda: clock.pending_timers == 0)


@pytest.mark.parametrize("write", ["reservation", "marker"])
@pytest.mark.parametrize("when", ["before", "at commit", "after commit"])
async def test_row_13_a_marker_that_cannot_be_stored_sends_nothing(
    hosted: HostedDesk, write: str, when: str
) -> None:
    """K5.6 row 13; K8.6 79: also when its COMMIT has no result."""
    fault = Fault(when, BROKEN)  # type: ignore[arg-type]
    hosted.faults.plan(None, *([fault] if write == "reservation" else [None, fault]))
    assert await failed(hosted.start_response()) == detached.NOT_RESUMED
    assert hosted.resumer.requests == []
    await is_restored(hosted)
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert len(hosted.resumer.requests) == 1


async def test_row_13_no_prompt_is_sent_once_the_budget_is_gone(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K8.6 79; K5.2: the dispatch gets what is left of the 30 s; with nothing left, none."""
    marked = Fault("after commit")
    hosted.faults.plan(None, None, marked)
    response = hosted.start_response()
    await marked.reached.wait()
    clock._monotonic += 31
    marked.go_on.set()
    assert await failed(response) == detached.NOT_RESUMED
    assert hosted.resumer.requests == []
    await is_restored(hosted)


async def test_a_turn_that_begins_between_claim_and_reservation_gets_no_prompt(
    hosted: HostedDesk,
) -> None:
    """K5.5; K8.6 81: not after supersession."""
    held = Fault("before")
    hosted.faults.plan(None, held)
    response = hosted.start_response()
    await held.reached.wait()
    hosted.rows.turn("turn2")
    held.go_on.set()
    assert await failed(response) == detached.NOT_RECOVERED
    assert hosted.resumer.requests == []
    assert hosted.turns() == ["turn1", "turn2"]


@pytest.mark.parametrize("live", [True, False], ids=["live", "as a prompt"])
async def test_an_answer_that_arrives_lets_session_and_task_go_on(
    hosted: HostedDesk, *, live: bool
) -> None:
    """K1.9; K5.5 a; R7: a win means delivered or accepted."""
    call = await hosted.waiting_call() if live else None
    outcome = await hosted.respond()
    assert (outcome.claimed, outcome.delivery) == (True, Delivery.DELIVERED)
    assert hosted.states() == ("RUNNING", "IN_PROGRESS")
    if call is not None:
        assert (await call).answers == YES.answers
    assert len(hosted.resumer.requests) == (0 if live else 1)


async def test_the_prompt_names_the_exact_rows_the_turn_and_the_answer(
    hosted: HostedDesk,
) -> None:
    """K5.5, detached; K3.4; improvement 7."""
    bundle = await hosted.bundle()
    await hosted.respond()
    (request,) = hosted.resumer.requests
    assert request.message_ids == (bundle.questions[0].message_id,)
    assert (request.turn_id, request.pending_id) == ("turn1", P)
    assert request.successor_turn_id == hosted.turns()[-1]
    assert "Yes [q1_opt1]" in request.prompt


async def test_row_14_an_accepted_dispatch_whose_turn_cannot_be_published_is_not_repeated(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K8.6 79; K8.6 85; K5.6 row 14; K8.5 17."""
    hosted.faults.plan(None, None, None, None, Fault("before", BROKEN))
    token = new_token()
    response = hosted.start_response(token=token)
    assert await failed(response) == detached.DISPATCH_NOT_FINALIZED
    assert await hosted.delivery() is Delivery.DELIVERED
    again = await hosted.respond(token=token)
    assert (again.replayed, again.delivery) == (True, Delivery.DELIVERED)
    assert len(hosted.turns()) == 2
    await clock.advance(1)
    await eventually(lambda: no_reservation(hosted))
    assert len(hosted.resumer.requests) == 1


async def test_row_15_an_accepted_dispatch_whose_answer_cannot_be_finalized_is_not_repeated(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K8.6 79; K5.6 row 15."""
    hosted.faults.plan(None, None, None, Fault("before", BROKEN))
    token = new_token()
    response = hosted.start_response(token=token)
    assert await failed(response) == detached.DELIVERY_NOT_FINALIZED
    again = await hosted.respond(token=token)
    assert (again.replayed, again.delivery) == (True, Delivery.PENDING)

    async def delivered() -> bool:
        await clock.advance(1)
        return await hosted.delivery() is Delivery.DELIVERED

    await eventually(delivered)
    assert len(hosted.resumer.requests) == 1


async def test_row_15_after_a_restart_the_intent_is_cleared_and_the_status_kept(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 15: the successor is the newer turn, and that its agent has the answer is known to
    nobody: it has written nothing yet, and the acknowledgement was not stored.
    """
    async with hosted_desk(store_path, clock) as dying:
        dying.faults.plan(None, None, None, Fault("before", BROKEN))
        await failed(dying.start_response())
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        bundle = await hosted.bundle()
        assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.UNKNOWN)
        assert await no_reservation(hosted)
        assert hosted.resumer.requests == []


async def test_row_15_after_a_restart_the_rows_of_the_agent_prove_that_it_has_the_answer(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 15; K5.7 step 1, message-backed: a turn whose answer is not finalized says so."""
    async with hosted_desk(store_path, clock) as dying:
        dying.faults.plan(None, None, None, Fault("before", BROKEN))
        await failed(dying.start_response())
        dying.rows.message(turn=dying.turns()[-1])
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        assert await hosted.delivery() is Delivery.DELIVERED
        assert await no_reservation(hosted)
        assert hosted.resumer.requests == []


async def test_row_15_a_crash_between_answer_and_turn_knows_that_it_was_delivered(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 rows 14 and 15: the answer first; what the turn still says of it is cleared later."""
    async with hosted_desk(store_path, clock) as dying:
        held = Fault("before")
        dying.faults.plan(None, None, None, None, held)
        response = dying.start_response()
        await held.reached.wait()
        await end_without_compensation(dying, response)
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        bundle = await hosted.bundle()
        assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.DELIVERED)
        assert await no_reservation(hosted)
        assert len(hosted.turns()) == 2
        assert hosted.resumer.requests == []


async def test_row_16_a_skip_nobody_waits_for_is_final_and_sends_nothing(
    hosted: HostedDesk,
) -> None:
    """K5.5, detached: R9."""
    outcome = await hosted.respond(Skipped("not now"))
    assert (outcome.status, outcome.delivery) == (BundleStatus.REJECTED, Delivery.DISCARDED)
    assert hosted.resumer.requests == []
    assert hosted.turns() == ["turn1"]
    assert (await hosted.desk.asking.wait(P)).status is AskStatus.SKIPPED
    assert hosted.states()[1] == "IN_PROGRESS"


async def test_row_16_a_skip_that_cannot_be_finalized_is_recorded_and_finalized_later(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 16."""
    hosted.faults.plan(None, Fault("before", BROKEN))
    text = await failed(hosted.start_response(Skipped("")))
    assert text == hosted_delivery.SKIP_NOT_FINALIZED
    assert (await hosted.bundle()).status is BundleStatus.REJECTED

    async def finalized() -> bool:
        await clock.advance(1)
        return await hosted.delivery() is Delivery.DISCARDED

    await eventually(finalized)


async def test_row_17_a_restore_whose_announcement_fails_is_still_a_restore(
    hosted: HostedDesk,
) -> None:
    """K5.6 row 17; K8.5 43; K8.6 26."""
    hosted.resumer.is_promptable = False
    held = Fault("before")
    hosted.faults.plan(None, held)
    response = hosted.start_response()
    await held.reached.wait()
    hosted.faults.reads = Fault("before", BROKEN)
    held.go_on.set()
    assert await failed(response) == detached.NOT_RESUMED
    await settle()
    hosted.faults.reads = None
    assert (await hosted.bundle()).answerable


async def test_row_20_a_reserved_turn_that_cannot_be_deleted_quarantines_its_session(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 20; K8.5 29; K8.6 85: the next prompt is blocked until the desk starts again."""
    async with hosted_desk(store_path, clock) as hosted:
        hosted.rows.question("p2", question_id="q1")
        hosted.faults.plan(None, None, Fault("before", BROKEN), Fault("before", BROKEN))
        assert await failed(hosted.start_response()) == detached.NOT_RECOVERED
        assert (
            await failed(hosted.start_response(pending_id=PendingId("p2"))) == detached.NOT_RESUMED
        )
        await clock.advance(1)
        await until(lambda: clock.pending_timers == 0)
        assert hosted.resumer.requests == []
        assert await hosted.delivery() is Delivery.PENDING
    async with hosted_desk(store_path, clock, ask=False) as restarted:
        assert (await restarted.bundle()).answerable
        assert (await restarted.respond()).delivery is Delivery.DELIVERED
