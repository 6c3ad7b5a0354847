"""What every bench prints first, and how it prints a row."""

import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path


def describe_machine() -> str:
    """One line: processor, cores, memory, system, Python."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in _lines(Path("/proc/cpuinfo"))
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = next(
        (int(line.split()[1]) / 2**20 for line in _lines(Path("/proc/meminfo"))), float("nan")
    )
    return (
        f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.platform()}, "
        f"Python {platform.python_version()}"
    )


def print_table(title: str, rows: Iterable[tuple[str, str]]) -> None:
    print(f"\n{title}\n  {describe_machine()}")
    for name, figures in rows:
        print(f"  {name:44} {figures}")


def spread(seconds: Sequence[float]) -> str:
    """Median, 95th percentile and maximum in milliseconds."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return (
        f"median {statistics.median(ordered) * 1000:7.1f} ms   p95 {p95 * 1000:7.1f}   "
        f"max {ordered[-1] * 1000:7.1f}   n={len(ordered)}"
    )


def pss_mib(pids: Iterable[int]) -> float:
    """Proportional set size of these processes together."""
    total = 0
    for pid in pids:
        for line in _lines(Path(f"/proc/{pid}/smaps_rollup")):
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
