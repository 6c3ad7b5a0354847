"""The loop the window runs on, for coroutine tests."""

import asyncio
import os

import qasync  # type: ignore[import-untyped]  # it ships no types
from PySide6.QtWidgets import QApplication

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def qt_loop() -> asyncio.AbstractEventLoop:
    """A qasync loop on the one QApplication of the process."""
    application = QApplication.instance() or QApplication(["kandesk"])
    loop: asyncio.AbstractEventLoop = qasync.QEventLoop(application)
    return loop
