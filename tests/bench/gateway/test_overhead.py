"""What the gateway costs: an allowed call beside a direct one and a tool of ours that does nothing.

Prints medians of one run and their ratio; the goal is 1.5 x (direct + no-op). The kinds take turns,
so that whatever else the machine does meets all of them. An allowed call is written down before it
runs, so what a commit costs on the machine is in the ratio; one that only reads runs beside it.
"""

import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.helpers.gateway_peers import gateway_desk

PROGRAM = Path(__file__).resolve().parents[2] / "helpers" / "rough_server.py"
ROUNDS = 100
WARM = 10
GOAL = 1.5

Call = Callable[[], Awaitable[object]]


async def medians(**calls: Call) -> dict[str, float]:
    """Milliseconds of each kind, after the first rounds."""
    took: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(WARM + ROUNDS):
        for name, call in calls.items():
            began = time.perf_counter()
            await call()
            took[name].append((time.perf_counter() - began) * 1000)
    return {name: statistics.median(each[WARM:]) for name, each in took.items()}


@pytest.mark.bench
async def test_an_allowed_call_costs_little_more_than_a_direct_one_and_an_empty_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = StdioServerParameters(command=sys.executable, args=[str(PROGRAM)])
    async with gateway_desk(tmp_path / "home") as desk, Client(server, mode="legacy") as direct:
        registered = await desk.add("rough", sys.executable, str(PROGRAM))
        await desk.allow(registered, "echo")
        await desk.allow(registered, "look")
        said = {"message": "hi"}
        async with desk.client() as client:
            found = await medians(
                direct=lambda: direct.call_tool("echo", said),
                # Our own endpoint with nothing behind it: a name it does not know.
                empty=lambda: client.call_tool("no_such_tool", {}),
                writes=lambda: client.call_tool("rough__echo", said),
                reads=lambda: client.call_tool("rough__look", said),
            )
    base = found["direct"] + found["empty"]
    with capsys.disabled():
        print(
            f"\ngateway: direct {found['direct']:.2f} ms, no-op {found['empty']:.2f} ms; allowed:"
            f" one that writes {found['writes']:.2f} ms, ratio {found['writes'] / base:.2f};"
            f" one that reads {found['reads']:.2f} ms, ratio {found['reads'] / base:.2f}"
            f" (goal {GOAL})"
        )
    assert found["writes"] < 1_000
