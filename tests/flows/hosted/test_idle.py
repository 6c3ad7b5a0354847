"""A session that nobody talks to costs nothing, for a day (window.md, Speed: no timers, no SQL)."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, cast

import pytest

from backend.domain.hosted import AgentStatus
from backend.ids import SessionId
from backend.store.connection import SqliteConnection
from tests.helpers.clock import FakeClock
from tests.helpers.hosting_desk import HostingDesk, hosting_desk
from tests.helpers.waiting import eventually

DAY: Final = 24 * 3_600.0


@asynccontextmanager
async def passing(clock: FakeClock) -> AsyncIterator[None]:
    """Let the clock go on a little faster than real time."""

    async def run() -> None:
        while True:
            await clock.advance(0.02)
            await asyncio.sleep(0.005)

    going = asyncio.create_task(run())
    yield
    going.cancel()
    await asyncio.wait({going})


def wake_ups() -> list[str]:
    """What this loop is to wake up for by itself."""
    scheduled = cast("list[asyncio.TimerHandle]", asyncio.get_running_loop()._scheduled)  # type: ignore[attr-defined]
    return [repr(handle) for handle in scheduled if not handle.cancelled()]


class Statements:
    """Everything that reaches a connection of the store."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for name in ("run", "begin", "commit"):
            monkeypatch.setattr(SqliteConnection, name, self._counted(name))

    def _counted(self, name: str) -> Callable[..., Awaitable[object]]:
        call = getattr(SqliteConnection, name)

        async def counted(*given: object, **named: object) -> object:
            self.count += 1
            return await call(*given, **named)

        return counted


async def alive(desk: HostingDesk, session: SessionId) -> None:
    assert (await desk.conversation(session)).status is AgentStatus.READY


async def stopped(desk: HostingDesk, session: SessionId) -> None:
    await desk.api.end_session(session)
    assert (await desk.conversation(session)).status is AgentStatus.ABSENT


async def killed(desk: HostingDesk, session: SessionId) -> None:
    os.killpg(desk.process(session), signal.SIGKILL)
    await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)


async def comes_to_rest(clock: FakeClock) -> bool:
    """A slow machine has tried something again, and looks whether the store is well."""
    await clock.advance(60)
    return not clock.pending_timers and not wake_ups()


@pytest.mark.parametrize("agent", [alive, stopped, killed], ids=["alive", "stopped", "killed"])
async def test_a_day_without_a_word_costs_no_sql_and_no_timer(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    agent: Callable[[HostingDesk, SessionId], Awaitable[None]],
) -> None:
    statements, clock = Statements(monkeypatch), FakeClock()
    async with hosting_desk(tmp_path, clock=clock) as desk:
        async with passing(clock):
            session = await desk.start("think of it\ntool t make\ndone t made\nsay done")
            await desk.ready(session)
            await agent(desk, session)
        await eventually(lambda: comes_to_rest(clock), seconds=10)
        told, before = len(desk.events), statements.count
        assert before > 0
        assert clock.pending_timers == 0
        await clock.advance(DAY)
        assert (clock.pending_timers, wake_ups()) == (0, [])
        assert (statements.count - before, len(desk.events) - told) == (0, 0)
        async with passing(clock):
            await desk.send(session, "say again")
            await desk.until(session, lambda seen: seen.status is AgentStatus.READY)
            await desk.ready(session)
        assert (await desk.said(session))[-1] == "agent: again"
