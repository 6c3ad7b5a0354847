"""kill -9 of a desk whose real agent talks: nothing of it outlives the next start by 5 s."""

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from backend.domain.hosted import AgentStatus
from backend.ids import SessionId
from tests.helpers.peer_agents import PEER_AGENTS, PeerAgent, processes_of
from tests.helpers.peer_desk import peer_desk, prepare_user
from tests.helpers.program import ROOT
from tests.helpers.waiting import until

pytestmark = [pytest.mark.peers, pytest.mark.timeout(180)]


@pytest.mark.parametrize("agent", PEER_AGENTS, ids=lambda agent: agent.key)
async def test_its_processes_are_ended_and_its_turn_is_not_sent_again(
    tmp_path: Path,
    agent: PeerAgent,
    agent_home: Path,
    project: Path,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Gemini starts itself again and Codex and Claude start what works: a group is stopped."""
    prepare_user(monkeypatch, (agent,), agent_home, project, model)
    home = tmp_path / "desk"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.peers.desk_that_is_killed",
        str(home),
        str(project),
        agent.key,
        cwd=ROOT,
        env=dict(os.environ),
        stdout=PIPE,
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    session = SessionId(line.decode().split()[1])
    assert processes_of(agent_home)
    process.kill()
    await process.wait()
    started = time.monotonic()
    async with peer_desk(project, home) as desk:
        left = 5 - (time.monotonic() - started)
        await until(lambda: not processes_of(agent_home), seconds=left)
        rests = await desk.hosting.conversation(session)
        assert rests.turn_id is None
        assert rests.status is AgentStatus.ABSENT
        rows = await desk.rows(session)
    assert [row.author for row in rows if row.content == "<<drip 200>>"] == ["user"]
    assert "drip0" in "".join(row.content for row in rows if row.author == "agent")
    assert not processes_of(agent_home)
