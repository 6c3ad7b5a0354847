"""Passes over scopes that may need one: a scope at a time, each with its own next moment (T3)."""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from backend.clock import Clock, TimerHandle
from backend.work.supervisor import TaskSupervisor

SPACING: Final = 1.0
"""Seconds between two passes, whatever their scopes."""
CONTINUATION: Final = 1.0
"""Seconds until what a pass had to leave goes on."""
BACKOFF: Final = (30.0, 60.0, 120.0, 240.0, 300.0)
"""Seconds until a scope is looked at again that failed, or still needs it; the last repeats."""


class Swept(Enum):
    """How one pass over a scope has ended."""

    CLEAN = auto()
    """Nothing is left."""
    TRUNCATED = auto()
    """It has done as much as one pass may, and there may be more."""
    UNRESOLVED = auto()
    """It has seen everything, and something is left that it could not do."""
    FAILED = auto()
    """All or a part of it failed."""
    INTERRUPTED = auto()
    """It was told to stop."""


GoesOn = Callable[[], bool]
"""Asked between two steps of a pass: False ends it."""
Discover = Callable[[], Coroutine[Any, Any, Collection[str]]]
"""Every scope that needs a pass, by what is stored."""
Sweep = Callable[[str, GoesOn], Coroutine[Any, Any, Swept]]


class _Why(Enum):
    HINT = auto()
    CONTINUATION = auto()
    UNRESOLVED = auto()
    FAILURE = auto()


@dataclass(slots=True)
class _Obligation:
    """What is owed to one scope."""

    due: float
    why: _Why = _Why.HINT
    attempts: int = 0
    """How many passes have ended without resolving it, since it was last told of."""
    generation: int = 0
    """Rises with each hint."""
    seen: int = 0
    """The generation when the round began that is now under way."""


class ScopedDeadlineWorker:
    """Runs one pass at a time, behind one timer; with nothing owed it has none.

    `hint` makes a scope due. A scope that fails keeps its own moment whatever is hinted; one that
    is only unresolved is due at once with its next hint. What is hinted while a pass of the same
    scope runs leads to another one.

    While it is not admitted no pass begins, one that runs is told to stop, and everything owed is
    kept. It ends with its supervisor, and nothing of it is stored: `reconstruct` finds again what
    is owed.
    """

    def __init__(
        self,
        clock: Clock,
        supervisor: TaskSupervisor,
        *,
        name: str,
        discover: Discover,
        sweep: Sweep,
    ) -> None:
        self._clock = clock
        self._supervisor = supervisor
        self._name = name
        self._discover = discover
        self._sweep = sweep
        self._owed: dict[str, _Obligation] = {}
        self._rebuild: _Obligation | None = None
        self._timer: TimerHandle | None = None
        self._running: asyncio.Task[Any] | None = None
        self._free_at = clock.monotonic()
        self._admitted = False
        self._closed = False
        supervisor.at_stop(self._close)

    def hint(self, scope: str) -> None:
        """Something of `scope` may have changed."""
        if self._closed:
            return
        owed = self._owed.get(scope)
        if owed is None:
            self._owed[scope] = _Obligation(self._clock.monotonic())
        else:
            owed.generation += 1
            if owed.why is _Why.UNRESOLVED:
                self._make_due(owed)
        self._arm()

    def reconstruct(self) -> None:
        """Find again what is owed, and forget what is not, by what is stored."""
        if not self._closed:
            self._rebuild = _Obligation(self._clock.monotonic())
            self._arm()

    def admit(self) -> None:
        """Let passes begin."""
        if not self._closed:
            self._admitted = True
            self._arm()

    def drain(self) -> None:
        """Let no pass begin until `admit`; the one that runs stops at its next step."""
        self._admitted = False
        self._arm()

    async def stop(self) -> None:
        """Begin nothing more, and wait for the step that runs."""
        self._close()
        if self._running is not None:
            await asyncio.wait({self._running})

    def _close(self) -> None:
        self._closed = True
        self._admitted = False
        self._owed.clear()
        self._rebuild = None
        self._arm()

    def _goes_on(self) -> bool:
        return self._admitted

    def _make_due(self, owed: _Obligation) -> None:
        owed.due, owed.why, owed.attempts = self._clock.monotonic(), _Why.HINT, 0

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._admitted or self._running is not None:
            return
        if self._rebuild is not None and not self._wait(self._rebuild):
            self._begin_rebuild(self._rebuild)
            return
        scope = min(self._owed, key=lambda each: self._owed[each].due, default=None)
        if scope is not None and not self._wait(self._owed[scope]):
            self._begin(scope, self._owed[scope])
            return
        first = min(
            (owed.due for owed in (self._rebuild, *self._owed.values()) if owed is not None),
            default=None,
        )
        if first is not None:
            wait = max(first, self._free_at) - self._clock.monotonic()
            self._timer = self._clock.call_later(wait, self._arm)

    def _wait(self, owed: _Obligation) -> bool:
        return max(owed.due, self._free_at) > self._clock.monotonic()

    def _begin(self, scope: str, owed: _Obligation) -> None:
        if owed.why is not _Why.CONTINUATION:
            owed.seen = owed.generation
        work = self._sweep(scope, self._goes_on)
        running = self._supervisor.start(work, name=f"{self._name}: {scope}")
        running.add_done_callback(lambda ended: self._ended(scope, ended))
        self._running = running

    def _begin_rebuild(self, owed: _Obligation) -> None:
        before = {scope: known.generation for scope, known in self._owed.items()}
        running = self._supervisor.start(self._discover(), name=f"{self._name}: look for all")
        running.add_done_callback(lambda ended: self._rebuilt(owed, before, ended))
        self._running = running

    def _ended(self, scope: str, ended: asyncio.Task[Swept]) -> None:
        self._rest()
        owed = self._owed.get(scope)
        if owed is not None:
            self._settle(scope, owed, _result(ended))
        self._arm()

    def _settle(self, scope: str, owed: _Obligation, result: Swept) -> None:
        is_changed = owed.generation != owed.seen
        if result is Swept.INTERRUPTED:
            owed.due, owed.why = self._clock.monotonic(), _Why.CONTINUATION
        elif result is Swept.TRUNCATED:
            owed.due, owed.why = self._clock.monotonic() + CONTINUATION, _Why.CONTINUATION
        elif result is Swept.FAILED:
            self._put_off(owed, _Why.FAILURE)
        elif is_changed:
            self._make_due(owed)
        elif result is Swept.UNRESOLVED:
            self._put_off(owed, _Why.UNRESOLVED)
        else:
            del self._owed[scope]

    def _rebuilt(
        self,
        owed: _Obligation,
        before: dict[str, int],
        ended: "asyncio.Task[Collection[str]]",
    ) -> None:
        self._rest()
        if self._rebuild is owed:
            if ended.cancelled() or ended.exception() is not None:
                self._put_off(owed, _Why.FAILURE)
            else:
                self._rebuild = None
                self._take_over(ended.result(), before)
        self._arm()

    def _take_over(self, found: Collection[str], before: dict[str, int]) -> None:
        for scope, generation in before.items():
            if scope not in found and self._owed[scope].generation == generation:
                del self._owed[scope]
        for scope in found:
            self._owed.setdefault(scope, _Obligation(self._clock.monotonic()))

    def _put_off(self, owed: _Obligation, why: _Why) -> None:
        delay = BACKOFF[min(owed.attempts, len(BACKOFF) - 1)]
        owed.due, owed.why = self._clock.monotonic() + delay, why
        owed.attempts += 1

    def _rest(self) -> None:
        self._running = None
        self._free_at = self._clock.monotonic() + SPACING


def _result(ended: asyncio.Task[Swept]) -> Swept:
    if ended.cancelled() or ended.exception() is not None:
        return Swept.FAILED
    return ended.result()
