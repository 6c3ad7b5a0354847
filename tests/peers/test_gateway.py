"""Real MCP servers behind the gateway, called by a real MCP client."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import CallToolResult, ImageContent, TextContent

from backend.domain.gateway import Server
from backend.domain.policy import PolicyDecision, Risk
from backend.domain.review import ReviewStatus
from backend.errors import Conflict
from tests.helpers.gateway_peers import GatewayDesk, gateway_desk, server_program
from tests.helpers.mcp_clients import Era, ignore_progress
from tests.helpers.ports import free_port, until_listening

pytestmark = pytest.mark.peers


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[GatewayDesk]:
    async with gateway_desk(tmp_path / "home") as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = tmp_path / "files"
    files.mkdir()
    return files


@pytest.fixture
async def files(desk: GatewayDesk, folder: Path) -> Server:
    return await desk.add("files", server_program("mcp-server-filesystem"), str(folder))


@pytest.fixture
async def everything(desk: GatewayDesk) -> Server:
    return await desk.add("every", server_program("mcp-server-everything"))


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def writing(folder: Path, name: str = "a.txt", content: str = "once\n") -> dict[str, str]:
    return {"path": str(folder / name), "content": content}


async def call(client: Client, tool: str, arguments: dict[str, str]) -> CallToolResult:
    return await client.call_tool(tool, arguments, progress_callback=ignore_progress)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_its_tools_are_listed_and_an_allowed_one_runs_at_once(
    desk: GatewayDesk, everything: Server, mode: Era
) -> None:
    await desk.allow(everything, "echo")
    async with desk.client(mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "ask_user_question" in listed
        assert listed["every__echo"].annotations is not None
        assert listed["every__echo"].annotations.read_only_hint
        result = await call(client, "every__echo", {"message": "hi"})
    assert not result.is_error
    assert text_of(result).startswith("Echo: hi")
    assert result.meta is not None
    assert result.meta["dev.kandesk/source"]["untrusted"] is True


async def test_images_and_structured_results_come_through_unchanged(
    desk: GatewayDesk, everything: Server
) -> None:
    await desk.allow(everything, "get-tiny-image")
    await desk.allow(everything, "get-structured-content")
    async with desk.client() as client:
        image = await call(client, "every__get-tiny-image", {})
        structured = await call(client, "every__get-structured-content", {"location": "New York"})
    assert any(isinstance(part, ImageContent) for part in image.content)
    assert structured.structured_content is not None
    assert structured.structured_content["conditions"] == "Cloudy"


async def test_a_denied_tool_is_not_listed_and_does_not_run(
    desk: GatewayDesk, files: Server, folder: Path
) -> None:
    await desk.set_policy(files, "write_file", PolicyDecision.DENY)
    async with desk.client() as client:
        assert "files__write_file" not in {tool.name for tool in (await client.list_tools()).tools}
        result = await call(client, "files__write_file", writing(folder))
    assert result.is_error
    assert "does not let agents" in text_of(result)
    assert not (folder / "a.txt").exists()


async def test_an_approved_call_writes_the_file_once(
    desk: GatewayDesk, files: Server, folder: Path
) -> None:
    """T6.1 1."""
    async with desk.client() as client:
        calling = asyncio.ensure_future(call(client, "files__write_file", writing(folder)))
        review = await desk.asked()
        assert review.server_name == "files"
        assert review.risk is Risk.DESTRUCTIVE
        assert not (folder / "a.txt").exists()
        await desk.decide(review, "approve")
        result = await asyncio.wait_for(calling, 30)
        assert not result.is_error, text_of(result)
        assert (folder / "a.txt").read_text() == "once\n"
        ended = await desk.until(review.review_id, ReviewStatus.EXECUTED)
        assert "wrote" in ended.result
        # Equal arguments replay the state: nothing is written again.
        (folder / "a.txt").unlink()
        again = await call(client, "files__write_file", writing(folder))
        assert "was not run again" in text_of(again)
        assert not (folder / "a.txt").exists()


async def test_a_declined_call_writes_nothing_and_says_so_again(
    desk: GatewayDesk, files: Server, folder: Path
) -> None:
    """T6.2 49."""
    async with desk.client() as client:
        calling = asyncio.ensure_future(call(client, "files__write_file", writing(folder)))
        review = await desk.asked()
        await desk.decide(review, "decline")
        assert "declined" in text_of(await asyncio.wait_for(calling, 30))
        assert "declined" in text_of(await call(client, "files__write_file", writing(folder)))
    assert not (folder / "a.txt").exists()
    assert not await desk.desk.reviews.list_open_reviews()


async def test_a_request_nobody_decides_in_its_hour_expires_and_writes_nothing(
    desk: GatewayDesk, files: Server, folder: Path
) -> None:
    """T6.2 50: an equal call then opens a new request."""
    async with desk.client() as client:
        calling = asyncio.ensure_future(call(client, "files__write_file", writing(folder)))
        review = await desk.asked()
        assert review.expires_at is not None
        assert 3_500e9 < review.expires_at - review.asked_at < 3_700e9
        desk.let_expire(review)
        with contextlib.suppress(Conflict):
            await desk.decide(review, "approve")
        await desk.until(review.review_id, ReviewStatus.EXPIRED)
        assert "in time" in text_of(await asyncio.wait_for(calling, 30))
        again = asyncio.ensure_future(call(client, "files__write_file", writing(folder)))
        fresh = await desk.asked()
        assert fresh.review_id != review.review_id
        await desk.decide(fresh, "decline")
        await again
    assert not (folder / "a.txt").exists()


@pytest.mark.parametrize("moment", ["decision", "claim", "result"])
async def test_a_desk_killed_between_approval_and_result_never_writes_twice(
    tmp_path: Path, folder: Path, moment: str
) -> None:
    """T1.2, owner=gateway: what was never begun runs once, what was has an unknown outcome."""
    home, file = tmp_path / "home", folder / "a.txt"
    killed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.peers.gateway_that_is_killed", home, folder, moment),
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaints = await asyncio.wait_for(killed.communicate(), 60)
    assert killed.returncode == -signal.SIGKILL, complaints.decode()
    assert file.exists() is (moment == "result")
    file.unlink(missing_ok=True)
    async with gateway_desk(home) as desk:
        review = await desk.only_review()
        begun = moment != "decision"
        ended = ReviewStatus.OUTCOME_UNKNOWN if begun else ReviewStatus.EXECUTED
        await desk.until(review.review_id, ended)
        assert file.exists() is not begun


async def test_a_server_over_http_is_called_with_its_secret_header(
    desk: GatewayDesk, tmp_path: Path
) -> None:
    """`server-everything` as a server of its own."""
    port = free_port()
    serving = await asyncio.create_subprocess_exec(
        server_program("mcp-server-everything"),
        "streamableHttp",
        env={**os.environ, "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await until_listening(port)
        server = await desk.add_over_http("web", f"http://127.0.0.1:{port}/mcp")
        await desk.allow(server, "echo")
        async with desk.client("auto") as client:
            result = await call(client, "web__echo", {"message": "over HTTP"})
        assert text_of(result).startswith("Echo: over HTTP")
    finally:
        serving.kill()
        await serving.wait()
