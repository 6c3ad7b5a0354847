"""The demo agent: a real MCP client in its own process that asks, waits, gives up and asks again.

It knows nothing of the desk but its address and a token, like any agent.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Implementation

from backend.agents.demo import TOKEN_VARIABLE, URL_VARIABLE
from backend.agents.demo_questions import IMPATIENT, SEVERAL, SINGLE

PATIENCE: Final = 12.0
"""Seconds the agent waits for its last question before it gives up."""

PAUSE: Final = 20.0
"""Seconds until it asks the question again."""


async def main() -> None:
    """Ask three bundles in a row and say in the transcript what came back."""
    headers = {"Authorization": f"Bearer {os.environ[TOKEN_VARIABLE]}"}
    timeout = httpx2.Timeout(30.0, read=None)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
        transport = streamable_http_client(os.environ[URL_VARIABLE], http_client=http)
        info = Implementation(name="demo-agent", version="1.0")
        async with Client(transport, client_info=info, mode="legacy") as client:
            await _say(client, "Hello! I am the **demo agent**. I have three things to ask you.")
            await _ask_and_report(client, SINGLE)
            await _ask_and_report(client, SEVERAL)
            await _give_up_and_ask_again(client)
            await _say(client, "That was all. Thank you!")


async def _ask_and_report(client: Client, bundle: Mapping[str, Any]) -> None:
    result = await client.call_tool("ask_user_question", dict(bundle), progress_callback=_ignore)
    await _say(client, _report(result))


async def _give_up_and_ask_again(client: Client) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await _ask_and_report(client, IMPATIENT)
            return
    except TimeoutError:
        await _say(
            client,
            "I could not wait any longer, so my call is gone. Your answer will be kept; "
            "I will ask again in a moment.",
        )
    await asyncio.sleep(PAUSE)
    await _ask_and_report(client, IMPATIENT)


def _report(result: CallToolResult) -> str:
    received = json.dumps(result.structured_content, ensure_ascii=False, indent=2)
    return f"I received:\n\n```json\n{received}\n```"


async def _say(client: Client, text: str) -> None:
    await client.call_tool("send_note", {"text": text})


async def _ignore(progress: float, total: float | None, message: str | None) -> None:
    """Asking for progress is what keeps the call alive."""


def run() -> None:
    """Run to the end; a desk that goes away ends the demo quietly."""
    try:
        asyncio.run(main())
    except* (MCPError, httpx2.HTTPError, OSError, KeyboardInterrupt) as gone:
        sys.stderr.write(f"demo agent: {gone.exceptions[0]}\n")


if __name__ == "__main__":
    run()
