"""After a suspend agents' pipes are probed and what is known is read again (agents.md, ACP)."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from backend.agents.process import AgentProcess
from backend.domain.agents import AgentCommand
from backend.domain.hosted import AgentProblem, AgentStatus
from backend.events import Woke
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import hosting


async def test_an_agent_that_did_not_survive_a_sleep_is_noticed(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    async with hosting(place, clock, tmp_path) as hosted:
        await hosted.start()
        await hosted.status(AgentStatus.READY)
        hosted.agent.hung_up = True
        clock.sleep_machine(3600)
        hosted.desk.services.wake.look()
        await hosted.status(AgentStatus.FAILED)
        trouble = (await hosted.seen()).trouble
        assert trouble is not None
        assert trouble.problem is AgentProblem.EXITED
        assert [event for event in hosted.desk.events if isinstance(event, Woke)] == [Woke(3600)]


async def test_an_agent_that_survived_works_on(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    async with hosting(place, clock, tmp_path) as hosted:
        await hosted.start("go")
        await hosted.works()
        clock.sleep_machine(3600)
        hosted.desk.services.wake.look()
        await hosted.done()
        assert not hosted.agent.stopped


async def test_a_process_that_holds_its_pipes_no_more_is_seen_before_the_loop_hears_of_it(
    tmp_path: Path,
) -> None:
    process = await AgentProcess.start(AgentCommand(("cat",)), str(tmp_path))
    try:
        assert not process.hung_up
        _kill(process.mark.pid)
        assert not process.gone
        assert process.hung_up
    finally:
        await process.stop()


def _kill(pid: int) -> None:
    """It is dead when this returns, and nobody else knows."""
    os.kill(pid, signal.SIGKILL)
    # Reaped already, it is as dead.
    with suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
