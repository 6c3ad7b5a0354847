"""An agent whose call was cut asks the same thing again (When the call is gone, rule 3)."""

import asyncio
from pathlib import Path

import pytest

from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question, shim_client
from tests.helpers.program import running_desk
from tests.helpers.waiting import eventually


@pytest.mark.parametrize("transport", ["shim", "http"])
async def test_in_the_same_session_it_gets_the_answer_that_was_given_meanwhile(
    tmp_path: Path, transport: str
) -> None:
    """When the call is gone, 3: no second card, no second answer."""
    home = tmp_path / "home"
    arguments = {"questions": [question("Deploy now?", "yes", "no")]}
    async with running_desk(home) as desk, Human(desk.api, desk.token) as human:
        connection = (
            shim_client(home, tmp_path)
            if transport == "shim"
            else http_client(desk.mcp, desk.agent_token)
        )
        async with connection as client:
            call = asyncio.create_task(ask(client, arguments))
            (bundle,) = await human.wait_for()
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

            async def detached() -> bool:
                found = await human.pending()
                return bool(found) and found[0]["detached"]

            await eventually(detached)
            reply = await human.answer(bundle, 1)
            assert reply["delivery"] == "waiting_for_agent"
            result = await asyncio.wait_for(ask(client, arguments), 20)
            assert await human.pending() == []
    (answer,) = result["answers"].values()
    assert [item["label"] for item in answer["selected"]] == ["no"]
