"""One commit of everything hosted agents have said since the last one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.clock import Nanoseconds
from backend.ids import SessionId, TurnId
from backend.store import hosted_sessions, session_states, turns
from backend.store.database import Transaction
from backend.store.hosted_sessions import SessionChange
from backend.store.locks import lock_sessions
from backend.store.metadata import JsonDict
from backend.store.transcript_rows import RowState, save_rows


@dataclass(frozen=True, slots=True)
class EndedTurn:
    session_id: SessionId
    turn_id: TurnId
    ended: JsonDict
    """What is kept of how it ended."""


@dataclass(frozen=True, slots=True)
class Batch:
    """It may be saved again where nobody knows whether it was: that changes nothing more."""

    rows: Sequence[RowState]
    changes: Mapping[SessionId, SessionChange]
    ended: Sequence[EndedTurn]
    now: Nanoseconds


async def save(tx: Transaction, batch: Batch) -> int:
    """Write all of it and return the revision of its rows."""
    sessions = {row.session_id for row in batch.rows} | batch.changes.keys()
    await lock_sessions(tx, sessions | {turn.session_id for turn in batch.ended})
    revision = await save_rows(tx, batch.rows) if batch.rows else 0
    for session_id, change in batch.changes.items():
        await hosted_sessions.change(tx, session_id, change, batch.now)
    for turn in batch.ended:
        await turns.complete_turn(tx, turn.turn_id, batch.now, turn.ended)
        await session_states.come_to_rest(tx, turn.session_id, batch.now, turn_id=turn.turn_id)
    return revision
