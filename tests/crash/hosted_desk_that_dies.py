"""A desk that starts a session with an agent and kills itself, the agent or both at a named point.

Run as `python -m tests.crash.hosted_desk_that_dies HOME FOLDER POINT VICTIM LOG IGNORE`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from backend.agents.acp_connection import AcpConnection
from backend.agents.process import AgentProcess
from backend.clock import SystemClock
from backend.conversation.dispatch import Dispatches
from backend.conversation.dispatcher import Admitted
from backend.conversation.hearing import Hearing
from backend.conversation.turns import Turns
from backend.domain.agents import AgentCommand, TextChunk
from backend.domain.hosted import CUSTOM_AGENT, OutgoingMessage, SessionStart
from backend.ids import AdmissionId, SessionId
from backend.paths import Home
from backend.runtime import Runtime
from backend.store import hosted_sessions
from tests.helpers.scripted_agents import scripted_command

SESSION: Final = SessionId("s1")
FIRST: Final = "say one\nsleep 0.2\nsay two"
SECOND: Final = "say three"
ADMITTED: Final = "second admitted"
"""The file that says that the second message was; a desk may have died before."""

Die = Callable[[], None]


def _before(owner: Any, name: str, die: Die) -> None:
    real = getattr(owner, name)

    async def first(*arguments: Any, **named: Any) -> Any:
        die()
        return await real(*arguments, **named)

    setattr(owner, name, first)


def _after(owner: Any, name: str, die: Die) -> None:
    real = getattr(owner, name)

    async def last(*arguments: Any, **named: Any) -> Any:
        result = await real(*arguments, **named)
        die()
        return result

    setattr(owner, name, last)


def _admitted(die: Die) -> None:
    real = Dispatches.admitted

    def admitted(self: Dispatches, admitted: Admitted) -> None:
        die()
        real(self, admitted)

    Dispatches.admitted = admitted  # type: ignore[method-assign]


def _running(die: Die) -> None:
    real = Hearing.updated

    def updated(self: Hearing, update: Any) -> None:
        real(self, update)
        if isinstance(update, TextChunk):
            die()

    Hearing.updated = updated  # type: ignore[method-assign]


def _forked(die: Die) -> None:
    real = AgentProcess.start

    async def start(command: AgentCommand, folder: str) -> AgentProcess:
        process = await real(command, folder)
        (Path(sys.argv[2]) / "group").write_text(str(process.mark.group))
        die()
        return process

    AgentProcess.start = start  # type: ignore[method-assign]


def _started(die: Die) -> None:
    real = Hearing.started

    async def started(self: Hearing, mark: Any) -> None:
        (Path(sys.argv[2]) / "group").write_text(str(mark.group))
        die()
        await real(self, mark)

    Hearing.started = started  # type: ignore[method-assign]


POINTS: Final[dict[str, Callable[[Die], None]]] = {
    "admitted": _admitted,
    "forked": _forked,
    "process started": _started,
    "agent started": lambda die: _before(Dispatches, "_attempt", die),
    "attempted": lambda die: _before(AcpConnection, "prompt", die),
    "in the pipe": lambda die: _after(AcpConnection, "prompt", die),
    "taken": lambda die: _after(Dispatches, "_sent", die),
    "running": _running,
    "finished": lambda die: _before(Turns, "complete", die),
    "completed": lambda die: _after(Turns, "complete", die),
}


class Killer:
    """Kills once."""

    def __init__(self, victim: str) -> None:
        self.victim = victim
        self.group = 0
        self.done = False

    def __call__(self) -> None:
        if self.done:
            return
        self.done = True
        if self.victim in {"agent", "both"} and self.group:
            os.killpg(self.group, signal.SIGKILL)
        if self.victim in {"desk", "both"}:
            os.kill(os.getpid(), signal.SIGKILL)


def _note_group(killer: Killer) -> None:
    real = hosted_sessions.set_process

    async def noted(tx: Any, session_id: Any, mark: Any, now: Any) -> None:
        if mark is not None:
            killer.group = mark.group
            (Path(sys.argv[2]) / "group").write_text(str(mark.group))
        await real(tx, session_id, mark, now)

    hosted_sessions.set_process = noted


async def main() -> None:
    home, folder, point, victim, log, ignore = sys.argv[1:]
    killer = Killer(victim)
    _note_group(killer)
    POINTS[point](killer)
    runtime = await Runtime.open(
        Home(Path(home)), SystemClock(), kind="serve", database="", listener=lambda _event: None
    )
    conversations = runtime.desk.conversations
    await conversations.start_session(
        SessionStart(
            SESSION,
            CUSTOM_AGENT,
            folder,
            prompt=FIRST,
            admission_id=AdmissionId("first"),
            command=scripted_command(log=log, ignore=ignore.split()),
        )
    )
    await conversations.send(OutgoingMessage(AdmissionId("second"), SESSION, SECOND))
    (Path(folder) / ADMITTED).touch()
    await asyncio.sleep(4 if victim == "agent" else 60)
    await runtime.close(deliberate=True)


if __name__ == "__main__":
    asyncio.run(main())
