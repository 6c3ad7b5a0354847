"""What the gateway costs: an allowed call beside a direct one and a tool of ours that does nothing.

Prints medians of one run and their ratio; the goal is 1.5 x (direct + no-op). An allowed call is
written down before it runs, so what a commit costs on the machine is what the ratio shows.
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
ROUNDS = 60
GOAL = 1.5


async def median(call: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds, after the first calls."""
    took = []
    for _ in range(ROUNDS + 5):
        began = time.perf_counter()
        await call()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took[5:])


@pytest.mark.bench
async def test_an_allowed_call_costs_little_more_than_a_direct_one_and_an_empty_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = StdioServerParameters(command=sys.executable, args=[str(PROGRAM)])
    async with gateway_desk(tmp_path / "home") as desk, Client(server, mode="legacy") as direct:
        registered = await desk.add("rough", sys.executable, str(PROGRAM))
        await desk.allow(registered, "echo")
        async with desk.client() as client:
            await client.call_tool("rough__echo", {"message": "hi"})
            straight = await median(lambda: direct.call_tool("echo", {"message": "hi"}))
            # Our own endpoint with nothing behind it: a name it does not know.
            empty = await median(lambda: client.call_tool("no_such_tool", {}))
            allowed = await median(lambda: client.call_tool("rough__echo", {"message": "hi"}))
    ratio = allowed / (straight + empty)
    with capsys.disabled():
        print(
            f"\ngateway: direct {straight:.2f} ms, no-op {empty:.2f} ms,"
            f" allowed {allowed:.2f} ms, ratio {ratio:.2f} (goal {GOAL})"
        )
    assert allowed < 1_000
