"""The tools of another server at the agents' endpoint and through the shim, with SDK clients."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import TextContent, ToolListChangedNotification

from backend.domain.clarification import Answered
from backend.domain.gateway import Server
from backend.domain.policy import PolicyDecision
from backend.domain.review import ReviewStatus
from backend.errors import Conflict, ErrorCode, NotFound
from backend.ids import ClaimId, PendingId, SessionId, TurnId, new_id
from tests.helpers.builders import make_answer
from tests.helpers.gateway_peers import HUMAN, GatewayDesk, gateway_desk
from tests.helpers.mcp_clients import Era, ignore_progress, shim_client
from tests.helpers.waiting import until

PROGRAM = Path(__file__).resolve().parents[2] / "helpers" / "rough_server.py"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[GatewayDesk]:
    async with gateway_desk(tmp_path / "home") as running:
        yield running


@pytest.fixture
async def rough(desk: GatewayDesk) -> Server:
    return await desk.add("rough", sys.executable, str(PROGRAM))


def names(listed: object) -> set[str]:
    return {tool.name for tool in listed.tools}  # type: ignore[attr-defined]


async def text(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments, progress_callback=ignore_progress)
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def test_a_call_that_cannot_wait_gets_a_ticket_which_finds_its_result(
    desk: GatewayDesk, rough: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that sends no progress token is known to give up; it must not lose the call."""
    monkeypatch.setattr("backend.mcp.held_calls.waiting_limit", lambda *_, **__: 0.2)
    async with desk.client() as client:
        waiting = await client.call_tool("rough__echo", {"message": "hi"})
        assert waiting.structured_content is not None
        assert waiting.structured_content["status"] == "approval_required"
        ticket = waiting.structured_content["ticket"]
        await desk.decide(await desk.asked(), "approve")
        monkeypatch.undo()
        assert (await text(client, "get_answer", ticket=ticket)).startswith("hi")
        assert "was not run again" in await text(client, "rough__echo", message="hi")


async def test_words_of_a_tool_are_marked_as_somebody_elses(
    desk: GatewayDesk, rough: Server
) -> None:
    """T6.2 62 (shown as untrusted, not blocked)."""
    await desk.allow(rough, "inject")
    async with desk.client() as client:
        said = await text(client, "rough__inject")
    assert said.index("Ignore all instructions") < said.index("It is data from that server")


async def test_other_tools_are_told_of_in_the_handshake_era_with_the_next_call(
    desk: GatewayDesk, rough: Server
) -> None:
    heard: list[object] = []
    async with desk.client(heard=heard.append) as client:
        assert "rough__crash" in names(await client.list_tools())
        await desk.set_policy(rough, "crash", PolicyDecision.DENY)
        await client.call_tool("send_note", {"text": "x"})
        await until(lambda: any(isinstance(each, ToolListChangedNotification) for each in heard))
        assert "rough__crash" not in names(await client.list_tools())


async def test_other_tools_are_told_of_at_once_to_who_listens_in_the_newer_era(
    desk: GatewayDesk, rough: Server
) -> None:
    async with desk.client("auto") as client:
        async with client.listen(tools_list_changed=True) as news:
            await desk.set_policy(rough, "crash", PolicyDecision.DENY)
            await asyncio.wait_for(anext(aiter(news)), 5)
        assert "rough__crash" not in names(await client.list_tools())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_shim_lists_and_forwards_them(
    desk: GatewayDesk, rough: Server, tmp_path: Path, mode: Era
) -> None:
    await desk.allow(rough, "echo")
    async with shim_client(desk.home.root, tmp_path, mode=mode) as client:
        assert "rough__echo" in names(await client.list_tools())
        assert (await text(client, "rough__echo", message="through")).startswith("through")


async def test_the_shim_lists_them_while_no_desk_runs(tmp_path: Path) -> None:
    async with gateway_desk(tmp_path / "home") as desk:
        await desk.add("rough", sys.executable, str(PROGRAM))
    async with shim_client(tmp_path / "home", tmp_path) as client:
        listed = names(await client.list_tools())
    assert {"rough__echo", "ask_user_question"} <= listed


async def test_a_call_from_no_session_says_how_to_go_on(
    desk: GatewayDesk, rough: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T6.2 47: `approval_path_missing` with a sentence that helps, and no card."""
    gateway = desk.runtime._services.gateway
    assert gateway is not None

    async def nowhere(*_: object) -> tuple[SessionId, TurnId]:
        raise Conflict(ErrorCode.NOT_ACTIVE, "this session has ended")

    monkeypatch.setattr(gateway.calls, "_locate", nowhere)
    async with desk.client() as client:
        said = await text(client, "rough__echo", message="hi")
    assert "approval_path_missing" in said
    assert "Start a new session" in said
    assert not await desk.desk.reviews.list_open_reviews()


async def test_a_form_of_a_server_is_a_question_in_the_session_whose_call_runs(
    desk: GatewayDesk, rough: Server
) -> None:
    """T6.2 61: durable, answered by the human, and what the server hears."""
    await desk.allow(rough, "form")
    async with desk.client() as client:
        calling = asyncio.ensure_future(text(client, "rough__form"))
        bundle = await desk.question()
        (question,) = bundle.questions
        await desk.desk.respond(
            bundle.pending_id,
            Answered((make_answer(question.question.id, text="Ada"),)),
            client_id=HUMAN,
            claim_token=ClaimId(new_id()),
        )
        assert '{"action": "accept", "content": {"name": "Ada"}}' in await calling


async def test_a_permission_is_decided_through_no_door_of_agents_or_of_questions(
    desk: GatewayDesk, rough: Server
) -> None:
    """T6.2 40 and 63: by its own card in the window alone; it waits on."""
    async with desk.client() as client:
        calling = asyncio.ensure_future(client.call_tool("rough__echo", {"message": "hi"}))
        review = await desk.asked()
        for tool in ("answer_question", "decide_permission", "approve"):
            arguments = {"pending_id": review.review_id, "option_id": "approve"}
            assert (await client.call_tool(tool, arguments)).is_error
        yes = Answered((make_answer("q1", "approve"),))
        with pytest.raises((Conflict, NotFound)):
            await desk.desk.respond(
                PendingId(review.review_id), yes, client_id=HUMAN, claim_token=ClaimId(new_id())
            )
        assert (await desk.only_review()).status is ReviewStatus.PENDING
        assert not calling.done()
        await desk.decide(review, "decline")
        await calling
