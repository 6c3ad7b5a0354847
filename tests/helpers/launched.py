"""Launches agents in child processes for a test."""

import asyncio
from pathlib import Path
from typing import Final

from backend.agents.launcher import AcpLauncher
from backend.agents.started_processes import StartedProcesses
from backend.clock import Clock, SystemClock
from backend.conversation.agent_port import AgentLaunch, InjectedTools, RunningAgent
from backend.domain.agents import AgentCommand, PromptEnd
from backend.ids import SessionId
from tests.helpers.scripted_agents import RecordingListener, scripted_command

PATIENCE: Final = 20.0


class Agents:
    """Launches agents; `listener` hears them all unless another one is given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listener = RecordingListener()
        self.running: list[RunningAgent] = []
        self.notes = StartedProcesses(folder / "agents-started")

    async def launch(
        self,
        command: AgentCommand | None = None,
        *,
        listener: RecordingListener | None = None,
        clock: Clock | None = None,
        load: str = "",
        tools: InjectedTools | None = None,
        folder: str = "",
    ) -> RunningAgent:
        launch = AgentLaunch(
            SessionId("s1"),
            command or scripted_command(),
            folder or str(self.folder),
            agent_session_id=load,
            tools=tools,
        )
        launcher = AcpLauncher(clock or SystemClock(), self.notes)
        agent = await launcher.launch(launch, listener or self.listener)
        self.running.append(agent)
        return agent

    async def stop(self) -> None:
        await asyncio.gather(*(agent.stop() for agent in self.running))


async def run_prompt(agent: RunningAgent, script: str) -> PromptEnd:
    """Hand a script over and wait for its end."""
    prompt = await agent.prompt(script)
    return await asyncio.wait_for(prompt.finished(), PATIENCE)
