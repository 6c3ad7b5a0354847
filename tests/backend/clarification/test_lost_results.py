"""A COMMIT without a result on the way to a hosted agent: what is told is what is stored."""

import asyncio
from collections.abc import Callable
from typing import Literal

import pytest

from backend.clarification import detached, hosted_delivery
from backend.domain.clarification import BundleStatus, Delivery, Skipped
from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.events import BundleResolved
from backend.ids import PendingId
from tests.helpers.clock import FakeClock
from tests.helpers.desk import new_token
from tests.helpers.failure_matrix import (
    REFUSED,
    blinding,
    failed,
    is_restored,
    no_reservation,
)
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import YES, HostedDesk, P, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import eventually, until

Q = PendingId("p2")


def broken() -> StorageFailed:
    return StorageFailed(ErrorCode.STORE_FULL, "injected")


LOST = pytest.mark.parametrize("error", [unavailable, broken])


async def is_retryable(hosted: HostedDesk, response: "asyncio.Task[object]") -> None:
    """The store did not say what it has; by now it can be read again."""
    with pytest.raises(TemporarilyUnavailable):
        await response
    hosted.faults.reads = None


@LOST
async def test_a_confirmation_that_only_seemed_to_fail_is_told_as_delivered(
    hosted: HostedDesk, error: Callable[[], AppError]
) -> None:
    """K5.6 row 9; improvement 1: the call has the answer, and so its human hears."""
    call = await hosted.waiting_call()
    hosted.faults.plan(None, Fault("after commit", error()))
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert (await call).answers == YES.answers
    assert hosted.states() == ("RUNNING", "IN_PROGRESS")
    assert hosted.resumer.requests == []


async def test_a_confirmation_that_cannot_be_looked_up_is_found_by_taking_it_back(
    hosted: HostedDesk,
) -> None:
    """K5.6 row 9: the write that would take it back sees that there is nothing to take."""
    call = await hosted.waiting_call()
    hosted.faults.plan(None, blinding(hosted, Fault("after commit", unavailable())))
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    hosted.faults.reads = None
    assert await hosted.delivery() is Delivery.DELIVERED
    await asyncio.gather(call, return_exceptions=True)


async def test_a_confirmation_nobody_can_see_is_retryable_and_the_retry_finds_it(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 rows 8 and 9, the double fault: 503, and never a second delivery."""
    call = await hosted.waiting_call()
    lost = blinding(hosted, Fault("after commit", unavailable()))
    hosted.faults.plan(None, lost, Fault("before", unavailable()))
    token = new_token()
    await is_retryable(hosted, hosted.start_response(token=token))
    again = await hosted.respond(token=token)
    assert (again.claimed, again.replayed) == (True, True)
    assert (again.status, again.delivery) == (BundleStatus.ANSWERED, Delivery.DELIVERED)
    await asyncio.gather(call, return_exceptions=True)
    assert (await hosted.desk.asking.wait(P)).answers == YES.answers
    await clock.advance(400)
    assert await hosted.delivery() is Delivery.DELIVERED
    assert hosted.resumer.requests == []


async def test_a_confirmation_that_did_fail_is_still_given_back(hosted: HostedDesk) -> None:
    """K5.6 row 9: COMMIT itself has failed, and the store says so."""
    call = await hosted.waiting_call()
    hosted.faults.plan(None, Fault("at commit", unavailable()))
    assert await failed(hosted.start_response()) == hosted_delivery.NOT_DELIVERED
    await is_restored(hosted)
    assert not call.done()
    call.cancel()


async def test_a_confirmation_nobody_can_see_and_that_failed_opens_the_question_again(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 9, the double fault; K5.7 step 2 in the running desk."""
    call = await hosted.waiting_call()
    lost = blinding(hosted, Fault("at commit", unavailable()))
    hosted.faults.plan(None, lost, Fault("before", unavailable()))
    await is_retryable(hosted, hosted.start_response())

    async def restored() -> bool:
        await clock.advance(1)
        return (await hosted.bundle()).answerable

    await eventually(restored)
    await is_restored(hosted)
    await asyncio.gather(call, return_exceptions=True)
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert len(hosted.resumer.requests) == 1


async def test_row_10_a_late_confirmation_that_only_seemed_to_fail_is_told_as_delivered(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 10: whoever was told "on its way" hears at once, and the call has its answer."""

    class _ThenLost(asyncio.Event):
        async def wait(self) -> Literal[True]:
            await super().wait()
            raise unavailable()

    call = await hosted.waiting_call()
    lost = Fault("after commit", go_on=_ThenLost())
    hosted.faults.plan(None, lost)
    response = hosted.start_response()
    await lost.reached.wait()
    await clock.advance(30)
    assert (await response).delivery is Delivery.PENDING
    hosted.events.clear()
    lost.go_on.set()
    assert (await call).answers == YES.answers
    await until(
        lambda: any(
            isinstance(event, BundleResolved) and event.outcome.delivery is Delivery.DELIVERED
            for event in hosted.events
        )
    )
    assert hosted.resumer.requests == []


@LOST
async def test_a_skip_whose_end_only_seemed_to_fail_is_told_as_it_is(
    hosted: HostedDesk, error: Callable[[], AppError]
) -> None:
    """K5.6 row 16."""
    hosted.faults.plan(None, Fault("after commit", error()))
    assert (await hosted.respond(Skipped(""))).delivery is Delivery.DISCARDED


async def test_a_skip_whose_end_nobody_can_see_is_retryable(hosted: HostedDesk) -> None:
    """K5.6 row 16, the double fault."""
    hosted.faults.plan(None, blinding(hosted, Fault("after commit", unavailable())))
    token = new_token()
    await is_retryable(hosted, hosted.start_response(Skipped(""), token=token))
    again = await hosted.respond(Skipped(""), token=token)
    assert (again.replayed, again.delivery) == (True, Delivery.DISCARDED)


@LOST
@pytest.mark.parametrize("write", ["answer", "turn"])
async def test_an_acknowledged_prompt_whose_end_only_seemed_to_fail_is_told_as_delivered(
    hosted: HostedDesk, write: str, error: Callable[[], AppError]
) -> None:
    """K5.6 rows 14 and 15."""
    lost = Fault("after commit", error())
    hosted.faults.plan(None, None, None, *([lost] if write == "answer" else [None, lost]))
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert await no_reservation(hosted)
    assert len(hosted.resumer.requests) == 1


@pytest.mark.parametrize("write", ["answer", "turn"])
async def test_an_acknowledged_prompt_whose_end_nobody_can_see_is_retryable_and_not_repeated(
    hosted: HostedDesk, clock: FakeClock, write: str
) -> None:
    """K5.6 rows 14 and 15, the double fault."""
    lost = blinding(hosted, Fault("after commit", unavailable()))
    hosted.faults.plan(None, None, None, *([lost] if write == "answer" else [None, lost]))
    token = new_token()
    await is_retryable(hosted, hosted.start_response(token=token))
    again = await hosted.respond(token=token)
    assert (again.replayed, again.delivery) == (True, Delivery.DELIVERED)
    await clock.advance(1)
    await eventually(lambda: no_reservation(hosted))
    assert len(hosted.turns()) == 2
    assert len(hosted.resumer.requests) == 1


@LOST
async def test_row_20_a_turn_that_only_seemed_to_stay_frees_its_session_and_says_so(
    hosted: HostedDesk, error: Callable[[], AppError]
) -> None:
    """K5.6 row 20 after a lost result: the caller hears that the answer can be retried."""
    hosted.resumer.error = REFUSED
    hosted.faults.plan(None, None, None, Fault("after commit", error()))
    assert await failed(hosted.start_response()) == detached.NOT_RESUMED
    await is_restored(hosted)
    hosted.resumer.error = None
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert len(hosted.resumer.requests) == 2


async def test_row_20_a_turn_nobody_can_see_is_retryable_and_blocks_nothing_once_it_is_gone(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 row 20 after a lost result, the double fault."""
    hosted.resumer.error = REFUSED
    hosted.faults.plan(None, None, None, blinding(hosted, Fault("after commit", unavailable())))
    await is_retryable(hosted, hosted.start_response())
    await clock.advance(1)
    await is_restored(hosted)
    hosted.resumer.error = None
    assert (await hosted.respond()).delivery is Delivery.DELIVERED
    assert len(hosted.resumer.requests) == 2


async def test_row_20_a_turn_nobody_can_see_and_that_is_there_blocks_the_next_prompt(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 20 after a lost result; K8.5 29: until the desk starts again."""
    async with hosted_desk(store_path, clock) as hosted:
        hosted.rows.question(Q, question_id="q1")
        lost = blinding(hosted, Fault("at commit", unavailable()))
        hosted.faults.plan(None, None, Fault("before", broken()), lost)
        token = new_token()
        await is_retryable(hosted, hosted.start_response(token=token))
        again = await hosted.respond(token=token)
        assert (again.replayed, again.delivery) == (True, Delivery.PENDING)
        assert await failed(hosted.start_response(pending_id=Q)) == detached.NOT_RESUMED
        assert hosted.resumer.requests == []
    async with hosted_desk(store_path, clock, ask=False) as restarted:
        assert (await restarted.bundle()).answerable
        assert (await restarted.respond()).delivery is Delivery.DELIVERED


async def test_a_store_that_is_known_to_have_failed_is_told_with_the_text_of_its_row(
    hosted: HostedDesk,
) -> None:
    """K5.6 row 12: what was never written needs no second look."""
    hosted.resumer.error = REFUSED
    hosted.faults.plan(None, None, None, blinding(hosted, Fault("before", broken())))
    assert await failed(hosted.start_response()) == detached.NOT_RECOVERED
    hosted.faults.reads = None
