"""Admitting what a human sends to an agent: once, whatever is lost on the way (K6.5, K7.2)."""

from typing import Final

from backend.clock import Clock, Deadline, Nanoseconds
from backend.conversation.dispatcher import Admitted, Dispatcher, LiveAgent
from backend.conversation.next_prompt import NewPrompt, mode_of, reserve
from backend.domain.digest import message_digest
from backend.domain.hosted import QUEUE_LIMIT, Admission, AdmissionOutcome, OutgoingMessage
from backend.domain.input_mode import InputMode
from backend.domain.message_rules import check_admission_id, check_message
from backend.domain.validation import shortened
from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import AdmissionId, MessageId, PendingId, QueueEntryId, SessionId, new_id
from backend.store import (
    admissions,
    bundles,
    input_facts,
    message_queue,
    messages,
    reservations,
)
from backend.store.admissions import StoredAdmission
from backend.store.database import Database, Transaction
from backend.store.input_facts import InputFacts
from backend.store.locks import lock_sessions
from backend.work.supervisor import TaskSupervisor

ADMISSION_BUDGET: Final = 5.0

_Result = tuple[Admission, Admitted | None]


class Admissions:
    """The one way from a composer or a late answer to an agent.

    What was admitted is found by its identity before anything else is looked at: the same message
    gives the same result in any state of its session, after a restart too.
    """

    def __init__(
        self, database: Database, clock: Clock, supervisor: TaskSupervisor, dispatcher: Dispatcher
    ) -> None:
        self._database = database
        self._clock = clock
        self._supervisor = supervisor
        self._dispatcher = dispatcher

    async def send(self, message: OutgoingMessage) -> Admission:
        """As `ConversationApi.send`; goes on when the caller is cancelled."""
        check_message(message)
        return await self._supervisor.run_to_end(self._send(message), name="admit message")

    async def find_admission(self, admission_id: AdmissionId) -> Admission | None:
        """As `ConversationApi.find_admission`. Raises `InvalidInput` as `send` does."""
        check_admission_id(admission_id)
        async with self._database.reading(self._deadline()) as tx:
            found = await admissions.find(tx, admission_id)
        return None if found is None else found.replayed()

    async def _send(self, message: OutgoingMessage) -> Admission:
        replayed = await self._replay(message)
        if replayed is not None:
            return replayed
        live = self._dispatcher.agent(message.session_id)
        try:
            async with self._database.writing(self._deadline()) as tx:
                admission, admitted = await tx.in_place(
                    lambda inner: self._admit(inner, message, live)
                )
        except (TemporarilyUnavailable, StorageFailed):
            self._dispatcher.look_again(message.session_id)
            raise
        if admitted is not None:
            self._dispatcher.admitted(admitted)
        elif not admission.replayed:
            self._dispatcher.queue_changed(message.session_id)
        return admission

    async def _replay(self, message: OutgoingMessage) -> Admission | None:
        async with self._database.reading(self._deadline()) as tx:
            stored = await admissions.find(tx, message.admission_id)
        if stored is None:
            return None
        admission = _same_again(stored, message)
        if stored.message_id is not None and stored.dispatch is None:
            self._dispatcher.look_again(stored.session_id)
        return admission

    async def _admit(self, tx: Transaction, message: OutgoingMessage, live: LiveAgent) -> _Result:
        await lock_sessions(tx, [message.session_id])
        stored = await admissions.find(tx, message.admission_id)
        if stored is not None:
            return _same_again(stored, message), None
        facts = await input_facts.load(tx, message.session_id)
        if facts is None:
            raise _no_session(message.session_id)
        if await messages.exists(tx, MessageId(message.admission_id)):
            raise _key_reused(message.admission_id)
        if message.answers is not None:
            await _check_closed(tx, message.session_id, message.answers)
        match mode_of(facts, live):
            case InputMode.DIRECT:
                return await self._next(tx, facts, message)
            case InputMode.QUEUE:
                return await self._queued(tx, facts, message), None
            case InputMode.UNAVAILABLE:
                raise Conflict(ErrorCode.NOT_ACTIVE, "this session takes no messages")

    async def _next(self, tx: Transaction, facts: InputFacts, message: OutgoingMessage) -> _Result:
        message_id, now = MessageId(message.admission_id), self._clock.now()
        stored = _stored(facts, message, AdmissionOutcome.SENT, message_id=message_id)
        await _insert(tx, stored, now)
        prompt = NewPrompt(message_id, message.text, message.answers)
        return _fresh(stored), await reserve(tx, facts, prompt, now)

    async def _queued(
        self, tx: Transaction, facts: InputFacts, message: OutgoingMessage
    ) -> Admission:
        if facts.queued >= QUEUE_LIMIT:
            raise Conflict(
                ErrorCode.QUEUE_FULL,
                f"{facts.queued} messages wait in this session; the limit is {QUEUE_LIMIT}",
                limit=QUEUE_LIMIT,
                queued=facts.queued,
            )
        entry_id, now = QueueEntryId(new_id()), self._clock.now()
        stored = _stored(facts, message, AdmissionOutcome.QUEUED, entry_id=entry_id)
        await _insert(tx, stored, now)
        entry = message_queue.make_entry(entry_id, message.text, message.admission_id, now)
        await message_queue.append(tx, facts.session_id, facts.task_id, entry)
        return _fresh(stored)

    def _deadline(self) -> Deadline:
        return Deadline(self._clock, ADMISSION_BUDGET)


def _stored(
    facts: InputFacts,
    message: OutgoingMessage,
    outcome: AdmissionOutcome,
    *,
    message_id: MessageId | None = None,
    entry_id: QueueEntryId | None = None,
) -> StoredAdmission:
    return StoredAdmission(
        admission_id=message.admission_id,
        session_id=facts.session_id,
        task_id=facts.task_id,
        digest=message_digest(message),
        outcome=outcome,
        answers=message.answers,
        message_id=message_id,
        entry_id=entry_id,
    )


def _fresh(stored: StoredAdmission) -> Admission:
    return Admission(stored.admission_id, stored.outcome, stored.message_id, stored.entry_id)


async def _insert(tx: Transaction, stored: StoredAdmission, now: Nanoseconds) -> None:
    if not await admissions.insert(tx, stored, now):
        # Another session took it between the look-up and now: not the same message.
        raise _key_reused(stored.admission_id)


async def _check_closed(tx: Transaction, session_id: SessionId, pending_id: PendingId) -> None:
    """A late answer goes to the session that was asked (LC.5), and only once it is too late."""
    bundle = await bundles.load_bundle(tx, pending_id)
    if bundle is None or bundle.session_id != session_id:
        raise NotFound(ErrorCode.NOT_FOUND, "no such question in this session")
    if bundle.answerable:
        raise Conflict(
            ErrorCode.NOT_ACTIVE, "this question is open: answer it instead", reason="open"
        )
    if await reservations.owns_answer(tx, pending_id):
        raise Conflict(ErrorCode.NOT_ACTIVE, "its answer is on its way to the agent")


def _same_again(stored: StoredAdmission, message: OutgoingMessage) -> Admission:
    if stored.digest != message_digest(message):
        raise _key_reused(stored.admission_id)
    return stored.replayed()


def _key_reused(admission_id: AdmissionId) -> AppError:
    return Conflict(
        ErrorCode.KEY_REUSED,
        "this identity was used for another message",
        admission_id=admission_id,
    )


def _no_session(session_id: SessionId) -> NotFound:
    named = shortened(session_id)
    return NotFound(ErrorCode.NOT_FOUND, f'session "{named}" not found', session_id=named)
