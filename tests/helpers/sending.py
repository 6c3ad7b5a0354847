"""Admission and queue on a real store, with a dispatcher that only writes down what it is told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from backend.clock import Clock
from backend.conversation.admission import Admissions
from backend.conversation.dispatcher import Admitted, LiveAgent
from backend.conversation.queue import MessageQueue
from backend.domain.conversation import SessionState
from backend.domain.hosted import Admission, OutgoingMessage, PromptOutcome, QueuedPrompt
from backend.ids import AdmissionId, PendingId, QueueEntryId, SessionId
from backend.store import input_facts, message_queue, prompts, sessions
from backend.store.database import Database
from backend.store.locks import lock_sessions
from backend.store.prompts import ReservedPrompt
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.store import RowMaker

S = SessionId("s1")


@dataclass
class RecordingDispatcher:
    """Implements `Dispatcher`; agents are what the test says."""

    live: LiveAgent = field(default_factory=LiveAgent)
    told: list[Admitted] = field(default_factory=list)
    changed: list[SessionId] = field(default_factory=list)
    looks: list[SessionId] = field(default_factory=list)

    def agent(self, session_id: SessionId) -> LiveAgent:
        del session_id
        return self.live

    def admitted(self, admitted: Admitted) -> None:
        self.told.append(admitted)

    def queue_changed(self, session_id: SessionId) -> None:
        self.changed.append(session_id)

    def look_again(self, session_id: SessionId) -> None:
        self.looks.append(session_id)


@dataclass(frozen=True)
class QueueView:
    """What a session's composer shows of its queue."""

    entries: tuple[QueuedPrompt, ...]
    auto_run: bool


class Sending:
    """One desk's way from a human to agents; a second one on the same place is a restart."""

    def __init__(self, database: Database, clock: Clock, place: Place) -> None:
        self.database = database
        self.clock = clock
        self.place = place
        self.rows = RowMaker(place)
        self.dispatcher = RecordingDispatcher()
        supervisor = TaskSupervisor()
        self.admissions = Admissions(database, clock, supervisor, self.dispatcher)
        self.queue = MessageQueue(database, clock, supervisor, self.dispatcher)

    def session(self, state: SessionState, name: str = "s1") -> SessionId:
        """A hosted session in a turn of its own."""
        self.rows.session(name, state=state.value)
        self.rows.turn(f"turn-{name}", name)
        return SessionId(name)

    async def send(
        self,
        text: str,
        *,
        identity: str = "",
        session: SessionId = S,
        answers: str | None = None,
    ) -> Admission:
        """The text is the identity too, unless one is given."""
        message = OutgoingMessage(
            AdmissionId(identity or text), session, text, PendingId(answers) if answers else None
        )
        return await self.admissions.send(message)

    async def fill(self, *texts: str, session: SessionId = S) -> list[QueueEntryId]:
        """Queue these; the session must be one that queues."""
        found = []
        for text in texts:
            admission = await self.send(text, session=session)
            assert admission.entry_id is not None
            found.append(admission.entry_id)
        return found

    async def view(self, session: SessionId = S) -> QueueView:
        async with self.database.reading() as tx:
            entries = await message_queue.list_entries(tx, session)
            facts = await input_facts.load(tx, session)
        assert facts is not None
        assert facts.queued == len(entries)
        return QueueView(tuple(entry.prompt for entry in entries), facts.auto_run)

    async def texts(self, session: SessionId = S) -> list[str]:
        """What is queued, in order; its positions must be dense."""
        entries = (await self.view(session)).entries
        with raw(self.place) as connection:
            stored = connection.execute(
                "SELECT position FROM queued_messages WHERE session_id = ? ORDER BY position",
                (session,),
            ).fetchall()
        assert [row[0] for row in stored] == list(range(len(entries)))
        assert [entry.position for entry in entries] == list(range(len(entries)))
        return [entry.text for entry in entries]

    async def set_state(self, state: SessionState, session: SessionId = S) -> None:
        async with self.database.writing() as tx:
            await sessions.set_state(tx, session, state, self.clock.now())

    async def undispatched(self) -> tuple[ReservedPrompt, ...]:
        async with self.database.reading() as tx:
            return await prompts.list_undispatched(tx)

    async def attempted(self) -> tuple[ReservedPrompt, ...]:
        async with self.database.reading() as tx:
            return await prompts.list_attempted(tx)

    async def attempt(self, prompt: ReservedPrompt) -> bool:
        async with self.database.writing() as tx:
            await lock_sessions(tx, [prompt.session_id])
            return await prompts.mark_attempted(tx, prompt, self.clock.now())

    async def settle(self, prompt: ReservedPrompt, outcome: PromptOutcome) -> None:
        async with self.database.writing() as tx:
            await lock_sessions(tx, [prompt.session_id])
            await prompts.settle(tx, prompt, outcome, self.clock.now())

    async def run_and_end(self, session: SessionId = S) -> None:
        """The agent takes what is reserved, and its turn ends."""
        for prompt in await self.undispatched():
            if prompt.session_id == session:
                assert await self.attempt(prompt)
                await self.settle(prompt, PromptOutcome.SENT)
        await self.set_state(SessionState.IDLE, session)

    def user_rows(self, session: SessionId = S) -> list[tuple[str, str]]:
        """Identity and text of each message of the human, oldest first."""
        with raw(self.place) as connection:
            found = connection.execute(
                "SELECT id, content FROM task_session_messages WHERE task_session_id = ?"
                " AND author_type = 'user' ORDER BY created_at, id",
                (session,),
            ).fetchall()
        return [(str(row[0]), str(row[1])) for row in found]


@asynccontextmanager
async def sending_desk(place: Place, clock: FakeClock) -> AsyncIterator[Sending]:
    """One run of the desk on a place that may have been used before."""
    database = await open_store(place, clock)
    try:
        yield Sending(database, clock, place)
    finally:
        await database.close()
