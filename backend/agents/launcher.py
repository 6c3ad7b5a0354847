"""Starts agents and speaks ACP with them until each has its session."""

from typing import Final, Protocol

from backend.agents.acp_connection import AcpConnection
from backend.agents.acp_session import AcpSession
from backend.agents.acp_translate import read_capabilities
from backend.agents.child_environment import START_VARIABLE
from backend.agents.frames import JsonMap
from backend.agents.json_reading import text_of
from backend.agents.process import AgentProcess, agent_failed
from backend.clock import Clock, Deadline
from backend.conversation.agent_port import AgentLaunch, AgentListener, InjectedTools, RunningAgent
from backend.domain.agents import AgentCommand, ProcessMark
from backend.domain.hosted import AgentProblem
from backend.endpoint import SESSION_TOKEN_VARIABLE
from backend.errors import AgentFailed
from backend.installation import version
from backend.work.budget import within

GREETING_SECONDS: Final = 60.0
"""How long an agent may take to answer `initialize`; the slowest took 8 s."""
OPENING_SECONDS: Final = 120.0
"""How long it may take to open a session: it starts its MCP servers, or tells all of an old one."""

_PROTOCOL: Final = 1


class StartNotes(Protocol):
    """What makes a process be found again whose desk died before its listener had the mark."""

    def begin(self) -> str:
        """A process is about to be started; what it must have in its environment."""
        ...

    def note(self, start: str, mark: ProcessMark) -> None:
        """It runs."""
        ...

    def drop(self, start: str) -> None:
        """It was not started."""
        ...


class AcpLauncher:
    """Implements `AgentLauncher`. A launch that fails or is cancelled leaves nothing running."""

    def __init__(self, clock: Clock, notes: StartNotes) -> None:
        self._clock = clock
        self._notes = notes

    async def launch(self, launch: AgentLaunch, listener: AgentListener) -> RunningAgent:
        """As the port says; a launch that fails is told by the error, never by `ended`."""
        process = await self._start(launch)
        try:
            await listener.started(process.mark)
        except BaseException:
            await process.stop()
            raise
        session = AcpSession(self._clock, listener, launch.agent_session_id)
        agent = AcpConnection(self._clock, process, session, listener)
        try:
            await self._greet(agent)
            await self._open(agent, session, launch)
        except BaseException:
            await agent.stop()
            raise
        agent.launched()
        return agent

    async def _start(self, launch: AgentLaunch) -> AgentProcess:
        start = self._notes.begin()
        try:
            process = await AgentProcess.start(_command(launch, start), launch.folder)
        except AgentFailed:
            self._notes.drop(start)
            raise
        self._notes.note(start, process.mark)
        return process

    async def _greet(self, agent: AcpConnection) -> None:
        try:
            result = await self._bounded(GREETING_SECONDS, agent, "initialize", _greeting())
        except AgentFailed as error:
            if "problem" in error.params:
                raise
            # What answers a greeting with an error is another kind of program.
            raise agent_failed(AgentProblem.NOT_ACP, error.detail) from error
        told = result.get("protocolVersion")
        if told != _PROTOCOL:
            detail = f"it speaks version {told} of ACP" if told else "it does not speak ACP"
            raise agent_failed(AgentProblem.NOT_ACP, detail)
        agent.capabilities = read_capabilities(result)

    async def _open(self, agent: AcpConnection, session: AcpSession, launch: AgentLaunch) -> None:
        params: JsonMap = {
            "cwd": launch.folder,
            "mcpServers": _servers(launch.tools, over_http=agent.capabilities.mcp_http),
        }
        if not launch.agent_session_id:
            result = await self._opened(agent, "session/new", params, AgentProblem.START_FAILED)
            if not text_of(result, "sessionId"):
                raise agent_failed(AgentProblem.NOT_ACP, "it opened a session without an id")
            session.opened(result)
            return
        if not agent.capabilities.load_session:
            detail = f"{agent.capabilities.name or 'the agent'} cannot continue a conversation"
            raise agent_failed(AgentProblem.LOAD_FAILED, detail)
        params["sessionId"] = launch.agent_session_id
        session.opened(await self._opened(agent, "session/load", params, AgentProblem.LOAD_FAILED))

    async def _opened(
        self, agent: AcpConnection, method: str, params: JsonMap, refusal: AgentProblem
    ) -> JsonMap:
        """The answer; a refusal that says nothing of a login is told as `refusal`."""
        try:
            return await self._bounded(OPENING_SECONDS, agent, method, params)
        except AgentFailed as error:
            if "problem" in error.params:
                raise
            raise agent_failed(refusal, error.detail) from error

    async def _bounded(
        self, seconds: float, agent: AcpConnection, method: str, params: JsonMap
    ) -> JsonMap:
        try:
            return await within(Deadline(self._clock, seconds), agent.call(method, params))
        except TimeoutError as error:
            detail = f"no answer to {method} within {seconds:.0f} s"
            raise agent_failed(AgentProblem.HANGS_AT_START, detail) from error


def _command(launch: AgentLaunch, start: str) -> AgentCommand:
    """With the name of this start and the way to our tools in its environment.

    A shim its human once connected to it, for when it runs elsewhere, then speaks for this very
    session instead of for a guest.
    """
    given = launch.command
    tools = {} if launch.tools is None else _shim_environment(launch.tools)
    return AgentCommand(given.argv, {**given.environment, **tools, START_VARIABLE: start})


def _shim_environment(tools: InjectedTools) -> dict[str, str]:
    return {**tools.shim.environment, SESSION_TOKEN_VARIABLE: tools.token}


def _greeting() -> JsonMap:
    return {
        "protocolVersion": _PROTOCOL,
        "clientCapabilities": {
            "fs": {"readTextFile": False, "writeTextFile": False},
            "terminal": False,
            "elicitation": {"form": {}},
            "session": {"configOptions": {"boolean": {}}},
            "plan": {},
            # Claude and Codex then tell what a command prints while it runs.
            "_meta": {"terminal_output": True},
        },
        "clientInfo": {"name": "kandesk", "title": "Kandesk", "version": version()},
    }


def _servers(tools: InjectedTools | None, *, over_http: bool) -> list[JsonMap]:
    """Never absent: an empty list where there is nothing, as agents want it."""
    if tools is None:
        return []
    if over_http:
        header: JsonMap = {"name": "Authorization", "value": f"Bearer {tools.token}"}
        return [{"type": "http", "name": tools.server_name, "url": tools.url, "headers": [header]}]
    program, *arguments = tools.shim.argv
    variables = _shim_environment(tools)
    return [
        {
            "name": tools.server_name,
            "command": program,
            "args": arguments,
            "env": [{"name": name, "value": value} for name, value in variables.items()],
        }
    ]
