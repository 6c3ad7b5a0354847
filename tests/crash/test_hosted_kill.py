"""kill -9 of the desk, of its agent, or of both at each named point of a dispatch (K5.7).

No prompt is sent twice, none is silently dropped, and no child outlives the next start by 5 s.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from backend.agents.process_marks import group_lives
from backend.domain.conversation import Message
from backend.domain.hosted import AgentProblem, AgentStatus, Conversation
from tests.crash.hosted_desk_that_dies import ADMITTED, FIRST, POINTS, SECOND, SESSION
from tests.helpers.hosting_desk import HostingDesk, hosting_desk, is_free, prompts_in
from tests.helpers.program import ROOT, environment
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

pytestmark = pytest.mark.crash

LONG = os.environ.get("KANDESK_LONG") == "1"
BEFORE_MARK = {"admitted", "forked", "process started"}
BEFORE_ATTEMPT = {*BEFORE_MARK, "agent started"}
STUBBORN = ["", "eof", "eof term"] if LONG else ["eof term"]
DYING = (
    [(point, victim) for point in POINTS for victim in ("desk", "both")]
    if LONG
    else [(point, ("desk", "both")[number % 2]) for number, point in enumerate(POINTS)]
)
"""Every point; in the short form each with one of the two who die there."""


async def die(tmp_path: Path, point: str, victim: str, ignore: str) -> Path:
    """Run the desk until it is dead; the log of what its agent got."""
    log = tmp_path / "frames"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.hosted_desk_that_dies",
        str(tmp_path / "home"),
        str(tmp_path),
        point,
        victim,
        str(log),
        ignore,
        cwd=ROOT,
        env=environment(tmp_path / "home"),
        stdout=asyncio.subprocess.DEVNULL,
    )
    code = await asyncio.wait_for(process.wait(), 60)
    assert code == (0 if victim == "agent" else -9)
    return log


def group_of(tmp_path: Path) -> int:
    told = tmp_path / "group"
    return int(told.read_text()) if told.exists() else 0


async def gone(group: int, seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if not group_lives(group):
            return True
        await asyncio.sleep(0.05)
    return False


async def fate(desk: HostingDesk, admission: str) -> str | None:
    """What the transcript says of a message: `sent`, or the mark on its row; None without one."""
    for row in await desk.rows(SESSION):
        if row.message_id == admission:
            own = row.metadata.get("kandesk")
            return str(own.get("dispatch", "sent")) if isinstance(own, dict) else "sent"
    return None


def notice_of(row: Message) -> object:
    own = row.metadata.get("kandesk")
    return own.get("notice") if isinstance(own, dict) else None


def rests(seen: Conversation) -> bool:
    """Nothing goes on; messages may be queued, visibly, until their human wants them sent."""
    return seen.turn_id is None and seen.status in {
        AgentStatus.ABSENT,
        AgentStatus.READY,
        AgentStatus.FAILED,
    }


async def check(desk: HostingDesk, log: Path) -> None:
    """Every prompt is where it must be, and the session goes on."""
    conversation = await desk.conversation(SESSION)
    sent = prompts_in(log)
    assert sent.count(FIRST) <= 1
    assert sent.count(SECOND) <= 1
    told = await fate(desk, "first")
    assert told is not None
    if FIRST not in sent:
        # The agent never got it: its human must see that.
        assert told == "unknown"
        assert conversation.trouble is not None
        assert conversation.trouble.problem is AgentProblem.OUTCOME_UNKNOWN
    queued = [prompt.text for prompt in conversation.queue]
    second = await fate(desk, "second")
    if (log.parent / ADMITTED).exists():
        assert (SECOND in queued) or (SECOND in sent) or second is not None


@pytest.mark.timeout(300)
@pytest.mark.parametrize("ignore", STUBBORN)
@pytest.mark.parametrize(("point", "victim"), DYING)
async def test_a_killed_desk_sends_nothing_twice_and_drops_nothing(
    tmp_path: Path, point: str, victim: str, ignore: str
) -> None:
    """K8.6 86."""
    log = await die(tmp_path, point, victim, ignore)
    group = group_of(tmp_path)
    started = time.monotonic()
    async with hosting_desk(tmp_path) as desk:
        if group:
            assert await gone(group, 5 - (time.monotonic() - started))
        # The values of a custom command's environment are not stored: what comes next is told.
        desk.command(SESSION, scripted_command(log=str(log)))
        if point in BEFORE_ATTEMPT:
            await desk.api.resume(SESSION)
            await until(lambda: FIRST in prompts_in(log), seconds=20)
        await desk.until(SESSION, rests)
        await check(desk, log)
        await desk.send(SESSION, "say again")
        await until(lambda: "say again" in prompts_in(log), seconds=20)
        assert prompts_in(log).count(FIRST) <= 1


@pytest.mark.timeout(300)
@pytest.mark.parametrize("point", [point for point in POINTS if point not in BEFORE_MARK])
async def test_a_killed_agent_is_told_and_its_prompts_are_where_they_must_be(
    tmp_path: Path, point: str
) -> None:
    log = await die(tmp_path, point, "agent", "")
    async with hosting_desk(tmp_path) as desk:
        desk.command(SESSION, scripted_command(log=str(log)))
        await desk.api.resume(SESSION)
        await until(lambda: SECOND in prompts_in(log), seconds=20)
        await desk.until(SESSION, is_free)
        assert prompts_in(log).count(SECOND) == 1
        assert prompts_in(log).count(FIRST) <= 1
        if FIRST not in prompts_in(log):
            # Its pipe took the prompt and it died: the transcript tells that it ended.
            assert "agent_ended" in [notice_of(row) for row in await desk.rows(SESSION)]
