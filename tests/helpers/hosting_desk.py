"""A whole desk in this process with agents in child processes, and a hand that steers it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from backend.api import ConversationApi, DeskApi
from backend.clock import Clock, SystemClock
from backend.domain.agents import AgentCommand
from backend.domain.clarification import Answer, Answered, Bundle, ResponseOutcome, Skipped
from backend.domain.conversation import Message
from backend.domain.hosted import (
    CUSTOM_AGENT,
    Admission,
    AgentStatus,
    Conversation,
    OutgoingMessage,
    SessionStart,
)
from backend.events import Event
from backend.ids import AdmissionId, SessionId, new_id
from backend.paths import Home
from backend.runtime import Runtime
from tests.helpers.desk import HUMAN, new_token
from tests.helpers.place import raw
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import eventually


@dataclass
class HostingDesk:
    """One running desk."""

    runtime: Runtime
    folder: Path
    events: list[Event] = field(default_factory=list)

    @property
    def desk(self) -> DeskApi:
        return self.runtime.desk

    @property
    def api(self) -> ConversationApi:
        return self.runtime.desk.conversations

    async def start(
        self,
        prompt: str = "",
        *,
        command: AgentCommand | None = None,
        folder: Path | None = None,
        session: str | None = None,
    ) -> SessionId:
        session_id = SessionId(session or new_id())
        await self.api.start_session(
            SessionStart(
                session_id=session_id,
                agent=CUSTOM_AGENT,
                folder=str(folder or self.folder),
                prompt=prompt,
                admission_id=AdmissionId(new_id()) if prompt else None,
                command=command or scripted_command(),
            )
        )
        return session_id

    async def send(self, session_id: SessionId, text: str) -> Admission:
        return await self.api.send(OutgoingMessage(AdmissionId(new_id()), session_id, text))

    async def conversation(self, session_id: SessionId) -> Conversation:
        found = await self.api.conversation(session_id)
        assert found is not None
        return found

    async def until(
        self, session_id: SessionId, holds: Callable[[Conversation], bool], seconds: float = 20
    ) -> Conversation:
        """Wait until the conversation is as wanted."""

        async def reached() -> bool:
            return holds(await self.conversation(session_id))

        await eventually(reached, seconds=seconds)
        return await self.conversation(session_id)

    async def ready(self, session_id: SessionId) -> Conversation:
        """Wait until the agent has nothing to do."""
        return await self.until(session_id, is_free)

    async def rows(self, session_id: SessionId) -> list[Message]:
        return list((await self.desk.list_messages(session_id)).messages)

    async def said(self, session_id: SessionId) -> list[str]:
        """What stands in the transcript, author and text."""
        return [f"{row.author}: {row.content}" for row in await self.rows(session_id)]

    async def question(self, session_id: SessionId) -> Bundle:
        """Wait for an open question of the session that somebody waits for."""
        found: list[Bundle] = []

        async def asked() -> bool:
            found[:] = [
                bundle
                for bundle in await self.desk.list_open_bundles()
                if bundle.session_id == session_id
            ]
            return bool(found)

        await eventually(asked, seconds=20)
        return found[0]

    async def answer(self, bundle: Bundle, *answers: Answer) -> ResponseOutcome:
        return await self.desk.respond(
            bundle.pending_id, Answered(answers), client_id=HUMAN, claim_token=new_token()
        )

    async def skip(self, bundle: Bundle) -> ResponseOutcome:
        return await self.desk.respond(
            bundle.pending_id, Skipped(), client_id=HUMAN, claim_token=new_token()
        )

    def command(self, session_id: SessionId, command: AgentCommand) -> None:
        """Give a session its command with its environment, which no store keeps."""
        hosting = self.runtime._services.hosting
        assert hosting is not None
        hosting.conversations._parts.live.get(session_id).command = command

    def process(self, session_id: SessionId) -> int:
        """The id of the session's child, by the store."""
        with raw(self.folder / "home" / "kandesk.db") as connection:
            row = connection.execute(
                "SELECT json_extract(metadata, '$.kandesk.process.pid') FROM task_sessions"
                " WHERE id = ?",
                (session_id,),
            ).fetchone()
        return int(row[0])


def is_free(conversation: Conversation) -> bool:
    free = conversation.status in {AgentStatus.READY, AgentStatus.ABSENT}
    return free and conversation.input == "direct" and conversation.turn_id is None


@asynccontextmanager
async def hosting_desk(
    folder: Path, *, clock: Clock | None = None, home: Path | None = None
) -> AsyncIterator[HostingDesk]:
    """Open a desk whose home is below `folder`; agents work in `folder` too."""
    events: list[Event] = []
    runtime = await Runtime.open(
        Home(home or folder / "home"),
        clock or SystemClock(),
        kind="serve",
        database="",
        listener=events.append,
    )
    try:
        yield HostingDesk(runtime, folder, events)
    finally:
        await runtime.close(deliberate=True)


def prompts_in(log: Path) -> list[str]:
    """Every prompt the scripted agent has got, by its own log of frames."""
    if not log.exists():
        return []
    frames = [json.loads(line) for line in log.read_text().splitlines() if line.strip()]
    return [
        block["text"]
        for frame in frames
        if frame.get("method") == "session/prompt"
        for block in frame["params"]["prompt"]
    ]
