"""Starts a window in this process, prints when it was painted and usable, and quits.

usage: python -m tests.helpers.timed_window empty | HOME

One JSON line of monotonic seconds: `{"painted": ..., "usable": ..., "pss_mib": ...}`.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QWidget


class FirstPaint(QObject):
    """Remembers when a widget was painted first."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.at = 0.0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and not self.at:
            self.at = time.monotonic()
        return super().eventFilter(watched, event)


def tell(painted: float, usable: float) -> None:
    from tests.bench.machine import pss_mib

    memory = pss_mib([os.getpid()])
    print(json.dumps({"painted": painted, "usable": usable, "pss_mib": memory}), flush=True)


def empty() -> None:
    """The least a PySide6 program can do."""
    application = QApplication(["empty"])
    window = QLabel("empty")
    window.resize(1180, 780)
    watch = FirstPaint(window)
    window.show()
    timer = QTimer()
    timer.timeout.connect(lambda: watch.at and application.quit())
    timer.start(5)
    application.exec()
    tell(watch.at, watch.at)


def kandesk(home: Path) -> None:
    """The program, started as its entry point starts it."""
    import qasync  # type: ignore[import-untyped]  # it ships no types

    from app.launch_options import WindowOptions
    from app.main import build
    from app.program import Program
    from backend.paths import Home

    application = QApplication(["kandesk"])
    application.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    options = WindowOptions(
        home=Home(home), demo=False, background=False, screenshot=None, theme="light", language="en"
    )
    parts = build(application, options)
    watch = FirstPaint(parts.window)
    program = Program(parts, options, loop)

    def loaded() -> None:
        tell(watch.at, time.monotonic())
        program.quit()

    parts.desk.loaded.connect(loaded)
    loop.call_soon(program.start)
    with loop:
        loop.run_forever()


if __name__ == "__main__":
    if sys.argv[1] == "empty":
        empty()
    else:
        kandesk(Path(sys.argv[1]))
