"""What asking and answering do to the state of a session and of its task (K1.9)."""

from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.conversation import TERMINAL_STATES, SessionKind, SessionState
from backend.ids import PendingId, SessionId, TurnId
from backend.store.database import Statement, Transaction
from backend.store.dialect import Dialect, json_text
from backend.store.eligibility import is_answerable, newest_turn, pending_id
from backend.store.metadata import OWN_KEY

_TERMINAL: Final = ",".join(f"'{state}'" for state in sorted(TERMINAL_STATES))
_WORKING: Final = f"'{SessionState.STARTING}','{SessionState.RUNNING}'"


async def refresh(tx: Transaction, session_id: SessionId, now: Nanoseconds) -> None:
    """Bring session and task in line with the open questions; a session that ended stays so.

    A guest waits for input exactly while one of its questions is open. A hosted session stops
    running when it asks; only what is given to its agent lets it run again. A task is in review
    while one of its sessions asks.
    """
    await tx.execute_each(refreshing(tx.dialect, session_id, now))


def refreshing(dialect: Dialect, session_id: SessionId, now: Nanoseconds) -> tuple[Statement, ...]:
    """What `refresh` runs, in order."""
    params = {"session": session_id, "now": format_timestamp(now)}
    hosted = (
        f"UPDATE task_sessions SET updated_at = :now, state = '{SessionState.WAITING_FOR_INPUT}'"
        f" WHERE id = :session AND state IN ({_WORKING}) AND {_asks(dialect)}"
    )
    statements = (_refresh_guest(dialect), hosted, *_refresh_task(dialect))
    return tuple(Statement(sql, params) for sql in statements)


async def refresh_of_bundle(tx: Transaction, pending: PendingId, now: Nanoseconds) -> None:
    """As `refresh`, for the session of a bundle."""
    row = await tx.fetch_one(
        "SELECT task_session_id FROM task_session_messages"
        f" WHERE {pending_id(tx.dialect)} = :pending_id ORDER BY created_at, id LIMIT 1",
        {"pending_id": pending},
    )
    if row is not None:
        await refresh(tx, SessionId(str(row["task_session_id"])), now)


async def run_again(tx: Transaction, session_id: SessionId, now: Nanoseconds) -> bool:
    """The agent of a hosted session has been given what it waited for; False if it did not wait.

    An agent that asked after the end of its turn goes on with nothing anybody hears the end of:
    its session comes to rest.
    """
    kind = json_text(tx.dialect, "metadata", OWN_KEY, "kind")
    ended = (
        "EXISTS (SELECT 1 FROM task_session_turns n WHERE n.completed_at IS NOT NULL"
        f" AND n.id = {newest_turn(tx.dialect, ':session')})"
    )
    state = f"CASE WHEN {ended} THEN '{SessionState.IDLE}' ELSE '{SessionState.RUNNING}' END"
    changed = await tx.execute(
        f"UPDATE task_sessions SET state = {state}, updated_at = :now"
        f" WHERE id = :session AND COALESCE({kind},'') <> '{SessionKind.GUEST}'"
        f" AND state IN ('{SessionState.WAITING_FOR_INPUT}','{SessionState.IDLE}')"
        f" AND NOT {_asks(tx.dialect)}",
        {"session": session_id, "now": format_timestamp(now)},
    )
    return changed > 0


async def come_to_rest(
    tx: Transaction, session_id: SessionId, now: Nanoseconds, *, turn_id: TurnId | None = None
) -> bool:
    """The agent of a hosted session does nothing: it waits for input while a question is open.

    With a turn, which has ended, nothing changes when a newer one owns the session. One that has
    ended stays as it ended. False when nothing changed.
    """
    resting = (
        f"CASE WHEN {_asks(tx.dialect)} THEN '{SessionState.WAITING_FOR_INPUT}'"
        f" ELSE '{SessionState.IDLE}' END"
    )
    owned = f" AND {newest_turn(tx.dialect, ':session')} = :turn" if turn_id else ""
    changed = await tx.execute(
        f"UPDATE task_sessions SET state = {resting}, updated_at = :now WHERE id = :session"
        f" AND state NOT IN ({_TERMINAL}){owned}",
        {
            "session": session_id,
            "now": format_timestamp(now),
            **({"turn": turn_id} if turn_id else {}),
        },
    )
    return changed > 0


def _refresh_guest(dialect: Dialect) -> str:
    kind = json_text(dialect, "metadata", OWN_KEY, "kind")
    return (
        f"UPDATE task_sessions SET updated_at = :now, state = CASE WHEN {_asks(dialect)}"
        f" THEN '{SessionState.WAITING_FOR_INPUT}' ELSE '{SessionState.IDLE}' END"
        f" WHERE id = :session AND {kind} = '{SessionKind.GUEST}' AND state NOT IN ({_TERMINAL})"
    )


def _refresh_task(dialect: Dialect) -> tuple[str, str]:
    # One value, session by session: neither database is to read the open questions of everybody.
    open_question = (
        "(SELECT m.id FROM task_session_messages m"
        f" WHERE m.task_session_id = q.id AND {is_answerable(dialect, 'm')} LIMIT 1)"
    )
    asks = (
        "EXISTS (SELECT 1 FROM task_sessions q WHERE q.task_id = tasks.id"
        f" AND {open_question} IS NOT NULL)"
    )
    of_session = "id = (SELECT s.task_id FROM task_sessions s WHERE s.id = :session)"
    in_review = (
        f"UPDATE tasks SET state = 'REVIEW', updated_at = :now WHERE {of_session}"
        f" AND archived_at IS NULL AND state IN ('TODO','IN_PROGRESS') AND {asks}"
    )
    in_progress = (
        f"UPDATE tasks SET state = 'IN_PROGRESS', updated_at = :now WHERE {of_session}"
        f" AND state = 'REVIEW' AND NOT {asks}"
    )
    return in_review, in_progress


def _asks(dialect: Dialect) -> str:
    return (
        "EXISTS (SELECT 1 FROM task_session_messages m"
        f" WHERE m.task_session_id = :session AND {is_answerable(dialect, 'm')})"
    )
