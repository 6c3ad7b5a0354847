"""What the composer of a hosted session shows, built from the store and from what runs."""

import asyncio
import itertools
import logging
from dataclasses import dataclass
from typing import Final

from backend.clock import Clock, Deadline
from backend.conversation.live import LiveSession, LiveSessions
from backend.conversation.next_prompt import mode_of
from backend.domain.conversation import SessionState
from backend.domain.hosted import (
    AgentProblem,
    AgentStatus,
    AgentTrouble,
    Conversation,
    QueuedPrompt,
)
from backend.errors import AppError, ErrorCode, NotFound
from backend.events import ConversationChanged, EventBus
from backend.ids import MessageId, SessionId
from backend.store import hosted_sessions, input_facts, message_queue, prompts, sessions
from backend.store.database import Database, Transaction
from backend.store.hosted_sessions import HostedSession
from backend.store.input_facts import InputFacts
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor

_BUDGET: Final = 5.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the store says of a session, of one moment."""

    session: HostedSession
    queue: tuple[QueuedPrompt, ...]
    facts: InputFacts
    unsent: MessageId | None


class ConversationViews:
    """Reads and publishes one conversation at a time, so that a later one is never older."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        bus: EventBus,
        live: LiveSessions,
        *,
        supervisor: TaskSupervisor,
        worker: DeadlineWorker,
    ) -> None:
        self._database = database
        self._clock = clock
        self._bus = bus
        self._live = live
        self._supervisor = supervisor
        self._worker = worker
        self._versions = itertools.count(1)
        self._order = asyncio.Lock()
        self._changed: set[SessionId] = set()

    def changed(self, session_id: SessionId) -> None:
        """Publish it as it is soon; many changes at once are told once."""
        if session_id not in self._changed:
            self._changed.add(session_id)
            self._supervisor.start(self._publish(session_id), name=f"show {session_id}")

    async def current(self, session_id: SessionId) -> Conversation | None:
        """As it is now; None for a session this desk does not host.

        Raises:
            NotFound: no such session.
        """
        async with self._order:
            version = next(self._versions)
            async with self._database.reading(Deadline(self._clock, _BUDGET)) as tx:
                stored = await _stored(tx, session_id)
            if stored is None:
                return None
            return _conversation(stored, self._live.get(session_id), version)

    async def required(self, session_id: SessionId) -> Conversation:
        """As `current`; a session this desk does not host is none here."""
        found = await self.current(session_id)
        if found is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no agent of this desk has this session")
        return found

    async def _publish(self, session_id: SessionId, failures: int = 0) -> None:
        self._changed.discard(session_id)
        try:
            found = await self.current(session_id)
        except NotFound:
            return
        except AppError as error:
            _log.warning("conversation %s is shown later: %s", session_id, error.detail)
            key = f"show conversation {session_id}"
            again = failures + 1
            self._worker.try_again(key, failures, lambda: self._publish(session_id, again))
            return
        if found is not None:
            self._bus.publish(ConversationChanged(found))


async def _stored(tx: Transaction, session_id: SessionId) -> _Stored | None:
    session = await hosted_sessions.load(tx, session_id)
    if session is None:
        if await sessions.get_summary(tx, session_id) is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such session")
        return None
    facts = await input_facts.load(tx, session_id)
    if facts is None:
        return None
    entries = await message_queue.list_entries(tx, session_id)
    waiting = await prompts.list_undispatched(tx, session_id)
    return _Stored(
        session=session,
        queue=tuple(entry.prompt for entry in entries),
        facts=facts,
        unsent=waiting[0].message_id if waiting else None,
    )


def _conversation(stored: _Stored, live: LiveSession, version: int) -> Conversation:
    session, status, trouble = stored.session, live.status, None
    if status is AgentStatus.ABSENT and session.state is SessionState.FAILED:
        # It failed in an earlier run of the desk.
        status, trouble = AgentStatus.FAILED, _stored_trouble(session.error)
    elif session.unsure:
        trouble = AgentTrouble(AgentProblem.OUTCOME_UNKNOWN)
    return Conversation(
        session_id=session.session_id,
        agent=session.agent,
        agent_name=session.agent_name,
        folder=session.folder,
        status=status,
        input=mode_of(stored.facts, live.as_agent()),
        turn_id=live.turn.turn_id if live.turn is not None and live.turn.taken else None,
        queue=stored.queue,
        auto_run=stored.facts.auto_run,
        modes=live.modes if live.offered else session.modes,
        mode=live.mode if live.offered else session.mode,
        options=live.options if live.offered else session.options,
        commands=live.commands if live.offered else session.commands,
        usage=session.usage,
        trouble=live.trouble or trouble,
        unsent=stored.unsent if live.turn is None else None,
        version=version,
    )


def _stored_trouble(error: str) -> AgentTrouble:
    told, _, detail = error.partition(": ")
    if told in AgentProblem.__members__.values():
        return AgentTrouble(AgentProblem(told), detail)
    return AgentTrouble(AgentProblem.START_FAILED, error)
