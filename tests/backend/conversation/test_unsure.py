"""What a human sees of a prompt nobody knows the end of, and of a command that is not whole."""

from pathlib import Path

import pytest

from backend.clock import SystemClock
from backend.domain.agents import AgentCommand
from backend.domain.hosted import (
    CUSTOM_AGENT,
    AgentProblem,
    AgentStatus,
    AgentTrouble,
    SessionStart,
)
from backend.errors import AgentFailed, ErrorCode
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import S, hosting
from tests.helpers.scripted_launcher import ScriptedLauncher
from tests.helpers.waiting import eventually, until

DOUBT = AgentTrouble(AgentProblem.OUTCOME_UNKNOWN)


async def _lost(place: Place, folder: Path) -> None:
    """A desk that ends while a prompt is on its way into the agent's pipe."""
    async with hosting(place, SystemClock(), folder) as hosted:
        await hosted.start()
        await hosted.status(AgentStatus.READY)
        hosted.agent.pipe.clear()
        await hosted.send("lost")
        await hosted.handing_over()
        hosted.faults.refuse_writes = True


@pytest.mark.parametrize("act", ["resume", "message"])
async def test_a_prompt_of_unknown_end_is_told_at_every_start_until_its_human_acts(
    place: Place, tmp_path: Path, act: str
) -> None:
    """K5.7: never sent again by itself, and never forgotten by a second restart."""
    await _lost(place, tmp_path)
    for _ in range(2):
        async with hosting(place, SystemClock(), tmp_path) as hosted:
            assert (await hosted.seen()).trouble == DOUBT
            assert hosted.launcher.given == []
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        if act == "resume":
            await hosted.desk.desk.conversations.resume(S)
            await hosted.status(AgentStatus.READY)
        else:
            await hosted.send("next")
            await hosted.works()
            await hosted.done()
        assert (await hosted.seen()).trouble is None
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        assert (await hosted.seen()).trouble is None


async def test_a_command_whose_values_are_not_kept_says_so_when_it_does_not_start(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may be secrets: names only are stored; how to go on is told with the trouble."""
    monkeypatch.delenv("KEY_OF_MINE", raising=False)
    command = AgentCommand(("mine",), {"KEY_OF_MINE": "secret"})
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.desk.desk.conversations.start_session(
            SessionStart(S, CUSTOM_AGENT, str(tmp_path), command=command)
        )
        await hosted.status(AgentStatus.READY)
    launcher = ScriptedLauncher()
    launcher.error = AgentFailed(ErrorCode.AGENT_FAILED, "no key")
    for _ in range(2):
        async with hosting(place, SystemClock(), tmp_path, launcher) as hosted:
            await hosted.desk.desk.conversations.resume(S)

            async def told() -> bool:
                trouble = (await hosted.seen()).trouble
                return trouble is not None and "KEY_OF_MINE" in trouble.detail

            await eventually(told)
            trouble = (await hosted.seen()).trouble
            assert trouble is not None
            assert "no key" in trouble.detail
            assert "secret" not in trouble.detail
    monkeypatch.setenv("KEY_OF_MINE", "given")
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.desk.desk.conversations.resume(S)
        await until(lambda: hosted.launcher.agents)
