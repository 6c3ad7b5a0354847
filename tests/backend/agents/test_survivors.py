"""Ending what a desk that died has left (agents.md, ACP: pid, start time, process group)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backend.agents.child_environment import HOSTED_VARIABLE, START_VARIABLE
from backend.agents.launcher import AcpLauncher
from backend.agents.process_marks import group_lives, mark_of, stop_survivors
from backend.agents.started_processes import StartedProcesses
from backend.clock import SystemClock
from backend.conversation.agent_port import AgentLaunch
from backend.domain.agents import AgentCommand, ProcessMark
from backend.errors import AgentFailed
from backend.ids import SessionId
from tests.helpers.scripted_agents import RecordingListener
from tests.helpers.waiting import wait_until

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="nobody tells an environment")

Child = subprocess.Popen[bytes]

_SLEEPS = "import time; print(1, flush=True); time.sleep(600)"
_IGNORES = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {_SLEEPS}"
_LEAVES_A_CHILD = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; "
    "time.sleep(600)'], stdout=subprocess.DEVNULL); print(1, flush=True)"
)


def start(script: str, *, hosted: bool = True, name: str = "", leads: bool = True) -> Child:
    """A leader of its own group, unless told, ready; `name` is that of its start."""
    environment = {**os.environ, HOSTED_VARIABLE: "1"} if hosted else dict(os.environ)
    if name:
        environment[START_VARIABLE] = name
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        start_new_session=leads,
        env=environment,
    )
    assert child.stdout is not None
    child.stdout.readline()
    return child


@pytest.fixture
def children() -> Iterator[list[Child]]:
    started: list[Child] = []
    yield started
    for child in started:
        if group_lives(child.pid):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


async def test_a_survivor_is_ended(children: list[Child]) -> None:
    children.append(start(_SLEEPS))
    mark = mark_of(children[0].pid)
    assert await stop_survivors([mark]) == (mark,)
    assert not group_lives(mark.group)
    assert await stop_survivors([mark]) == ()


async def test_several_that_do_not_listen_are_ended_within_five_seconds(
    children: list[Child],
) -> None:
    children.extend(start(_IGNORES) for _ in range(3))
    marks = [mark_of(child.pid) for child in children]
    began = time.monotonic()
    assert len(await stop_survivors(marks)) == 3
    assert time.monotonic() - began < 5
    assert not any(group_lives(mark.group) for mark in marks)


async def test_a_process_that_got_the_number_later_is_left_alone(children: list[Child]) -> None:
    children.append(start(_SLEEPS))
    mark = mark_of(children[0].pid)
    boot, _, ticks = mark.started_at.rpartition(":")
    for other in (f"{boot}:{int(ticks) - 1}", f"another-boot:{ticks}", ""):
        assert await stop_survivors([replace(mark, started_at=other)]) == ()
    assert children[0].poll() is None


async def test_what_is_left_of_a_group_is_ended_when_its_leader_is_gone(
    children: list[Child],
) -> None:
    """Trap 9 of reference/agents.md: the direct child is gone, its own goes on."""
    children.append(start(_LEAVES_A_CHILD))
    mark = ProcessMark(children[0].pid, children[0].pid, mark_of(os.getpid()).started_at)
    children[0].wait()
    assert group_lives(mark.group)
    assert await stop_survivors([mark]) == (mark,)
    await asyncio.to_thread(wait_until, lambda: not group_lives(mark.group))


async def test_a_group_no_desk_has_started_is_left_alone(children: list[Child]) -> None:
    children.append(start(_LEAVES_A_CHILD, hosted=False))
    mark = ProcessMark(children[0].pid, children[0].pid, mark_of(os.getpid()).started_at)
    children[0].wait()
    assert await stop_survivors([mark]) == ()
    assert group_lives(mark.group)


async def test_our_own_group_is_never_ended() -> None:
    own = mark_of(os.getpid())
    await stop_survivors([replace(own, group=os.getpgrp())])


async def test_what_a_desk_has_noted_is_ended_by_the_next_one_once(
    children: list[Child], tmp_path: Path
) -> None:
    """The store of the first one never heard of it."""
    children += [start(_IGNORES), start(_SLEEPS)]
    path = tmp_path / "started"
    mark = mark_of(children[0].pid)
    first = StartedProcesses(path)
    first.note(first.begin(), mark)
    with path.open("a") as file:
        file.write('{"pid": 1, "gro')
    second = StartedProcesses(path)
    assert await second.stop([]) == (mark,)
    assert not group_lives(children[0].pid)
    # What the second has started itself is its own, whenever it looks again.
    second.note(second.begin(), mark_of(children[1].pid))
    assert await second.stop([]) == ()
    assert group_lives(children[1].pid)


async def test_a_file_that_cannot_be_written_or_read_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "no" / "started"
    started = StartedProcesses(path)
    started.note(started.begin(), ProcessMark(1, 1, "x"))
    assert await started.stop([]) == ()


@ON_LINUX
async def test_a_child_whose_mark_was_never_told_is_found_by_its_start_and_ended(
    children: list[Child], tmp_path: Path
) -> None:
    """The desk was killed between the fork and the note of it."""
    path = tmp_path / "started"
    first = StartedProcesses(path)
    children += [start(_IGNORES, name=first.begin()), start(_SLEEPS, name="of another desk")]
    mark = mark_of(children[0].pid)
    began = time.monotonic()
    assert await StartedProcesses(path).stop([]) == (mark,)
    assert time.monotonic() - began < 5
    assert not group_lives(children[0].pid)
    assert group_lives(children[1].pid)


@ON_LINUX
async def test_what_a_child_whose_mark_was_never_told_has_left_is_ended(
    children: list[Child], tmp_path: Path
) -> None:
    path = tmp_path / "started"
    children.append(start(_LEAVES_A_CHILD, name=StartedProcesses(path).begin()))
    children[0].wait()
    assert group_lives(children[0].pid)
    assert len(await StartedProcesses(path).stop([])) == 1
    await asyncio.to_thread(wait_until, lambda: not group_lives(children[0].pid))


async def test_a_start_that_has_its_mark_or_failed_is_not_looked_for(
    children: list[Child], tmp_path: Path
) -> None:
    """The mark alone tells then: what an agent has left running on purpose has its name too."""
    path = tmp_path / "started"
    first = StartedProcesses(path)
    marked, failed = first.begin(), first.begin()
    children += [start(_SLEEPS, name=marked), start(_SLEEPS, name=failed)]
    first.note(marked, replace(mark_of(children[0].pid), started_at="another-boot:1"))
    first.drop(failed)
    assert await StartedProcesses(path).stop([]) == ()
    assert all(group_lives(child.pid) for child in children)


@ON_LINUX
async def test_the_group_of_the_desk_itself_is_never_ended_for_a_start(tmp_path: Path) -> None:
    """A shim of an agent may have started this very desk."""
    path = tmp_path / "started"
    child = start(_SLEEPS, name=StartedProcesses(path).begin(), leads=False)
    try:
        assert await StartedProcesses(path).stop([]) == ()
        assert child.poll() is None
    finally:
        child.kill()
        child.communicate()


async def test_each_start_is_noted_before_its_process_which_carries_it(tmp_path: Path) -> None:
    path = tmp_path / "started"
    launcher = AcpLauncher(SystemClock(), StartedProcesses(path))
    missing = AgentLaunch(SessionId("s1"), AgentCommand(("no-such-agent",)), str(tmp_path))
    with pytest.raises(AgentFailed):
        await launcher.launch(missing, RecordingListener())
    told = tmp_path / "told"
    script = f'echo "${START_VARIABLE}" > "{told}"'
    speechless = replace(missing, command=AgentCommand(("sh", "-c", script)))
    listener = RecordingListener()
    with pytest.raises(AgentFailed):
        await launcher.launch(speechless, listener)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [sorted(line) for line in lines[1::2]] == [
        ["failed", "start"],
        ["group", "pid", "start", "started_at"],
    ]
    assert lines[3]["pid"] == listener.marks[0].pid
    assert lines[0]["start"] == lines[1]["start"] != lines[2]["start"] == lines[3]["start"]
    assert told.read_text().strip() == lines[2]["start"]
