"""Garbage that may hold Qt objects is freed on the window's thread."""

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject

from app.bridge.collector import YOUNG_OBJECTS, GarbageCollector
from tests.helpers.waiting import until


class Cycle(QObject):
    """Garbage only the collector can free; remembers the thread that freed it."""

    freed_on: list[int] = []  # noqa: RUF012 - the test reads it after the object is gone

    def __init__(self) -> None:
        super().__init__()
        self.me = self

    def __del__(self) -> None:
        Cycle.freed_on.append(threading.get_ident())


@pytest.fixture
def collector() -> Iterator[GarbageCollector]:
    Cycle.freed_on.clear()
    found = GarbageCollector()
    found.take_over()
    yield found
    found.give_back()
    assert gc.isenabled()


async def allocate(collector: GarbageCollector) -> None:
    """What a busy backend does: many young objects, many tasks."""
    collector.watch(asyncio.get_running_loop())
    kept = [[place] for place in range(YOUNG_OBJECTS * 3)]
    for _ in range(50):
        await asyncio.create_task(asyncio.sleep(0))
    assert kept


async def test_a_cycle_with_qt_objects_dies_on_the_windows_thread(
    collector: GarbageCollector,
) -> None:
    Cycle()
    busy = threading.Thread(target=lambda: asyncio.run(allocate(collector)))
    busy.start()
    await asyncio.get_running_loop().run_in_executor(None, busy.join)
    await until(lambda: Cycle.freed_on)
    assert set(Cycle.freed_on) == {threading.get_ident()}


async def test_garbage_does_not_pile_up(collector: GarbageCollector) -> None:
    kept = []
    for _ in range(10):
        Cycle()
        kept.append([[place] for place in range(YOUNG_OBJECTS * 2)])
        collector.note_work()
        await until(lambda: not collector._asked)
    assert len(kept) == 10
    assert len(Cycle.freed_on) >= 9


async def test_everything_alive_is_looked_at_in_a_pause_and_not_while_work_goes_on(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    real = gc.collect

    def collect(generation: int = 2) -> int:
        collected.append(generation)
        return real(generation)

    monkeypatch.setattr(gc, "collect", collect)
    kept = []
    for _ in range(60):
        kept.append([[place] for place in range(YOUNG_OBJECTS * 2)])
        collector.note_work()
        while collector._asked:
            await asyncio.sleep(0)
    assert collected == [1] * len(kept)
    await until(lambda: collected[-1] == 2)
