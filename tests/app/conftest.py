"""The window's tests run on one Qt loop, without a screen."""

import asyncio
import os
from collections.abc import Callable

import pytest
import qasync  # type: ignore[import-untyped]  # it ships no types
from PySide6.QtWidgets import QApplication

from tests.helpers.fake_backend import FakeBackend

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Coroutine tests in this folder run on qasync, as the window does."""
    return {"qt": _qt_loop}


def _qt_loop() -> asyncio.AbstractEventLoop:
    application = QApplication.instance() or QApplication(["kandesk"])
    loop: asyncio.AbstractEventLoop = qasync.QEventLoop(application)
    return loop


@pytest.fixture
def backend(qapp: QApplication) -> FakeBackend:
    return FakeBackend()
