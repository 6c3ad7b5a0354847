"""Answers of hosted sessions that wait for their agent, and may be given to it as a prompt."""

from collections.abc import Sequence
from typing import Final

from backend.domain.clarification import BundleStatus
from backend.domain.conversation import TERMINAL_STATES, SessionKind, SessionState
from backend.domain.turn_end import TurnOutcome
from backend.ids import PendingId, SessionId
from backend.store.database import Row, Transaction
from backend.store.dialect import after_lookup, json_members, json_text
from backend.store.eligibility import pending_id
from backend.store.metadata import OWN_KEY, encode

_ENDED: Final = ",".join(f"'{state}'" for state in sorted(TERMINAL_STATES - {SessionState.FAILED}))


async def list_of_session(tx: Transaction, session_id: SessionId) -> tuple[PendingId, ...]:
    """The oldest answer first."""
    return tuple(pending for pending, _ in await _list(tx, session_id))


async def list_sessions(tx: Transaction) -> tuple[SessionId, ...]:
    return tuple(dict.fromkeys(session_id for _, session_id in await _list(tx, None)))


async def _list(tx: Transaction, session_id: SessionId | None) -> list[tuple[PendingId, SessionId]]:
    """In all they are few: the index of waiting answers finds them."""
    kind = json_text(tx.dialect, "s.metadata", OWN_KEY, "kind")
    only = f" AND {after_lookup(tx.dialect, 'd.session_id = :session')}" if session_id else ""
    rows = await tx.fetch_all(
        f"SELECT d.pending_id, d.session_id, d.outcome, s.state, {kind} AS kind"
        " FROM interaction_deliveries d JOIN task_sessions s ON s.id = d.session_id"
        f" WHERE d.state = 'waiting_for_agent' AND d.kind = 'question'{only}"
        " ORDER BY d.claimed_at, d.pending_id",
        {"session": session_id} if session_id else {},
    )
    found = [
        (PendingId(str(row["pending_id"])), SessionId(str(row["session_id"])))
        for row in rows
        if _may_be_given(row)
    ]
    stopped = await _stopped(tx, [pending for pending, _ in found])
    return [pair for pair in found if pair[0] not in stopped]


def _may_be_given(row: Row) -> bool:
    """To an agent of this desk, whose session can go on."""
    return (
        row["kind"] == SessionKind.HOSTED
        and row["outcome"] == BundleStatus.ANSWERED
        and str(row["state"]) not in _ENDED
    )


async def _stopped(tx: Transaction, ids: Sequence[PendingId]) -> frozenset[PendingId]:
    """Those whose turn its human has stopped."""
    if not ids:
        return frozenset()
    pending = pending_id(tx.dialect, "m")
    outcome = json_text(tx.dialect, "t.metadata", OWN_KEY, "ended", "outcome")
    rows = await tx.fetch_all(
        f"SELECT {pending} AS pending_id,"
        f" (SELECT {outcome} FROM task_session_turns t WHERE t.id = m.turn_id) AS outcome"
        f" FROM task_session_messages m WHERE {json_members(tx.dialect, pending, ':ids')}",
        {"ids": encode(list(ids))},
    )
    return frozenset(
        PendingId(str(row["pending_id"])) for row in rows if row["outcome"] == TurnOutcome.CANCELLED
    )
