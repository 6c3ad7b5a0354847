"""What the human reads where an agent cannot go on, while another conversation streams in view."""

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from app.agent_text import problem_text
from backend.agents import launcher
from backend.conversation import watching
from backend.domain.agents import AgentCommand
from backend.domain.hosted import AgentProblem
from backend.ids import SessionId
from tests.helpers.hosted_live import HostedLive
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

TALK: Final = "stream 40 0.01 word,"
AT_START: Final = {
    AgentProblem.COMMAND_MISSING: (AgentCommand(("no-such-agent",)), "no-such-agent"),
    AgentProblem.START_FAILED: (scripted_command(start="exit"), "cannot start: no configuration"),
    AgentProblem.HANGS_AT_START: (scripted_command(start="hang"), "initialize"),
    AgentProblem.NOT_ACP: (
        AgentCommand((sys.executable, "-c", "print('Hello, human')")),
        "Hello, human",
    ),
    AgentProblem.AUTH_REQUIRED: (scripted_command(start="auth"), "Authentication required"),
}


async def reads(window: LiveWindow, problem: AgentProblem, agent: str, detail: str) -> None:
    """The words of this problem are on screen, with what the agent or the system said."""
    words: QLabel = await window.shows("troubleText", QLabel)
    await until(lambda: words.text().startswith(problem_text(problem, agent)), seconds=20)
    found = window.parts.window.findChildren(QPlainTextEdit, "troubleDetails")
    assert any(detail in edit.toPlainText() for edit in found)


async def talks(hosted: HostedLive, name: str) -> None:
    """Another agent has its turn."""
    session = await hosted.start(TALK, session=name)
    await hosted.ready(session)
    await hosted.open(session)
    assert hosted.said == [f"user: {TALK}", "agent: " + "word," * 40]
    assert hosted.window.find("troubleText") is None


@pytest.mark.timeout(180)
async def test_every_problem_of_an_agent_has_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "GREETING_SECONDS", 1.0)
    monkeypatch.setattr(watching, "CANCEL_PATIENCE", 0.2)
    async with live_window(tmp_path / "home") as window:
        hosted = HostedLive(window, tmp_path)
        for problem, (command, detail) in AT_START.items():
            session = await hosted.start("say x", session=problem.value, command=command)
            await hosted.open(session)
            agent = Path(command.argv[0]).name
            await reads(window, problem, agent, detail)
            await window.shows("resumeAgent", QWidget)
            assert hosted.said == ["user: say x"]
            await talks(hosted, f"beside {problem}")
        await _folder_gone(hosted, tmp_path / "project")
        await _not_loaded(hosted)
        await _ignores_cancel(hosted)


async def _folder_gone(hosted: HostedLive, folder: Path) -> None:
    await asyncio.to_thread(folder.mkdir)
    session = await hosted.start("say one", session="gone", folder=folder)
    await hosted.ready(session)
    await hosted.open(session)
    shutil.rmtree(folder)
    await hosted.call(lambda api: api.end_session(session))
    await hosted.send(session, "say two")
    await reads(hosted.window, AgentProblem.FOLDER_MISSING, _NAME, str(folder))
    await asyncio.to_thread(folder.mkdir)
    await hosted.window.click("resumeAgent")
    await until(lambda: hosted.said[-1] == "agent: two", seconds=20)


async def _not_loaded(hosted: HostedLive) -> None:
    session = await hosted.start("say one", session="lost", command=scripted_command(load="refuse"))
    await hosted.ready(session)
    await hosted.open(session)
    await hosted.call(lambda api: api.end_session(session))
    await hosted.send(session, "say two")
    await reads(hosted.window, AgentProblem.LOAD_FAILED, _NAME, "No previous sessions found")
    await hosted.window.click("startAnew")
    await until(lambda: hosted.said[-1] == "agent: two", seconds=20)


async def _ignores_cancel(hosted: HostedLive) -> None:
    session: SessionId = await hosted.start(
        "sleep 60", session="deaf", command=scripted_command(ignore=["cancel"])
    )
    await hosted.open(session)
    await hosted.window.click("stopButton")
    await reads(hosted.window, AgentProblem.IGNORES_CANCEL, _NAME, "")
    await hosted.window.click("endAgent")
    await until(lambda: hosted.window.find("troubleText") is None, seconds=20)


_NAME: Final = Path(sys.executable).name
