"""Wait for a condition."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], object], *, seconds: float = 20.0) -> None:
    """Return as soon as `condition()` is true; `AssertionError` after `seconds`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not condition():
        if loop.time() > end:
            message = f"not true within {seconds} s"
            raise AssertionError(message)
        await asyncio.sleep(0.005)


async def eventually(condition: Callable[[], Awaitable[bool]], *, seconds: float = 20.0) -> None:
    """Return as soon as `await condition()` is true; `AssertionError` after `seconds`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not await condition():
        if loop.time() > end:
            message = f"not true within {seconds} s"
            raise AssertionError(message)
        await asyncio.sleep(0.005)


def wait_until(condition: Callable[[], bool], *, seconds: float = 20.0) -> None:
    """As `until`, for a test without a loop."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            message = f"not true within {seconds} s"
            raise AssertionError(message)
        pause.wait(0.02)
