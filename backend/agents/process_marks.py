"""Knowing the processes of an agent again, also after the desk that started them has died."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.agents.child_environment import HOSTED_VARIABLE, START_VARIABLE
from backend.domain.agents import ProcessMark

_STEP: Final = 0.05
_GENTLE: Final = 2.0
_FORCED: Final = 2.5
_PS_PATIENCE: Final = 2.0
_PROC: Final = Path("/proc")
_ON_LINUX: Final = bool(sys.platform == "linux")


@dataclass(frozen=True, slots=True)
class Seen:
    """A process that runs now; zombies are none."""

    pid: int
    group: int
    started_at: str


def mark_of(pid: int) -> ProcessMark:
    """The mark of a child that was just started as the leader of its own group."""
    return ProcessMark(pid, pid, _started_at(pid))


def group_lives(group: int) -> bool:
    """Whether any process of the group runs."""
    if not signal_group(group, 0):
        return False
    # Where nobody reaps orphans, what is left may be zombies.
    return not _ON_LINUX or any(seen.group == group for seen in _processes())


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a group that is ours; False when nobody is there."""
    if sys.platform == "win32":
        return _end_tree(group) if number else False
    if group <= 1 or group == os.getpgrp():
        return False
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


async def stop_survivors(marks: Iterable[ProcessMark]) -> tuple[ProcessMark, ...]:
    """End what is left of the agents of a desk that died; returns those that were found alive.

    A process is ended only when the mark proves that it is that child, or a member of its group.
    Takes no longer than 5 s for all together.
    """
    found = await asyncio.to_thread(_survivors, tuple(marks))
    for number, patience in ((signal.SIGTERM, _GENTLE), (_kill_signal(), _FORCED)):
        left = [mark for mark in found if group_lives(mark.group)]
        for mark in left:
            signal_group(mark.group, number)
        await _until_gone(left, patience)
    return found


def find_started(starts: Collection[str]) -> tuple[ProcessMark, ...]:
    """This user's processes whose environment names one of these starts, one for each group but
    our own: a shim of an agent may have started this very desk.

    Reads all of /proc. Elsewhere than on Linux nobody tells, and none are found.
    """
    named = {f"{START_VARIABLE}={start}".encode() for start in starts}
    if not named or not _ON_LINUX:
        return ()
    found: dict[int, ProcessMark] = {}
    for seen in _processes():
        if seen.group == os.getpgrp() or not _is_ours(seen.pid):
            continue
        if not named.isdisjoint(_environment(seen.pid)):
            mark = ProcessMark(seen.pid, seen.group, seen.started_at)
            if seen.pid == seen.group:
                # The very mark a store may have of it.
                found[seen.group] = mark
            else:
                found.setdefault(seen.group, mark)
    return tuple(found.values())


async def _until_gone(marks: list[ProcessMark], patience: float) -> None:
    for _ in range(round(patience / _STEP)):
        if not any(group_lives(mark.group) for mark in marks):
            return
        await asyncio.sleep(_STEP)


def _survivors(marks: tuple[ProcessMark, ...]) -> tuple[ProcessMark, ...]:
    if not marks:
        return ()
    running = list(_processes())
    return tuple(mark for mark in marks if _is_left(mark, running))


def _is_left(mark: ProcessMark, running: list[Seen]) -> bool:
    """The child itself, or, once it is gone, members of the group that it led.

    A number is never given to a new process while a group has it.
    """
    if not mark.started_at:
        return False
    leader = next((seen for seen in running if seen.pid == mark.pid), None)
    if leader is not None:
        return leader.started_at == mark.started_at and leader.group == mark.group
    return any(
        seen.group == mark.group and _same_boot(seen, mark) and _is_hosted(seen.pid)
        for seen in running
    )


def _same_boot(seen: Seen, mark: ProcessMark) -> bool:
    boot, _, _ = mark.started_at.rpartition(":")
    return seen.started_at.startswith(boot)


def _kill_signal() -> int:
    return signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL


def _started_at(pid: int) -> str:
    """Empty when it cannot be told: such a process is never ended later."""
    if _ON_LINUX:
        seen = _seen_on_linux(pid, _boot())
        return "" if seen is None else seen.started_at
    return next((seen.started_at for seen in _processes() if seen.pid == pid), "")


def _processes() -> Iterator[Seen]:
    if _ON_LINUX:
        boot = _boot()
        for entry in os.listdir(_PROC):  # noqa: PTH208 - thousands of paths, twenty times a second
            if entry.isdecimal() and (seen := _seen_on_linux(int(entry), boot)):
                yield seen
    else:
        yield from _seen_by_ps()


def _seen_on_linux(pid: int, boot: str) -> Seen | None:
    """The name of the program stands in parentheses and may hold anything."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    state, _, group, *rest = stat[stat.rfind(b")") + 2 :].split()
    if state in (b"Z", b"X"):
        return None
    return Seen(pid, int(group), f"{boot}:{int(rest[16])}")


def _boot() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _is_hosted(pid: int) -> bool:
    """Whether its environment says that a desk runs it; elsewhere than on Linux nobody tells."""
    return f"{HOSTED_VARIABLE}=1".encode() in _environment(pid)


def _environment(pid: int) -> list[bytes]:
    """As it was when the program began."""
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _is_ours(pid: int) -> bool:
    """An administrator's desk may read what belongs to others."""
    try:
        return (_PROC / str(pid)).stat().st_uid == os.getuid()
    except OSError:
        return False


def _seen_by_ps() -> Iterator[Seen]:
    """Every POSIX system tells this much; Windows has no such program, and nothing is told."""
    try:
        listed = subprocess.run(
            ["/bin/ps", "-axo", "pid=,pgid=,stat=,lstart="],
            capture_output=True,
            text=True,
            timeout=_PS_PATIENCE,
            check=False,
            env={"LC_ALL": "C"},
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return
    for line in listed.splitlines():
        pid, group, state, *started = line.split()
        if not state.startswith("Z"):
            yield Seen(int(pid), int(group), " ".join(started))


def _end_tree(pid: int) -> bool:
    """Windows has no groups of this kind; its own program ends a process and its children."""
    try:
        done = subprocess.run(  # noqa: S603 - a number of our own
            ["taskkill", "/T", "/F", "/PID", str(pid)],  # noqa: S607
            capture_output=True,
            timeout=_PS_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
