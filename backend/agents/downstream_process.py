"""Processes of downstream MCP servers: started, noted and ended like those of agents."""

from backend.agents.child_environment import START_VARIABLE
from backend.agents.process import AgentProcess
from backend.agents.started_processes import StartedProcesses
from backend.domain.agents import AgentCommand
from backend.errors import AgentFailed


class ServerProcesses:
    """Implements the gateway's `StartProcess`; a desk that was killed finds them again."""

    def __init__(self, notes: StartedProcesses) -> None:
        self._notes = notes

    async def __call__(self, command: AgentCommand, folder: str) -> AgentProcess:
        """Raises `AgentFailed`: there is no such program or folder."""
        start = self._notes.begin()
        environment = {**command.environment, START_VARIABLE: start}
        try:
            process = await AgentProcess.start(AgentCommand(command.argv, environment), folder)
        except AgentFailed:
            self._notes.drop(start)
            raise
        self._notes.note(start, process.mark)
        return process
