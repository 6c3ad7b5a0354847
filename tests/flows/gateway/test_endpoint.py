"""The tools of another server at the agents' endpoint and through the shim, with SDK clients."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import TextContent, ToolListChangedNotification

from backend.domain.gateway import Server
from backend.domain.policy import PolicyDecision
from tests.helpers.gateway_peers import GatewayDesk, gateway_desk
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
