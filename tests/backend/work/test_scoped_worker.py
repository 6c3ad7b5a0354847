"""One pass at a time, each scope with its own next moment (T3.4 to T3.8)."""

import asyncio
from collections.abc import AsyncIterator, Collection

import pytest

from backend.errors import AppError
from backend.work.scoped_worker import GoesOn, ScopedDeadlineWorker, Swept
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock, settle
from tests.helpers.faults import unavailable


class Bench:
    """A worker whose passes end as is planned, and are written down with their moments."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.supervisor = TaskSupervisor()
        self.worker = ScopedDeadlineWorker(
            self.clock, self.supervisor, name="test", discover=self.discover, sweep=self.sweep
        )
        self.passes: list[tuple[float, str]] = []
        self.looks = 0
        self.found: Collection[str] = ()
        self.found_fails: AppError | None = None
        self.ends: dict[str, list[Swept]] = {}
        self.held: asyncio.Event | None = None
        self.stops: list[bool] = []
        self._began = self.clock.monotonic()

    async def discover(self) -> Collection[str]:
        self.looks += 1
        if self.found_fails is not None:
            raise self.found_fails
        return self.found

    async def sweep(self, scope: str, goes_on: GoesOn) -> Swept:
        self.passes.append((self.clock.monotonic() - self._began, scope))
        if self.held is not None:
            await self.held.wait()
        self.stops.append(not goes_on())
        if not goes_on():
            return Swept.INTERRUPTED
        planned = self.ends.get(scope, [])
        end = planned.pop(0) if planned else Swept.CLEAN
        if end is Swept.FAILED:
            raise unavailable()
        return end

    async def hint(self, *scopes: str) -> None:
        for scope in scopes:
            self.worker.hint(scope)
        await settle()

    def moments(self, scope: str = "w") -> list[float]:
        return [moment for moment, name in self.passes if name == scope]


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    made.worker.admit()
    yield made
    await made.supervisor.stop(0.1)
    assert made.clock.pending_timers == 0


async def test_a_hint_is_followed_at_once_and_then_nothing_is_left(bench: Bench) -> None:
    """T3.1, quiet."""
    await bench.hint("w")
    assert bench.moments() == [0.0]
    assert bench.clock.pending_timers == 0
    await bench.clock.advance(3_600)
    assert bench.moments() == [0.0]


async def test_many_hints_are_one_more_pass(bench: Bench) -> None:
    await bench.hint("w")
    for _ in range(50):
        await bench.hint("w")
    assert bench.clock.pending_timers == 1
    await bench.clock.advance(3_600)
    assert bench.moments() == [0.0, 1.0]


async def test_between_two_passes_is_a_second_whatever_their_scopes(bench: Bench) -> None:
    """T3.4: one workspace per pass."""
    await bench.hint("a", "b", "c")
    await bench.clock.advance(10)
    assert bench.passes == [(0.0, "a"), (1.0, "b"), (2.0, "c")]


async def test_the_second_is_counted_from_the_end_of_a_long_pass(bench: Bench) -> None:
    bench.held = asyncio.Event()
    await bench.hint("a")
    await bench.clock.advance(20)
    await bench.hint("b")
    bench.held.set()
    await bench.clock.advance(10)
    assert bench.passes == [(0.0, "a"), (21.0, "b")]


async def test_what_is_hinted_during_a_pass_of_the_same_scope_makes_one_more(bench: Bench) -> None:
    """T6.1 34."""
    bench.held = asyncio.Event()
    await bench.hint("w")
    await bench.hint("w")
    bench.held.set()
    await bench.clock.advance(3_600)
    assert bench.moments() == [0.0, 1.0]


async def test_what_a_pass_had_to_leave_goes_on_after_a_second(bench: Bench) -> None:
    """T3.6: 1 s continuation."""
    bench.ends["w"] = [Swept.TRUNCATED, Swept.TRUNCATED]
    await bench.hint("w")
    await bench.clock.advance(3_600)
    assert bench.moments() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("end", [Swept.UNRESOLVED, Swept.FAILED])
async def test_what_is_left_is_looked_at_less_and_less_often(bench: Bench, end: Swept) -> None:
    """T6.1 28: 30, 60, 120, 240, 300, 300 s; then it is settled and quiet."""
    bench.ends["w"] = [end] * 6
    await bench.hint("w")
    await bench.clock.advance(10_000)
    gaps = [
        after - before for before, after in zip(bench.moments(), bench.moments()[1:], strict=False)
    ]
    assert gaps == [30, 60, 120, 240, 300, 300]
    assert bench.clock.pending_timers == 0


async def test_its_own_hint_makes_an_unresolved_scope_due_and_begins_the_series_anew(
    bench: Bench,
) -> None:
    """T6.1 28, T3.6."""
    bench.ends["w"] = [Swept.UNRESOLVED] * 4
    await bench.hint("w")
    await bench.clock.advance(40)
    await bench.hint("w")
    await bench.clock.advance(31)
    assert bench.moments() == [0.0, 30.0, 40.0, 70.0]


async def test_a_hint_during_an_unresolved_pass_begins_the_series_anew(bench: Bench) -> None:
    """T6.1 34, T3.6."""
    bench.ends["w"] = [Swept.UNRESOLVED] * 2
    bench.held = asyncio.Event()
    await bench.hint("w")
    await bench.hint("w")
    bench.held.set()
    await bench.clock.advance(32)
    assert bench.moments() == [0.0, 1.0, 31.0]


async def test_hints_do_not_hurry_a_scope_that_fails(bench: Bench) -> None:
    """T3.6: the failure backoff is kept across hints."""
    bench.ends["w"] = [Swept.FAILED, Swept.FAILED]
    await bench.hint("w")
    await bench.clock.advance(10)
    await bench.hint("w")
    await bench.clock.advance(3_600)
    assert bench.moments() == [0.0, 30.0, 90.0]


async def test_a_failing_scope_keeps_its_moment_while_others_go_on(bench: Bench) -> None:
    """T6.1 19: neither moves the other."""
    bench.ends["bad"] = [Swept.FAILED, Swept.FAILED]
    await bench.hint("bad")
    for _ in range(20):
        await bench.clock.advance(4)
        await bench.hint("good")
    await bench.clock.advance(600)
    assert bench.moments("bad") == [0.0, 30.0, 90.0]
    assert bench.moments("good") == [4.0 * number for number in range(1, 21)]


async def test_the_hint_of_another_scope_does_not_touch_an_unresolved_one(bench: Bench) -> None:
    """T3.6."""
    bench.ends["w"] = [Swept.UNRESOLVED]
    await bench.hint("w")
    await bench.clock.advance(10)
    await bench.hint("other")
    await bench.clock.advance(600)
    assert bench.moments() == [0.0, 30.0]


async def test_a_hint_for_what_a_round_has_passed_already_is_not_lost_in_its_continuation(
    bench: Bench,
) -> None:
    """T6.1 34: given in the first pass of a round whose second one ends it."""
    bench.ends["w"] = [Swept.TRUNCATED, Swept.UNRESOLVED]
    bench.held = asyncio.Event()
    await bench.hint("w")
    await bench.hint("w")
    bench.held.set()
    await bench.clock.advance(29)
    assert bench.moments() == [0.0, 1.0, 2.0]


async def test_what_is_hinted_while_it_drains_is_done_afterwards(bench: Bench) -> None:
    """T6.1 10, on the worker: a first write during drain."""
    bench.worker.drain()
    await bench.hint("w")
    await bench.clock.advance(3_600)
    assert bench.passes == []
    assert bench.clock.pending_timers == 0
    bench.worker.admit()
    await settle()
    assert bench.moments() == [3_600.0]


async def test_a_failed_pass_is_still_owed_after_a_drain(bench: Bench) -> None:
    """T6.1 11, on the worker."""
    bench.ends["w"] = [Swept.FAILED]
    await bench.hint("w")
    bench.worker.drain()
    await bench.clock.advance(20)
    bench.worker.admit()
    await bench.clock.advance(9)
    assert bench.moments() == [0.0]
    await bench.clock.advance(1)
    assert bench.moments() == [0.0, 30.0]


async def test_a_pass_that_drain_stops_goes_on_when_it_is_over(bench: Bench) -> None:
    """T6.1 24, on the worker."""
    bench.held = asyncio.Event()
    await bench.hint("w")
    bench.worker.drain()
    bench.held.set()
    await bench.clock.advance(60)
    assert bench.stops == [True]
    bench.worker.admit()
    await bench.clock.advance(60)
    assert bench.moments() == [0.0, 60.0]
    assert bench.stops == [True, False]


async def test_a_stop_waits_for_the_pass_and_begins_no_other(bench: Bench) -> None:
    """T6.1 32, on the worker."""
    bench.held = asyncio.Event()
    await bench.hint("w", "other")
    stopping = asyncio.create_task(bench.worker.stop())
    await settle()
    assert not stopping.done()
    bench.held.set()
    await stopping
    await bench.hint("late")
    bench.worker.reconstruct()
    bench.worker.admit()
    await bench.clock.advance(3_600)
    assert bench.passes == [(0.0, "w")]
    assert bench.stops == [True]
    assert (bench.looks, bench.clock.pending_timers) == (0, 0)


async def test_it_ends_with_its_supervisor(bench: Bench) -> None:
    """T3.8: shutdown joins."""
    bench.held = asyncio.Event()
    await bench.hint("w")
    stopping = asyncio.create_task(bench.supervisor.stop())
    await settle()
    assert not stopping.done()
    bench.held.set()
    await stopping
    assert bench.stops == [True]


async def test_a_reconstruction_finds_what_is_owed_by_what_is_stored(bench: Bench) -> None:
    """T3.8, start."""
    bench.found = ["a", "b"]
    bench.worker.reconstruct()
    await bench.clock.advance(60)
    assert bench.passes == [(1.0, "a"), (2.0, "b")]
    assert bench.looks == 1


async def test_a_reconstruction_forgets_what_is_owed_no_more(bench: Bench) -> None:
    """T3.5: also what waits because it failed."""
    bench.ends["w"] = [Swept.FAILED]
    bench.ends["kept"] = [Swept.FAILED]
    await bench.hint("w", "kept")
    await bench.clock.advance(5)
    bench.found = ["kept"]
    bench.worker.reconstruct()
    await bench.clock.advance(600)
    assert bench.moments("w") == [0.0]
    assert bench.moments("kept") == [1.0, 31.0]


async def test_a_hint_during_a_reconstruction_that_does_not_see_it_is_kept(bench: Bench) -> None:
    bench.ends["w"] = [Swept.UNRESOLVED]
    await bench.hint("w")
    await bench.clock.advance(5)
    bench.worker.reconstruct()
    bench.worker.hint("w")
    bench.worker.hint("new")
    await bench.clock.advance(60)
    assert bench.passes == [(0.0, "w"), (6.0, "w"), (7.0, "new")]


async def test_a_reconstruction_that_fails_is_tried_again(bench: Bench) -> None:
    """T3.6."""
    bench.found, bench.found_fails = ["w"], unavailable()
    bench.worker.reconstruct()
    await settle()
    bench.found_fails = None
    await bench.clock.advance(31)
    assert bench.looks == 2
    assert bench.moments() == [31.0]


async def test_nothing_begins_before_it_is_admitted() -> None:
    """T3.8: start."""
    bench = Bench()
    bench.found = ["w"]
    await bench.hint("w")
    bench.worker.reconstruct()
    await bench.clock.advance(60)
    assert (bench.passes, bench.looks, bench.clock.pending_timers) == ([], 0, 0)
    bench.worker.admit()
    await bench.clock.advance(60)
    assert (len(bench.passes), bench.looks) == (1, 1)
    await bench.supervisor.stop(0.1)
