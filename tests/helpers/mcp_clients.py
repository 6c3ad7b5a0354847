"""Real MCP SDK clients, over HTTP and over the stdio shim."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from tests.helpers.program import environment

Era = Literal["legacy", "auto"]


@asynccontextmanager
async def http_client(
    mcp_url: str,
    token: str,
    *,
    name: str = "sdk-client",
    mode: Era = "legacy",
    heard: Callable[[object], None] | None = None,
) -> AsyncIterator[Client]:
    """`legacy` is the stateful era (initialize), `auto` finds 2026-07-28. `heard` takes what the
    server tells beside its answers.
    """

    async def handle(message: object) -> None:
        if heard is not None:
            heard(message)

    headers = {"Authorization": f"Bearer {token}"}
    timeout = httpx2.Timeout(30.0, read=None)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
        transport = streamable_http_client(mcp_url, http_client=http)
        info = Implementation(name=name, version="1.0")
        async with Client(transport, client_info=info, mode=mode, message_handler=handle) as client:
            yield client


@asynccontextmanager
async def shim_client(
    home: Path, cwd: Path, *, name: str = "sdk-client", mode: Era = "legacy"
) -> AsyncIterator[Client]:
    """A client whose server is `kandesk mcp`."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "app.launch", "mcp", "--no-start"],
        env=environment(home),
        cwd=cwd,
    )
    info = Implementation(name=name, version="1.0")
    async with Client(server, client_info=info, mode=mode) as client:
        yield client


async def ignore_progress(progress: float, total: float | None, message: str | None) -> None:
    """Passing it makes the client send a progress token."""


async def ask(client: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call `ask_user_question`; the structured result."""
    result = await client.call_tool(
        "ask_user_question", arguments, progress_callback=ignore_progress
    )
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return dict(result.structured_content)


def question(prompt: str, *labels: str, **more: Any) -> dict[str, Any]:
    """One question as an agent writes it."""
    return {"prompt": prompt, "options": [{"label": label} for label in labels], **more}
