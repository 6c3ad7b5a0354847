"""A conversation of 200 turns, closed with its desk and opened again in the window."""

import os
from pathlib import Path
from typing import Final

import pytest

from app.widgets.transcript_view import TranscriptView
from backend.domain.conversation import Message
from backend.domain.hosted import AgentStatus
from backend.ids import SessionId
from tests.helpers.hosted_live import HostedLive
from tests.helpers.hosting_desk import hosting_desk, is_free
from tests.helpers.live_window import live_window
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

TURNS: Final = 200
SESSION: Final = SessionId("long")


def facts(rows: list[Message]) -> list[tuple[object, ...]]:
    return [(row.message_id, row.author, row.content, row.turn_id) for row in rows]


async def _talked(tmp_path: Path) -> list[str]:
    """What stands in the store once the desk that made it has closed, by author and text."""
    expected: list[str] = []
    async with hosting_desk(tmp_path) as desk:
        await desk.start(session=SESSION)
        await desk.ready(SESSION)
        for number in range(TURNS):
            await desk.send(SESSION, f"say answer {number}")
            await desk.until(SESSION, is_free)
            expected += [f"user: say answer {number}", f"agent: answer {number}"]
    return expected


@pytest.mark.timeout(180)
async def test_every_row_is_there_in_order_and_the_next_turn_works(tmp_path: Path) -> None:
    """Pages up to the first row; the agent is resumed by the next message."""
    expected = await _talked(tmp_path)
    # What a command's environment was is not stored: this one is found by it again.
    variables = scripted_command().environment
    os.environ.update(variables)
    try:
        async with live_window(tmp_path / "home") as window:
            hosted = HostedLive(window, tmp_path)
            await hosted.open(SESSION)
            transcript = window.parts.desk.transcript
            assert hosted.said == expected[-len(hosted.said) :]
            view = await window.shows("transcriptView", TranscriptView)
            while transcript.has_older:
                # The human scrolls up.
                view.verticalScrollBar().setValue(view.verticalScrollBar().minimum())
                rows = len(transcript.rows)
                await until(lambda rows=rows: len(transcript.rows) > rows)  # type: ignore[misc]
            assert hosted.said == expected
            before = facts(hosted.rows)
            assert len({row[0] for row in before}) == 2 * TURNS
            await window.type("composerEdit", "say and on")
            await window.click("sendButton")
            await until(lambda: hosted.said[-1] == "agent: and on", seconds=30)
            await hosted.until(SESSION, lambda seen: seen.status is AgentStatus.READY)
            assert facts(hosted.rows)[: len(before)] == before
            assert hosted.said[len(expected) :] == ["user: say and on", "agent: and on"]
    finally:
        for name in variables:
            os.environ.pop(name, None)
