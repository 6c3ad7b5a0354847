"""A conversation of 200 turns is the same after a restart, and its next turn works."""

from pathlib import Path
from typing import Any, Final

import pytest

from backend.domain.conversation import Message
from backend.domain.hosted import AgentStatus
from backend.ids import MessageId, SessionId
from tests.helpers.hosting_desk import HostingDesk, hosting_desk, is_free, prompts_in
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

TURNS: Final = 200
SESSION: Final = SessionId("long")


def prompt(number: int) -> str:
    return (
        f"think of {number}\ntool t{number} make {number}\ndone t{number} ok\nsay answer {number}"
    )


def replay() -> list[dict[str, Any]]:
    """What an agent tells again of all that while it loads the session."""
    told: list[dict[str, Any]] = []
    for number in range(TURNS):
        for kind, text in (("user", prompt(number)), ("agent", f"answer {number}")):
            content = {"type": "text", "text": text}
            told.append({"sessionUpdate": f"{kind}_message_chunk", "content": content})
        call = {"toolCallId": f"t{number}", "title": f"make {number}", "kind": "execute"}
        told.append({"sessionUpdate": "tool_call", "status": "completed", **call})
    return told


async def every_row(desk: HostingDesk) -> list[Message]:
    """All pages, from the first row to the last."""
    rows: list[Message] = []
    before: MessageId | None = None
    while True:
        page = await desk.desk.list_messages(SESSION, before=before)
        rows = [*page.messages, *rows]
        if not page.has_older:
            return rows
        before = rows[0].message_id


def facts(rows: list[Message]) -> list[tuple[object, ...]]:
    return [
        (row.message_id, row.kind, row.author, row.content, row.turn_id, row.created_at)
        for row in rows
    ]


async def talk(desk: HostingDesk, log: Path, turns: int = TURNS) -> None:
    await desk.start(session=SESSION, command=scripted_command(log=str(log)))
    await desk.ready(SESSION)
    for number in range(turns):
        await desk.send(SESSION, prompt(number))
        await desk.until(SESSION, is_free)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("load", ["", "late"], ids=["replay", "late replay"])
async def test_two_hundred_turns_are_the_same_after_a_restart(tmp_path: Path, load: str) -> None:
    log = tmp_path / "frames"
    async with hosting_desk(tmp_path) as desk:
        await talk(desk, log)
        before = facts(await every_row(desk))
    assert len(before) == 4 * TURNS
    loading = scripted_command(log=str(log), replay=replay(), load=load)
    async with hosting_desk(tmp_path) as desk:
        assert facts(await every_row(desk)) == before
        desk.command(SESSION, loading)
        await desk.api.resume(SESSION)
        await desk.until(SESSION, lambda seen: seen.status is AgentStatus.READY)
        assert facts(await every_row(desk)) == before
        await desk.send(SESSION, prompt(TURNS))
        await until(lambda: len(prompts_in(log)) == TURNS + 1, seconds=20)
        await desk.ready(SESSION)
        rows = await every_row(desk)
        assert facts(rows)[: len(before)] == before
        assert [row.content for row in rows[len(before) :]][-1] == f"answer {TURNS}"
        assert len(rows) == len(before) + 4
    assert log.read_text().count('"session/load"') == 1
    numbers = [row.content for row in rows if row.content.startswith("answer ")]
    assert numbers == [f"answer {number}" for number in range(TURNS + 1)]
