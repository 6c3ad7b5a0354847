"""Agents that take what they are told and say nothing, or read nothing any more."""

import asyncio
import time

import pytest

from backend.domain.hosted import AgentProblem
from backend.errors import AgentFailed
from tests.helpers.clock import FakeClock
from tests.helpers.launched import PATIENCE, Agents, run_prompt
from tests.helpers.scripted_agents import RecordingListener, scripted_command
from tests.helpers.waiting import until

MODES = {
    "modes": {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    }
}


async def test_a_choice_that_is_not_answered_is_given_up_and_taken_over_when_it_is(
    agents: Agents,
) -> None:
    """Nobody waits for ever, and what the agent does after all is not hidden."""
    clock = FakeClock()
    agent = await agents.launch(scripted_command(session=MODES, ignore=["choices"]), clock=clock)
    choosing = asyncio.create_task(agent.set_mode("code"))
    await until(lambda: clock.pending_timers)
    await clock.advance(21)
    with pytest.raises(AgentFailed, match="no answer to session/set_mode within 20 s"):
        await asyncio.wait_for(choosing, PATIENCE)
    assert agent.setup.mode == "ask"
    await run_prompt(agent, "choose")
    assert agent.setup.mode == "code"


async def test_an_agent_that_closed_its_input_is_ended_and_said_to_have(
    agents: Agents, listener: RecordingListener
) -> None:
    """It runs and hears nobody: that it had exited would not be true."""
    agent = await agents.launch(scripted_command(ignore=["input"]))

    async def refused() -> AgentFailed:
        # The pipe may be closed a moment later than its session was opened.
        while True:
            try:
                await agent.prompt("say x")
            except AgentFailed as error:
                return error

    began = time.monotonic()
    error = await asyncio.wait_for(refused(), PATIENCE)
    assert time.monotonic() - began < 6
    assert error.params["problem"] == AgentProblem.EXITED
    assert error.detail == "it read no more of what it was sent, and was ended"
    assert listener.end is not None
    assert not listener.end.wanted
