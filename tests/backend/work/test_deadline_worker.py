from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock


class Bench:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.done: list[str] = []
        self.supervisor = TaskSupervisor()
        self.worker = DeadlineWorker(self.clock, self.supervisor)

    def put(self, name: str, seconds: float) -> None:
        async def work() -> None:
            self.done.append(name)

        self.worker.put(name, seconds, work)


async def test_work_starts_when_it_is_due_and_in_that_order() -> None:
    bench = Bench()
    bench.put("late", 5)
    bench.put("soon", 1)
    bench.put("middle", 3)
    await bench.clock.advance(0.9)
    assert bench.done == []
    await bench.clock.advance(0.1)
    assert bench.done == ["soon"]
    await bench.clock.advance(10)
    assert bench.done == ["soon", "middle", "late"]


async def test_it_sleeps_behind_one_timer_and_idle_behind_none() -> None:
    """clarification.md, Resolver: no polling."""
    bench = Bench()
    assert bench.clock.pending_timers == 0
    for number in range(100):
        bench.put(f"work {number}", 1 + number)
    assert bench.clock.pending_timers == 1
    await bench.clock.advance(200)
    assert len(bench.done) == 100
    assert bench.clock.pending_timers == 0


async def test_what_is_dropped_or_planned_anew_does_not_start() -> None:
    bench = Bench()
    bench.put("dropped", 1)
    bench.put("moved", 1)
    bench.put("moved", 4)
    bench.worker.drop("dropped")
    bench.worker.drop("never there")
    await bench.clock.advance(3)
    assert bench.done == []
    assert "moved" in bench.worker
    await bench.clock.advance(1)
    assert bench.done == ["moved"]


async def test_dropping_the_last_one_leaves_no_timer() -> None:
    bench = Bench()
    bench.put("only", 1)
    bench.worker.drop("only")
    assert bench.clock.pending_timers == 0
    bench.put("again", 1)
    await bench.supervisor.stop()
    assert bench.clock.pending_timers == 0
    bench.put("too late", 1)
    assert bench.clock.pending_timers == 0


async def test_after_a_suspend_everything_overdue_starts_once() -> None:
    bench = Bench()
    bench.put("a", 1)
    bench.put("b", 2)
    await bench.clock.advance(600)
    assert bench.done == ["a", "b"]


async def test_work_may_plan_itself_again() -> None:
    bench = Bench()

    async def again() -> None:
        bench.done.append("again")
        if len(bench.done) < 3:
            bench.worker.put("again", 1, again)

    bench.worker.put("again", 1, again)
    await bench.clock.advance(10)
    assert bench.done == ["again"] * 3


async def test_what_waits_for_another_try_is_tried_when_the_way_is_free() -> None:
    """And only that: what is planned for a moment starts at it."""
    bench = Bench()

    async def work() -> None:
        bench.done.append("again")

    async def wait() -> None:
        await bench.worker.pause(3)
        bench.done.append("waited")

    bench.worker.try_again("again", 3, work)
    bench.put("planned", 100)
    waiting = bench.supervisor.start(wait(), name="wait")
    await bench.clock.advance(60)
    assert bench.done == []
    bench.worker.hurry()
    await bench.clock.advance(0)
    await waiting
    assert sorted(bench.done) == ["again", "waited"]
    assert bench.clock.pending_timers == 1
    await bench.clock.advance(40)
    assert bench.done[-1] == "planned"
