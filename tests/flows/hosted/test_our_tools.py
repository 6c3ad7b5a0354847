"""An agent reaches the desk's own tools by the way it can (agents.md, ACP and Security)."""

import asyncio
import json
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any, Final

import pytest

from backend.endpoint import SESSION_TOKEN_VARIABLE
from tests.helpers.hosting_desk import hosting_desk
from tests.helpers.human import Human
from tests.helpers.program import KANDESK, ROOT, environment
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import eventually

HTTP: Final = {"mcpCapabilities": {"http": True}}
STDIO_ONLY: Final = {"mcpCapabilities": {"http": False}}
HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
QUESTION: Final = {
    "questions": [{"id": "q", "prompt": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}]
}


@pytest.mark.parametrize("capabilities", [HTTP, STDIO_ONLY], ids=["http", "shim"])
async def test_a_question_is_of_the_agents_own_session_whichever_way_it_comes(
    tmp_path: Path, capabilities: dict[str, Any]
) -> None:
    command = scripted_command(capabilities=capabilities)
    async with hosting_desk(tmp_path) as desk:
        token = (tmp_path / "home" / "token").read_text().strip()
        async with Human(desk.runtime.api_url, token) as human:
            session = await desk.start("ask " + json.dumps(QUESTION), command=command)
            [bundle] = await human.wait_for(1, seconds=30)
            assert bundle["session_id"] == session
            await human.answer(bundle, place=1)
            await desk.ready(session)
        answer = (await desk.said(session))[-1]
        assert '"status": "answered"' in answer
        assert '"label": "blue"' in answer
        assert len(await desk.desk.list_sessions()) == 1


async def test_a_shim_the_agent_was_connected_to_before_speaks_for_its_session(
    tmp_path: Path,
) -> None:
    """By the environment it inherits: the desk and the secret of the agent around it."""
    async with hosting_desk(tmp_path) as desk:
        session = await desk.start("environment KANDESK_HOME\nenvironment KANDESK_SESSION_TOKEN")

        async def told() -> bool:
            return "KANDESK_SESSION_TOKEN=" in (await desk.said(session))[-1]

        await eventually(told, seconds=20)
        home, token = (await desk.said(session))[-1].split("KANDESK_SESSION_TOKEN=")
        assert home == f"agent: KANDESK_HOME={tmp_path / 'home'}"
        shim = await asyncio.create_subprocess_exec(
            *KANDESK,
            "mcp",
            stdin=PIPE,
            stdout=PIPE,
            env={**environment(tmp_path / "home"), SESSION_TOKEN_VARIABLE: token},
            cwd=ROOT,
        )
        note = {"name": "send_note", "arguments": {"text": "from the shim"}}
        frames: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": HELLO},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": note},
        ]
        assert shim.stdin is not None
        assert shim.stdout is not None
        for frame in frames:
            shim.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
        await shim.stdout.readline()
        assert b"error" not in await asyncio.wait_for(shim.stdout.readline(), 20)
        shim.stdin.close()
        await shim.wait()
        assert any("from the shim" in words for words in await desk.said(session))
        assert len(await desk.desk.list_sessions()) == 1
