"""Starts a window in this process, prints when it was painted and usable, and quits.

usage: python -m tests.helpers.timed_window empty | HOME

One JSON line of monotonic seconds: `{"painted": ..., "usable": ..., "pss_mib": ...}`.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QShowEvent
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
    from app import main
    from app.launch_options import WindowOptions
    from app.windows.main_window import MainWindow
    from backend.paths import Home

    watches: list[FirstPaint] = []
    show_event = MainWindow.showEvent

    def watched_show(window: MainWindow, event: QShowEvent) -> None:
        if not watches:
            watches.append(FirstPaint(window))
        show_event(window, event)

    MainWindow.showEvent = watched_show  # type: ignore[method-assign,assignment]
    ticks = QTimer()
    ticks.timeout.connect(lambda: watch_loading(watches, ticks))
    main_application = main._application

    def application_with_ticks() -> QApplication:
        application = main_application()
        ticks.start(2)
        return application

    main._application = application_with_ticks
    main.run(
        WindowOptions(
            home=Home(home),
            demo=False,
            background=False,
            screenshot=None,
            theme="light",
            language="en",
        )
    )


def watch_loading(watches: list[FirstPaint], ticks: QTimer) -> None:
    """Once the view models exist, have the moment told at which the lists are filled."""
    module = sys.modules.get("app.viewmodels.desk")
    view_model = getattr(module, "DeskViewModel", None)
    if view_model is None:
        return
    ticks.stop()
    load = view_model._load

    async def told_load(self: object) -> None:
        await load(self)
        tell(watches[0].at, time.monotonic())
        os.kill(os.getpid(), signal.SIGTERM)

    view_model._load = told_load


if __name__ == "__main__":
    if sys.argv[1] == "empty":
        empty()
    else:
        kandesk(Path(sys.argv[1]))
