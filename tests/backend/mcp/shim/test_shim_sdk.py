"""The reference SDK's client talks to the shim in every era it knows."""

import sys
from typing import Literal

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from backend.paths import Home
from tests.backend.mcp.shim.conftest import StartDesk
from tests.helpers.scripted_desk import DeskCall
from tests.helpers.shim_process import shim_command, shim_environment


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_the_sdk_client_lists_asks_and_hears_progress(
    home: Home, start_desk: StartDesk, mode: Literal["auto", "legacy"], version: str
) -> None:
    def script(call: DeskCall) -> None:
        call.progress("shown to the human", ticket="t")
        call.answer(status="answered", answers={"q1": {"selected": [], "custom_text": "ünï"}})

    start_desk(script)
    heard: list[tuple[float, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    command = shim_command(home, "--no-start")
    server = StdioServerParameters(command=sys.executable, args=command[1:], env=shim_environment())
    async with Client(stdio_client(server), mode=mode) as client:
        assert client.protocol_version == version
        listed = await client.list_tools()
        assert "ask_user_question" in [tool.name for tool in listed.tools]
        arguments = {"questions": [{"prompt": "ok?"}]}
        result = await client.call_tool(
            "ask_user_question", arguments, progress_callback=on_progress
        )
    assert not result.is_error
    assert result.structured_content is not None
    assert result.structured_content["answers"]["q1"]["custom_text"] == "ünï"
    assert heard == [(1, "shown to the human")]
