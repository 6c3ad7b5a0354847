"""Answers of hosted sessions that wait for their agent, and may be given to it as a prompt."""

from typing import Final

from backend.domain.conversation import TERMINAL_STATES, SessionKind, SessionState
from backend.domain.turn_end import TurnOutcome
from backend.ids import PendingId, SessionId
from backend.store.database import Transaction
from backend.store.dialect import after_lookup, json_text
from backend.store.eligibility import pending_id
from backend.store.metadata import OWN_KEY

_ENDED: Final = ",".join(f"'{state}'" for state in sorted(TERMINAL_STATES - {SessionState.FAILED}))


async def list_of_session(tx: Transaction, session_id: SessionId) -> tuple[PendingId, ...]:
    """The oldest answer first."""
    return tuple(pending for pending, _ in await _list(tx, session_id))


async def list_sessions(tx: Transaction) -> tuple[SessionId, ...]:
    return tuple(dict.fromkeys(session_id for _, session_id in await _list(tx, None)))


async def _list(tx: Transaction, session_id: SessionId | None) -> list[tuple[PendingId, SessionId]]:
    """In all they are few: the index of waiting answers finds them."""
    dialect = tx.dialect
    kind = json_text(dialect, "s.metadata", OWN_KEY, "kind")
    outcome = json_text(dialect, "t.metadata", OWN_KEY, "ended", "outcome")
    standing = (
        f"d.outcome = 'answered' AND {kind} = '{SessionKind.HOSTED}' AND s.state NOT IN ({_ENDED})"
        " AND NOT EXISTS (SELECT 1 FROM task_session_messages m"
        " JOIN task_session_turns t ON t.id = m.turn_id"
        f" WHERE {pending_id(dialect, 'm')} = d.pending_id"
        f" AND {outcome} = '{TurnOutcome.CANCELLED}')"
    )
    only = " AND d.session_id = :session" if session_id else ""
    rows = await tx.fetch_all(
        "SELECT d.pending_id, d.session_id FROM interaction_deliveries d"
        " JOIN task_sessions s ON s.id = d.session_id"
        f" WHERE d.state = 'waiting_for_agent'{only} AND {after_lookup(dialect, standing)}"
        " ORDER BY d.claimed_at, d.pending_id",
        {"session": session_id} if session_id else {},
    )
    return [(PendingId(str(row["pending_id"])), SessionId(str(row["session_id"]))) for row in rows]
