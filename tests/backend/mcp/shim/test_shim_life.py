"""When the shim ends, and when it starts a desk (agents.md, Shim)."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from backend.mcp import shim_texts
from backend.mcp.shim_start import DeskStarter, NotStartable, Permission, StartPlan, plan_start
from backend.paths import Home
from tests.backend.mcp.shim.conftest import StartDesk, StartShim
from tests.helpers.scripted_desk import DeskCall
from tests.helpers.shim_process import shim_command, shim_environment, text_of

GONE_WITHIN = 5.0


def test_it_exits_when_its_input_ends_even_with_a_call_open(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    desk = start_desk(DeskCall.wait_until_closed)
    shim = start_shim()
    shim.call(1)
    call = desk.wait_for_calls(1)[0]
    assert shim.process.stdin is not None
    shim.process.stdin.close()
    assert shim.wait(GONE_WITHIN) == 0
    assert call.closed.wait(GONE_WITHIN), "the desk must learn that nobody waits any more"


def test_it_exits_when_nobody_reads_its_output(home: Home) -> None:
    reading, writing = os.pipe()
    shim = subprocess.Popen(
        shim_command(home), stdin=subprocess.PIPE, stdout=writing, env=shim_environment()
    )
    os.close(writing)
    os.close(reading)
    with shim:
        assert shim.stdin is not None
        shim.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        shim.stdin.flush()
        assert shim.wait(GONE_WITHIN) == 0


@pytest.fixture
def foster_parent(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that starts a shim; this test keeps the shim's input open, so it has no EOF."""
    reading, writing = os.pipe()
    command = shim_command(Home(tmp_path), "--no-start")
    script = textwrap.dedent(
        f"""
        import subprocess, sys, time
        child = subprocess.Popen({command!r}, stdin={reading}, stdout=subprocess.PIPE)
        print(child.pid, flush=True)
        child.stdout.readline()
        print("up", flush=True)
        time.sleep(600)
        """
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        pass_fds=(reading,),
        env=shim_environment(),
    )
    os.close(reading)
    os.write(writing, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    yield parent
    parent.kill()
    parent.wait()
    assert parent.stdout is not None
    parent.stdout.close()
    os.close(writing)


def test_it_exits_when_its_parent_is_killed_and_the_pipe_stays_open(
    foster_parent: "subprocess.Popen[bytes]",
) -> None:
    assert foster_parent.stdout is not None
    shim = psutil.Process(int(foster_parent.stdout.readline()))
    assert foster_parent.stdout.readline() == b"up\n"
    assert shim.is_running()
    foster_parent.kill()
    foster_parent.wait()
    psutil.wait_procs([shim], timeout=GONE_WITHIN)
    assert not shim.is_running() or shim.status() == psutil.STATUS_ZOMBIE


def test_without_a_desk_no_start_says_what_to_do(start_shim: StartShim) -> None:
    shim = start_shim("--no-start")
    shim.call(1)
    assert text_of(shim.reply(1)) == shim_texts.NO_DESK


def test_a_desk_that_was_quit_during_this_client_stays_closed_and_the_agent_is_told(
    start_shim: StartShim, home: Home
) -> None:
    shim = start_shim("--home", str(home.root))
    shim.initialize()
    home.quit_marker.touch()
    shim.call(1)
    assert text_of(shim.reply(1)) == shim_texts.QUIT
    assert not home.log_dir.exists(), "nothing was started"


def test_listing_tools_starts_no_desk(start_shim: StartShim, home: Home) -> None:
    shim = start_shim("--home", str(home.root))
    shim.initialize()
    shim.send(id=2, method="tools/list")
    shim.reply(2)
    assert not home.log_dir.exists()


def script_plan(*scripts: str) -> StartPlan:
    return StartPlan(tuple((sys.executable, "-c", script) for script in scripts))


def wait_for_end(starter: DeskStarter) -> None:
    assert starter._process is not None
    starter._process.wait(10)


def test_the_desk_is_started_once_however_many_calls_ask(home: Home) -> None:
    plan = script_plan("import time; time.sleep(60)", "raise SystemExit(9)")
    starter = DeskStarter(home, plan, Permission.ALLOWED)
    starter.ensure()
    process = starter._process
    assert process is not None
    try:
        starter.ensure()
        assert starter._process is process
    finally:
        process.kill()
        process.wait()


def test_a_desk_that_cannot_start_is_tried_the_other_way_and_then_its_last_words_are_told(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.mcp.shim_start._SETTLE_SECONDS", 0.0)
    dies = "import sys; sys.exit('kandesk: the store is owned by process 7')"
    starter = DeskStarter(home, script_plan("raise SystemExit(1)", dies), Permission.ALLOWED)
    starter.ensure()
    wait_for_end(starter)
    starter.ensure()
    wait_for_end(starter)
    with pytest.raises(NotStartable, match="owned by process 7"):
        starter.ensure()


def test_a_quit_before_this_client_does_not_keep_it_from_starting_a_desk(home: Home) -> None:
    home.quit_marker.touch()
    os.utime(home.quit_marker, (1, 1))
    starter = DeskStarter(home, script_plan("pass", "pass"), Permission.ALLOWED)
    starter.ensure()
    wait_for_end(starter)


def test_a_window_is_preferred_where_there_is_a_display(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    first, second = plan_start(("kandesk",), home).commands
    assert first == ("kandesk", "--background", "--home", str(home.root))
    assert second == ("kandesk", "serve", "--home", str(home.root))
    monkeypatch.delenv("DISPLAY")
    assert plan_start(("kandesk",), home).commands[0] == second
