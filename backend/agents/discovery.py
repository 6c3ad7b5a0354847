"""Which agents this machine has, found as a shell would and in the usual folders besides."""

import asyncio
import os
import shutil

from backend.agents.child_environment import search_path
from backend.agents.hosted_catalog import HOSTED_AGENTS, HostedAgent
from backend.domain.agents import AgentCommand
from backend.domain.hosted import AgentOffer
from backend.ids import AgentKey


class AgentDiscovery:
    """Looks again every time it is asked: what was just installed is there."""

    async def list_offers(self) -> tuple[AgentOffer, ...]:
        """The catalog, those that were found first; `command` is None where it was not."""
        return await asyncio.to_thread(_look)


def _look() -> tuple[AgentOffer, ...]:
    path = os.pathsep.join(search_path())
    offers = (
        AgentOffer(AgentKey(agent.key), agent.name, _find(agent, path), agent.install_hint)
        for agent in HOSTED_AGENTS
    )
    return tuple(sorted(offers, key=lambda offer: offer.command is None))


def _find(agent: HostedAgent, path: str) -> AgentCommand | None:
    for program, *arguments in agent.commands:
        found = shutil.which(program, path=path)
        if found is not None:
            return AgentCommand((found, *arguments))
    return None
