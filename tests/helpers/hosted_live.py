"""Scripted agents in the real window on the real backend: started, talked to and waited for."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from backend.api import ConversationApi, DeskApi
from backend.domain.agents import AgentCommand
from backend.domain.conversation import Message
from backend.domain.hosted import (
    CUSTOM_AGENT,
    AgentStatus,
    Conversation,
    OutgoingMessage,
    SessionStart,
)
from backend.ids import AdmissionId, SessionId, new_id
from tests.helpers.hosting_desk import is_free
from tests.helpers.live_window import LiveWindow
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import eventually, until

T = TypeVar("T")


class HostedLive:
    """Talks to the desk behind the window as the window does; looks at what it shows."""

    def __init__(self, window: LiveWindow, folder: Path) -> None:
        self.window = window
        self.folder = folder

    async def call(self, work: Callable[[ConversationApi], Awaitable[T]]) -> T:
        async def run(desk: DeskApi) -> T:
            return await work(desk.conversations)

        return await self.window.parts.client.call(run)

    async def start(
        self,
        prompt: str = "",
        *,
        session: str | None = None,
        command: AgentCommand | None = None,
        folder: Path | None = None,
    ) -> SessionId:
        session_id = SessionId(session or new_id())
        start = SessionStart(
            session_id=session_id,
            agent=CUSTOM_AGENT,
            folder=str(folder or self.folder),
            prompt=prompt,
            admission_id=AdmissionId(new_id()) if prompt else None,
            command=command or scripted_command(),
            title=session_id,
        )
        await self.call(lambda api: api.start_session(start))
        return session_id

    async def send(self, session_id: SessionId, text: str) -> None:
        message = OutgoingMessage(AdmissionId(new_id()), session_id, text)
        await self.call(lambda api: api.send(message))

    async def until(
        self, session_id: SessionId, holds: Callable[[Conversation], bool], seconds: float = 30
    ) -> None:
        async def reached() -> bool:
            found = await self.call(lambda api: api.conversation(session_id))
            return found is not None and holds(found)

        await eventually(reached, seconds=seconds)

    async def ready(self, session_id: SessionId) -> None:
        """Wait until its agent runs and has nothing to do."""
        await self.until(
            session_id, lambda seen: seen.status is AgentStatus.READY and is_free(seen), seconds=60
        )

    async def open(self, session_id: SessionId) -> None:
        """Show the conversation."""
        desk = self.window.parts.desk
        desk.open_session(session_id)
        await until(lambda: desk.settled and desk.transcript.session_id == session_id, seconds=20)

    @property
    def rows(self) -> list[Message]:
        """What the window shows of the conversation that is open."""
        return list(self.window.parts.desk.transcript.rows)

    @property
    def said(self) -> list[str]:
        return [f"{row.author}: {row.content}" for row in self.rows]
