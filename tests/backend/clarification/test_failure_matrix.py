"""The failure matrix of hosted sessions, row by row (K5.6): the claim and a live call."""

import asyncio

import pytest

from backend.clarification import hosted_delivery
from backend.domain.clarification import AnswerDraft, BundleStatus, Delivery
from backend.errors import (
    Conflict,
    ErrorCode,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import BundleResolved
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import new_token
from tests.helpers.failure_matrix import BROKEN, end, failed, is_restored
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import NO, YES, HostedDesk, P, S, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import eventually, until


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
