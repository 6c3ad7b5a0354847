"""Questions of real agents wait longer than the agents do, and each gets its own answer."""

import asyncio
from pathlib import Path

import pytest

from backend.ids import SessionId
from tests.helpers.peer_agents import PEER_AGENTS
from tests.helpers.peer_desk import PeerDesk, peer_desk, prepare_user, question

pytestmark = pytest.mark.peers


@pytest.fixture
def everybody(agent_home: Path, project: Path, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare_user(monkeypatch, PEER_AGENTS, agent_home, project, model)


async def ask_and_answer(desk: PeerDesk, seconds: float) -> dict[str, SessionId]:
    """All agents ask at once; the last to ask is the first to be answered, after `seconds`."""
    sessions = {}
    for agent in PEER_AGENTS:
        sessions[agent.key] = await desk.start(agent, question(f"{agent.key} asks"))
    bundles = {key: await desk.question(session) for key, session in sessions.items()}
    await asyncio.sleep(seconds)
    still = {bundle.pending_id for bundle in await desk.desk.list_open_bundles()}
    assert {bundle.pending_id for bundle in bundles.values()} == still
    for key in reversed(bundles):
        bundle = bundles[key]
        assert bundle.questions[0].question.prompt == f"{key} asks"
        await desk.answer(bundle, 1, f"for {key}")
    for key, session in sessions.items():
        said = await desk.answered(session, "TOOL_RESULT")
        assert f"for {key}" in said
        assert [other for other in sessions if f"for {other}" in said] == [key]
    return sessions


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("everybody")
async def test_answers_come_after_seventy_seconds(tmp_path: Path, project: Path) -> None:
    async with peer_desk(project, tmp_path / "desk") as desk:
        await ask_and_answer(desk, 70)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("everybody")
async def test_answers_come_after_five_and_a_half_minutes(tmp_path: Path, project: Path) -> None:
    """agents.md, Patience: Codex gives up at 300 s whatever it is sent; a ticket outlives that."""
    async with peer_desk(project, tmp_path / "desk") as desk:
        sessions = await ask_and_answer(desk, 330)
        with_ticket = {
            key
            for key, session in sessions.items()
            for row in await desk.rows(session)
            if "get_answer" in row.content
        }
    # Claude is given one at 330 s, should it still wait then.
    assert {"codex"} <= with_ticket <= {"codex", "claude-code"}
