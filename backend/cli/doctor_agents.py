"""Whether the agents that know Kandesk would still find it."""

import shutil
from collections.abc import Iterator

from backend.agents.catalog import AGENTS, Agent
from backend.cli.config_file import ConfigRefused, read_config
from backend.cli.connect import Entry, config_path, current_entry
from backend.cli.finding import Finding, ok, warning


def check_agents() -> Iterator[Finding]:
    """One finding per agent that has our entry, or whose file cannot be read."""
    connected = []
    for agent in AGENTS:
        try:
            file = read_config(config_path(agent.mcp))
            entry = None if file.data is None else current_entry(agent.mcp, file.text)
        except (ConfigRefused, ValueError) as error:
            yield warning("agents", f"{agent.name}: {error}", "mend that file")
            continue
        if entry is None:
            continue
        program = _program(entry)
        if shutil.which(program) is None:
            yield _stale(agent, program)
        else:
            connected.append(agent.name)
    if connected:
        yield ok("agents", f"connected: {', '.join(connected)}")
    else:
        yield ok("agents", "none is connected; kandesk connect AGENT connects one")


def _program(entry: Entry) -> str:
    command = entry.get("command")
    if isinstance(command, list):
        command = command[0] if command else ""
    return command if isinstance(command, str) else ""


def _stale(agent: Agent, program: str) -> Finding:
    text = f"{agent.name} would start {program or 'nothing'}, which is not there"
    return warning("agents", text, f"run: kandesk connect {agent.key}")
