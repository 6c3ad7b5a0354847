"""Real agents ask on the running desk and report the answer they got."""

import asyncio
import json
import os
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any

import pytest
from acp import spawn_agent_process, text_block
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    ClientCapabilities,
    HttpHeader,
    HttpMcpServer,
    Implementation,
    RequestPermissionResponse,
    TextContentBlock,
)

from tests.helpers.human import Human
from tests.helpers.program import ROOT, running_desk

pytestmark = [pytest.mark.peers, pytest.mark.timeout(180)]

ASK = {
    "questions": [
        {
            "prompt": "Which colour should the button have?",
            "title": "Colour",
            "options": [
                {"label": "Rouge vif", "description": "stands out"},
                {"label": "Bleu nuit", "description": "calm"},
            ],
        }
    ]
}
PROMPT = f"<<call ask_user_question {json.dumps(ASK)}>>"


def agent_environment(user: Path, **more: str) -> dict[str, str]:
    return {
        "HOME": str(user),
        "PATH": os.environ["PATH"],
        "TERM": "dumb",
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        **more,
    }


async def test_opencode_asks_through_the_shim_that_connect_configured(
    tmp_path: Path, opencode: Path, model: str, agent_home: Path
) -> None:
    home, project = tmp_path / "desk", tmp_path / "project"
    project.mkdir()
    settings = agent_home / ".config" / "opencode" / "opencode.json"
    settings.parent.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": model, "apiKey": "x"},
        "models": {
            "scripted": {
                "name": "scripted",
                "tool_call": True,
                "limit": {"context": 100_000, "output": 4096},
            }
        },
    }
    settings.write_text(
        json.dumps(
            {
                "autoupdate": False,
                "share": "disabled",
                "model": "scripted/scripted",
                "small_model": "scripted/scripted",
                "enabled_providers": ["scripted"],
                "provider": {"scripted": provider},
            }
        )
    )
    env = agent_environment(
        agent_home,
        OPENCODE_DISABLE_MODELS_FETCH="1",
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_DISABLE_LSP_DOWNLOAD="1",
    )
    connect = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.launch", "connect", "opencode", "--home", str(home), env=env
    )
    assert await connect.wait() == 0
    async with running_desk(home) as desk, Human(desk.api, desk.token) as human:
        process = await asyncio.create_subprocess_exec(
            str(opencode),
            "run",
            "-m",
            "scripted/scripted",
            PROMPT,
            env=env,
            cwd=project,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
        (bundle,) = await human.wait_for(seconds=90)
        await human.answer(bundle, 1, "très sombre 🌃")
        out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    assert "TOOL_RESULT" in out.decode()
    assert "Bleu nuit" in out.decode()
    assert "très sombre 🌃" in out.decode()


class AcpHuman:
    """The client end of ACP: allows everything and collects what the agent says."""

    def __init__(self) -> None:
        self.text = ""

    def on_connect(self, connection: object) -> None:
        pass

    async def request_permission(
        self, session_id: str, tool_call: object, options: list[Any], **more: object
    ) -> RequestPermissionResponse:
        allow = next(option for option in options if option.kind.startswith("allow"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=allow.option_id)
        )

    async def session_update(self, session_id: str, update: object, **more: object) -> None:
        if isinstance(update, AgentMessageChunk) and isinstance(update.content, TextContentBlock):
            self.text += update.content.text

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {}

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        pass


async def test_codex_asks_over_http_in_an_acp_session(
    tmp_path: Path, codex_acp: Path, model: str, agent_home: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    config = agent_home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(
        f"""
model = "scripted"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
approvals_reviewer = "user"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{model}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""
    )
    env = agent_environment(
        agent_home,
        SCRIPTED_KEY="x",
        CODEX_HOME=str(config.parent),
        NO_BROWSER="1",
        MODEL_PROVIDER="scripted",
    )
    node = shutil.which("node")
    assert node is not None
    client = AcpHuman()
    async with (
        running_desk(tmp_path / "desk") as desk,
        Human(desk.api, desk.token) as human,
        spawn_agent_process(
            client,  # type: ignore[arg-type]
            node,
            str(codex_acp),
            env=env,
            cwd=str(project),
            transport_kwargs={"limit": 16 << 20, "stderr": asyncio.subprocess.DEVNULL},
        ) as (agent, _),
    ):
        await agent.initialize(
            protocol_version=1,
            client_capabilities=ClientCapabilities(),
            client_info=Implementation(name="peer-test", version="1"),
        )
        header = HttpHeader(name="Authorization", value=f"Bearer {desk.agent_token}")
        server = HttpMcpServer(type="http", name="kandesk", url=desk.mcp, headers=[header])
        session = await agent.new_session(cwd=str(project), mcp_servers=[server])
        await agent.set_session_mode(session_id=session.session_id, mode_id="read-only")
        turn = asyncio.ensure_future(
            agent.prompt(session_id=session.session_id, prompt=[text_block(PROMPT)])
        )
        (bundle,) = await human.wait_for(seconds=90)
        await human.answer(bundle, 1)
        await asyncio.wait_for(turn, 60)
    assert "TOOL_RESULT" in client.text
    assert "Bleu nuit" in client.text
