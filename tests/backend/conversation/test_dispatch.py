"""Giving prompts to agents at most once, whatever the store and the agents do (K5.5, K5.7)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.clock import SystemClock
from backend.domain.agents import TextChunk
from backend.domain.conversation import SessionState
from backend.domain.hosted import (
    AdmissionOutcome,
    AgentProblem,
    AgentStatus,
    MessageDraft,
)
from backend.errors import AgentFailed, Conflict, ErrorCode
from backend.events import TurnCompleted
from backend.ids import MessageId
from tests.helpers.clock import FakeClock, settle
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.waiting import eventually, until


@pytest.fixture
async def hosted(place: Place, tmp_path: Path) -> AsyncIterator[Hosted]:
    async with hosting(place, SystemClock(), tmp_path) as running:
        yield running


@pytest.fixture
async def timed(place: Place, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Hosted]:
    """Its time passes only as the test says, also that in which rows are gathered."""
    async with hosting(place, clock, tmp_path) as running:
        yield running


async def done_by(clock: FakeClock, timed: Hosted) -> None:
    """The agent ends its prompt, and what comes of it takes a moment."""
    timed.agent.prompts[-1].done()

    async def ready() -> bool:
        await clock.advance(0.1)
        return (await timed.seen()).status is AgentStatus.READY

    await eventually(ready)


async def test_a_prompt_runs_and_its_end_completes_its_turn_once(hosted: Hosted) -> None:
    await hosted.start("go")
    await hosted.works()
    assert await hosted.state() is SessionState.RUNNING
    hosted.agent.listener.updated(TextChunk("hello"))
    await hosted.done()
    assert await hosted.state() is SessionState.IDLE
    ended = [event for event in hosted.desk.events if isinstance(event, TurnCompleted)]
    assert len(ended) == 1


async def test_a_marker_that_was_not_stored_sends_nothing_until_it_is(
    hosted: Hosted,
) -> None:
    """K5.6 row 13: the attempt marker cannot be persisted."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    # The first write admits, the second is the marker.
    hosted.faults.plan(None, Fault("before", unavailable()))
    await hosted.send("go")
    await settle()
    assert hosted.launcher.given == []
    await hosted.works()
    assert hosted.launcher.given == ["go"]


async def test_a_marker_whose_commit_was_lost_is_taken_back_and_sent_once(
    hosted: Hosted,
) -> None:
    """K8.6 85."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.faults.plan(None, Fault("after commit", unavailable()))
    await hosted.send("go")
    await hosted.works()
    assert hosted.launcher.given == ["go"]


async def test_a_prompt_that_was_taken_is_never_sent_again_however_its_row_is_settled(
    hosted: Hosted,
) -> None:
    """K8.6 85; K5.6 row 14: dispatch accepted, clear fails."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.faults.plan(None, None, Fault("before", unavailable()))
    await hosted.send("go")
    await hosted.works()
    await hosted.done()
    await hosted.send("next")
    await hosted.works(2)
    assert hosted.launcher.given == ["go", "next"]


async def test_a_prompt_the_pipe_refused_waits_visibly_for_the_next_start(
    hosted: Hosted,
) -> None:
    """K5.6 row 11: certainly not taken."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.agent.broken = True
    await hosted.send("go")
    await hosted.status(AgentStatus.FAILED)
    seen = await hosted.seen()
    assert seen.trouble is not None
    assert hosted.launcher.given == []
    hosted.agent.die()
    await hosted.desk.desk.conversations.resume(S)
    await hosted.works()
    assert hosted.launcher.given == ["go"]


async def test_resume_replaces_an_agent_that_takes_no_prompt_any_more(hosted: Hosted) -> None:
    """A process whose pipe is closed may live on; it must not hold its session for ever."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.agent.broken = True
    await hosted.send("go")
    await hosted.status(AgentStatus.FAILED)
    await hosted.desk.desk.conversations.resume(S)
    await hosted.works()
    assert hosted.launcher.agents[0].stopped
    assert hosted.launcher.given == ["go"]


async def test_a_message_whose_agent_does_not_start_is_taken_back_with_its_words(
    hosted: Hosted,
) -> None:
    """Nobody waits for a command that is gone: the words are typed ones again, kept over a restart,
    and the row says that nothing was sent.
    """
    hosted.launcher.error = AgentFailed(ErrorCode.AGENT_FAILED, "no such command")
    await hosted.start("go")
    await hosted.status(AgentStatus.FAILED)
    conversations = hosted.desk.desk.conversations
    await conversations.save_message_draft(MessageDraft(S, "typed meanwhile"))
    unsent = (await hosted.seen()).unsent
    assert unsent == "first"

    assert await conversations.withdraw_message(S, unsent) == "go"
    assert await conversations.load_message_draft(S) == MessageDraft(S, "go\n\ntyped meanwhile")
    assert (await hosted.seen()).unsent is None
    (row,) = (await hosted.desk.desk.list_messages(S)).messages
    assert row.metadata["kandesk"] == {"dispatch": "failed"}
    with pytest.raises(Conflict) as twice:
        await conversations.withdraw_message(S, unsent)
    assert twice.value.code is ErrorCode.NOT_ACTIVE
    assert await conversations.load_message_draft(S) == MessageDraft(S, "go\n\ntyped meanwhile")

    hosted.launcher.error = None
    await conversations.resume(S)
    await hosted.status(AgentStatus.READY)
    assert hosted.launcher.given == []
    assert await hosted.send("something else") is AdmissionOutcome.SENT
    await hosted.works()
    assert hosted.launcher.given == ["something else"]


async def test_what_waits_behind_a_message_that_is_taken_back_goes_on(hosted: Hosted) -> None:
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.agent.broken = True
    await hosted.send("stuck")
    await hosted.status(AgentStatus.FAILED)
    assert await hosted.send("behind it") is AdmissionOutcome.QUEUED

    async def waits() -> bool:
        return (await hosted.seen()).unsent is not None

    await eventually(waits)
    await hosted.desk.desk.conversations.withdraw_message(S, MessageId("id of stuck"))
    await hosted.desk.desk.conversations.resume(S)
    await hosted.works()
    assert hosted.launcher.given == ["behind it"]


async def test_a_message_the_agent_is_given_cannot_be_taken_back(hosted: Hosted) -> None:
    """K8.6 85: at most once holds against taking back too: it is sent, or it is typed again."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.agent.pipe.clear()
    await hosted.send("go")
    (row,) = (await hosted.desk.desk.list_messages(S)).messages
    await hosted.handing_over()
    assert (await hosted.seen()).unsent is None
    with pytest.raises(Conflict):
        await hosted.desk.desk.conversations.withdraw_message(S, row.message_id)
    hosted.agent.pipe.set()
    await hosted.works()
    assert await hosted.desk.desk.conversations.load_message_draft(S) is None
    assert hosted.launcher.given == ["go"]


async def test_a_stop_during_the_hand_over_reaches_the_agent_behind_the_prompt(
    hosted: Hosted,
) -> None:
    """K8.6 82."""
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    hosted.agent.pipe.clear()
    await hosted.send("go")

    await hosted.handing_over()
    await hosted.desk.desk.conversations.cancel_turn(S)
    assert hosted.agent.cancels == 0
    hosted.agent.pipe.set()
    await until(lambda: hosted.agent.cancels == 1)
    await hosted.status(AgentStatus.STOPPING)
    hosted.agent.prompts[0].done("cancelled")
    await hosted.status(AgentStatus.READY)


async def test_one_prompt_at_a_time(hosted: Hosted) -> None:
    await hosted.start("one")
    await hosted.works()
    assert await hosted.send("two") is AdmissionOutcome.QUEUED
    assert await hosted.send("three") is AdmissionOutcome.QUEUED
    await settle()
    assert hosted.launcher.given == ["one"]
    hosted.agent.prompts[0].done()
    await hosted.works(2)
    assert hosted.launcher.given == ["one", "two"]


async def test_after_a_stop_the_queue_goes_on_if_it_runs_by_itself(hosted: Hosted) -> None:
    """K8.6 80, 82: a stop ends what the agent does now; what waits was not asked to stop."""
    await hosted.start("one")
    await hosted.works()
    await hosted.send("two")
    await hosted.send("three")
    await hosted.desk.desk.conversations.cancel_turn(S)
    await hosted.status(AgentStatus.STOPPING)
    hosted.agent.prompts[-1].done("cancelled")
    await hosted.works(2)
    assert hosted.launcher.given == ["one", "two"]
    await hosted.desk.desk.conversations.set_auto_run(S, auto_run=False)
    await hosted.desk.desk.conversations.cancel_turn(S)
    hosted.agent.prompts[-1].done("cancelled")
    await hosted.status(AgentStatus.READY)
    await settle()
    assert hosted.launcher.given == ["one", "two"]
    assert [entry.text for entry in (await hosted.seen()).queue] == ["three"]


async def test_a_queue_does_not_start_an_agent_that_has_died(hosted: Hosted) -> None:
    """Only the human decides after a crash."""
    await hosted.start("one")
    await hosted.works()
    await hosted.send("two")
    hosted.agent.die()
    await hosted.status(AgentStatus.FAILED)
    await settle()
    assert len(hosted.launcher.agents) == 1
    assert [entry.text for entry in (await hosted.seen()).queue] == ["two"]
    await hosted.desk.desk.conversations.resume(S)
    await hosted.works(2)
    assert hosted.launcher.given == ["one", "two"]


async def test_silence_is_doubted_after_three_minutes_and_by_nothing_else(
    timed: Hosted, clock: FakeClock
) -> None:
    """K8.6 81."""
    hosted = timed
    await hosted.start("one")
    await hosted.works()
    await clock.advance(170)
    hosted.agent.listener.updated(TextChunk("still here"))
    await clock.advance(170)
    assert (await hosted.seen()).trouble is None
    await clock.advance(20)
    await settle()
    trouble = (await hosted.seen()).trouble
    assert trouble is not None
    assert trouble.problem is AgentProblem.SILENT
    hosted.agent.listener.updated(TextChunk("back"))
    assert (await hosted.seen()).trouble is None
    assert not hosted.agent.stopped
    await done_by(clock, timed)


async def test_a_desk_with_idle_sessions_has_no_timer(timed: Hosted, clock: FakeClock) -> None:
    """24 h idle session: no timers, no SQL."""
    await timed.start("one")
    await timed.works()
    await done_by(clock, timed)
    await settle()
    await clock.advance(60)
    assert clock.pending_timers == 0


async def test_a_start_that_fails_leaves_the_prompt_and_says_why(hosted: Hosted) -> None:
    hosted.launcher.error = AgentFailed(
        ErrorCode.AGENT_FAILED, "log in first", problem=AgentProblem.AUTH_REQUIRED.value
    )
    await hosted.start("go")
    await hosted.status(AgentStatus.FAILED)
    trouble = (await hosted.seen()).trouble
    assert trouble is not None
    assert (trouble.problem, trouble.detail) == (AgentProblem.AUTH_REQUIRED, "log in first")
    hosted.launcher.error = None
    await hosted.desk.desk.conversations.resume(S)
    await hosted.works()


async def test_after_a_restart_what_was_never_attempted_is_sent_and_nothing_else_starts(
    place: Place, tmp_path: Path
) -> None:
    """K8.6 86; K5.6 row 18, for a human's message; agents start lazily."""
    async with hosting(place, SystemClock(), tmp_path) as first:
        first.launcher.error = AgentFailed(ErrorCode.AGENT_FAILED, "not yet")
        await first.start("go")
        await first.status(AgentStatus.FAILED)
    async with hosting(place, SystemClock(), tmp_path) as second:
        await second.works()
        assert second.launcher.given == ["go"]
        await second.done()
    async with hosting(place, SystemClock(), tmp_path) as third:
        await settle()
        assert third.launcher.agents == []
        assert (await third.seen()).status is AgentStatus.ABSENT


async def test_processes_of_the_last_run_are_ended_before_anything_is_resumed(
    place: Place, tmp_path: Path
) -> None:
    async with hosting(place, SystemClock(), tmp_path) as first:
        await first.start("go")
        await first.works()
        mark = first.agent.mark
        # The desk is killed: nobody hears of the agent's end.
        first.agent.listener.ended = lambda _end: None  # type: ignore[assignment,method-assign]
        assert first.desk.services.hosting is not None
        first.desk.services.hosting._life.stop_all = _nothing  # type: ignore[method-assign]
        first.desk.services.hosting._turns.all_ended = _nothing  # type: ignore[assignment]
    async with hosting(place, SystemClock(), tmp_path) as second:
        assert second.survivors.asked == [mark]
        page = await second.desk.desk.list_messages(S)
        notices = [
            own.get("notice")
            for row in page.messages
            if isinstance(own := row.metadata.get("kandesk"), dict)
        ]
        assert notices == ["desk_ended", "agent_left_over"]
        assert await second.state() is SessionState.IDLE


async def _nothing(*_arguments: object) -> None:
    """As if the desk had been killed."""
