"""Waiting for work no longer than a deadline allows, on the clock the deadline belongs to."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from backend.clock import Deadline

T = TypeVar("T")


async def finished_by(deadline: Deadline, work: asyncio.Future[Any]) -> bool:
    """Wait until `work` is done or the deadline has passed; touches neither its result nor it."""
    expired: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def expire() -> None:
        if not expired.done():
            expired.set_result(None)

    timer = deadline.on_expiry(expire)
    try:
        await asyncio.wait({work, expired}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
        expired.cancel()
    return work.done()


async def within(deadline: Deadline, work: Coroutine[Any, Any, T]) -> T:
    """Await `work`, which is cancelled and left behind when the deadline passes.

    It bounds the caller whatever hangs, also what does not react to cancellation.

    Raises:
        TimeoutError: the deadline has passed first.
    """
    task = asyncio.ensure_future(work)
    try:
        if await finished_by(deadline, task):
            return task.result()
    finally:
        abandon(task)
    raise TimeoutError


def abandon(task: asyncio.Future[Any]) -> None:
    """Cancel `task` without waiting for it; nobody asks for its result any more."""
    if not task.done():
        task.cancel()
        task.add_done_callback(lambda left: left.cancelled() or left.exception())
