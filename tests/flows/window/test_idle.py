"""A window beside a session that nobody talks to wakes up for nothing (window.md, Speed)."""

import asyncio
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from tests.helpers.hosted_live import HostedLive
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.waiting import until

QUIET = 1.0
"""Seconds in which nothing may tick."""
TRIES = 5


AGES = 30_000


def running(window: LiveWindow) -> list[int]:
    """Milliseconds of every timer of the window that runs."""
    timers = window.parts.window.findChildren(QTimer)
    return [timer.interval() for timer in timers if timer.isActive()]


class Timers(QObject):
    """Every timer that fires in this process, but those a test's own waiting makes."""

    def __init__(self) -> None:
        super().__init__()
        self.fired: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Timer and type(watched).__name__ != "_SimpleTimer":
            self.fired.append(f"{type(watched).__name__} {watched.objectName()}")
        return super().eventFilter(watched, event)


async def test_a_window_beside_an_idle_session_has_no_timer(tmp_path: Path) -> None:
    application = cast("QApplication", QApplication.instance())
    flash = application.cursorFlashTime()
    # The text cursor blinks where the human writes; nothing else may.
    application.setCursorFlashTime(0)
    async with live_window(tmp_path / "home") as window:
        hosted = HostedLive(window, tmp_path)
        session = await hosted.start("think of it\nsay done")
        await hosted.ready(session)
        await hosted.open(session)
        await until(lambda: "agent: done" in hosted.said)
        # A window that shows how long ago something was tells so, every half a minute.
        await until(lambda: running(window) in ([], [AGES]), seconds=20)
        # On a slow machine something of the toolkit's may still end, such as a bar that fades.
        watch = Timers()
        for _ in range(TRIES):
            watch.fired.clear()
            application.installEventFilter(watch)
            await asyncio.sleep(QUIET)
            application.removeEventFilter(watch)
            if not watch.fired:
                break
        assert watch.fired == []
        window.parts.window.hide()
        assert running(window) == []
    application.setCursorFlashTime(flash)
