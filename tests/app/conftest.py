"""The window's tests run on one Qt loop, without a screen."""

import asyncio
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from tests.helpers.fake_backend import FakeBackend
from tests.helpers.qt_loop import qt_loop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Coroutine tests in this folder run on qasync, as the window does."""
    return {"qt": qt_loop}


@pytest.fixture
def backend(qapp: QApplication) -> FakeBackend:
    return FakeBackend()
