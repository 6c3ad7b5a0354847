"""Calls a rule has allowed that their agent carries out: there is no request, only the attempt.

Each is written down as under way before its agent is told, and ends once (T1.1, T8.3).
"""

from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.review import Owner
from backend.ids import SessionId, TaskId, TurnId
from backend.store.database import Row, Transaction
from backend.store.metadata import as_text
from backend.store.review_rows import OUTCOME_UNKNOWN
from backend.store.tool_events import ToolEvent, recording

TOOL_FAILED: Final = "tool_execution_failed"
_SELECT: Final = (
    "SELECT i.id, i.workspace_id, i.task_id, i.session_id, i.turn_id, i.tool_name,"
    " i.arguments_hash FROM tool_invocations i"
)
_UNDER_WAY: Final = f"i.status = 'executing' AND i.owner <> '{Owner.GATEWAY}'"
_NOBODY_ASKED: Final = "i.approval_state = 'not_required'"


@dataclass(frozen=True, slots=True)
class RuledEnd:
    """How it ended: `code` is empty where it succeeded."""

    code: str = ""
    detail: str = ""
    result: str = ""
    drifted: bool = False
    """What was done was not quite what had been asked for."""
    untold: bool = False
    """Its agent was not told that it may, and waits no more."""

    @property
    def status(self) -> str:
        if self.untold:
            return "cancelled"
        return "failed" if self.code else "succeeded"


UNKNOWN: Final = RuledEnd(OUTCOME_UNKNOWN)


async def session_of(tx: Transaction, invocation_id: str) -> SessionId | None:
    row = await tx.fetch_one(f"{_SELECT} WHERE i.id = :id", {"id": invocation_id})
    return None if row is None else SessionId(str(row["session_id"]))


async def settle(tx: Transaction, invocation_id: str, end: RuledEnd, now: Nanoseconds) -> bool:
    """Write down how it ended, once; the session is held."""
    row = await tx.fetch_one(
        f"{_SELECT} WHERE i.id = :id AND {_UNDER_WAY} AND {_NOBODY_ASKED}", {"id": invocation_id}
    )
    if row is None:
        return False
    await tx.execute(
        "UPDATE tool_invocations SET status = :status, error_code = :code,"
        " error_message = :detail, result_summary = :result, completed_at = :now,"
        " updated_at = :now WHERE id = :id AND status = 'executing'",
        {
            "id": invocation_id,
            "status": end.status,
            "code": end.code,
            "detail": end.detail,
            "result": end.result,
            "now": format_timestamp(now),
        },
    )
    await tx.execute_each([recording(_event(row, end, now))])
    return True


async def list_under_way(tx: Transaction) -> tuple[str, ...]:
    """Those that have no end, oldest first."""
    rows = await tx.fetch_all(
        f"SELECT i.id FROM tool_invocations i WHERE {_UNDER_WAY} AND {_NOBODY_ASKED}"
        " ORDER BY i.created_at, i.id"
    )
    return tuple(str(row["id"]) for row in rows)


def _event(row: Row, end: RuledEnd, now: Nanoseconds) -> ToolEvent:
    return ToolEvent(
        event_type="call_failed" if end.code else "call_completed",
        session_id=SessionId(str(row["session_id"])),
        turn_id=TurnId(str(row["turn_id"])),
        now=now,
        workspace_id=as_text(row["workspace_id"]),
        task_id=TaskId(str(row["task_id"])),
        invocation_id=str(row["id"]),
        tool_name=as_text(row["tool_name"]),
        reason_code="arguments_drifted" if end.drifted and not end.code else end.code,
        outcome="failure" if end.code else "success",
        arguments_hash=as_text(row["arguments_hash"]),
    )
