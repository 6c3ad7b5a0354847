"""From a chunk an agent wrote, published on the backend's thread, to its pixels in the window.

Three sessions grow at once, one is in view. Goals on a machine with two cores: median 40 ms and
99 % within 90 ms from chunk to paint; 99.9 % of the window's 5 ms ticks within 50 ms of the one
before.
The baseline is a bare `QPlainTextEdit` that is given the same chunks in the same way.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.models.transcript_model import TranscriptModel
from app.viewmodels.row_metadata import stream_counter
from app.widgets.transcript_view import TranscriptView
from backend.domain.conversation import Message, SessionKind
from backend.events import Event, MessagesChanged
from tests.bench.machine import print_table
from tests.bench.window.figures import Figures, Ticks, figures_row
from tests.helpers.desk_builders import make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.threaded_backend import ThreadedFakeDesk, threaded_desk
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

CHUNKS: Final = 1_000
RATE: Final = 200
"""Chunks a second in each session."""
SESSIONS: Final = ("s1", "s2", "s3")
_PIECES: Final = (
    "Some **bold** words and `code`, ",
    "a list:\n\n- one item\n- another [link](https://example.org)\n\n",
    "more words that go on for a while, ",
    "```python\ndef total(orders):\n    return sum(orders)\n```\n\n",
    "## A heading\n\nand a sentence after it. ",
)
LONG: Final = "".join(_PIECES) * (200_000 // len("".join(_PIECES)))


class Sent:
    """When each chunk of the session in view was published; written on the backend's thread."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._waiting: dict[int, float] = {}

    def note(self, counter: int) -> None:
        self._waiting[counter] = time.monotonic()

    def painted(self, counter: int) -> None:
        now = time.monotonic()
        for number in [number for number in tuple(self._waiting) if number <= counter]:
            self._figures.painted.append(now - self._waiting.pop(number))


def _growing(session: str, text: str, counter: int) -> Message:
    own = {"streaming": True, "stream": counter}
    row = make_message(f"{session}-row", text, session=session, created=500, revision=1)
    return replace(row, metadata={"kandesk": own})


async def _write(desk: ThreadedFakeDesk, start: str, note: Callable[[int], None]) -> None:
    """Runs on the backend's thread: the same chunks to all three sessions, at an even rate."""
    loop = asyncio.get_running_loop()
    text, began = start, loop.time()
    for counter in range(1, CHUNKS + 1):
        text += _PIECES[counter % len(_PIECES)]
        for session in SESSIONS:
            row = _growing(session, text, counter)
            if session == SESSIONS[0]:
                note(counter)
            desk.desk.bus.publish(MessagesChanged(row.session_id, (row,)))
        await asyncio.sleep(max(0.0, began + counter / RATE - loop.time()))


async def _transcript(
    tmp_path: Path, start: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> Figures:
    figures = Figures()
    sent = Sent(figures)
    paint = TranscriptView.paintEvent

    def painting(view: TranscriptView, event: QPaintEvent) -> None:
        paint(view, event)
        model = view.model()
        if isinstance(model, TranscriptModel) and model.rowCount():
            sent.painted(stream_counter(model.message(model.rowCount() - 1)))

    monkeypatch.setattr(TranscriptView, "paintEvent", painting)
    async with threaded_desk(tmp_path) as (client, thread):
        fill = _fill(thread, rows)
        await thread.call(lambda _: fill)
        async with shown_window(cast("FakeBackend", client)) as shown:
            view = cast("TranscriptView", shown.find("transcriptView"))
            await until(lambda: view.model().rowCount() > 0)
            while shown.desk.transcript.has_older:
                await shown.desk.transcript.load_older()
            view.go_to_end()
            ticks = Ticks(figures.ticks)
            await thread.call(lambda _: _write(thread, start, sent.note))
            last = view.model().rowCount() - 1
            model = cast("TranscriptModel", view.model())
            await until(lambda: stream_counter(model.message(last)) == CHUNKS, seconds=60)
            await until(lambda: len(figures.painted) == CHUNKS, seconds=60)
            ticks.stop()
            assert view.at_end
    monkeypatch.undo()
    return figures


async def _fill(thread: ThreadedFakeDesk, rows: int) -> None:
    for session in SESSIONS:
        thread.desk.put_session(make_session(session, kind=SessionKind.HOSTED))
        for number in range(rows if session == SESSIONS[0] else 1):
            text = "".join(_PIECES) if number % 2 else "words " * (number % 40 + 1)
            row = make_message(f"{session}-{number}", text, session=session, created=number / 10)
            thread.desk.messages[row.session_id].append(row)
    thread.desk.put_session(make_session(SESSIONS[0], kind=SessionKind.HOSTED, updated=9))


class _Edit(QPlainTextEdit):
    """The baseline: each chunk is appended as it comes."""

    def __init__(self, sent: Sent) -> None:
        super().__init__()
        self._sent = sent
        self._length = 0
        self._counter = 0

    def take(self, happened: Event) -> None:
        if isinstance(happened, MessagesChanged) and happened.session_id == SESSIONS[0]:
            (row,) = happened.messages
            self.moveCursor(self.textCursor().MoveOperation.End)
            self.insertPlainText(row.content[self._length :])
            self._length, self._counter = len(row.content), stream_counter(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._sent.painted(self._counter)


async def _plain_edit(tmp_path: Path, start: str) -> Figures:
    figures = Figures()
    sent = Sent(figures)
    async with threaded_desk(tmp_path) as (client, thread):
        edit = _Edit(sent)
        edit.resize(860, 720)
        client.event_received.connect(edit.take)
        edit.show()
        ticks = Ticks(figures.ticks)
        await thread.call(lambda _: _write(thread, start, sent.note))
        await until(lambda: len(figures.painted) == CHUNKS, seconds=60)
        ticks.stop()
        edit.hide()
        edit.deleteLater()
    return figures


@pytest.mark.bench
@pytest.mark.timeout(300)
async def test_what_an_agent_writes_is_seen_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cast("QApplication", QApplication.instance()).setQuitOnLastWindowClosed(False)
    rows = [
        figures_row("QPlainTextEdit, from nothing", await _plain_edit(tmp_path, "")),
        figures_row("QPlainTextEdit, from 200 kB", await _plain_edit(tmp_path, LONG)),
        figures_row("transcript, from nothing", await _transcript(tmp_path, "", 1, monkeypatch)),
        figures_row("transcript, from 200 kB", await _transcript(tmp_path, LONG, 1, monkeypatch)),
        figures_row(
            "transcript of 1,900 rows", await _transcript(tmp_path, "", 1_900, monkeypatch)
        ),
        figures_row("the same from 200 kB", await _transcript(tmp_path, LONG, 1_900, monkeypatch)),
    ]
    with capsys.disabled():
        print_table(f"three sessions, {RATE} chunks/s each, one in view", rows)
