"""From the click on Start to the first words of the demo agent on screen; the goal is 1.5 s.

The baseline is the same program started and prompted by hand, without desk and window.
"""

import asyncio
import json
import statistics
import time
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Final

import pytest
from PySide6.QtGui import QPaintEvent

from app.models.transcript_model import TranscriptModel
from app.widgets.transcript_view import TranscriptView
from backend.agents.discovery import DEMO_AGENT, demo_offer
from tests.bench.machine import print_table, spread
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.waiting import until

ROUNDS: Final = 5
PROMPT: Final = "Hello"


class FirstWords:
    """When the view showed words of the agent first."""

    def __init__(self) -> None:
        self.at = 0.0
        self.known: set[str] = set()
        """Conversations that had words before."""

    def painted(self, view: TranscriptView) -> None:
        model = view.model()
        if self.at or not isinstance(model, TranscriptModel):
            return
        for number in range(model.rowCount()):
            row = model.message(number)
            if row.author == "agent" and row.content and row.session_id not in self.known:
                self.at = time.monotonic()
                self.known.add(row.session_id)


async def _in_the_window(window: LiveWindow, folder: Path, words: FirstWords) -> float:
    """Seconds from the click to the words."""
    window.parts.view.show_new_session()
    await window.click(f"agentChoice_{DEMO_AGENT}")
    page = window.parts.desk.new_session
    page.set_folder(str(folder))
    await window.type("firstPrompt", PROMPT)
    await until(lambda: page.can_start)
    words.at = 0.0
    clicked = time.monotonic()
    await window.click("startSession")
    await until(lambda: words.at, seconds=30)
    return words.at - clicked


async def _by_hand(folder: Path) -> float:
    command = demo_offer().command
    assert command is not None
    began = time.monotonic()
    agent = await asyncio.create_subprocess_exec(*command.argv, stdin=PIPE, stdout=PIPE, cwd=folder)
    assert agent.stdin is not None
    assert agent.stdout is not None
    number = 0

    async def ask(method: str, params: dict[str, object]) -> dict[str, object]:
        nonlocal number
        number += 1
        assert agent.stdin is not None
        assert agent.stdout is not None
        frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        agent.stdin.write(json.dumps(frame).encode() + b"\n")
        while True:
            reply: dict[str, object] = json.loads(await agent.stdout.readline())
            if reply.get("id") == number or b"agent_message_chunk" in json.dumps(reply).encode():
                return reply

    await ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    opened = await ask("session/new", {"cwd": str(folder), "mcpServers": []})
    result = opened["result"]
    assert isinstance(result, dict)
    blocks = [{"type": "text", "text": PROMPT}]
    await ask("session/prompt", {"sessionId": result["sessionId"], "prompt": blocks})
    took = time.monotonic() - began
    agent.kill()
    await agent.wait()
    return took


@pytest.mark.bench
@pytest.mark.timeout(240)
async def test_the_demo_agent_answers_soon_after_the_click(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, paint = FirstWords(), TranscriptView.paintEvent

    def painting(view: TranscriptView, event: QPaintEvent) -> None:
        paint(view, event)
        words.painted(view)

    monkeypatch.setattr(TranscriptView, "paintEvent", painting)
    bare, shown = [], []
    async with live_window(tmp_path / "home") as window:
        for _ in range(ROUNDS):
            bare.append(await _by_hand(tmp_path))
            shown.append(await _in_the_window(window, tmp_path, words))
    ratio = statistics.median(shown) / statistics.median(bare)
    rows = [
        ("the agent's program alone", spread(bare)),
        ("click on Start -> first words painted", f"{spread(shown)}   x{ratio:.1f}"),
    ]
    with capsys.disabled():
        print_table("first prompt of the demo agent", rows)
