"""Turns and sessions of hosted agents that look as if an agent worked, and none does."""

from dataclasses import dataclass
from typing import Final

from backend.domain.conversation import Message, SessionState
from backend.domain.session_notice import SessionNotice
from backend.ids import SessionId, TaskId, TurnId
from backend.store.database import Transaction
from backend.store.dialect import json_flag, json_text
from backend.store.eligibility import is_answerable
from backend.store.hosted_sessions import is_hosted
from backend.store.metadata import OWN_KEY, JsonDict, as_dict
from backend.store.reservations import PENDING
from backend.store.review_outcomes import DESK_ENDED
from backend.store.transcript_rows import RowState

_WORKING: Final = f"'{SessionState.STARTING}','{SessionState.RUNNING}'"
_BEGUN: Final = f"{_WORKING},'{SessionState.WAITING_FOR_INPUT}'"


@dataclass(frozen=True, slots=True)
class UnfinishedTurn:
    turn_id: TurnId
    session_id: SessionId
    task_id: TaskId


async def list_turns(tx: Transaction) -> tuple[UnfinishedTurn, ...]:
    """Turns that have begun and not ended, oldest first; a turn that is only reserved is none."""
    rows = await tx.fetch_all(
        "SELECT t.id, t.task_session_id, s.task_id FROM task_sessions s"
        " JOIN task_session_turns t ON t.task_session_id = s.id"
        f" WHERE s.state IN ({_BEGUN}) AND {is_hosted(tx.dialect, 's')}"
        f" AND t.completed_at IS NULL AND NOT {json_flag(tx.dialect, 't.metadata', PENDING)}"
        " ORDER BY t.started_at, t.created_at, t.id"
    )
    return tuple(
        UnfinishedTurn(
            TurnId(str(row["id"])),
            SessionId(str(row["task_session_id"])),
            TaskId(str(row["task_id"])),
        )
        for row in rows
    )


async def list_working(tx: Transaction) -> tuple[SessionId, ...]:
    """Sessions in which an agent starts or works."""
    rows = await tx.fetch_all(
        f"SELECT s.id FROM task_sessions s WHERE s.state IN ({_WORKING})"
        f" AND {is_hosted(tx.dialect, 's')} ORDER BY s.id"
    )
    return tuple(SessionId(str(row["id"])) for row in rows)


async def has_notice(tx: Transaction, turn_id: TurnId) -> bool:
    """Whether a row of the turn tells already what became of it; not only of an answer in it."""
    notice = json_text(tx.dialect, "metadata", OWN_KEY, "notice")
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM task_session_messages WHERE turn_id = :turn"
        f" AND type IN ('status','error') AND {notice} <> :answer LIMIT 1",
        {"turn": turn_id, "answer": SessionNotice.ANSWER_UNCONFIRMED.value},
    )
    return row is not None


async def waited(tx: Transaction, turn: UnfinishedTurn) -> bool:
    """Whether its agent waited for a human when the desk ended: for a decision, which is cancelled
    by now, or for the answer to a question, which still is open.
    """
    row = await tx.fetch_one(
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM tool_invocations i WHERE i.session_id = :session"
        " AND i.turn_id = :turn AND i.error_code = :reason) OR EXISTS"
        " (SELECT 1 FROM task_session_messages m WHERE m.task_session_id = :session"
        f" AND {is_answerable(tx.dialect, 'm')}) THEN 1 ELSE 0 END AS waited",
        {"session": turn.session_id, "turn": turn.turn_id, "reason": DESK_ENDED},
    )
    return row is not None and bool(row["waited"])


def closed(row: Message, status: str) -> RowState:
    """The row as it is once nothing goes on in it; an open tool call has ended with `status`."""
    own = {key: value for key, value in _own(row).items() if key != "streaming"}
    metadata: JsonDict = {key: value for key, value in row.metadata.items() if key != OWN_KEY}
    if own:
        metadata[OWN_KEY] = own
    if "status" in metadata:
        metadata["status"] = status
    return RowState(
        message_id=row.message_id,
        session_id=row.session_id,
        turn_id=row.turn_id,
        kind=row.kind,
        content=row.content,
        metadata=metadata,
        created_at=row.created_at,
        updated_at=row.updated_at,
        author=row.author,
    )


def _own(row: Message) -> JsonDict:
    return as_dict(row.metadata.get(OWN_KEY))
