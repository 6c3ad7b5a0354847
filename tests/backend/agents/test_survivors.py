"""Ending what a desk that died has left (agents.md, ACP: pid, start time, process group)."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backend.agents.child_environment import HOSTED_VARIABLE
from backend.agents.process_marks import group_lives, mark_of, stop_survivors
from backend.agents.started_processes import StartedProcesses
from backend.domain.agents import ProcessMark
from tests.helpers.waiting import wait_until

Child = subprocess.Popen[bytes]

_SLEEPS = "import time; print(1, flush=True); time.sleep(600)"
_IGNORES = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {_SLEEPS}"
_LEAVES_A_CHILD = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; "
    "time.sleep(600)'], stdout=subprocess.DEVNULL); print(1, flush=True)"
)


def start(script: str, *, hosted: bool = True) -> Child:
    """A leader of its own group, ready."""
    environment = {**os.environ, HOSTED_VARIABLE: "1"} if hosted else dict(os.environ)
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        start_new_session=True,
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
    StartedProcesses(path).note(mark)
    with path.open("a") as file:
        file.write('{"pid": 1, "gro')
    second = StartedProcesses(path)
    assert await second.stop([]) == (mark,)
    assert not group_lives(children[0].pid)
    # What the second has started itself is its own, whenever it looks again.
    second.note(mark_of(children[1].pid))
    assert await second.stop([]) == ()
    assert group_lives(children[1].pid)


async def test_a_file_that_cannot_be_written_or_read_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "no" / "started"
    started = StartedProcesses(path)
    started.note(ProcessMark(1, 1, "x"))
    assert await started.stop([]) == ()
