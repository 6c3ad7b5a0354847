"""Time as an argument: wall time in integer nanoseconds, deadlines on a monotonic clock."""

import asyncio
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NewType, Protocol

Nanoseconds = NewType("Nanoseconds", int)
"""Wall time since the Unix epoch."""

_NANOS_PER_SECOND = 1_000_000_000
_SECOND = timedelta(seconds=1)
_TIMESTAMP = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[T ](?P<time>\d{2}:\d{2}:\d{2})(?:\.(?P<fraction>\d{1,99}))?"
    r"(?P<zone>Z|[+-]\d{2}:\d{2})?(?: UTC| [+-]\d{4} \w+)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND = -62_135_596_800
_LAST_SECOND = 253_402_300_799
"""The years 0001 and 9999: what RFC 3339 can write."""


class TimerHandle(Protocol):
    """Something scheduled that can still be called off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """What the backend knows of time; tests pass one they move by hand."""

    def now(self) -> Nanoseconds: ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...

    def asleep(self) -> float:
        """Seconds the machine has slept since some moment: only how it grows means something."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> TimerHandle:
        """Run `callback` on the running loop after `seconds`."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> Nanoseconds:
        return Nanoseconds(time.time_ns())

    def monotonic(self) -> float:
        return time.monotonic()

    def asleep(self) -> float:
        with_sleep = getattr(time, "CLOCK_BOOTTIME", None)
        if with_sleep is not None:
            return time.clock_gettime(with_sleep) - time.clock_gettime(time.CLOCK_MONOTONIC)
        return time.time() - time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, callback)


class Deadline:
    """A fixed point on a monotonic clock that several steps share."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.clock = clock
        self.seconds = seconds
        self._ends_at = clock.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._ends_at - self.clock.monotonic())

    @property
    def expired(self) -> bool:
        return self.clock.monotonic() >= self._ends_at

    def on_expiry(self, callback: Callable[[], None]) -> TimerHandle:
        """Schedule `callback` for the moment the deadline passes."""
        return self.clock.call_later(self.remaining(), callback)


def format_timestamp(moment: Nanoseconds) -> str:
    """RFC 3339 in UTC with exactly nine fraction digits, so that text order is time order.

    A moment outside the years 0001 to 9999 is written as the nearest second inside.
    """
    seconds, nanos = divmod(moment, _NANOS_PER_SECOND)
    base = _EPOCH + timedelta(seconds=min(max(seconds, _FIRST_SECOND), _LAST_SECOND))
    return f"{base.replace(tzinfo=None).isoformat()}.{nanos:09d}Z"


def parse_timestamp(text: str) -> Nanoseconds:
    """Read our own form and Kandev's three (K2.7, K6.6); a missing zone means UTC.

    Digits below a nanosecond are cut off.

    Raises:
        ValueError: the text is none of them.
    """
    match = _TIMESTAMP.fullmatch(text.strip())
    if match is None:
        message = f"not a timestamp: {text!r}"
        raise ValueError(message)
    zone = match["zone"] or "Z"
    whole = datetime.fromisoformat(f"{match['date']}T{match['time']}{zone.replace('Z', '+00:00')}")
    nanos = int((match["fraction"] or "")[:9].ljust(9, "0"))
    return Nanoseconds((whole - _EPOCH) // _SECOND * _NANOS_PER_SECOND + nanos)


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait on `clock`."""
    passed = asyncio.Event()
    timer = clock.call_later(seconds, passed.set)
    try:
        await passed.wait()
    finally:
        timer.cancel()
