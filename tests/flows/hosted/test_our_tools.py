"""An agent reaches the desk's own tools by the way it can (agents.md, ACP and Security)."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.hosting_desk import hosting_desk
from tests.helpers.human import Human
from tests.helpers.scripted_agents import scripted_command

HTTP: Final = {"mcpCapabilities": {"http": True}}
STDIO_ONLY: Final = {"mcpCapabilities": {"http": False}}
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
