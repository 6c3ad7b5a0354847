"""What a human said of a command holds in the next session as its label says (T8.4)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.domain.policy import RuleScope
from backend.domain.review import ReviewStatus
from backend.ids import SessionId
from tests.helpers.peer_agents import PEER_AGENTS, PeerAgent, processes_of
from tests.helpers.peer_desk import PeerDesk, peer_desk, prepare_user
from tests.helpers.waiting import eventually

pytestmark = [pytest.mark.peers, pytest.mark.timeout(240)]

COMMAND = "echo made | tee -a made.txt"
OTHER = "echo other | tee -a other.txt"
EXACT = RuleScope.THIS_CALL


TELLS_NOTHING = "gemini"
"""It puts what it wants to run into words only: two of its calls cannot be compared."""


def remembered(agent: PeerAgent) -> bool:
    return agent.key != TELLS_NOTHING


@pytest.fixture(params=PEER_AGENTS, ids=lambda agent: agent.key)
def agent(request: pytest.FixtureRequest) -> PeerAgent:
    found: PeerAgent = request.param
    return found


@pytest.fixture
async def peers(
    tmp_path: Path,
    agent: PeerAgent,
    agent_home: Path,
    project: Path,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[PeerDesk]:
    prepare_user(monkeypatch, (agent,), agent_home, project, model)
    async with peer_desk(project, tmp_path / "desk") as desk:
        yield desk
    assert not processes_of(agent_home)


def lines(peers: PeerDesk, name: str = "made.txt") -> int:
    file = peers.folder / name
    return len(file.read_text().splitlines()) if file.exists() else 0


async def events_of(peers: PeerDesk, session: SessionId) -> list[tuple[str, str]]:
    page = await peers.desk.rules.ledger(session_id=session)
    return [(entry.event_type, entry.outcome) for entry in reversed(page.entries)]


async def test_an_allowed_command_is_asked_about_in_the_next_session_until_it_is_always_allowed(
    peers: PeerDesk, agent: PeerAgent
) -> None:
    first = await peers.start(agent, agent.run(COMMAND))
    await peers.decide(await peers.review(first), "allow_once")
    await peers.answered(first, "TOOL_RESULT")
    assert lines(peers) == 1

    second = await peers.start(agent, agent.run(COMMAND))
    asked = await peers.review(second)
    if not remembered(agent):
        assert (asked.scopes, asked.decline_scopes) == ((), ())
        await peers.decide(asked, "allow_once")
        await peers.answered(second)
        return
    assert EXACT in asked.scopes
    decided = await peers.decide(asked, "allow_once", remember=EXACT)
    await peers.answered(second, "TOOL_RESULT")
    assert lines(peers) == 2

    third = await peers.start(agent, agent.run(COMMAND))
    await peers.answered(third, "TOOL_RESULT")
    assert lines(peers) == 3
    (rule,) = await peers.desk.rules.list_rules()
    assert (rule.rule_id, rule.hits) == (decided.review.rule_id, 1)

    async def has_ended() -> bool:
        return ("call_completed", "success") in await events_of(peers, third)

    await eventually(has_ended)
    assert ("approval_requested", "pending") not in await events_of(peers, third)

    await peers.send(third, agent.run(OTHER))
    other = await peers.review(third)
    await peers.decide(other, "reject_once")
    await peers.answered(third)
    assert lines(peers, "other.txt") == 0


async def test_a_declined_command_is_asked_about_again_until_it_is_always_declined(
    peers: PeerDesk, agent: PeerAgent
) -> None:
    first = await peers.start(agent, agent.run(COMMAND))
    await peers.decide(await peers.review(first), "reject_once")
    await peers.answered(first)

    second = await peers.start(agent, agent.run(COMMAND))
    asked = await peers.review(second)
    if not remembered(agent):
        await peers.decide(asked, "reject_once")
        await peers.answered(second)
        assert lines(peers) == 0
        return
    assert EXACT in asked.decline_scopes
    await peers.decide(asked, "reject_once", remember=EXACT)
    await peers.answered(second)

    third = await peers.start(agent, agent.run(COMMAND))

    async def refused() -> bool:
        return ("trust_rule_used", "denied") in await events_of(peers, third)

    await eventually(refused, seconds=60)
    await peers.answered(third)
    assert lines(peers) == 0
    assert not await peers.desk.reviews.list_open_reviews()
    closed = await peers.desk.reviews.list_closed_reviews()
    assert {review.status for review in closed.reviews} == {ReviewStatus.DECLINED}
