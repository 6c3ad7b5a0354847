"""How fast the commands start that start often, beside `python -c pass` in the same run.

Goal on a machine with two cores: at most 150 ms more. Nothing fails on an absolute time.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.paths import Home
from tests.helpers.desk_process import DeskProcess
from tests.helpers.shim_process import shim_environment

ROUNDS = 9
PING = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n'


def median_ms(run: Callable[[], None]) -> float:
    run()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def command(*words: str) -> Callable[[], None]:
    line = [sys.executable, *words]

    def run() -> None:
        subprocess.run(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=shim_environment(),
            check=True,
        )

    return run


def first_reply(home: Home) -> Callable[[], None]:
    """From the start of the shim to its answer to `initialize`."""
    line = [sys.executable, "-m", "app.launch", "mcp", "--home", str(home.root)]

    def run() -> None:
        with subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=shim_environment()
        ) as shim:
            assert shim.stdin is not None
            assert shim.stdout is not None
            shim.stdin.write(PING)
            shim.stdin.flush()
            assert b"protocolVersion" in shim.stdout.readline()

    return run


@pytest.mark.bench
def test_start_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path / "home")
    launch = ("-m", "app.launch")
    at_home = ("--home", str(home.root))
    serve = DeskProcess(home)
    try:
        baseline = median_ms(command("-c", "pass"))
        figures = {
            "kandesk --version": median_ms(command(*launch, "--version")),
            "kandesk mcp, first reply": median_ms(first_reply(home)),
            "kandesk pending, desk runs": median_ms(command(*launch, "pending", *at_home)),
        }
    finally:
        serve.stop()
    figures["kandesk pending, no desk"] = median_ms(command(*launch, "pending", *at_home))
    with capsys.disabled():
        print(f"\nstart-up, median of {ROUNDS}; python -c pass {baseline:.0f} ms")
        for name, figure in figures.items():
            ratio = figure / baseline
            print(f"  {name:28} {figure:6.0f} ms  +{figure - baseline:4.0f} ms  x{ratio:.1f}")
