"""After a suspend: noticed when something happens anyway, never by polling (agents.md, ACP)."""

from backend.clock import SystemClock
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor
from backend.work.wake import WakeWatch
from tests.helpers.clock import FakeClock


class Case:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.slept: list[float] = []
        self.watch = WakeWatch(self.clock, self.slept.append)


def test_a_sleep_is_told_once_with_its_length() -> None:
    case = Case()
    case.watch.look()
    case.clock.sleep_machine(3600)
    case.watch.look()
    case.watch.look()
    assert case.slept == [3600]


def test_a_clock_that_is_corrected_a_little_is_no_sleep() -> None:
    case = Case()
    for _ in range(100):
        case.clock.sleep_machine(1)
        case.watch.look()
    assert case.slept == []


async def test_nothing_ticks_and_a_deadline_that_fires_looks() -> None:
    case = Case()
    worker = DeadlineWorker(case.clock, TaskSupervisor(), case.watch.look)
    assert case.clock.pending_timers == 0
    seen: list[list[float]] = []

    async def work() -> None:
        seen.append(list(case.slept))

    worker.put("work", 5, work)
    case.clock.sleep_machine(60)
    await case.clock.advance(5)
    assert seen == [[60]], "what is due is done by somebody who knows of the sleep"


def test_the_machine_tells_how_long_it_has_slept() -> None:
    clock = SystemClock()
    assert abs(clock.asleep() - clock.asleep()) < 1
