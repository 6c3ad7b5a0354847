"""A prompt on its way into an agent's pipe, and a human who wants it no more (K8.6 82)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.clock import SystemClock
from backend.domain.hosted import AgentProblem, AgentStatus
from backend.events import TurnCompleted
from backend.store.metadata import OWN_KEY, as_dict
from tests.helpers.clock import FakeClock, settle
from tests.helpers.faults import Fault
from tests.helpers.kept import Kept
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.scripted_launcher import ScriptedPrompt
from tests.helpers.waiting import eventually, until


@pytest.fixture
async def hosted(place: Place, tmp_path: Path) -> AsyncIterator[Hosted]:
    async with hosting(place, SystemClock(), tmp_path) as running:
        await running.start()
        await running.status(AgentStatus.READY)
        yield running


async def stuck(hosted: Hosted) -> None:
    """The agent reads nothing."""
    hosted.agent.pipe.clear()
    await hosted.send("go")
    await hosted.handing_over()
    await hosted.status(AgentStatus.WORKING)


def pipe_breaks(hosted: Hosted) -> None:
    hosted.agent.broken = True
    hosted.agent.pipe.set()


async def dispatches(hosted: Hosted) -> list[object]:
    rows = (await hosted.desk.desk.list_messages(S)).messages
    return [as_dict(row.metadata.get(OWN_KEY)).get("dispatch") for row in rows]


async def test_what_was_stopped_before_the_agent_had_it_is_given_to_no_later_one(
    hosted: Hosted,
) -> None:
    await stuck(hosted)
    await hosted.desk.desk.conversations.cancel_turn(S)
    await hosted.status(AgentStatus.STOPPING)
    pipe_breaks(hosted)
    await hosted.status(AgentStatus.FAILED)
    assert await dispatches(hosted) == ["failed"]
    assert await hosted.state() == "IDLE"
    await hosted.desk.desk.conversations.resume(S)
    await hosted.status(AgentStatus.READY)
    await hosted.send("something else")
    await hosted.works()
    assert hosted.launcher.given == ["something else"]


async def test_what_is_stopped_while_it_is_marked_is_not_sent(hosted: Hosted) -> None:
    slow = Fault("at commit")
    hosted.faults.plan(None, slow)
    await hosted.send("go")
    await slow.reached.wait()
    stopping = asyncio.create_task(hosted.desk.desk.conversations.cancel_turn(S))
    await hosted.status(AgentStatus.STOPPING)
    slow.go_on.set()
    await stopping
    await hosted.status(AgentStatus.READY)
    assert hosted.launcher.given == []
    assert await dispatches(hosted) == ["failed"]
    await hosted.send("next")
    await hosted.works()
    assert hosted.launcher.given == ["next"]


async def test_an_agent_ended_during_the_hand_over_has_not_failed_and_no_other_is_started(
    hosted: Hosted,
) -> None:
    """The message waits, visibly, for what its human does next."""
    await stuck(hosted)
    await hosted.send("behind it")
    await hosted.desk.desk.conversations.end_session(S)
    hosted.agent.pipe.set()

    async def waits() -> bool:
        return (await hosted.seen()).unsent is not None

    await eventually(waits)
    seen = await hosted.seen()
    assert (seen.status, seen.trouble) == (AgentStatus.ABSENT, None)
    await settle()
    assert len(hosted.launcher.agents) == 1
    await hosted.desk.desk.conversations.resume(S)
    await hosted.works()
    assert hosted.launcher.given == ["go"]
    assert [entry.text for entry in (await hosted.seen()).queue] == ["behind it"]


async def test_an_agent_that_does_not_read_its_prompt_is_silent(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    """Its human is told, and can stop it, before it has taken anything."""
    async with hosting(place, clock, tmp_path) as timed:
        await timed.start()
        await timed.status(AgentStatus.READY)
        await stuck(timed)
        await clock.advance(181)
        await settle()
        trouble = (await timed.seen()).trouble
        assert trouble is not None
        assert trouble.problem is AgentProblem.SILENT
        await timed.desk.desk.conversations.end_session(S)
        timed.agent.pipe.set()

        async def over() -> bool:
            seen = await timed.seen()
            return (seen.status, seen.trouble) == (AgentStatus.ABSENT, None)

        await eventually(over)


async def test_a_stop_reaches_an_agent_that_is_given_an_answer(hosted: Hosted) -> None:
    """An answer nobody waits for is a prompt like any other."""
    kept = Kept(hosted)
    await hosted.send("first")
    await hosted.works()
    asked = await kept.ask()
    await kept.respond(asked)
    hosted.agent.pipe.clear()
    hosted.agent.prompts[-1].done()

    async def handed_over() -> bool:
        seen = await hosted.seen()
        return seen.status is AgentStatus.WORKING and seen.turn_id is None

    await eventually(handed_over)
    await hosted.desk.desk.conversations.cancel_turn(S)
    hosted.agent.pipe.set()
    await until(lambda: hosted.agent.cancels == 1)
    hosted.agent.prompts[-1].done("cancelled")
    await hosted.status(AgentStatus.READY)


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_stop_that_finds_the_agent_gone_leaves_no_session_stopping(
    hosted: Hosted, *, wanted: bool
) -> None:
    """Its turn is still being written down: what is asked to stop is not there any more."""
    await hosted.send("go")
    await hosted.works()
    slow = Fault("before")
    hosted.faults.plan(slow)
    hosted.agent.die(wanted=wanted)
    await slow.reached.wait()
    stopping = asyncio.create_task(hosted.desk.desk.conversations.cancel_turn(S))
    await settle()
    slow.go_on.set()
    await stopping
    await until(lambda: any(isinstance(event, TurnCompleted) for event in hosted.desk.events))
    assert (await hosted.seen()).status is (AgentStatus.ABSENT if wanted else AgentStatus.FAILED)


async def test_an_agent_that_dies_with_its_prompt_taken_does_not_seem_to_work(
    hosted: Hosted,
) -> None:
    agent = hosted.agent
    give = agent.prompt

    async def takes_and_dies(text: str) -> ScriptedPrompt:
        prompt = await give(text)
        agent.die()
        return prompt

    agent.prompt = takes_and_dies  # type: ignore[method-assign]
    await hosted.send("go")
    await until(lambda: any(isinstance(event, TurnCompleted) for event in hosted.desk.events))
    assert (await hosted.seen()).status is AgentStatus.FAILED
