"""One hosted session in a running turn on a real store, with what the window hears of it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from backend.conversation.transcripts import Transcripts
from backend.domain.agents import AgentCommand, AgentUpdate, PromptEnd, StopReason
from backend.domain.conversation import Message
from backend.domain.turn_end import TurnEnding, prompt_ended
from backend.events import Event, EventBus, MessagesChanged
from backend.ids import AgentKey, MessageId, SessionId, TurnId
from backend.store import hosted_sessions, messages, turns
from backend.store.database import Database
from backend.store.hosted_sessions import HostedSession, NewHostedSession
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock
from tests.helpers.faults import FaultyDatabase
from tests.helpers.place import Place, open_store

DONE = prompt_ended(PromptEnd(StopReason.END_TURN))


@dataclass
class TranscriptCase:
    """What a test needs; `updated` and `end` are about the session's running turn."""

    database: Database
    faults: FaultyDatabase
    clock: FakeClock
    bus: EventBus
    supervisor: TaskSupervisor
    transcripts: Transcripts
    session: SessionId
    turn: TurnId
    events: list[Event] = field(default_factory=list)
    announced: list[SessionId] = field(default_factory=list)

    def updated(self, *updates: AgentUpdate) -> None:
        for update in updates:
            self.transcripts.updated(self.session, self.turn, update)

    async def end(self, ending: TurnEnding = DONE) -> None:
        await self.soon(self.transcripts.end(self.session, self.turn, ending))

    async def flush(self) -> None:
        await self.soon(self.transcripts.flush(self.session))

    async def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Let time pass until `work` is done, a second at most."""
        task = asyncio.create_task(work)
        for _ in range(50):
            if task.done():
                break
            await self.clock.advance(0.02)
        assert task.done()
        await task

    async def rows(self, session: SessionId | None = None) -> tuple[Message, ...]:
        async with self.database.reading() as tx:
            return (await messages.page(tx, session or self.session, limit=1_000)).messages

    async def stored(self) -> HostedSession:
        async with self.database.reading() as tx:
            found = await hosted_sessions.load(tx, self.session)
        assert found is not None
        return found

    @property
    def told(self) -> list[MessagesChanged]:
        return [event for event in self.events if isinstance(event, MessagesChanged)]

    @property
    def shown(self) -> dict[MessageId, Message]:
        """The rows as the window has them, in the order in which it first heard of them."""
        found: dict[MessageId, Message] = {}
        for event in self.told:
            found.update({message.message_id: message for message in event.messages})
        return found

    async def add_session(self, name: str, turn: str = "") -> None:
        """A hosted session with a running turn, `turn-<name>` unless told otherwise."""
        async with self.database.writing() as tx:
            made = await hosted_sessions.create(tx, new_hosted(name), self.clock.now())
            await turns.open_turn(
                tx,
                made.session_id,
                made.task_id,
                self.clock.now(),
                turn_id=TurnId(turn or f"turn-{name}"),
            )

    async def open_turn(self, turn: str) -> None:
        """The session's next turn."""
        session = await self.stored()
        async with self.database.writing() as tx:
            await turns.open_turn(
                tx, self.session, session.task_id, self.clock.now(), turn_id=TurnId(turn)
            )
        self.turn = TurnId(turn)


def new_hosted(name: str = "s1") -> NewHostedSession:
    return NewHostedSession(
        session_id=SessionId(name),
        agent=AgentKey("demo"),
        agent_name="Demo agent",
        folder="/projects/alpha",
        command=AgentCommand(("demo",)),
        title="A session",
    )


@asynccontextmanager
async def transcript_case(
    place: Place, clock: FakeClock, *, fresh: bool = True
) -> AsyncIterator[TranscriptCase]:
    """Open the store, the first time with the session s1 in its turn turn1."""
    database = await open_store(place, clock)
    faults = FaultyDatabase(database)
    bus = EventBus()
    supervisor = TaskSupervisor()
    announced: list[SessionId] = []

    async def announce(session_id: SessionId) -> None:
        announced.append(session_id)

    transcripts = Transcripts(faults, clock, bus, supervisor, announce=announce)
    case = TranscriptCase(
        database,
        faults,
        clock,
        bus,
        supervisor,
        transcripts,
        SessionId("s1"),
        TurnId("turn1"),
        announced=announced,
    )
    if fresh:
        await case.add_session("s1", "turn1")
    bus.subscribe(case.events.append)
    try:
        yield case
    finally:
        await supervisor.stop()
        await database.close()
