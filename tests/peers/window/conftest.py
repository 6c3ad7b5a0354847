"""The real window on the real backend with real agents: tests run on the window's loop."""

import asyncio
from collections.abc import Callable

import pytest

from tests.helpers.qt_loop import qt_loop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"qt": qt_loop}
