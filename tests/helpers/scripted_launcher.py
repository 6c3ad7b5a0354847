"""Agents without a process: a launcher whose agents do what a test says."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from backend.agents.hosting import HostingMeans
from backend.agents.mcp_access import McpAccesses
from backend.conversation.agent_port import AgentLaunch, AgentListener
from backend.domain.agents import (
    AgentCapabilities,
    AgentCommand,
    AgentEnd,
    ProcessMark,
    PromptEnd,
    SessionSetup,
    StopReason,
)
from backend.domain.hosted import AgentOffer
from backend.errors import AgentFailed, ErrorCode
from backend.ids import AgentKey, SessionId

AGENT = AgentKey("scripted")


class ScriptedPrompt:
    """Runs until a test ends it."""

    def __init__(self) -> None:
        self.end: asyncio.Future[PromptEnd] = asyncio.get_running_loop().create_future()

    def done(self, reason: str = StopReason.END_TURN) -> None:
        if not self.end.done():
            self.end.set_result(PromptEnd(reason))

    def fail(self, detail: str = "refused") -> None:
        if not self.end.done():
            self.end.set_exception(AgentFailed(ErrorCode.AGENT_FAILED, detail))

    async def finished(self) -> PromptEnd:
        return await asyncio.shield(self.end)


class ScriptedAgent:
    """Implements `RunningAgent`. Its pipe takes a prompt once `pipe` is set."""

    def __init__(self, launch: AgentLaunch, listener: AgentListener, number: int) -> None:
        self.launch = launch
        self.listener = listener
        self.capabilities = AgentCapabilities(load_session=True)
        self.setup = SessionSetup(f"agent-{number}")
        self.mark = ProcessMark(1_000_000 + number, 1_000_000 + number, "never")
        self.given: list[str] = []
        self.prompts: list[ScriptedPrompt] = []
        self.pipe = asyncio.Event()
        self.pipe.set()
        self.broken = False
        self.hung_up = False
        self.refuses: frozenset[str] = frozenset()
        self.takes_choices = asyncio.Event()
        self.takes_choices.set()
        self.chosen: list[str] = []
        self.cancels = 0
        self.stopped = False

    async def prompt(self, text: str) -> ScriptedPrompt:
        await self.pipe.wait()
        if self.broken:
            raise AgentFailed(ErrorCode.AGENT_FAILED, "the pipe is closed")
        self.given.append(text)
        self.prompts.append(ScriptedPrompt())
        return self.prompts[-1]

    async def cancel(self) -> None:
        self.cancels += 1

    async def set_mode(self, mode: str) -> None:
        await self._choose(f"mode {mode}")

    async def set_option(self, option_id: str, value: str) -> None:
        await self._choose(f"{option_id} {value}")

    async def _choose(self, what: str) -> None:
        await self.takes_choices.wait()
        if what in self.refuses:
            raise AgentFailed(ErrorCode.AGENT_FAILED, f"there is no {what}")
        self.chosen.append(what)

    async def probe(self) -> None:
        if self.hung_up:
            self.die()

    async def stop(self) -> None:
        self.stopped = True
        self.die(wanted=True)

    def die(self, *, wanted: bool = False) -> None:
        self.broken = True
        self.listener.ended(AgentEnd(None, "", wanted))
        for prompt in self.prompts:
            prompt.fail("the agent is gone")


class ScriptedLauncher:
    """Implements `AgentLauncher`."""

    def __init__(self) -> None:
        self.agents: list[ScriptedAgent] = []
        self.error: AgentFailed | None = None
        self.refuses: frozenset[str] = frozenset()
        """Choices no agent takes."""
        self.slow_to_choose = False
        """Agents take no choice until `takes_choices` is set."""

    async def launch(self, launch: AgentLaunch, listener: AgentListener) -> ScriptedAgent:
        if self.error is not None:
            raise self.error
        agent = ScriptedAgent(launch, listener, len(self.agents))
        agent.refuses = self.refuses
        if self.slow_to_choose:
            agent.takes_choices.clear()
        await listener.started(agent.mark)
        self.agents.append(agent)
        return agent

    @property
    def given(self) -> list[str]:
        """Every prompt any agent has got, in order."""
        return [text for agent in self.agents for text in agent.given]


class ScriptedCommands:
    async def list_offers(self) -> tuple[AgentOffer, ...]:
        return (AgentOffer(AGENT, "Scripted", AgentCommand(("scripted",))),)


class ScriptedSurvivors:
    def __init__(self) -> None:
        self.asked: list[ProcessMark] = []

    async def stop(self, marks: Sequence[ProcessMark]) -> Sequence[ProcessMark]:
        self.asked.extend(marks)
        return tuple(marks)


def scripted_means(
    launcher: ScriptedLauncher, survivors: ScriptedSurvivors | None = None
) -> HostingMeans:
    def no_folder(session_id: SessionId) -> Path:
        raise AssertionError(session_id)

    return HostingMeans(
        launcher=launcher,
        commands=ScriptedCommands(),
        survivors=survivors or ScriptedSurvivors(),
        tools=McpAccesses(AgentCommand(("shim",))),
        quick_folder=no_folder,
    )
