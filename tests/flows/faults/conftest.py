"""Faults under the real window run on the window's loop, the others on a plain one."""

import asyncio
from collections.abc import Callable

import pytest

from tests.helpers.qt_loop import qt_loop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    if "window" in item.path.stem:
        return {"qt": qt_loop}
    return {"plain": asyncio.new_event_loop}
