"""How long anything may take, and what is said when it takes longer (clarification.md, Budgets)."""

import asyncio
import logging

import pytest

from backend.clarification.claimed import ANSWER_BUDGET, ResponseBudget
from backend.clock import Deadline
from backend.domain.clarification import Answered, BundleStatus, Delivery
from backend.errors import (
    AgentFailed,
    AppError,
    ErrorCode,
    InvalidInput,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.metrics import RESPONSE_TIMEOUTS
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import new_token
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import YES, HostedDesk, P
from tests.helpers.store import make_claim
from tests.helpers.waiting import eventually, until

BROKEN = StorageFailed(ErrorCode.STORE_FULL, "injected")
RECORD = "clarification.response.phase"


async def ended(response: "asyncio.Task[object]") -> object:
    """What came back, or the expected failure."""
    try:
        return await response
    except AppError as error:
        return error


def timeouts(hosted: HostedDesk) -> dict[str, int]:
    return dict(hosted.desk.services.metrics.snapshot()[RESPONSE_TIMEOUTS])


def phases(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [
        (record.__dict__["phase"], record.__dict__["outcome"])
        for record in caplog.records
        if record.getMessage() == RECORD
    ]


async def ends_within(
    response: "asyncio.Task[object]", clock: FakeClock, *hangs: tuple[asyncio.Event, float]
) -> object:
    """Let that time pass at each place where something hangs; then the response must have ended.

    The times of one test add up to no more than 39 s.
    """
    for reached, seconds in hangs:
        await until(reached.is_set)
        await settle()
        await clock.advance(seconds)
    await until(response.done)
    return await ended(response)


async def test_a_slow_claim_takes_its_time_from_the_delivery(clock: FakeClock) -> None:
    """Budgets: 39 s for all of it, the compensation included."""
    budget = ResponseBudget(clock)
    await clock.advance(4)
    assert budget.delivery().seconds == 30
    await clock.advance(5)
    assert budget.delivery().seconds == 26
    await clock.advance(600)
    assert budget.delivery().expired
    assert budget.compensation().seconds == 4


async def test_an_agent_that_never_answers_holds_nobody_longer_than_39_s(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.2; RR.1."""
    hosted.resumer.hang()
    response = hosted.start_response()
    outcome = await ends_within(response, clock, (hosted.resumer.reached, 30))
    assert getattr(outcome, "delivery", None) is Delivery.UNKNOWN
    assert timeouts(hosted) == {"delivery": 1}


async def test_a_store_that_blocks_in_finalize_holds_nobody_longer_than_39_s(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.2; K8.6 18, 21: the confirmation goes on, and says pending meanwhile."""
    call = await hosted.waiting_call()
    held = Fault("before")
    hosted.faults.plan(None, held)
    response = hosted.start_response()
    outcome = await ends_within(response, clock, (held.reached, 30))
    assert getattr(outcome, "delivery", None) is Delivery.PENDING
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


async def test_a_store_that_blocks_in_restore_holds_nobody_longer_than_39_s(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.2: the worst case, a refusal just before the end and a compensation that hangs."""
    hosted.resumer.hang()
    hosted.resumer.error = AgentFailed(ErrorCode.AGENT_FAILED, "gone")
    slow_claim, restore = Fault("at commit"), Fault("before")
    hosted.faults.plan(slow_claim, None, None, restore)
    began, response = clock.monotonic(), hosted.start_response()
    await slow_claim.reached.wait()
    await clock.advance(4.9)
    slow_claim.go_on.set()
    await hosted.resumer.reached.wait()
    await clock.advance(29.5)
    hosted.resumer.answers.set()
    outcome = await ends_within(response, clock, (restore.reached, 4))
    assert clock.monotonic() - began <= ANSWER_BUDGET
    assert isinstance(outcome, AgentFailed)
    assert "recover" in outcome.detail


async def test_a_store_that_blocks_in_the_reread_holds_nobody_longer_than_39_s(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """clarification.md, Budgets: claimed perhaps, and no connection can tell."""
    commit, reread = Fault("after commit"), Fault("before")
    hosted.faults.plan(commit)
    response = hosted.start_response()
    await commit.reached.wait()
    hosted.faults.reads = reread
    outcome = await ends_within(response, clock, (commit.reached, 7), (reread.reached, 2))
    assert isinstance(outcome, TemporarilyUnavailable)
    hosted.faults.reads = None

    async def restored() -> bool:
        await clock.advance(1)
        return (await hosted.bundle()).answerable

    await eventually(restored)
    draft = await hosted.draft()
    assert draft is not None
    assert draft.answers == YES.answers
    assert hosted.resumer.requests == []


async def test_a_session_that_never_says_whether_it_takes_a_prompt_holds_nobody(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K5.5 a."""
    asked = asyncio.Event()

    async def promptable(_: object) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    hosted.resumer.promptable = promptable  # type: ignore[method-assign,assignment]
    response = hosted.start_response()
    outcome = await ends_within(response, clock, (asked, 30))
    assert isinstance(outcome, AgentFailed)
    assert (await hosted.bundle()).answerable


async def test_a_retry_that_joins_a_hanging_delivery_ends_in_time_too(
    hosted: HostedDesk, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Improvement 1."""
    caplog.set_level(logging.INFO, "clarification.response")
    hosted.resumer.hang()
    token = new_token()
    first = hosted.start_response(token=token)
    await hosted.resumer.reached.wait()
    retry = hosted.start_response(token=token)
    await until(lambda: phases(caplog).count(("validation", "ok")) == 2)
    outcome = await ends_within(retry, clock, (hosted.resumer.reached, 30))
    assert getattr(outcome, "delivery", None) is Delivery.PENDING
    await first


@pytest.mark.parametrize("when", ["before", "at commit"])
async def test_a_claim_that_fails_before_or_at_commit_is_not_claimed(
    hosted: HostedDesk, when: str
) -> None:
    """Budgets: faults before and at COMMIT; retry is safe."""
    hosted.faults.plan(Fault(when, unavailable()))  # type: ignore[arg-type]
    with pytest.raises(TemporarilyUnavailable):
        await hosted.respond()
    assert (await hosted.bundle()).answerable
    assert (await hosted.respond()).claimed


async def test_a_claim_that_fails_after_commit_is_found_by_its_id(hosted: HostedDesk) -> None:
    """Budgets: faults after COMMIT; reread by claim id on a fresh connection."""
    hosted.faults.plan(Fault("after commit", unavailable()))
    outcome = await hosted.respond()
    assert (outcome.claimed, outcome.delivery) == (True, Delivery.DELIVERED)
    assert len(hosted.resumer.requests) == 1


async def test_a_commit_that_ends_within_two_seconds_after_the_deadline_decides(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """Budgets: its result is known within 2 s after the deadline."""
    slow = Fault("after commit")
    hosted.faults.plan(slow)
    response = hosted.start_response()
    await slow.reached.wait()
    await clock.advance(6.5)
    assert not response.done()
    slow.go_on.set()
    assert (await response).claimed


async def test_a_commit_without_a_result_is_read_again_by_its_claim(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """Budgets: reread after the two seconds."""
    slow = Fault("after commit")
    hosted.faults.plan(slow)
    response = hosted.start_response()
    await slow.reached.wait()
    await clock.advance(7)
    assert (await response).claimed
    assert len(hosted.resumer.requests) == 1


async def test_a_second_try_with_the_same_token_is_not_taken_for_the_first(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """The rows hold the token of the first try: a second whose end is lost has claimed nothing."""
    token = new_token()
    assert (await hosted.respond(token=token)).claimed
    hosted.faults.plan(Fault("at commit", unavailable()))
    claiming = hosted.desk.services.desk._resolver._claiming
    seen = await hosted.desk.desk.get_bundle(P)
    with pytest.raises(TemporarilyUnavailable):
        await claiming.claim(make_claim(P, YES, claim_id=token), Deadline(clock, 5), seen=seen)
    again = await hosted.respond(token=token)
    assert (again.replayed, again.delivery) == (True, Delivery.DELIVERED)
    assert len(hosted.resumer.requests) == 1


async def test_an_exhausted_budget_is_counted_and_recorded_by_phase(
    hosted: HostedDesk, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """clarification.md, Observability; K5.8."""
    caplog.set_level(logging.INFO, "clarification.response")
    hosted.faults.reads = Fault("before")
    response = hosted.start_response()
    await hosted.faults.reads.reached.wait()
    await clock.advance(5)
    assert isinstance(await ended(response), TemporarilyUnavailable)
    hosted.faults.reads = None
    held = Fault("before")
    hosted.faults.plan(held)
    response = hosted.start_response()
    await held.reached.wait()
    await clock.advance(5)
    assert isinstance(await ended(response), TemporarilyUnavailable)
    assert timeouts(hosted) == {"identity": 1, "claim": 1}
    assert phases(caplog) == [
        ("identity", "timeout"),
        ("identity", "ok"),
        ("validation", "ok"),
        ("claim", "timeout"),
    ]
    record = next(item for item in caplog.records if item.getMessage() == RECORD)
    assert record.__dict__["pending_id"] == P
    assert record.__dict__["duration_ms"] == 5000
    assert record.__dict__["driver"] in {"sqlite", "postgresql"}


async def test_a_busy_store_and_a_wrong_answer_are_no_timeouts(
    hosted: HostedDesk, caplog: pytest.LogCaptureFixture
) -> None:
    """clarification.md, Observability."""
    caplog.set_level(logging.INFO, "clarification.response")
    hosted.faults.plan(Fault("before", unavailable()))
    with pytest.raises(TemporarilyUnavailable):
        await hosted.respond()
    with pytest.raises(InvalidInput):
        await hosted.respond(Answered(()))
    assert timeouts(hosted) == {}
    assert ("claim", "unavailable") in phases(caplog)
    assert ("validation", "invalid") in phases(caplog)


async def test_a_caller_that_goes_away_is_no_timeout_and_its_answer_is_delivered(
    hosted: HostedDesk, caplog: pytest.LogCaptureFixture
) -> None:
    """Budgets: caller cancellation; K8.6 27, 32: the claim is not cancelled with its caller."""
    caplog.set_level(logging.INFO, "clarification.response")
    held = Fault("before")
    hosted.faults.plan(held)
    response = hosted.start_response()
    await held.reached.wait()
    response.cancel()
    await asyncio.gather(response, return_exceptions=True)
    held.go_on.set()

    async def delivered() -> bool:
        return await hosted.delivery() is Delivery.DELIVERED

    await eventually(delivered)
    assert timeouts(hosted) == {}
    assert ("claim", "ok") in phases(caplog)


async def test_a_desk_that_stops_in_the_middle_is_recorded_as_cancelled(
    hosted: HostedDesk, caplog: pytest.LogCaptureFixture
) -> None:
    """Observability: neither a timeout nor an error."""
    caplog.set_level(logging.INFO, "clarification.response")
    held = Fault("before")
    hosted.faults.plan(held)
    response = hosted.start_response()
    await held.reached.wait()
    await hosted.desk.supervisor.stop(patience=0)
    await asyncio.gather(response, return_exceptions=True)
    assert phases(caplog)[-1] == ("claim", "cancelled")
    assert timeouts(hosted) == {}


@pytest.mark.parametrize("where", ["identity", "claim"])
async def test_after_a_suspend_a_claim_is_not_known_to_have_happened(
    hosted: HostedDesk, clock: FakeClock, where: str
) -> None:
    """Budgets: ten minutes pass at once; never a success, never doubled, retry is safe."""
    held = Fault("before")
    if where == "identity":
        hosted.faults.reads = held
    else:
        hosted.faults.plan(held)
    token = new_token()
    response = hosted.start_response(token=token)
    await held.reached.wait()
    await clock.advance(600)
    assert isinstance(await ended(response), TemporarilyUnavailable)
    hosted.faults.reads = None
    held.go_on.set()
    await settle()
    assert (await hosted.bundle()).status is BundleStatus.PENDING
    assert (await hosted.respond(token=token)).claimed
    assert len(hosted.resumer.requests) == 1


async def test_after_a_suspend_an_attempted_dispatch_is_unknown_and_not_repeated(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """Budgets: after a suspend, in-flight budgets end as unknown."""
    hosted.resumer.hang()
    token = new_token()
    response = hosted.start_response(token=token)
    await hosted.resumer.reached.wait()
    await clock.advance(600)
    assert (await response).delivery is Delivery.UNKNOWN
    hosted.resumer.answers.set()

    async def delivered() -> bool:
        return await hosted.delivery() is Delivery.DELIVERED

    await eventually(delivered)
    assert (await hosted.respond(token=token)).replayed
    assert len(hosted.resumer.requests) == 1


async def test_after_a_suspend_a_confirmation_is_pending_until_it_is_stored(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """Budgets: after a suspend; never as success."""
    call = await hosted.waiting_call()
    held = Fault("after commit")
    hosted.faults.plan(None, held)
    response = hosted.start_response()
    await held.reached.wait()
    await clock.advance(600)
    assert (await response).delivery is Delivery.PENDING
    held.go_on.set()
    assert (await call).answers == YES.answers


async def test_nothing_is_left_to_wait_for_when_all_is_settled(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """clarification.md, Resolver: idle, the desk has no timers."""
    await hosted.respond()
    await until(lambda: clock.pending_timers == 0)
