"""Where a question is put: into which session and which turn of it."""

from collections.abc import Collection
from dataclasses import dataclass

from backend.clock import Nanoseconds
from backend.domain.conversation import TERMINAL_STATES, GuestIdentity
from backend.domain.validation import shortened
from backend.errors import Conflict, ErrorCode, NotFound
from backend.ids import SessionId, TaskId, TurnId
from backend.store import sessions, turns
from backend.store.database import Transaction
from backend.store.locks import lock_sessions


@dataclass(frozen=True, slots=True)
class Place:
    session_id: SessionId
    task_id: TaskId
    turn_id: TurnId


async def in_session(
    tx: Transaction, session_id: SessionId, task_id: TaskId | None, now: Nanoseconds
) -> Place:
    """The turn that owns a session which is there; a session without one gets one.

    Raises:
        NotFound: no such session, or it belongs to another task; the same for both.
        Conflict: `not_active`, the session has ended.
    """
    await lock_sessions(tx, [session_id])
    session = await sessions.get_summary(tx, session_id)
    if session is None or (task_id and task_id != session.task_id):
        named = shortened(session_id)
        raise NotFound(ErrorCode.NOT_FOUND, f'session "{named}" not found', session_id=named)
    if session.state in TERMINAL_STATES:
        raise Conflict(ErrorCode.NOT_ACTIVE, "this session has ended")
    turn_id = await turns.current_turn(tx, session_id)
    if turn_id is None:
        turn_id = await turns.open_turn(tx, session_id, session.task_id, now)
    return Place(session_id, session.task_id, turn_id)


async def of_caller(
    tx: Transaction,
    identity: GuestIdentity,
    hosted: SessionId | None,
    *,
    connected: Collection[SessionId],
    now: Nanoseconds,
) -> Place:
    """The turn an agent of this desk works in, or the session a guest's connection proves.

    Raises:
        NotFound: the session of this desk's agent is gone.
        Conflict: `not_active`, it has ended.
    """
    if hosted is not None:
        return await in_session(tx, hosted, None, now)
    guest = await sessions.ensure_guest(tx, identity, connected=connected, now=now)
    return Place(guest.session_id, guest.task_id, guest.turn_id)
