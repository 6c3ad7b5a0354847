"""How long text takes to its pixels, and how long the window takes from one tick to the next."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, QTimer


@dataclass
class Figures:
    """Seconds from chunk to paint, and between ticks of the window."""

    painted: list[float] = field(default_factory=list)
    ticks: list[float] = field(default_factory=list)


class Ticks(QObject):
    """Notes how long the window takes from one 5 ms tick to the next."""

    def __init__(self, gaps: list[float]) -> None:
        super().__init__()
        self._gaps = gaps
        self._last = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now = time.monotonic()
        self._gaps.append(now - self._last)
        self._last = now


def part(values: Sequence[float], share: float) -> float:
    """The value below which this share of all lies, in milliseconds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def figures_row(name: str, figures: Figures, bare: Figures | None = None) -> tuple[str, str]:
    """One row of a table; with `bare`, the medians are compared."""
    painted, ticks = figures.painted, figures.ticks
    paint = (
        f"paint: median {part(painted, 0.5):6.1f} ms   "
        f"p99 {part(painted, 0.99):6.1f}   max {max(painted) * 1000:6.1f}"
    )
    tick = _ticks(ticks)
    ratio = ""
    if bare is not None:
        ratio = f"   x{statistics.median(painted) / statistics.median(bare.painted):.1f}"
    return name, f"{paint}{ratio}      {tick}   n={len(painted)}"


def ticks_row(name: str, ticks: Sequence[float]) -> tuple[str, str]:
    """One row of a table of ticks only."""
    return name, f"{_ticks(ticks)}   n={len(ticks)}"


def _ticks(ticks: Sequence[float]) -> str:
    return (
        f"ticks: p99 {part(ticks, 0.99):6.1f} ms   p99.9 {part(ticks, 0.999):6.1f}   "
        f"max {max(ticks) * 1000:6.1f}"
    )
