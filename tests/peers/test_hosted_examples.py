"""The example agents of ACP's own library, hosted as commands somebody typed."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.domain.agents import AgentCommand
from backend.domain.hosted import AgentProblem
from tests.helpers.peer_agents import AGENTS_ROOT
from tests.helpers.peer_desk import PeerDesk, peer_desk

pytestmark = pytest.mark.peers

EXAMPLES = AGENTS_ROOT / "acp-sdk" / "source" / "examples"


def example(name: str) -> AgentCommand:
    program = EXAMPLES / name
    if not program.exists():
        pytest.fail(f"{name} is not there; run packaging/dev/agents.sh")
    return AgentCommand((sys.executable, str(program)))


@pytest.fixture
async def desk(tmp_path: Path, project: Path) -> AsyncIterator[PeerDesk]:
    async with peer_desk(project, tmp_path / "desk") as desk:
        yield desk


@pytest.mark.parametrize("name", ["agent.py", "echo_agent.py"])
async def test_it_says_what_it_was_told(desk: PeerDesk, name: str) -> None:
    session = await desk.hosting.start("très sombre 🌃", command=example(name))
    assert "très sombre 🌃" in await desk.answered(session, "très sombre 🌃")
    await desk.send(session, "and once more")
    said = await desk.answered(session, "and once more")
    assert said.count("très sombre 🌃") == 1


async def test_two_of_them_that_number_their_sessions_alike_are_kept_apart(desk: PeerDesk) -> None:
    """Each calls its first session "0"."""
    first = await desk.hosting.start("for the first", command=example("agent.py"))
    second = await desk.hosting.start("for the second", command=example("agent.py"))
    assert "second" not in await desk.answered(first, "for the first")
    assert "first" not in await desk.answered(second, "for the second")


async def test_one_that_cannot_continue_says_so_and_begins_anew(desk: PeerDesk) -> None:
    session = await desk.hosting.start("before", command=example("agent.py"))
    await desk.answered(session, "before")
    await desk.desk.conversations.end_session(session)
    await desk.send(session, "behind")
    failed = await desk.until(session, lambda found: found.trouble is not None)
    assert failed.trouble is not None
    assert failed.trouble.problem is AgentProblem.LOAD_FAILED
    await desk.desk.conversations.resume(session, anew=True)
    said = await desk.answered(session, "behind")
    assert said.count("behind") == 1
    assert said.count("before") == 1
