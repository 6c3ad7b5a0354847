"""From the tool call to the painted card, and from the click to the client's return.

Goals on a machine with two cores: the card within 50 ms (median); the return within three times the
round trip of a tool that does nothing on a bare SDK server, measured in the same run.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject

from tests.bench.machine import print_table, spread
from tests.helpers.client_process import ClientProcess, client_process
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.mcp_clients import question
from tests.helpers.ports import free_port
from tests.helpers.program import ROOT

ROUNDS = 20


class PaintWatch(QObject):
    """When the overlay was painted first after it was told to look."""

    def __init__(self, window: LiveWindow) -> None:
        super().__init__()
        self._window = window
        self._prompt = ""
        self.painted: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        window.parts.overlay.installEventFilter(self)

    def look_for(self, prompt: str) -> None:
        self._prompt = prompt
        self.painted = asyncio.get_running_loop().create_future()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and not self.painted.done():
            card = self._window.parts.desk.clarification.card
            if card is not None and card.bundle.questions[0].question.prompt == self._prompt:
                self.painted.set_result(time.monotonic())
        return super().eventFilter(watched, event)


@asynccontextmanager
async def bare_server() -> AsyncIterator[str]:
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.helpers.bare_server", str(port), cwd=ROOT
    )
    try:
        for _ in range(200):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                break
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


async def one_round(
    window: LiveWindow, watch: PaintWatch, client: ClientProcess, prompt: str
) -> tuple[float, float]:
    """Seconds from call to paint, and from click to return."""
    watch.look_for(prompt)
    client.ask({"questions": [question(prompt, "yes", "no")]})
    painted_at = await asyncio.wait_for(asyncio.shield(watch.painted), 15)
    await window.shows_card(prompt)
    await window.click("optionButton_1")
    clicked_at = time.monotonic()
    await window.click("submitAnswers")
    reply = await client.reply()
    assert reply.result["status"] == "answered"
    return painted_at - reply.asked_at, reply.returned_at - clicked_at


@pytest.mark.bench
@pytest.mark.timeout(240)
async def test_an_answer_is_back_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    bare: list[float] = []
    painted: list[float] = []
    returned: list[float] = []
    async with live_window(home) as window, bare_server() as url:
        where = ("http", window.info.mcp_url, window.agent_token)
        async with (
            client_process(*where, home=home) as client,
            client_process("bare", url, home=home) as noop,
        ):
            watch = PaintWatch(window)
            await one_round(window, watch, client, "warm up")
            for number in range(ROUNDS):
                noop.ask({})
                reply = await noop.reply()
                bare.append(reply.returned_at - reply.asked_at)
                call, click = await one_round(window, watch, client, f"Round {number}?")
                painted.append(call)
                returned.append(click)
    ratio = statistics.median(returned) / statistics.median(bare)
    with capsys.disabled():
        print_table(
            "round trip, real window, SDK client in another process",
            [
                ("no-op tool on a bare SDK server", spread(bare)),
                ("tool call -> card painted", spread(painted)),
                ("click on Submit -> call returned", f"{spread(returned)}   x{ratio:.1f}"),
            ],
        )
    assert ratio < 15
