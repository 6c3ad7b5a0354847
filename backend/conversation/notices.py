"""Rows that tell what the desk itself has done in a session."""

from typing import Final

from backend.clock import Clock, Deadline, Nanoseconds
from backend.domain.conversation import Message
from backend.domain.session_notice import CONTENTS, SessionNotice
from backend.errors import ErrorCode, NotFound
from backend.events import EventBus, MessagesChanged
from backend.ids import SessionId, TurnId
from backend.store import hosted_sessions, messages, turns
from backend.store.database import Database, Transaction
from backend.store.locks import lock_sessions
from backend.store.metadata import OWN_KEY

_BUDGET: Final = 5.0
_TAIL: Final = 4_000
"""Characters of a detail that are kept."""


class Notices:
    """Each is a `status` row in the session's current turn."""

    def __init__(self, database: Database, clock: Clock, bus: EventBus) -> None:
        self._database = database
        self._clock = clock
        self._bus = bus

    async def add(self, session_id: SessionId, notice: SessionNotice, detail: str = "") -> None:
        """Durable and shown when it returns.

        Raises:
            NotFound: no such session of this desk.
            TemporarilyUnavailable: not known to be written.
        """
        async with self._database.writing(Deadline(self._clock, _BUDGET)) as tx:
            message = await add_notice(tx, session_id, notice, self._clock.now(), detail=detail)
        self._bus.publish(MessagesChanged(session_id, (message,)))


async def add_notice(
    tx: Transaction,
    session_id: SessionId,
    notice: SessionNotice,
    now: Nanoseconds,
    *,
    detail: str = "",
    turn_id: TurnId | None = None,
) -> Message:
    """For a transaction that does more; without a turn it stands in the current one.

    Raises:
        NotFound: no such session of this desk.
    """
    await lock_sessions(tx, [session_id])
    session = await hosted_sessions.load(tx, session_id)
    if session is None:
        raise NotFound(ErrorCode.NOT_FOUND, "no such session of this desk")
    turn_id = turn_id or await turns.current_turn(tx, session_id)
    if turn_id is None:
        turn_id = await turns.open_turn(tx, session_id, session.task_id, now)
    return await messages.insert_message(
        tx,
        session_id=session_id,
        task_id=session.task_id,
        turn_id=turn_id,
        kind="status",
        author="agent",
        content=CONTENTS[notice],
        metadata={
            "variant": "warning",
            OWN_KEY: {"notice": notice.value, "detail": detail[-_TAIL:]},
        },
        now=now,
    )
