"""The failure matrix of hosted sessions (K5.6): after a crash, a cut or a timeout."""

import asyncio

from backend.domain.clarification import AnswerDraft, BundleStatus, Delivery
from backend.events import TurnStarted
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import new_token
from tests.helpers.failure_matrix import end_without_compensation, no_reservation
from tests.helpers.faults import Fault
from tests.helpers.hosted import YES, HostedDesk, P, S, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import until


async def test_row_18_a_crash_before_the_marker_restores_the_exact_rows(
    store_path: Place, clock: FakeClock
) -> None:
    """K8.6 86; K5.6 row 18; K5.7 step 1."""
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
