"""From a chunk an agent writes to its pipe to its pixels, through the whole desk and its window.

Three agents in child processes talk at once, one is in view; each chunk carries the moment of its
sending, on the clock that all processes of the machine share. Goals on a machine with two cores:
median 40 ms and 99 % within 90 ms from chunk to paint, 99.9 % of the window's 5 ms ticks within
50 ms of the one before, and no more than 50 commits a second.

The baseline is a bare `QPlainTextEdit` in this process that is given what three such agents write,
as it comes.
"""

import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import pytest
from PySide6.QtCore import QProcess, QProcessEnvironment
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.models.transcript_model import TranscriptModel
from app.widgets.transcript_view import TranscriptView
from backend.store.checkpoints import Checkpoints
from tests.bench.machine import print_table
from tests.bench.window.figures import Figures, Ticks, figures_row
from tests.helpers.hosted_live import HostedLive
from tests.helpers.live_window import live_window
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

CHUNKS: Final = 1_000
RATE: Final = 200
"""Chunks a second of each agent."""
SESSIONS: Final = ("s1", "s2", "s3")
COMMITS_A_SECOND: Final = 50
TALK: Final = f"stamped {CHUNKS} {RATE}"
TALK_ON: Final = f"burst 2000 {'words ' * 16}\n{TALK}"
"""The same behind 200 kB in the same row."""
_STAMP: Final = re.compile(r"@(\d+\.\d+)@")


class Seen:
    """What was painted of a text that grows."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._length = 0

    def painted(self, text: str) -> None:
        now = time.monotonic()
        new = list(_STAMP.finditer(text, self._length))
        self._figures.painted += [now - float(stamp[1]) for stamp in new]
        self._length = new[-1].end() if new else min(self._length, len(text))


@dataclass
class Commits:
    """Of the whole store, while it counts."""

    count: int = 0
    seconds: float = 0.0
    since: float = field(default_factory=time.monotonic)

    def stop(self) -> None:
        self.seconds = time.monotonic() - self.since


async def _desk(
    tmp_path: Path, prompt: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Figures, Commits]:
    figures, commits = Figures(), Commits()
    seen, paint, committed = Seen(figures), TranscriptView.paintEvent, Checkpoints.committed

    def painting(view: TranscriptView, event: QPaintEvent) -> None:
        paint(view, event)
        model = view.model()
        if isinstance(model, TranscriptModel) and model.rowCount():
            row = model.message(model.rowCount() - 1)
            if row.author == "agent":
                seen.painted(row.content)

    def counting(checkpoints: Checkpoints) -> None:
        commits.count += 1
        committed(checkpoints)

    # Before there is a view: each keeps the method it has found.
    monkeypatch.setattr(TranscriptView, "paintEvent", painting)
    async with live_window(tmp_path / "home") as window:
        hosted = HostedLive(window, tmp_path)
        sessions = [await hosted.start(session=name) for name in SESSIONS]
        for session in sessions:
            await hosted.ready(session)
        await hosted.open(sessions[0])
        monkeypatch.setattr(Checkpoints, "committed", counting)
        commits.since = time.monotonic()
        ticks = Ticks(figures.ticks)
        for session in sessions:
            await hosted.send(session, prompt)
        await until(lambda: len(figures.painted) == CHUNKS, seconds=60)
        ticks.stop()
        commits.stop()
        view = cast("TranscriptView", window.find("transcriptView"))
        assert view.at_end
        for session in sessions:
            await hosted.ready(session)
    monkeypatch.undo()
    return figures, commits


class _Edit(QPlainTextEdit):
    """The baseline: it knows the text of the one agent in view."""

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self._seen = seen
        self.text = ""

    def take(self, chunk: str) -> None:
        self.text += chunk
        self.moveCursor(self.textCursor().MoveOperation.End)
        self.insertPlainText(chunk)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._seen.painted(self.text)


class _Agent(QProcess):
    """A scripted agent whose lines go straight into an edit, or nowhere."""

    def __init__(self, edit: _Edit | None) -> None:
        super().__init__()
        self._edit = edit
        command = scripted_command()
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in command.environment.items():
            environment.insert(name, value)
        self.setProcessEnvironment(environment)
        self.readyReadStandardOutput.connect(self._read)
        self.start(command.argv[0], list(command.argv[1:]))
        self.waitForStarted()

    def prompt(self, text: str) -> None:
        blocks = [{"type": "text", "text": text}]
        params = {"sessionId": "s", "prompt": blocks}
        frame = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}
        self.write(json.dumps(frame).encode() + b"\n")

    def _read(self) -> None:
        while self.canReadLine():
            frame = json.loads(bytes(self.readLine().data()))
            if self._edit is not None and "params" in frame:
                self._edit.take(frame["params"]["update"]["content"]["text"])

    def stop(self) -> None:
        self.closeWriteChannel()
        self.waitForFinished()


async def _bare(prompt: str) -> Figures:
    figures = Figures()
    edit = _Edit(Seen(figures))
    edit.resize(860, 720)
    edit.show()
    agents = [_Agent(edit if number == 0 else None) for number in range(len(SESSIONS))]
    ticks = Ticks(figures.ticks)
    for agent in agents:
        agent.prompt(prompt)
    await until(lambda: len(figures.painted) == CHUNKS, seconds=60)
    ticks.stop()
    for agent in agents:
        agent.stop()
    edit.hide()
    edit.deleteLater()
    return figures


@pytest.mark.bench
@pytest.mark.timeout(300)
async def test_what_three_agents_write_at_once_is_seen_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cast("QApplication", QApplication.instance()).setQuitOnLastWindowClosed(False)
    bare = await _bare(TALK)
    short, commits = await _desk(tmp_path / "short", TALK, monkeypatch)
    long, more_commits = await _desk(tmp_path / "long", TALK_ON, monkeypatch)
    rows = [
        figures_row("QPlainTextEdit at the agents' pipes", bare),
        figures_row("desk and window, from nothing", short, bare),
        figures_row("desk and window, behind 200 kB", long, bare),
    ]
    for name, counted in (("from nothing", commits), ("behind 200 kB", more_commits)):
        rate = counted.count / counted.seconds
        rows.append((f"commits of the store, {name}", f"{rate:.0f}/s"))
    with capsys.disabled():
        print_table(f"three agents, {RATE} chunks/s each, one in view", rows)
    for counted in (commits, more_commits):
        assert counted.count <= COMMITS_A_SECOND * counted.seconds
