"""From "a question arrives" to "answered" over AT-SPI: by role and name, nothing else."""

import asyncio
import os
import random
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backend.paths import Home
from tests.helpers.client_process import client_process
from tests.helpers.mcp_clients import question
from tests.helpers.program import KANDESK, ROOT, environment
from tests.helpers.waiting import until

READER = Path(__file__).with_name("reader.py")
SYSTEM_PYTHON = "/usr/bin/python3"
"""pyatspi is a package of the system (packaging/dev/setup.sh --tests), not of the environment."""

SESSION = """
/usr/libexec/at-spi-bus-launcher >&2 &
"$@" &
program=$!
"$SYSTEM_PYTHON" "$READER" >"$HEARD"
status=$?
kill -TERM "$program"
wait "$program"
exit "$status"
"""


@asynccontextmanager
async def screen() -> AsyncIterator[str]:
    """An X server of the test's own; its display.

    Its number is no neighbour's: a server that ends takes away the socket of the next with its own.
    """
    display = f":{random.SystemRandom().randint(1_000, 60_000)}"
    read, write = os.pipe()
    server = await asyncio.create_subprocess_exec(
        *(
            "Xvfb",
            display,
            "-displayfd",
            str(write),
            "-screen",
            "0",
            "1400x1000x24",
            "-nolisten",
            "tcp",
        ),
        pass_fds=(write,),
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            await asyncio.to_thread(numbers.readline)
        yield display
    finally:
        if server.returncode is None:
            server.terminate()
        await server.wait()


@asynccontextmanager
async def session(home: Home, display: str, heard: Path) -> AsyncIterator[Process]:
    """The program and its reader on a session bus of their own.

    What the reader heard goes to a file: whatever the bus starts writes to its output.
    """
    env = environment(
        home.root,
        DISPLAY=display,
        QT_QPA_PLATFORM="xcb",
        QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1",
        SYSTEM_PYTHON=SYSTEM_PYTHON,
        READER=str(READER),
        HEARD=str(heard),
    )
    process = await asyncio.create_subprocess_exec(
        *("dbus-run-session", "--", "bash", "-c", SESSION, "session"),
        *(*KANDESK, "--language", "en"),
        cwd=ROOT,
        env=env,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="AT-SPI is Linux's")
async def test_a_question_is_heard_and_answered_with_a_screen_reader(tmp_path: Path) -> None:
    """product.md P11; window.md, Eyes and ears."""
    home, shop = Home(tmp_path / "home"), tmp_path / "shop"
    heard = tmp_path / "heard"
    shop.mkdir()
    async with screen() as display, session(home, display, heard) as running:
        reading = asyncio.ensure_future(running.communicate())
        await until(home.endpoint.exists, seconds=90)
        where = ("shim", str(home.root), str(shop), "reader")
        async with client_process(*where, home=home.root) as client:
            client.ask({"questions": [question("Which database?", "SQLite", "PostgreSQL")]})
            client.ask({"questions": [{"prompt": "What is it called?"}]})
            _, err = await asyncio.wait_for(reading, 90)
            assert running.returncode == 0, err.decode()
            assert heard.read_text().splitlines() == [
                "window",
                "question announced",
                "every control has a name",
                "did PostgreSQL",
                "did Submit",
                "answered",
                "did Submit",
                "answered in own words",
                "did History",
                "every control has a name",
                "did Back",
            ]
            first = (await client.reply()).result
            assert first["answers"]["q1"]["selected"][0]["label"] == "PostgreSQL"
            second = (await client.reply()).result
            assert second["answers"]["q1"]["custom_text"] == "warehouse 倉庫"
