"""The child process of one agent: its own group, its pipes, the end of what it complains."""

import asyncio
import contextlib
import re
import select
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from pathlib import Path
from typing import Final

from backend.agents.child_environment import child_environment
from backend.agents.frames import storable
from backend.agents.process_marks import group_lives, mark_of, signal_group
from backend.domain.agents import AgentCommand, ProcessMark
from backend.domain.hosted import AgentProblem
from backend.errors import AgentFailed, ErrorCode

STDERR_TAIL: Final = 8 * 1024
"""Bytes of stderr that are kept: its end."""

_READ_LIMIT: Final = 256 * 1024
_STEP: Final = 0.02
_LEAVE: Final = 1.5
"""Seconds an agent has to go when its input ends, and again when it is told to."""
_LAST_WORDS: Final = 1.0
"""Seconds in which what a dead agent wrote is still read, while others hold its output open."""
_TERMINAL_CODES: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def agent_failed(problem: AgentProblem, detail: str) -> AgentFailed:
    return AgentFailed(ErrorCode.AGENT_FAILED, detail, problem=problem)


class _Pipes(SubprocessStreamProtocol):
    """Keeps the tail of stderr as it comes, and tells the exit even while a pipe stays open."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_READ_LIMIT, loop=loop)
        self.exited = asyncio.Event()
        self.output_closed = asyncio.Event()
        self.complaints = bytearray()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        if fd == 2 and isinstance(data, bytes):
            self.complaints += data[-STDERR_TAIL:]
            del self.complaints[:-STDERR_TAIL]
        else:
            super().pipe_data_received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        super().pipe_connection_lost(fd, exc)
        if fd == 1:
            self.output_closed.set()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class AgentProcess:
    """A running agent. Whoever starts it calls `stop`, also when it ended by itself."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, process: Process, pipes: _Pipes
    ) -> None:
        if process.stdin is None or process.stdout is None:
            message = "an agent's process has pipes"
            raise ValueError(message)
        self.input: asyncio.StreamWriter = process.stdin
        self.output: asyncio.StreamReader = process.stdout
        self.mark: ProcessMark = mark_of(process.pid)
        self._transport = transport
        self._process = process
        self._pipes = pipes
        self._stopping: asyncio.Task[None] | None = None
        self.wanted = False
        """Whether somebody asked for its end."""
        # What was written is what the pipe has taken, not what waits in a buffer here.
        self.input.transport.set_write_buffer_limits(high=0)

    @classmethod
    async def start(cls, command: AgentCommand, folder: str) -> "AgentProcess":
        """Start it in `folder`.

        Raises:
            AgentFailed: `folder_missing`, `command_missing`, or `start_failed` where there is a
                program and the system does not run it.
        """
        _check_folder(folder)
        program = _find(command, folder)
        environment = child_environment(command.environment, program)
        loop = asyncio.get_running_loop()
        try:
            transport, pipes = await loop.subprocess_exec(
                lambda: _Pipes(loop),
                program,
                *command.argv[1:],
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=folder,
                env=environment,
                start_new_session=sys.platform != "win32",
            )
        except (OSError, ValueError) as error:
            detail = f"{program} cannot be started: {error}"
            missing = isinstance(error, FileNotFoundError)
            problem = AgentProblem.COMMAND_MISSING if missing else AgentProblem.START_FAILED
            raise agent_failed(problem, detail) from error
        return cls(transport, Process(transport, pipes, loop), pipes)

    @property
    def code(self) -> int | None:
        """Its exit code; None while it runs and when a signal ended it."""
        code = self._process.returncode
        return code if code is not None and code >= 0 else None

    @property
    def gone(self) -> bool:
        return self._pipes.exited.is_set()

    @property
    def hung_up(self) -> bool:
        """Whether nobody holds the other end of its input, also where that was not noticed yet."""
        pipe = self.input.transport.get_extra_info("pipe")
        if self.gone or pipe is None or sys.platform == "win32":
            return self.gone
        poll = select.poll()
        # Asked for nothing, it still tells of an end that is gone.
        poll.register(pipe, 0)
        return bool(poll.poll(0))

    @property
    def complaints(self) -> str:
        """The end of its stderr."""
        text = bytes(self._pipes.complaints).decode("utf-8", "replace")
        return storable(_TERMINAL_CODES.sub("", text)).strip()

    async def ended(self) -> None:
        """Wait until it has exited; what it wrote is then there to be read."""
        await self._pipes.exited.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._pipes.output_closed.wait(), _LAST_WORDS)

    async def stop(self, *, wanted: bool = True) -> None:
        """End the whole group: its input ends, then it is told to go, then it is made to.

        Goes on when the caller is cancelled; takes no more than 5 s.
        """
        self.wanted = self.wanted or (wanted and not self.gone)
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._end(), name=f"stop agent {self.mark.pid}")
        await asyncio.shield(self._stopping)

    async def _end(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            self.input.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._pipes.exited.wait(), _LEAVE)
        for number in (signal.SIGTERM, _KILL):
            if await self._all_gone(_STEP):
                break
            signal_group(self.mark.group, number)
            await self._all_gone(_LEAVE)
        # Whoever left the group and still holds the pipes talks to nobody.
        self._transport.close()

    async def _all_gone(self, seconds: float) -> bool:
        """Whether the process and its group are gone, within this time."""
        for _ in range(round(seconds / _STEP)):
            if self.gone and not group_lives(self.mark.group):
                return True
            await asyncio.sleep(_STEP)
        return self.gone and not group_lives(self.mark.group)


def _check_folder(folder: str) -> None:
    try:
        found = Path(folder).is_dir()
    except OSError as error:
        # What is above it may not be looked into any more.
        detail = f"{folder} cannot be used: {error.strerror}"
        raise agent_failed(AgentProblem.FOLDER_MISSING, detail) from error
    if not found:
        raise agent_failed(AgentProblem.FOLDER_MISSING, f"there is no folder {folder}")


def _find(command: AgentCommand, folder: str) -> str:
    """The program's path; one with a separator and no root lies in the working folder."""
    program = command.argv[0] if command.argv else ""
    if not program:
        raise agent_failed(AgentProblem.COMMAND_MISSING, "the command is empty")
    if program.startswith("~/"):
        program = str(Path.home() / program[2:])
    wanted = program
    if Path(program).name != program and not Path(program).is_absolute():
        wanted = str(Path(folder) / program)
    path = child_environment(command.environment, program)["PATH"]
    found = shutil.which(wanted, path=path)
    if found is None:
        if wanted != Path(wanted).name and Path(wanted).exists():
            detail = f"{program} is no program that may be run"
            raise agent_failed(AgentProblem.START_FAILED, detail)
        raise agent_failed(AgentProblem.COMMAND_MISSING, f"{program} was not found")
    return found


_KILL: Final = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
