"""Real agents, started, asked, answered and stopped in the real window."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.helpers.live_window import live_window
from tests.helpers.peer_agents import PEER_AGENTS, PeerAgent
from tests.helpers.peer_desk import prepare_user, question
from tests.helpers.peer_window import PeerWindow
from tests.helpers.waiting import until

pytestmark = [pytest.mark.peers, pytest.mark.timeout(240)]

PROMPT = "Which colour?"


@pytest.fixture(params=PEER_AGENTS, ids=lambda agent: agent.key)
def agent(
    request: pytest.FixtureRequest,
    agent_home: Path,
    project: Path,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> PeerAgent:
    found: PeerAgent = request.param
    prepare_user(monkeypatch, (found,), agent_home, project, model)
    return found


@asynccontextmanager
async def peer_window(home: Path) -> AsyncIterator[PeerWindow]:
    async with live_window(home) as window:
        yield PeerWindow(window)


async def test_it_works_answers_and_is_steered(
    tmp_path: Path, project: Path, agent: PeerAgent
) -> None:
    """Prompt, stream, allow, refuse, ask: one conversation, as a human has it."""
    async with peer_window(tmp_path / "desk") as window:
        await window.start(agent, project, "<<drip 4>>")
        await window.says("drip0")
        assert "drip3" not in window.said
        await window.says("drip3")
        await window.is_ready()
        await window.send(agent.run("echo made > made.txt"))
        await window.decides("approveButton")
        await window.says("TOOL_RESULT")
        await window.is_ready()
        assert (project / "made.txt").read_text() == "made\n"
        await window.send(agent.run("echo made > refused.txt"))
        await window.decides("declineButton")
        await window.is_ready()
        assert not (project / "refused.txt").exists()
        await window.send(question(PROMPT))
        await window.asked(PROMPT)
        assert window.window.find("reviewCard") is None
        await window.answers(2)
        await window.says("Bleu nuit")
        await window.is_ready()


async def test_it_is_stopped_while_it_asks_and_while_it_talks(
    tmp_path: Path, project: Path, agent: PeerAgent
) -> None:
    async with peer_window(tmp_path / "desk") as window:
        await window.start(agent, project, question(PROMPT))
        await window.asked(PROMPT)
        await window.window.click("stopButton")
        await until(lambda: window.window.find("clarificationOverlay") is None, seconds=30)
        await window.is_ready()
        await window.send("<<drip 60>>")
        await window.says("drip1")
        await window.window.click("stopButton")
        await window.is_ready()
        assert "drip59" not in window.said
        await window.send("<<say still here>>")
        await window.says("still here")


async def test_a_question_is_answered_after_seventy_seconds(
    tmp_path: Path, project: Path, agent: PeerAgent
) -> None:
    async with peer_window(tmp_path / "desk") as window:
        await window.start(agent, project, question(PROMPT))
        await window.asked(PROMPT)
        await asyncio.sleep(70)
        await window.answers(2)
        await window.says("Bleu nuit")
        await window.is_ready()


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_question_is_answered_after_five_and_a_half_minutes(
    tmp_path: Path, project: Path, agent: PeerAgent
) -> None:
    async with peer_window(tmp_path / "desk") as window:
        await window.start(agent, project, question(PROMPT))
        await window.asked(PROMPT)
        await asyncio.sleep(330)
        await window.answers(2)
        await window.says("Bleu nuit")
        await window.is_ready()


async def test_it_goes_on_after_a_restart_or_says_why_not(
    tmp_path: Path, project: Path, agent: PeerAgent
) -> None:
    """Gemini 0.61 loses a conversation that is continued in the minute in which it began."""
    if agent.key == "gemini":
        await until(lambda: datetime.now(UTC).second < 25, seconds=40)
    async with peer_window(tmp_path / "desk") as window:
        await window.start(agent, project, "<<say the first answer>>")
        await window.says("the first answer")
        await window.is_ready()
        session = window.session_id
    async with peer_window(tmp_path / "desk") as window:
        await window.open(session)
        await window.says("the first answer")
        await window.send("<<say the second answer>>")
        if agent.key == "gemini":
            assert await window.trouble()
            await window.window.click("startAnew")
        await window.says("the second answer")
        await window.is_ready()
        assert window.said.count("the first answer") == 1
        assert window.said.count("the second answer") == 1
