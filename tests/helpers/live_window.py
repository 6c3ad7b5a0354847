"""The whole program in the test's process: real window, real backend thread, real port."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.launch_options import WindowOptions
from app.main import build
from app.program import Parts, Program
from backend.api import DeskInfo
from backend.paths import Home
from tests.helpers.waiting import until

W = TypeVar("W", bound=QWidget)
ARMED_AFTER = 0.6
"""Seconds a human leaves a fresh card alone; the program wants half a second."""


class _Loop:
    """The program ends its loop when it quits; a test's loop goes on."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.create_task = self._loop.create_task
        self.stopped = asyncio.Event()

    def stop(self) -> None:
        self.stopped.set()


@dataclass
class LiveWindow:
    """What a human sees and presses, by automation name."""

    parts: Parts
    program: Program
    home: Path
    _loop: _Loop

    @property
    def info(self) -> DeskInfo:
        """Once the desk is ready."""
        assert self.parts.desk.info is not None
        return self.parts.desk.info

    @property
    def agent_token(self) -> str:
        return (self.home / "agent-token").read_text().strip()

    def find(self, name: str, kind: type[W] = QWidget) -> W | None:  # type: ignore[assignment]
        """The visible widget of this name."""
        found = self.parts.window.findChildren(kind, name)
        return next((widget for widget in found if widget.isVisible()), None)

    async def shows(self, name: str, kind: type[W] = QWidget) -> W:  # type: ignore[assignment]
        await until(lambda: self.find(name, kind) is not None, seconds=15)
        found = self.find(name, kind)
        assert found is not None
        return found

    async def shows_card(self, prompt: str) -> None:
        """The card with this prompt is on screen and may be answered."""
        await until(lambda: self._prompt() == prompt, seconds=15)
        await asyncio.sleep(ARMED_AFTER)

    def _prompt(self) -> str:
        card = self.parts.desk.clarification.card
        shown = self.find("clarificationOverlay") is not None
        return card.bundle.questions[0].question.prompt if card is not None and shown else ""

    async def stands_at(self, step: int) -> None:
        """The card shows this question, or the review behind the last, and is armed."""
        view_model = self.parts.desk.clarification
        await until(lambda: view_model.card is not None and view_model.card.step == step)
        await asyncio.sleep(ARMED_AFTER)

    async def armed(self) -> None:
        """A human leaves a fresh card alone for a moment."""
        await asyncio.sleep(ARMED_AFTER)

    async def click(self, name: str) -> None:
        """Press and release in the middle of the control, once it is enabled."""
        widget: QWidget = await self.shows(name)
        await until(widget.isEnabled)
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=_middle(widget))

    async def type(self, name: str, text: str) -> None:
        """Put text in as an input method commits it: QTest's keys know ASCII only."""
        widget: QWidget = await self.shows(name)
        widget.setFocus()
        event = QInputMethodEvent()
        event.setCommitString(text)
        QApplication.sendEvent(widget, event)

    async def quit(self) -> None:
        self.program.quit()
        await asyncio.wait_for(self._loop.stopped.wait(), 20)


def _middle(widget: QWidget) -> QPoint:
    return widget.rect().center()


@asynccontextmanager
async def live_window(
    home: Path, *, prepare: Callable[[Parts], None] | None = None
) -> AsyncIterator[LiveWindow]:
    """Start the program on `home` and wait for its desk; quit at the end."""
    async with opened_window(home, prepare=prepare) as window:
        desk = window.parts.desk
        await until(lambda: desk.info is not None and desk.inbox.loaded, seconds=30)
        yield window


@asynccontextmanager
async def opened_window(
    home: Path, *, prepare: Callable[[Parts], None] | None = None
) -> AsyncIterator[LiveWindow]:
    """Start the program on `home`, whatever becomes of its store; quit at the end."""
    os.environ.pop("KANDESK_HOME", None)
    application = cast("QApplication", QApplication.instance())
    application.setQuitOnLastWindowClosed(False)
    options = WindowOptions(
        home=Home(home),
        demo=False,
        background=False,
        screenshot=None,
        theme="light",
        language="en",
    )
    parts = build(application, options)
    if prepare is not None:
        prepare(parts)
    loop = _Loop()
    program = Program(parts, options, cast("asyncio.AbstractEventLoop", loop))
    program.start()
    try:
        yield LiveWindow(parts, program, home, loop)
    finally:
        if not loop.stopped.is_set():
            program.quit()
            await asyncio.wait_for(loop.stopped.wait(), 20)
        parts.window.deleteLater()
        asyncio.get_running_loop().set_exception_handler(None)
        sys.excepthook = sys.__excepthook__
