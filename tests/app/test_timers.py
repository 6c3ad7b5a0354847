"""Deadlines, timers and background tasks of the window."""

import asyncio

import pytest
from PySide6.QtCore import QObject

from app.tasks import WindowTasks
from app.timers import SystemWindowClock, WindowTimer, deadline
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from tests.helpers.waiting import until


async def test_a_deadline_ends_what_takes_too_long() -> None:
    with pytest.raises(TimeoutError):
        async with deadline(0.01):
            await asyncio.Event().wait()


async def test_a_deadline_leaves_what_is_quick_alone() -> None:
    async with deadline(5):
        await asyncio.sleep(0)


async def test_a_timer_calls_back_and_can_be_called_off() -> None:
    owner, fired = QObject(), list[str]()
    clock = SystemWindowClock(owner)
    clock.call_later(0.01, lambda: fired.append("first"))
    late = clock.call_later(0.02, lambda: fired.append("never"))
    late.cancel()
    clock.call_later(0.03, lambda: fired.append("last"))
    await until(lambda: "last" in fired)
    assert fired == ["first", "last"]


async def test_a_repeating_timer_goes_on_until_it_is_stopped() -> None:
    owner, ticks = QObject(), list[int]()
    timer = WindowTimer(owner, lambda: ticks.append(1), milliseconds=1, repeat=True)
    timer.start()
    await until(lambda: len(ticks) > 2)
    timer.stop()
    assert not timer.running


async def test_an_expected_failure_of_a_task_is_told() -> None:
    told: list[AppError] = []
    tasks = WindowTasks(told.append)

    async def fail() -> None:
        raise TemporarilyUnavailable(ErrorCode.STORE_BUSY, "busy")

    tasks.start(fail(), name="fails")
    await until(lambda: told)
    assert told[0].code is ErrorCode.STORE_BUSY


async def test_a_bug_in_a_task_reaches_the_loop() -> None:
    reported: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: reported.append(context["exception"]))
    tasks = WindowTasks(_ignore)

    async def fail() -> None:
        raise ZeroDivisionError

    tasks.start(fail(), name="fails")
    await until(lambda: reported)
    assert isinstance(reported[0], ZeroDivisionError)


async def test_stopping_cancels_what_still_runs() -> None:
    ended: list[bool] = []
    tasks = WindowTasks(_ignore)

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    tasks.start(wait(), name="waits")
    await asyncio.sleep(0)
    await tasks.stop()
    assert ended == [True]


def _ignore(error: AppError) -> None:
    """Nothing here is expected to fail with one."""
