"""Real agents that the desk runs itself: prompt, stream, permission, question, stop."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.domain.clarification import BundleStatus
from backend.domain.review import ReviewStatus
from tests.helpers.peer_agents import PEER_AGENTS, PeerAgent, call, processes_of
from tests.helpers.peer_desk import PeerDesk, peer_desk, prepare_user, question
from tests.helpers.waiting import eventually

pytestmark = [pytest.mark.peers, pytest.mark.timeout(180)]


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


async def test_a_prompt_is_answered_word_by_word(peers: PeerDesk, agent: PeerAgent) -> None:
    session = await peers.start(agent, "<<drip 4>>")
    said = await peers.answered(session, "drip3")
    assert "drip0 drip1 drip2 drip3" in said
    seen = [text for text in peers.seen(session) if "drip0" in text]
    assert any("drip3" not in text for text in seen)
    rows = await peers.rows(session)
    assert next(row.author for row in rows if row.kind == "message") == "user"
    assert not [row.kind for row in rows if row.kind == "error"]


async def test_an_allowed_command_runs(peers: PeerDesk, agent: PeerAgent) -> None:
    session = await peers.start(agent, agent.run("echo made > made.txt"))
    review = await peers.review(session)
    assert "echo made > made.txt" in (review.call.title or "")
    assert not (peers.folder / "made.txt").exists()
    await peers.decide(review, "allow_once")
    assert "TOOL_RESULT" in await peers.answered(session)
    assert (peers.folder / "made.txt").read_text() == "made\n"
    decided = await peers.desk.reviews.get_review(review.review_id)
    assert decided.status is ReviewStatus.EXECUTED


async def test_a_refused_command_does_not_run(peers: PeerDesk, agent: PeerAgent) -> None:
    session = await peers.start(agent, agent.run("echo made > made.txt"))
    review = await peers.review(session)
    await peers.decide(review, "reject_once")
    await peers.answered(session)
    assert not (peers.folder / "made.txt").exists()
    decided = await peers.desk.reviews.get_review(review.review_id)
    assert decided.status is ReviewStatus.DECLINED
    await peers.send(session, "<<say still here>>")
    await peers.says(session, "still here")


async def test_a_question_is_answered_at_once(peers: PeerDesk, agent: PeerAgent) -> None:
    session = await peers.start(agent, question())
    bundle = await peers.question(session)
    assert bundle.hosted
    # Nobody was asked whether it may ask.
    assert not await peers.desk.reviews.list_open_reviews()
    outcome = await peers.answer(bundle, 1, "très sombre 🌃")
    assert outcome.claimed
    said = await peers.answered(session)
    assert "TOOL_RESULT" in said
    assert "Bleu nuit" in said


async def test_a_stopped_question_is_withdrawn(peers: PeerDesk, agent: PeerAgent) -> None:
    session = await peers.start(agent, question())
    bundle = await peers.question(session)
    await peers.desk.conversations.cancel_turn(session)
    await peers.answered(session)

    async def is_closed() -> bool:
        return (await peers.desk.get_bundle(bundle.pending_id)).status is not BundleStatus.PENDING

    await eventually(is_closed)
    assert not await peers.desk.list_open_bundles()
    await peers.send(session, "<<say still here>>")
    await peers.says(session, "still here")


async def test_stopping_ends_what_it_says(peers: PeerDesk, agent: PeerAgent) -> None:
    session = await peers.start(agent, "<<drip 60>>")
    await peers.says(session, "drip1")
    await peers.desk.conversations.cancel_turn(session)
    said = await peers.answered(session)
    assert "drip59" not in said
    await peers.send(session, "<<say still here>>")
    await peers.says(session, "still here")


async def test_claudes_own_question_is_a_card(
    tmp_path: Path,
    agent_home: Path,
    project: Path,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claude = next(one for one in PEER_AGENTS if one.key == "claude-code")
    prepare_user(monkeypatch, (claude,), agent_home, project, model)
    asked = {
        "question": "Which colour?",
        "header": "Colour",
        "multiSelect": False,
        "options": [{"label": "red", "description": "r"}, {"label": "blue", "description": "b"}],
    }
    async with peer_desk(project, tmp_path / "desk") as desk:
        session = await desk.start(claude, call("AskUserQuestion", questions=[asked]))
        bundle = await desk.question(session)
        (shown,) = bundle.questions
        assert shown.question.prompt == "Which colour?"
        assert [option.label for option in shown.question.options] == ["red", "blue"]
        await desk.answer(bundle, 1)
        assert '"Which colour?"="blue"' in await desk.answered(session)
