"""The transcripts of all hosted sessions while their agents talk."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from backend.clock import Clock, Nanoseconds
from backend.conversation.bounds import LIST_LIMIT, bounded_name
from backend.conversation.coalescing import Pending, TranscriptWriter, change_known
from backend.conversation.live_rows import LiveRow, TurnPlace
from backend.conversation.session_rows import SessionRows
from backend.conversation.turn_rows import RowMaking, TurnTranscript
from backend.domain.agents import (
    AgentUpdate,
    CommandsChanged,
    ModeChanged,
    OptionsChanged,
    TitleChanged,
    UsageChanged,
    UserChunk,
)
from backend.domain.turn_end import TurnEnding
from backend.events import Event, EventBus, MessagesChanged, StoreAvailability
from backend.ids import MessageId, SessionId, TurnId, new_id
from backend.store.database import Database
from backend.store.hosted_sessions import SessionChange
from backend.store.transcript_batch import EndedTurn
from backend.work.supervisor import TaskSupervisor

Announce = Callable[[SessionId], Coroutine[Any, Any, None]]

_log = logging.getLogger(__name__)


class _Session:
    """One session's rows, and the turn they are put into."""

    def __init__(self, pending: Pending) -> None:
        self.pending = pending
        self.turn_id: TurnId | None = None
        self.turn: TurnTranscript | None = None
        self.ended: set[TurnId] = set()


class Transcripts:
    """Implements `conversation.ports.TurnRows` for all sessions, with one writer.

    Nothing raises while an agent talks: what the store does not take now it takes later.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        bus: EventBus,
        supervisor: TaskSupervisor,
        *,
        announce: Announce,
    ) -> None:
        """`announce` publishes a session's line in the list as the store has it."""
        self._clock = clock
        self._bus = bus
        self._supervisor = supervisor
        self._announce = announce
        self._sessions: dict[SessionId, _Session] = {}
        self._newest: dict[SessionId, Nanoseconds] = {}
        self._others: dict[SessionId, Nanoseconds] = {}
        """The newest row of each session that is not of its agent's words."""
        self._publishing = False
        self.writer = TranscriptWriter(database, clock, supervisor, told=self._tell)
        bus.subscribe(self._heard)

    def updated(self, session_id: SessionId, turn_id: TurnId | None, update: AgentUpdate) -> None:
        """Take over one update, in order; it is shown and stored by and by.

        Without a turn it goes to the end of the last one this desk has heard of.
        """
        session = self._session(session_id)
        known = _known_of_session(update)
        if known is not None:
            change_known(session.pending, known)
        elif isinstance(update, UserChunk):
            return
        elif (turn := self._turn(session, session_id, turn_id)) is not None:
            turn.apply(update)
        else:
            _log.info("session %s: an update before the first turn is not shown", session_id)
        self.writer.put(session.pending)

    async def flush(self, session_id: SessionId) -> None:
        """Wait until everything heard so far is durable and shown, however long that takes.

        Raises:
            TemporarilyUnavailable: the desk stops, and it is not known to be durable.
        """
        await self.writer.flush(self._session(session_id).pending)

    async def flush_all(self) -> None:
        """As `flush`, of every session."""
        waiting = [each.pending for each in self._sessions.values() if not each.pending.written]
        await asyncio.gather(*(self.writer.flush(pending) for pending in waiting))

    async def end(self, session_id: SessionId, turn_id: TurnId, ending: TurnEnding) -> None:
        """Close every row of the turn, tell why it ended, and end it in the store; as `flush`."""
        session = self._session(session_id)
        if ending.usage is not None:
            change_known(session.pending, SessionChange(usage=ending.usage))
        if turn_id not in session.ended:
            turn = self._turn(session, session_id, turn_id)
            if turn is not None:
                turn.end(ending)
            session.ended.add(turn_id)
            session.pending.ended.append(_ended(session_id, turn_id, ending))
        await self.writer.flush(session.pending)
        session.pending.rows.end_turn()

    async def room(self) -> None:
        """Awaited before more is heard of an agent: memory is bounded while the store is away."""
        await self.writer.room()

    def forget(self, session_id: SessionId) -> None:
        """The session's agent is gone and its last turn has ended; what is not written still is."""
        session = self._sessions.get(session_id)
        if session is not None and session.pending.written:
            del self._sessions[session_id]

    def _session(self, session_id: SessionId) -> _Session:
        found = self._sessions.get(session_id)
        if found is None:
            rows = SessionRows(session_id, self._clock, self._publish)
            found = self._sessions[session_id] = _Session(Pending(rows))
        return found

    def _turn(
        self, session: _Session, session_id: SessionId, turn_id: TurnId | None
    ) -> TurnTranscript | None:
        if turn_id is None or turn_id == session.turn_id:
            return session.turn
        if session.turn is not None:
            session.turn.close_text()
        session.turn_id = turn_id
        session.turn = TurnTranscript(
            TurnPlace(session_id, turn_id),
            RowMaking(
                new_id=lambda: MessageId(new_id()),
                next_moment=lambda: self._next_moment(session_id),
                changed=lambda row: self._changed(session, row),
            ),
        )
        return session.turn

    def _changed(self, session: _Session, row: LiveRow) -> None:
        session.pending.rows.changed(row)

    def _next_moment(self, session_id: SessionId) -> Nanoseconds:
        """After every row of the session, wherever the clock was set since."""
        moment = max(self._clock.now(), self._newest.get(session_id, 0) + 1)
        self._newest[session_id] = Nanoseconds(moment)
        return Nanoseconds(moment)

    def _publish(self, event: MessagesChanged) -> None:
        self._publishing = True
        try:
            self._bus.publish(event)
        finally:
            self._publishing = False

    def _heard(self, event: Event) -> None:
        if isinstance(event, StoreAvailability) and event.available:
            self.writer.try_again()
        elif isinstance(event, MessagesChanged) and not self._publishing and event.messages:
            self._heard_rows(event)

    def _heard_rows(self, event: MessagesChanged) -> None:
        """Rows of others, such as a question: what the agent says next stands after them."""
        session_id = event.session_id
        newest = max(message.created_at for message in event.messages)
        # A row that changes is not a new one. Our own may be ahead where the clock was set back.
        if newest <= self._others.get(session_id, 0):
            return
        self._others[session_id] = newest
        self._newest[session_id] = Nanoseconds(max(newest, self._newest.get(session_id, 0)))
        session = self._sessions.get(session_id)
        if session is not None and session.turn is not None:
            session.turn.close_text()
            self.writer.put(session.pending)

    def _tell(self, session_id: SessionId) -> None:
        self._supervisor.start(self._announce(session_id), name=f"announce {session_id}")


def _known_of_session(update: AgentUpdate) -> SessionChange | None:
    match update:
        case CommandsChanged(commands):
            return SessionChange(commands=commands[:LIST_LIMIT])
        case ModeChanged(mode):
            return SessionChange(mode=mode)
        case OptionsChanged(options):
            return SessionChange(options=options[:LIST_LIMIT])
        case TitleChanged(title):
            return SessionChange(title=" ".join(bounded_name(title).split()))
        case UsageChanged(usage):
            return SessionChange(usage=usage)
        case _:
            return None


def _ended(session_id: SessionId, turn_id: TurnId, ending: TurnEnding) -> EndedTurn:
    ended: dict[str, object] = {"outcome": ending.outcome.value}
    if ending.notice is not None:
        ended["notice"] = ending.notice.value
    return EndedTurn(session_id, turn_id, ended)
