"""What conversations need of an agent's process; `backend.agents` implements it over ACP."""

from dataclasses import dataclass, field
from typing import Protocol

from backend.domain.agents import (
    AgentCapabilities,
    AgentCommand,
    AgentEnd,
    AgentUpdate,
    ElicitationReply,
    Elicited,
    PermissionAsked,
    ProcessMark,
    PromptEnd,
    SessionSetup,
)
from backend.ids import SessionId

__all__ = [
    "AgentLaunch",
    "AgentLauncher",
    "AgentListener",
    "InjectedTools",
    "ProcessMark",
    "RunningAgent",
    "RunningPrompt",
]


@dataclass(frozen=True, slots=True)
class InjectedTools:
    """Our MCP endpoint as the agent of one session reaches it.

    An agent that speaks no HTTP to MCP servers is given `shim` to start instead; it gets `token`
    in its environment.
    """

    server_name: str
    """`kandesk-<random>`: a permission for one of our tools is known by it."""
    url: str
    token: str = field(repr=False)
    shim: AgentCommand


@dataclass(frozen=True, slots=True)
class AgentLaunch:
    """One process for one session; `agent_session_id` continues what an earlier process began."""

    session_id: SessionId
    command: AgentCommand
    folder: str
    agent_session_id: str = ""
    tools: InjectedTools | None = None


class AgentListener(Protocol):
    """Hears one running agent. `updated` comes in order and is done before the prompt ends."""

    async def started(self, mark: ProcessMark) -> None:
        """The process is there and was not spoken to yet: it can be found again from now on."""
        ...

    def updated(self, update: AgentUpdate) -> None: ...

    async def room(self) -> None:
        """Awaited before more of what it says is read; returns once that can be taken in."""
        ...

    async def permission_asked(self, asked: PermissionAsked) -> str | None:
        """The id of the option that was chosen; None answers `cancelled`."""
        ...

    async def elicited(self, elicited: Elicited) -> ElicitationReply: ...

    def ended(self, end: AgentEnd) -> None:
        """The process is gone and nothing more comes."""
        ...


class RunningPrompt(Protocol):
    async def finished(self) -> PromptEnd:
        """Wait until the agent says that it is done; every update of it was heard before.

        Raises:
            AgentFailed: it refused the prompt, spoke nonsense or died.
        """
        ...


class RunningAgent(Protocol):
    """An agent that was greeted and has its session."""

    @property
    def capabilities(self) -> AgentCapabilities: ...

    @property
    def setup(self) -> SessionSetup: ...

    @property
    def mark(self) -> ProcessMark: ...

    async def prompt(self, text: str) -> RunningPrompt:
        """Hand the prompt over: it returns once the agent's pipe has taken all of it.

        Cancelling it leaves unknown whether the agent has it.

        Raises:
            AgentFailed: it is certain that the agent has not taken it.
        """
        ...

    async def cancel(self) -> None:
        """Ask the agent to end its prompt; pending permissions are answered `cancelled` once."""
        ...

    async def set_mode(self, mode: str) -> None:
        """Raises `AgentFailed` when the agent refuses."""
        ...

    async def set_option(self, option_id: str, value: str) -> None:
        """Raises `AgentFailed` when the agent refuses; what changed comes as an update."""
        ...

    async def probe(self) -> None:
        """Look whether it still holds its pipes; one that does not is ended, as not wanted."""
        ...

    async def stop(self) -> None:
        """End the whole process group, gently first; bounded, and never raises."""
        ...


class AgentLauncher(Protocol):
    async def launch(self, launch: AgentLaunch, listener: AgentListener) -> RunningAgent:
        """Start, greet and open or load the session; a replay is not heard.

        Raises:
            AgentFailed: `params["problem"]` is an `AgentProblem`; nothing is left running.
        """
        ...
