"""Conversations with real agents go on after a restart of the desk, or say why they cannot."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backend.domain.hosted import AgentProblem, AgentStatus
from backend.ids import SessionId
from tests.helpers.peer_agents import PEER_AGENTS, PeerAgent
from tests.helpers.peer_desk import PeerDesk, peer_desk, prepare_user

pytestmark = [pytest.mark.peers, pytest.mark.timeout(240)]

BY_KEY = {agent.key: agent for agent in PEER_AGENTS}
Prepare = Callable[[PeerAgent], None]


@pytest.fixture
def prepare(
    agent_home: Path, project: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> Prepare:
    return lambda agent: prepare_user(monkeypatch, (agent,), agent_home, project, model)


async def in_the_minute(*, before: int) -> None:
    """Wait until the clock's second is below `before`."""
    while datetime.now(UTC).second >= before:
        await asyncio.sleep(0.5)


async def first_answer(desk: PeerDesk, agent: PeerAgent) -> SessionId:
    session = await desk.start(agent, "<<say the first answer>>")
    await desk.answered(session, "the first answer")
    return session


@pytest.mark.parametrize("key", ["opencode", "codex", "claude-code"])
async def test_it_goes_on_with_the_next_message(
    tmp_path: Path, project: Path, prepare: Prepare, key: str
) -> None:
    await goes_on(tmp_path, project, prepare, BY_KEY[key])


@pytest.mark.slow
async def test_gemini_goes_on_when_the_minute_it_began_in_is_over(
    tmp_path: Path, project: Path, prepare: Prepare
) -> None:
    await goes_on(tmp_path, project, prepare, BY_KEY["gemini"], pause=61)


async def goes_on(
    tmp_path: Path, project: Path, prepare: Prepare, agent: PeerAgent, *, pause: float = 0
) -> None:
    prepare(agent)
    async with peer_desk(project, tmp_path / "desk") as desk:
        session = await first_answer(desk, agent)
        before = [row.message_id for row in await desk.rows(session)]
    await asyncio.sleep(pause)
    async with peer_desk(project, tmp_path / "desk") as desk:
        resting = await desk.hosting.conversation(session)
        assert resting.status is AgentStatus.ABSENT
        await desk.send(session, "<<say the second answer>>")
        said = await desk.answered(session, "the second answer")
        rows = await desk.rows(session)
    assert said.count("the first answer") == 1
    assert said.count("the second answer") == 1
    assert [row.message_id for row in rows][: len(before)] == before


async def test_gemini_says_that_it_cannot_go_on_and_begins_anew_when_it_is_told_to(
    tmp_path: Path, project: Path, prepare: Prepare
) -> None:
    """Gemini 0.61 loses a conversation that is continued in the minute in which it began."""
    gemini = BY_KEY["gemini"]
    prepare(gemini)
    await in_the_minute(before=30)
    async with peer_desk(project, tmp_path / "desk") as desk:
        session = await first_answer(desk, gemini)
    async with peer_desk(project, tmp_path / "desk") as desk:
        await desk.send(session, "<<say the second answer>>")
        failed = await desk.until(session, lambda found: found.trouble is not None)
        assert failed.trouble is not None
        assert failed.trouble.problem is AgentProblem.LOAD_FAILED
        assert "No previous sessions found" in failed.trouble.detail
        await desk.desk.conversations.resume(session, anew=True)
        said = await desk.answered(session, "the second answer")
    assert said.count("the second answer") == 1
