"""Stop, on a whole desk: the permission of a server's tool is over with the turn that asked."""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.domain.gateway import ServerSettings, Transport
from backend.domain.review import STOPPED_BY_HUMAN, Review, ReviewStatus
from backend.errors import Conflict
from backend.ids import ServerId
from tests.helpers.desk import HUMAN, new_token
from tests.helpers.hosting_desk import HostingDesk, hosting_desk
from tests.helpers.waiting import eventually

PROGRAM = Path(__file__).resolve().parents[2] / "helpers" / "rough_server.py"
CALL = "call rough__count " + json.dumps({"label": "a"})
PROMPT = "call request_permission " + json.dumps(
    {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "t1"}
)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[HostingDesk]:
    """With a server whose tool leaves a line in a file whenever it runs."""
    async with hosting_desk(tmp_path) as running:
        settings = ServerSettings(
            ServerId("id-rough"),
            "rough",
            Transport.STDIO,
            (sys.executable, str(PROGRAM)),
            environment={"EFFECTS": str(tmp_path / "effects")},
        )
        await running.desk.gateway.save_server(settings, {})
        yield running


async def asked(desk: HostingDesk) -> Review:
    found: list[Review] = []

    async def one() -> bool:
        found[:] = await desk.desk.reviews.list_open_reviews()
        return len(found) == 1

    await eventually(one, seconds=20)
    return found[0]


async def standing(desk: HostingDesk, review: Review) -> tuple[ReviewStatus, str]:
    found = await desk.desk.reviews.get_review(review.review_id)
    return found.status, found.reason


async def approve(desk: HostingDesk, review: Review) -> None:
    await desk.desk.reviews.decide(
        review.review_id, review.options[0].id, client_id=HUMAN, claim_token=new_token()
    )


@pytest.mark.parametrize("step", [CALL, PROMPT], ids=["tool of a server", "request_permission"])
async def test_a_turn_that_is_stopped_takes_its_permission_along(
    desk: HostingDesk, step: str
) -> None:
    """Nothing says "Approve & run" any more, and approving it late is refused and runs nothing."""
    session = await desk.start(step)
    review = await asked(desk)
    await desk.api.cancel_turn(session)
    await desk.ready(session)
    cancelled = (ReviewStatus.CANCELLED, STOPPED_BY_HUMAN)

    async def over() -> bool:
        return await standing(desk, review) == cancelled

    await eventually(over)
    with pytest.raises(Conflict):
        await approve(desk, review)
    assert not (desk.folder / "effects").exists()
    assert await desk.desk.reviews.list_open_reviews() == ()


async def test_a_turn_that_ends_leaves_its_ticket_and_ending_the_agent_does_not(
    desk: HostingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.mcp.held_calls.waiting_limit", lambda *_, **__: 0.2)
    session = await desk.start(CALL)
    review = await asked(desk)
    await desk.until(session, lambda conversation: conversation.turn_id is None)
    assert await standing(desk, review) == (ReviewStatus.PENDING, "")
    await desk.api.end_session(session)
    assert await standing(desk, review) == (ReviewStatus.CANCELLED, STOPPED_BY_HUMAN)
    with pytest.raises(Conflict):
        await approve(desk, review)
    assert not (desk.folder / "effects").exists()


async def test_an_agent_that_is_started_again_keeps_its_ticket(
    desk: HostingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.mcp.held_calls.waiting_limit", lambda *_, **__: 0.2)
    session = await desk.start(CALL)
    review = await asked(desk)
    await desk.until(session, lambda conversation: conversation.turn_id is None)
    await desk.api.resume(session, anew=True)
    assert await standing(desk, review) == (ReviewStatus.PENDING, "")
