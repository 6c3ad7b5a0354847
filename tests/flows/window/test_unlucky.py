"""The window on a bad day: the store held by another program, and a desk nobody looks at."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from tests.helpers.client_process import client_process
from tests.helpers.live_window import ARMED_AFTER, live_window
from tests.helpers.mcp_clients import question
from tests.helpers.waiting import until

pytestmark = pytest.mark.faults

HOLD = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
store.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
"""
WATCHED_SECONDS = 4.0
FEW = 20
"""Most of them are the test's own: it goes to sleep, wakes up and reads."""


async def hold(store: Path) -> Process:
    """Another program that holds the store until it is told to let go."""
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(store), stdin=PIPE, stdout=PIPE
    )
    assert holder.stdout is not None
    await asyncio.wait_for(holder.stdout.readline(), 20)
    return holder


async def test_a_store_held_by_another_program_leaves_the_words_and_retry(tmp_path: Path) -> None:
    """product.md P3, P4: within 5 s the human can act again; Retry delivers once."""
    home = tmp_path / "home"
    where = ("shim", str(home), str(tmp_path), "claude-code")
    async with live_window(home) as window, client_process(*where, home=home) as client:
        client.ask({"questions": [question("Which database?", "SQLite", "PostgreSQL")]})
        await window.shows_card("Which database?")
        await window.type("customAnswer", "half of a 想法")
        holder = await hold(home / "kandesk.db")
        try:
            await window.click("submitAnswers")
            await until(lambda: window.find("retryButton") is not None, seconds=8)
            status = await window.shows("statusText", QLabel)
            assert "trying again is safe" in status.text().lower()
            field = await window.shows("customAnswer", QPlainTextEdit)
            assert field.toPlainText() == "half of a 想法"
            assert not field.isReadOnly()
        finally:
            holder.kill()
            await holder.wait()
        await window.type("customAnswer", "!")
        await asyncio.sleep(ARMED_AFTER)
        await window.click("retryButton")
        answer = (await client.reply()).result["answers"]["q1"]
        assert answer["custom_text"] == "half of a 想法!"


def context_switches() -> int:
    """How often any thread of this process was put on a processor so far."""
    total = 0
    for status in Path("/proc/self/task").glob("*/status"):
        lines = status.read_text().splitlines()
        total += sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
    return total


@pytest.mark.skipif(sys.platform != "linux", reason="counts what Linux counts")
async def test_a_hidden_desk_with_no_open_call_does_not_wake_up(tmp_path: Path) -> None:
    """product.md P10: an agent is connected, and neither it nor the human wants anything."""
    home = tmp_path / "home"
    where = ("shim", str(home), str(tmp_path), "claude-code")
    async with live_window(home) as window, client_process(*where, home=home) as client:
        client.ask({"questions": [question("Which database?", "SQLite", "PostgreSQL")]})
        await window.shows_card("Which database?")
        await window.click("optionButton_1")
        await asyncio.sleep(ARMED_AFTER)
        await window.click("submitAnswers")
        await client.reply()
        window.parts.window.hide()

        async def quiet() -> bool:
            before = context_switches()
            await asyncio.sleep(WATCHED_SECONDS)
            return context_switches() - before <= FEW

        for _ in range(5):
            if await quiet():
                return
        pytest.fail(f"more than {FEW} wake-ups in {WATCHED_SECONDS} s, again and again")
