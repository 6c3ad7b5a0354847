"""The failure matrix of hosted sessions, row by row (K5.6)."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from backend.clarification import detached, hosted_delivery
from backend.clarification.ask_result import AskStatus
from backend.domain.clarification import AnswerDraft, BundleStatus, Delivery, Skipped
from backend.errors import (
    AgentFailed,
    Conflict,
    ErrorCode,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import BundleOpened, BundleResolved, TurnStarted
from backend.ids import PendingId
from backend.store import reservations
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import new_token
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import NO, YES, HostedDesk, P, S, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import eventually, until

BROKEN = StorageFailed(ErrorCode.STORE_FULL, "injected")
REFUSED = AgentFailed(ErrorCode.AGENT_FAILED, "the agent is gone")


@pytest.fixture
async def hosted(store_path: Place, clock: FakeClock) -> AsyncIterator[HostedDesk]:
    async with hosted_desk(store_path, clock) as running:
        yield running


async def failed(response: "asyncio.Task[object]") -> str:
    with pytest.raises(AgentFailed) as caught:
        await response
    assert caught.value.code is ErrorCode.DELIVERY_FAILED
    return caught.value.detail


async def is_restored(hosted: HostedDesk) -> None:
    """Answerable again, pre-filled, nothing of the attempt left, and the window was told."""
    bundle = await hosted.bundle()
    assert bundle.answerable
    assert (bundle.delivery, bundle.claim_id, bundle.responded_at) == (None, None, None)
    assert await hosted.draft() == AnswerDraft(P, YES.answers)
    assert hosted.turns() == ["turn1"]
    assert hosted.states() == ("WAITING_FOR_INPUT", "REVIEW")
    await until(lambda: any(isinstance(event, BundleOpened) for event in hosted.events))


async def test_row_1_a_blocked_identity_read_is_retryable_after_five_seconds(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 1; RR.2; K8.6 29."""
    hosted.faults.reads = Fault("before")
    response = hosted.start_response()
    await hosted.faults.reads.reached.wait()
    await clock.advance(4.9)
    assert not response.done()
    await clock.advance(0.1)
    with pytest.raises(TemporarilyUnavailable) as caught:
        await response
    assert caught.value.code is ErrorCode.TEMPORARILY_UNAVAILABLE
    hosted.faults.reads = None
    assert (await hosted.bundle()).answerable
    assert (await hosted.respond()).delivery is Delivery.DELIVERED


async def test_row_2_a_blocked_claim_is_retryable_and_rolled_back(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 2; RR.2; K8.6 30: one call, no delivery, still pending."""
    held = Fault("before")
    hosted.faults.plan(held)
    response = hosted.start_response()
    await held.reached.wait()
    await clock.advance(5)
    with pytest.raises(TemporarilyUnavailable):
        await response
    held.go_on.set()
    await settle()
    assert (await hosted.bundle()).answerable
    assert hosted.resumer.requests == []
    assert (await hosted.respond()).claimed


async def test_row_3_a_broken_claim_leaves_the_bundle_pending(hosted: HostedDesk) -> None:
    """K5.6 row 3."""
    hosted.faults.plan(Fault("at commit", BROKEN))
    with pytest.raises(StorageFailed):
        await hosted.respond()
    assert (await hosted.bundle()).answerable
    assert hosted.resumer.requests == []


async def test_row_4_the_loser_of_two_claims_gets_the_winners_answer(hosted: HostedDesk) -> None:
    """K5.6 row 4."""
    won = await hosted.respond(YES)
    lost = await hosted.respond(NO)
    assert (won.claimed, lost.claimed) == (True, False)
    assert (lost.answers, lost.responded_at) == (won.answers, won.responded_at)
    assert len(hosted.resumer.requests) == 1


async def test_row_5_a_claim_nobody_has_won_is_not_active(hosted: HostedDesk) -> None:
    """K5.6 row 5; LC.2; K8.5 15: no prompt is sent."""
    hosted.rows.turn("turn2")
    for _ in range(2):
        with pytest.raises(Conflict) as caught:
            await hosted.respond()
        assert caught.value.code is ErrorCode.NOT_ACTIVE
    assert hosted.resumer.requests == []


async def test_row_6_a_crash_before_any_delivery_is_restored_at_the_next_start(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 6; K8.5 21; K8.6 64, 86."""
    async with hosted_desk(store_path, clock) as dying:
        held = Fault("before")
        dying.faults.plan(None, held)
        response = dying.start_response()
        await held.reached.wait()
        await end(response, dying)
        assert (await dying.bundle()).delivery is Delivery.PENDING
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        assert (await hosted.bundle()).answerable
        assert await hosted.draft() == AnswerDraft(P, YES.answers)
        assert (await hosted.respond()).delivery is Delivery.DELIVERED
        assert len(hosted.resumer.requests) == 1


async def end(response: "asyncio.Task[object]", dying: HostedDesk) -> None:
    """What a crash leaves: nothing of the attempt goes on."""
    del dying
    names = {"respond", "deliver answer", "claim answer", "follow dispatch", "resume agent"}
    left = [task for task in asyncio.all_tasks() if task.get_name() in names]
    for task in left:
        task.cancel()
    await asyncio.gather(response, *left, return_exceptions=True)


async def test_row_7_a_call_that_does_not_take_the_answer_gives_it_back(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 7; the retry goes the detached way at once."""
    waiters = hosted.desk.services.desk._waiters
    stuck = waiters.add(P, S)
    response = hosted.start_response()
    await until(stuck.wake.done)
    await clock.advance(30)
    assert await failed(response) == hosted_delivery.NOT_DELIVERED
    await is_restored(hosted)
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert len(hosted.resumer.requests) == 1


async def test_row_8_a_refused_restore_says_so_and_the_running_desk_clears_the_intent(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 8; K8.6 25; K1.7: a stale intent is cleared, the status stays."""
    call = await hosted.waiting_call()
    held = Fault("before", BROKEN)
    hosted.faults.plan(None, held)
    token = new_token()

    async def supersede() -> None:
        await held.reached.wait()
        hosted.rows.turn("turn2")

    response = hosted.start_response(token=token)
    await supersede()
    assert await failed(response) == hosted_delivery.NOT_RECOVERED
    again = await hosted.respond(token=token)
    assert (again.status, again.delivery) == (BundleStatus.ANSWERED, Delivery.PENDING)

    async def cleared() -> bool:
        await clock.advance(1)
        return await hosted.delivery() is Delivery.UNKNOWN

    await eventually(cleared)
    assert (await hosted.bundle()).status is BundleStatus.ANSWERED
    assert hosted.resumer.requests == []
    await call


async def test_row_9_a_failed_confirmation_gives_the_answer_back_and_the_call_does_not_use_it(
    hosted: HostedDesk,
) -> None:
    """K5.6 row 9; K8.6 16, 22; K8.5 22."""
    call = await hosted.waiting_call()
    hosted.faults.plan(None, Fault("before", unavailable()))
    assert await failed(hosted.start_response()) == hosted_delivery.NOT_DELIVERED
    await is_restored(hosted)
    assert not call.done()
    assert (await hosted.respond(NO)).delivery is Delivery.DELIVERED
    assert (await call).answers == NO.answers
    assert hosted.resumer.requests == []


async def test_row_10_a_confirmation_that_outlives_the_budget_is_pending_and_ends_by_itself(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 10; clarification.md, Budgets: never a success before it is confirmed."""
    call = await hosted.waiting_call()
    held = Fault("after commit")
    hosted.faults.plan(None, held)
    response = hosted.start_response()
    await held.reached.wait()
    await clock.advance(30)
    assert (await response).delivery is Delivery.PENDING
    assert not call.done()
    held.go_on.set()
    assert (await call).answers == YES.answers
    assert await hosted.delivery() is Delivery.DELIVERED
    await until(
        lambda: any(
            isinstance(event, BundleResolved) and event.outcome.delivery is Delivery.DELIVERED
            for event in hosted.events
        )
    )
    assert hosted.resumer.requests == []


async def test_row_10_a_confirmation_that_fails_after_the_budget_is_taken_back(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 10: whichever of finalize and restore commits first."""
    call = await hosted.waiting_call()
    held = Fault("before")
    hosted.faults.plan(None, held)
    response = hosted.start_response()
    await held.reached.wait()
    await clock.advance(30)
    assert (await response).delivery is Delivery.PENDING
    held.go_on.set()

    async def restored() -> bool:
        await clock.advance(1)
        return (await hosted.bundle()).answerable

    await eventually(restored)
    await is_restored(hosted)
    assert not call.done()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


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
    """K5.6 row 11, no acknowledgement in 30 s: deviates on purpose. The prompt may have arrived,
    so nothing is taken back (clarification.md, Budgets); K8.5 34.
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
    """K1.4, at-most-once: only the agent's own refusal takes the answer back."""
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
    """K5.2: the dispatch gets what is left of the 30 s; with nothing left there is none."""
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
    """K5.6 row 14; K8.5 17."""
    hosted.faults.plan(None, None, None, Fault("before", BROKEN))
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
    """K5.6 row 15."""
    hosted.faults.plan(None, None, None, None, Fault("before", BROKEN))
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
    """K5.6 row 15: the successor is the newer turn."""
    async with hosted_desk(store_path, clock) as dying:
        dying.faults.plan(None, None, None, None, Fault("before", BROKEN))
        await failed(dying.start_response())
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        bundle = await hosted.bundle()
        assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.UNKNOWN)
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


async def test_row_18_a_crash_before_the_marker_restores_the_exact_rows(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 18; K5.7 step 1."""
    async with hosted_desk(store_path, clock) as dying:
        held = Fault("before")
        dying.faults.plan(None, None, held)
        response = dying.start_response()
        await held.reached.wait()
        assert len(dying.turns()) == 2
        await end_without_compensation(dying, response)
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        assert hosted.turns() == ["turn1"]
        assert (await hosted.bundle()).answerable
        assert await hosted.draft() == AnswerDraft(P, YES.answers)
        assert hosted.resumer.requests == []


async def end_without_compensation(dying: HostedDesk, response: "asyncio.Task[object]") -> None:
    dying.faults.plan(*(Fault("before", BROKEN) for _ in range(9)))
    await end(response, dying)


async def test_row_19_a_crash_after_the_marker_keeps_the_turn_and_never_asks_again(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 19; K8.6 70: an attempted empty turn is kept, its start is told once."""
    async with hosted_desk(store_path, clock) as dying:
        dying.resumer.hang()
        response = dying.start_response()
        await dying.resumer.reached.wait()
        await end_without_compensation(dying, response)
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        bundle = await hosted.bundle()
        assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.UNKNOWN)
        turns = hosted.turns()
        assert len(turns) == 2
        started = [event for event in hosted.events if isinstance(event, TurnStarted)]
        assert [event.turn_id for event in started] == turns[1:]
        assert await no_reservation(hosted)
        assert (await hosted.respond()).claimed is False
        assert hosted.resumer.requests == []
    async with hosted_desk(store_path, clock, ask=False) as later:
        assert not [event for event in later.events if isinstance(event, TurnStarted)]


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


async def test_row_22_a_call_that_leaves_before_it_takes_the_answer_means_a_prompt_at_once(
    hosted: HostedDesk,
) -> None:
    """K5.6 row 22; K8.6 19; K8.5 24; improvement 6."""
    call = await hosted.waiting_call()
    held = Fault("after commit")
    hosted.faults.plan(held)
    response = hosted.start_response()
    await held.reached.wait()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    held.go_on.set()
    assert (await response).delivery is Delivery.DELIVERED
    assert len(hosted.resumer.requests) == 1


async def test_row_22_a_call_that_leaves_the_answer_held_out_to_it_means_a_prompt_at_once(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 22; K8.6 19: nobody waits 30 s for a call that is gone, nor counts on it."""
    waiters = hosted.desk.services.desk._waiters
    leaving = waiters.add(P, S)
    before, response = clock.monotonic(), hosted.start_response()
    await until(leaving.wake.done)
    assert hosted.resumer.requests == []
    waiters.remove(leaving)
    assert (await response).delivery is Delivery.DELIVERED
    assert clock.monotonic() == before
    assert len(hosted.resumer.requests) == 1


async def test_row_23_a_retry_after_a_client_timeout_finds_the_truth(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 23: the desk goes on when its caller has given up (K8.6 27)."""
    hosted.resumer.hang()
    token = new_token()
    response = hosted.start_response(token=token)
    await hosted.resumer.reached.wait()
    response.cancel()
    await asyncio.gather(response, return_exceptions=True)
    retry = hosted.start_response(token=token)
    await settle()
    assert not retry.done()
    hosted.resumer.answers.set()
    joined = await retry
    assert (joined.replayed, joined.delivery) == (True, Delivery.DELIVERED)
    assert len(hosted.resumer.requests) == 1


async def no_reservation(hosted: HostedDesk) -> bool:
    async with hosted.desk.database.reading() as tx:
        return await reservations.list_reserved(tx) == ()
