"""What the whole desk costs while a question waits: the real program, offscreen.

Goal on a machine with two cores: at most 160 MiB (proportional set size), beside an empty PySide6
window in the same run.
"""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL
from pathlib import Path

import pytest

from tests.bench.machine import print_table, pss_mib
from tests.bench.test_first_frame import start
from tests.helpers.client_process import client_process
from tests.helpers.human import Human
from tests.helpers.mcp_clients import question
from tests.helpers.program import KANDESK, ROOT, environment
from tests.helpers.waiting import until


def read_endpoint(path: Path) -> tuple[str, str]:
    """Where the desk listens, and the human's token."""
    told = json.loads(path.read_text())
    return told["api"], Path(told["token_file"]).read_text().strip()


async def waiting_desk(home: Path) -> float:
    """PSS of the window's process in MiB while a card is on screen."""
    process = await asyncio.create_subprocess_exec(
        *KANDESK, env=environment(home), cwd=ROOT, stdin=DEVNULL
    )
    endpoint = home / "endpoint.json"
    try:
        await until(endpoint.exists, seconds=30)
        api, token = read_endpoint(endpoint)
        async with (
            client_process("shim", str(home), str(home), home=home) as client,
            Human(api, token) as human,
        ):
            for number in range(10):
                client.ask({"questions": [question(f"Number {number}?", "yes", "no")]})
                (bundle,) = await human.wait_for()
                await human.answer(bundle)
                await client.reply()
            client.ask({"questions": [question("Which one waits?", "yes", "no")]})
            await human.wait_for()
            await asyncio.sleep(1)
            return pss_mib([process.pid])
    finally:
        process.kill()
        await process.wait()


@pytest.mark.bench
async def test_a_waiting_desk_is_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    empty = (await asyncio.to_thread(start, home, "empty"))[2]
    desk = await waiting_desk(home)
    with capsys.disabled():
        print_table(
            "memory (PSS, offscreen)",
            [
                ("empty PySide6 window", f"{empty:.0f} MiB"),
                ("kandesk while a question waits", f"{desk:.0f} MiB   x{desk / empty:.1f}"),
            ],
        )
    assert sys.platform != "linux" or 0 < desk < 10 * empty
