"""Detached, expired, cancelled, superseded: what ends a question besides an answer (K1.7)."""

import asyncio

import pytest

from backend.clarification.ask_result import AskStatus
from backend.clarification.lifecycle import Lifecycle
from backend.clock import Deadline
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.domain.conversation import SessionState
from backend.errors import Conflict, ErrorCode, NotFound, TemporarilyUnavailable
from backend.events import BundleChanged, SessionChanged
from backend.ids import PendingId, TaskId
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import YES, HostedDesk, P, S
from tests.helpers.store import metadata_of

Q = PendingId("p2")
TASK = TaskId("task-s1")


@pytest.fixture
def lifecycle(hosted: HostedDesk) -> Lifecycle:
    return hosted.desk.services.lifecycle


def changes(hosted: HostedDesk) -> list[PendingId]:
    return [e.bundle.pending_id for e in hosted.events if isinstance(e, BundleChanged)]


async def test_detaching_a_session_marks_each_open_question_once(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K1.7; K8.6 47, 65; K8.5 1: it stays answerable; one event a bundle."""
    hosted.rows.question(P, question_id="q2", question_index=1)
    hosted.rows.question(Q)
    assert set(await lifecycle.detach_session(S)) == {P, Q}
    assert sorted(changes(hosted)) == [P, Q]
    for pending_id in (P, Q):
        bundle = await hosted.bundle(pending_id)
        assert (bundle.detached, bundle.answerable) == (True, True)


async def test_detaching_again_changes_and_tells_nothing(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 50, 52."""
    await lifecycle.detach_session(S)
    hosted.events.clear()
    assert await lifecycle.detach_session(S) == ()
    assert hosted.events == []


async def test_answered_and_superseded_questions_are_not_detached(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 53, 65."""
    await hosted.respond()
    hosted.rows.question(Q)
    hosted.events.clear()
    assert await lifecycle.detach_session(S) == ()
    assert changes(hosted) == []
    assert "agent_disconnected" not in metadata_of(hosted.place, P)[0]


async def test_a_session_that_ends_expires_its_open_questions_with_it(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K1.7; K8.5 33; K8.6 47: rows, calls, window and list in one step."""
    call = await hosted.waiting_call()
    assert await lifecycle.expire_session(S, ends_as=SessionState.COMPLETED) == (P,)
    bundle = await hosted.bundle()
    assert (bundle.status, bundle.detached) == (BundleStatus.EXPIRED, True)
    assert (await call).status is AskStatus.UNANSWERED
    sessions = [event.session for event in hosted.events if isinstance(event, SessionChanged)]
    assert (sessions[-1].state, sessions[-1].pending_action) == (SessionState.COMPLETED, None)
    with pytest.raises(Conflict):
        await hosted.respond()


async def test_an_archived_session_expires_only_what_its_current_turn_asks(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 66: current pending rows only; repeated, it tells nothing (K8.6 52)."""
    hosted.rows.turn("turn2")
    hosted.rows.question(Q, turn="turn2")
    assert await lifecycle.expire_session(S) == (Q,)
    assert metadata_of(hosted.place, P)[0]["status"] == "pending"
    hosted.events.clear()
    assert await lifecycle.expire_session(S) == ()
    assert hosted.events == []


async def test_a_session_without_questions_ends_too(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 50."""
    await lifecycle.cancel(P, Withdrawn.BY_AGENT)
    hosted.events.clear()
    assert await lifecycle.expire_session(S, ends_as=SessionState.FAILED) == ()
    assert [type(event) for event in hosted.events] == [SessionChanged]


async def test_an_answer_and_the_end_of_its_session_exclude_each_other(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 53; R1."""
    await asyncio.gather(
        hosted.respond(),
        lifecycle.expire_session(S, ends_as=SessionState.COMPLETED),
        return_exceptions=True,
    )
    status = (await hosted.bundle()).status
    assert status in {BundleStatus.ANSWERED, BundleStatus.EXPIRED}
    assert len(hosted.resumer.requests) == (1 if status is BundleStatus.ANSWERED else 0)


async def test_a_cancelled_caller_cancels_nothing(hosted: HostedDesk, lifecycle: Lifecycle) -> None:
    """K8.5 32; K8.6 48: a fresh bounded deadline of its own."""
    held = Fault("before")
    hosted.faults.plan(held)
    detaching = asyncio.create_task(lifecycle.detach_session(S))
    await held.reached.wait()
    detaching.cancel()
    await asyncio.gather(detaching, return_exceptions=True)
    held.go_on.set()
    while not (await hosted.bundle()).detached:
        await asyncio.sleep(0)


@pytest.mark.parametrize("seconds", [1.0, 60.0])
async def test_a_shorter_deadline_of_the_caller_is_kept(
    hosted: HostedDesk, lifecycle: Lifecycle, clock: FakeClock, seconds: float
) -> None:
    """K8.6 48: expiry keeps a shorter caller deadline, and never takes more than 10 s."""
    held = Fault("before")
    hosted.faults.plan(held)
    expiring = asyncio.create_task(lifecycle.expire_session(S, deadline=Deadline(clock, seconds)))
    await held.reached.wait()
    await clock.advance(min(seconds, 10.0))
    held.go_on.set()
    with pytest.raises(TemporarilyUnavailable):
        await expiring
    assert (await hosted.bundle()).answerable


async def test_a_store_that_fails_is_told_to_the_caller(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 49."""
    for change in (lifecycle.detach_session, lifecycle.expire_session):
        hosted.faults.plan(Fault("before", unavailable()))
        with pytest.raises(TemporarilyUnavailable):
            await change(S)
    assert changes(hosted) == []


async def test_cancelling_withdraws_and_never_overwrites_an_answer(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 82: improvement 9; K8.6 7, 14: once true, then refused."""
    results = await asyncio.gather(
        hosted.respond(), lifecycle.cancel(P, Withdrawn.BY_AGENT), return_exceptions=True
    )
    assert sum(isinstance(result, Conflict) for result in results) == 1
    bundle = await hosted.bundle()
    answered = not isinstance(results[0], Conflict)
    assert bundle.status is (BundleStatus.ANSWERED if answered else BundleStatus.CANCELLED)
    with pytest.raises(Conflict) as caught:
        await lifecycle.cancel(P, Withdrawn.BY_AGENT)
    assert caught.value.code is ErrorCode.NOT_ACTIVE
    with pytest.raises(NotFound):
        await lifecycle.cancel(PendingId("nothing"), Withdrawn.BY_AGENT)


async def test_a_cancelled_question_is_told_to_its_call(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 6, 12."""
    call = await hosted.waiting_call()
    await lifecycle.cancel(P, Withdrawn.BY_HUMAN)
    result = await call
    assert (result.status, result.reason) == (AskStatus.WITHDRAWN, Withdrawn.BY_HUMAN.value)
    assert hosted.states()[1] == "IN_PROGRESS"


async def test_a_newer_turn_supersedes_without_touching_the_rows(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K1.7; LC.1, LC.2; K8.5 2: the call is told at once, the window once, the Inbox drops it."""
    call = await hosted.waiting_call()
    before = metadata_of(hosted.place, P)
    hosted.events.clear()
    turn_id = await lifecycle.open_turn(S, TASK)
    result = await call
    assert (result.status, result.reason) == (AskStatus.WITHDRAWN, "superseded")
    assert changes(hosted)[:1] == [P]
    assert metadata_of(hosted.place, P) == before
    assert await hosted.desk.desk.list_open_bundles() == ()
    bundle = await hosted.bundle()
    assert (bundle.superseded, bundle.withdrawn) == (True, Withdrawn.SUPERSEDED)
    assert turn_id in hosted.turns()


async def test_an_attempted_prompt_supersedes_the_other_questions_of_its_session(
    hosted: HostedDesk,
) -> None:
    """K1.8; K8.5 4: an attempted, hidden successor already takes them away."""
    hosted.rows.question(Q)
    hosted.resumer.hang()
    response = hosted.start_response(YES)
    await hosted.resumer.reached.wait()
    assert (await hosted.bundle(Q)).superseded
    with pytest.raises(Conflict):
        await hosted.respond(pending_id=Q)
    hosted.resumer.answers.set()
    await response
    assert changes(hosted).count(Q) >= 1
