"""Which agents this machine has, found as a shell would and in the usual folders besides."""

import asyncio
import os
import shutil
from typing import Final

from backend.agents.child_environment import search_path
from backend.agents.hosted_catalog import HOSTED_AGENTS, HostedAgent
from backend.domain.agents import AgentCommand
from backend.domain.hosted import AgentOffer
from backend.ids import AgentKey
from backend.installation import command

DEMO_AGENT: Final = AgentKey("demo")
FIRST_PROMPT: Final = "/tour"
"""What the demo agent is asked for by whoever wants to see it."""


def demo_offer() -> AgentOffer:
    """The agent that comes with the desk and shows what agents do."""
    return AgentOffer(DEMO_AGENT, "Demo agent", AgentCommand((*command(), "demo-agent")))


class AgentDiscovery:
    """Looks again every time it is asked: what was just installed is there.

    `more` are offered behind those that were found.
    """

    def __init__(self, *more: AgentOffer) -> None:
        self._more = more

    async def list_offers(self) -> tuple[AgentOffer, ...]:
        """The catalog, those that were found first; `command` is None where it was not."""
        offers = await asyncio.to_thread(_look)
        found = [offer for offer in offers if offer.command is not None]
        return (*found, *self._more, *offers[len(found) :])


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
