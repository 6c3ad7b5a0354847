"""What a session waits for, as it is told to clients, and in which order it was read (K4.4)."""

import asyncio

import pytest

from backend.domain.conversation import PendingAction, ProjectionRevision, SessionSummary
from backend.errors import AgentFailed, ErrorCode, StorageFailed
from backend.events import MessagesChanged, SessionChanged
from tests.backend.clarification.test_asking import respond
from tests.helpers.builders import make_draft
from tests.helpers.clock import FakeClock
from tests.helpers.desk import TestDesk, make_caller, open_desk
from tests.helpers.faults import Fault
from tests.helpers.hosted import HostedDesk, P, S, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import until


async def only_session(desk: TestDesk) -> SessionSummary:
    (found,) = await desk.desk.list_sessions()
    return found


async def test_a_session_says_that_it_waits_for_an_answer(desk: TestDesk) -> None:
    """K8.6 83; K4.4: pending_action; K8.5 45: the stored state, not the order of events."""
    asked = await desk.asking.open(make_caller(), make_draft())
    assert (await only_session(desk)).pending_action is PendingAction.CLARIFICATION
    await respond(desk, asked.pending_id)
    assert (await only_session(desk)).pending_action is None


async def test_every_reading_has_a_higher_number(desk: TestDesk) -> None:
    """K4.4; K2.6."""
    await desk.asking.open(make_caller(), make_draft())
    await until(lambda: any(isinstance(event, SessionChanged) for event in desk.events))
    told = [event.session.projected for event in desk.events if isinstance(event, SessionChanged)]
    read = [(await only_session(desk)).projected for _ in range(3)]
    assert sorted({*told, *read}) == [*told, *read]


async def test_the_rows_of_a_question_are_told_with_what_the_session_waits_for(
    desk: TestDesk,
) -> None:
    """K8.6 92: message events carry pending_action, under the number of the session's line."""
    asked = await desk.asking.open(make_caller(), make_draft())
    await respond(desk, asked.pending_id)
    await until(lambda: len([e for e in desk.events if isinstance(e, SessionChanged)]) >= 2)
    rows = [event for event in desk.events if isinstance(event, MessagesChanged)]
    lines = [event.session for event in desk.events if isinstance(event, SessionChanged)]
    assert [event.projected for event in rows] == [line.projected for line in lines]
    assert [event.pending_action for event in rows] == [line.pending_action for line in lines]
    assert rows[-1].pending_action is None


async def test_a_row_that_is_no_question_leaves_what_is_known_as_it_is(desk: TestDesk) -> None:
    """K4.4: omitted for content; the line of the session is read anew (K8.6 92)."""
    await desk.asking.note(make_caller(), "Working on it")
    (note,) = [event for event in desk.events if isinstance(event, MessagesChanged)]
    assert note.projected is None
    assert isinstance(desk.events[-1], SessionChanged)


async def test_the_epoch_grows_with_every_start(store_path: Place, clock: FakeClock) -> None:
    """K2.6; K8.6 72: an older desk's numbers are below every newer one's."""
    found: list[ProjectionRevision] = []
    for _ in range(3):
        async with open_desk(store_path, clock) as desk:
            await desk.asking.open(make_caller(), make_draft())
            found.append((await only_session(desk)).projected)
    assert [revision.epoch for revision in found] == [1, 2, 3]
    assert found == sorted(found)


async def test_a_reading_that_fails_is_an_error_and_not_a_clean_session(
    store_path: Place, clock: FakeClock
) -> None:
    """K8.6 83; K8.5 44."""
    async with hosted_desk(store_path, clock) as hosted:
        hosted.faults.reads = Fault("before", StorageFailed(ErrorCode.STORE_CORRUPT, "injected"))
        with pytest.raises(StorageFailed):
            await hosted.desk.desk.list_sessions()


async def test_a_newer_question_supersedes_a_clean_reading_that_began_before_it(
    store_path: Place, clock: FakeClock
) -> None:
    """K8.5 5: the number is taken before the snapshot, so the older reading has the lower one."""
    async with hosted_desk(store_path, clock) as hosted:
        await hosted.desk.services.lifecycle.expire_session(S)
        slow = Fault("before")
        hosted.faults.reads = slow
        reading = asyncio.create_task(hosted.desk.desk.list_sessions())
        await slow.reached.wait()
        hosted.faults.reads = None
        hosted.rows.question("p2")
        await hosted.desk.services.lifecycle.detach_session(S)
        told = last_line(hosted)
        slow.go_on.set()
        (read,) = await reading
        assert told.pending_action is PendingAction.CLARIFICATION
        assert told.projected > read.projected


def last_line(hosted: HostedDesk) -> SessionSummary:
    lines = [event.session for event in hosted.events if isinstance(event, SessionChanged)]
    return lines[-1]


async def test_what_a_restore_made_answerable_is_in_the_list_before_it_is_a_question_again(
    store_path: Place, clock: FakeClock
) -> None:
    """K8.6 91: restored rows bring the summary in line first."""
    async with hosted_desk(store_path, clock, has_resumer=False) as hosted:
        with pytest.raises(AgentFailed, match="failed to resume"):
            await hosted.respond()
        await until(lambda: any(type(e).__name__ == "BundleOpened" for e in hosted.events))
        kinds = [type(event).__name__ for event in hosted.events]
        assert kinds[-3:] == ["MessagesChanged", "SessionChanged", "BundleOpened"]
        assert last_line(hosted).pending_action is PendingAction.CLARIFICATION
        assert (await hosted.bundle(P)).answerable
