"""A desk whose agents are objects of the test: no process, and a store that can fail."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from backend.clock import Clock
from backend.domain.conversation import SessionState
from backend.domain.hosted import (
    AdmissionOutcome,
    AgentStatus,
    Conversation,
    OutgoingMessage,
    SessionStart,
)
from backend.ids import AdmissionId, SessionId
from backend.store import prompts
from backend.store.database import Database
from tests.helpers.desk import TestDesk, open_desk
from tests.helpers.faults import FaultyDatabase
from tests.helpers.place import Place
from tests.helpers.scripted_launcher import (
    AGENT,
    ScriptedAgent,
    ScriptedLauncher,
    ScriptedSurvivors,
    scripted_means,
)
from tests.helpers.waiting import eventually, until

S = SessionId("s1")


@dataclass
class Hosted:
    desk: TestDesk
    faults: FaultyDatabase
    launcher: ScriptedLauncher
    survivors: ScriptedSurvivors
    folder: Path

    @property
    def agent(self) -> ScriptedAgent:
        return self.launcher.agents[-1]

    async def start(self, prompt: str = "") -> None:
        await self.desk.desk.conversations.start_session(
            SessionStart(
                S,
                AGENT,
                str(self.folder),
                prompt=prompt,
                admission_id=AdmissionId("first") if prompt else None,
            )
        )

    async def send(self, text: str) -> AdmissionOutcome:
        admission = await self.desk.desk.conversations.send(
            OutgoingMessage(AdmissionId(f"id of {text}"), S, text)
        )
        return admission.outcome

    async def seen(self) -> Conversation:
        found = await self.desk.desk.conversations.conversation(S)
        assert found is not None
        return found

    async def status(self, wanted: AgentStatus) -> None:
        async def reached() -> bool:
            return (await self.seen()).status is wanted

        await eventually(reached)

    async def works(self, prompts: int = 1) -> None:
        """Wait until the agent has this many prompts and works on the last."""
        await until(lambda: len(self.launcher.given) == prompts)
        await self.status(AgentStatus.WORKING)

    async def handing_over(self) -> None:
        """Wait until a prompt is on its way into the agent's pipe."""

        async def marked() -> bool:
            async with self.faults.reading() as tx:
                return bool(await prompts.list_attempted(tx))

        await eventually(marked)

    async def done(self) -> None:
        """The agent ends its prompt."""
        self.agent.prompts[-1].done()
        await self.status(AgentStatus.READY)

    async def state(self) -> SessionState:
        (summary,) = await self.desk.desk.list_sessions()
        return summary.state


@asynccontextmanager
async def hosting(
    place: Place, clock: Clock, folder: Path, launcher: ScriptedLauncher | None = None
) -> AsyncIterator[Hosted]:
    wrapped: list[FaultyDatabase] = []

    def wrap(database: Database) -> Database:
        wrapped.append(FaultyDatabase(database))
        return wrapped[0]

    launcher, survivors = launcher or ScriptedLauncher(), ScriptedSurvivors()
    means = scripted_means(launcher, survivors)
    async with open_desk(place, clock, wrap=wrap, hosting=means) as desk:
        yield Hosted(desk, wrapped[0], launcher, survivors, folder)
        wrapped[0].plan_nothing()
