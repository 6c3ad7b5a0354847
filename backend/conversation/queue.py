"""The messages that wait for a session's agent: seen, changed, and sent when it is free (K7.3)."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from backend.clock import Clock, Deadline
from backend.conversation.dispatcher import Admitted, Dispatcher
from backend.conversation.next_prompt import Drain, take_next
from backend.domain.conversation import TERMINAL_STATES
from backend.domain.message_rules import check_message_text
from backend.errors import Conflict, ErrorCode, NotFound, StorageFailed, TemporarilyUnavailable
from backend.ids import QueueEntryId, SessionId
from backend.store import input_facts, message_queue
from backend.store.database import Database, Transaction
from backend.store.input_facts import InputFacts
from backend.store.locks import lock_sessions
from backend.store.message_queue import QueueEntry
from backend.work.supervisor import TaskSupervisor

T = TypeVar("T")

QUEUE_BUDGET: Final = 5.0


class MessageQueue:
    """Every change is durable when it returns, goes on when its caller is cancelled, and is told
    to the `Dispatcher`.

    An entry is either queued or a prompt, never both and never neither: both change in one
    transaction.

    Raises:
        NotFound: no such session; where an entry is named, it is not queued (any more).
        TemporarilyUnavailable: not known to have happened.
    """

    def __init__(
        self, database: Database, clock: Clock, supervisor: TaskSupervisor, dispatcher: Dispatcher
    ) -> None:
        self._database = database
        self._clock = clock
        self._supervisor = supervisor
        self._dispatcher = dispatcher

    async def edit(
        self, session_id: SessionId, entry_id: QueueEntryId, text: str, *, revision: int
    ) -> None:
        """Raises `InvalidInput` for the text, `Conflict` when another edit was first."""
        check_message_text(text)

        async def edit(tx: Transaction) -> None:
            entry = _named(await _entries(tx, session_id), entry_id)
            if entry.prompt.revision != revision:
                raise _edited()
            await message_queue.set_text(tx, entry.prompt, text)

        await self._change(session_id, edit)

    async def remove(self, session_id: SessionId, entry_id: QueueEntryId) -> None:
        async def remove(tx: Transaction) -> None:
            _named(await _entries(tx, session_id), entry_id)
            await message_queue.remove(tx, session_id, entry_id)

        await self._change(session_id, remove)

    async def move(self, session_id: SessionId, entry_id: QueueEntryId, position: int) -> None:
        """Put it at `position`, from 0; one past the end is the end."""

        async def move(tx: Transaction) -> None:
            entries = await _entries(tx, session_id)
            place = min(max(0, position), len(entries))
            await _place(tx, entries, _named(entries, entry_id), place)

        await self._change(session_id, move)

    async def send_now(self, session_id: SessionId, entry_id: QueueEntryId) -> Admitted | None:
        """Make it the next prompt: now if the agent is free, else when its turn ends.

        Raises:
            Conflict: `not_active`, a question that is open is before it, whether its call waits
                or not, or the session takes no messages.
        """
        live = self._dispatcher.agent(session_id)

        async def send(tx: Transaction) -> Admitted | None:
            entries = await _entries(tx, session_id)
            entry = _named(entries, entry_id)
            _check_not_held(await _facts(tx, session_id))
            await message_queue.mark_send_now(tx, entry_id)
            await _place(tx, entries, entry, 0)
            return await take_next(tx, session_id, Drain.ASKED_FOR, live, self._clock.now())

        return await self._take(session_id, send)

    async def set_auto_run(self, session_id: SessionId, *, auto_run: bool) -> Admitted | None:
        """Turned on, it sends the first message if the agent is free and no question is open."""
        live = self._dispatcher.agent(session_id)

        async def switch(tx: Transaction) -> Admitted | None:
            await _facts(tx, session_id)
            await message_queue.set_auto_run(tx, session_id, auto_run=auto_run)
            if not auto_run:
                return None
            return await take_next(tx, session_id, Drain.ASKED_FOR, live, self._clock.now())

        return await self._take(session_id, switch)

    async def take_next(self, session_id: SessionId, drain: Drain) -> Admitted | None:
        """Make what waits first the next prompt, if the session is free for it.

        To be called whenever a turn has ended, an agent has become ready, or the session's open
        question was detached, answered or closed.
        """
        live = self._dispatcher.agent(session_id)

        async def take(tx: Transaction) -> Admitted | None:
            return await take_next(tx, session_id, drain, live, self._clock.now())

        return await self._supervisor.run_to_end(
            self._taking(session_id, take, always=False), name="take next message"
        )

    async def _change(
        self, session_id: SessionId, work: Callable[[Transaction], Coroutine[Any, Any, None]]
    ) -> None:
        await self._supervisor.run_to_end(self._changing(session_id, work), name="change queue")

    async def _changing(
        self, session_id: SessionId, work: Callable[[Transaction], Coroutine[Any, Any, None]]
    ) -> None:
        try:
            await self._write(session_id, work)
        finally:
            # Also when it was refused: what the window shows was not what is queued.
            self._dispatcher.queue_changed(session_id)

    async def _take(
        self,
        session_id: SessionId,
        work: Callable[[Transaction], Coroutine[Any, Any, Admitted | None]],
    ) -> Admitted | None:
        taking = self._taking(session_id, work, always=True)
        return await self._supervisor.run_to_end(taking, name="change queue")

    async def _taking(
        self,
        session_id: SessionId,
        work: Callable[[Transaction], Coroutine[Any, Any, Admitted | None]],
        *,
        always: bool,
    ) -> Admitted | None:
        """Tell of a queue that may be another, which it is not `always` when nothing was taken."""
        admitted: Admitted | None = None
        try:
            admitted = await self._write(session_id, work)
        except (TemporarilyUnavailable, StorageFailed):
            self._dispatcher.look_again(session_id)
            raise
        finally:
            if admitted is not None:
                self._dispatcher.admitted(admitted)
            if always or admitted is not None:
                self._dispatcher.queue_changed(session_id)
        return admitted

    async def _write(
        self, session_id: SessionId, work: Callable[[Transaction], Coroutine[Any, Any, T]]
    ) -> T:
        async def locked(tx: Transaction) -> T:
            await lock_sessions(tx, [session_id])
            return await work(tx)

        async with self._database.writing(Deadline(self._clock, QUEUE_BUDGET)) as tx:
            return await tx.in_place(locked)


async def _facts(tx: Transaction, session_id: SessionId) -> InputFacts:
    facts = await input_facts.load(tx, session_id)
    if facts is None:
        raise NotFound(ErrorCode.NOT_FOUND, "no such session")
    return facts


def _check_not_held(facts: InputFacts) -> None:
    if facts.state is None or facts.state in TERMINAL_STATES:
        raise Conflict(ErrorCode.NOT_ACTIVE, "this session takes no messages")
    if facts.open_question or facts.open_review:
        raise Conflict(ErrorCode.NOT_ACTIVE, "an open question is before this message")


async def _entries(tx: Transaction, session_id: SessionId) -> tuple[QueueEntry, ...]:
    return await message_queue.list_entries(tx, session_id)


def _named(entries: Sequence[QueueEntry], entry_id: QueueEntryId) -> QueueEntry:
    for entry in entries:
        if entry.prompt.entry_id == entry_id:
            return entry
    raise NotFound(ErrorCode.NOT_FOUND, "this message is not queued any more")


async def _place(
    tx: Transaction, entries: Sequence[QueueEntry], entry: QueueEntry, position: int
) -> None:
    others = [other for other in entries if other is not entry]
    others.insert(position, entry)
    await message_queue.arrange(tx, others)


def _edited() -> Conflict:
    return Conflict(ErrorCode.KEY_REUSED, "this message was edited meanwhile")
