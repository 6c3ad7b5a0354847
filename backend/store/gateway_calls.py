"""Calls this desk carries out itself: claimed once, run once, settled by whoever has claimed them.

Everything is guarded by the state before and by the token of the claim (T1.2). The session is held.
"""

from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.ids import ReviewId, ServerId, SessionId, TaskId, TurnId
from backend.store import receipts, review_outcomes, reviews
from backend.store.database import Row, Statement, Transaction
from backend.store.dialect import after_lookup
from backend.store.metadata import as_text, as_time
from backend.store.reviews import Stored
from backend.store.tool_events import ToolEvent, recording

GATEWAY: Final = "gateway"
OUTCOME_UNKNOWN: Final = "tool_execution_outcome_unknown"
EXPIRED: Final = "action_expired"
SESSION_ENDED: Final = "action_issue_closed"

_COLUMNS: Final = (
    "i.id, i.workspace_id, i.task_id, i.session_id, i.turn_id, i.connection_id,"
    " i.catalog_version_hash, i.tool_name, i.arguments_hash, i.status, i.risk_level,"
    " i.result_summary, i.error_code, i.error_message, i.collected_at, i.created_at,"
    " r.id AS request_id, r.expires_at"
)
_SELECT: Final = (
    f"SELECT {_COLUMNS} FROM tool_invocations i"
    " LEFT JOIN tool_action_requests r ON r.invocation_id = i.id"
)


@dataclass(frozen=True, slots=True)
class Call:
    """One attempted call, with the request for it where a human was asked."""

    invocation_id: str
    workspace_id: str
    task_id: TaskId
    session_id: SessionId
    turn_id: TurnId
    server_id: ServerId
    definition_digest: str
    tool_name: str
    arguments_hash: str
    status: str
    """Of the attempt (T1.1)."""
    risk: str
    summary: str
    error_code: str
    error_message: str
    collected: bool
    """Whether its agent has been given the end of it."""
    created_at: Nanoseconds
    review_id: ReviewId | None
    expires_at: Nanoseconds | None


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended: `code` is empty where it succeeded."""

    code: str = ""
    detail: str = ""
    summary: str = ""
    size: int = 0


async def find_by_key(tx: Transaction, workspace_id: str, key: str) -> Call | None:
    """The attempt that has this key."""
    row = await tx.fetch_one(
        f"{_SELECT} WHERE i.workspace_id = :workspace AND i.idempotency_key = :key",
        {"workspace": workspace_id, "key": key},
    )
    return None if row is None else _call(row)


async def find(tx: Transaction, invocation_id: str) -> Call | None:
    row = await tx.fetch_one(f"{_SELECT} WHERE i.id = :id", {"id": invocation_id})
    return None if row is None else _call(row)


async def find_by_request(tx: Transaction, review_id: ReviewId) -> Call | None:
    row = await tx.fetch_one(f"{_SELECT} WHERE r.id = :id", {"id": review_id})
    return None if row is None else _call(row)


async def free_key(tx: Transaction, invocation_id: str) -> None:
    """An equal call begins anew from now on."""
    await tx.execute(
        "UPDATE tool_invocations SET idempotency_key = NULL WHERE id = :id", {"id": invocation_id}
    )


async def settle_allowed(tx: Transaction, call: Call, end: End, now: Nanoseconds) -> bool:
    """Write down how an attempt nobody was asked about has ended; once."""
    moved = await tx.execute(
        f"UPDATE tool_invocations SET {_ENDED} WHERE id = :id AND status = 'executing'",
        _ended(call, end, now),
    )
    if moved:
        await tx.execute_each([recording(_end_event(call, end, now))])
    return moved > 0


async def claim(tx: Transaction, stored: Stored, token: str, now: Nanoseconds) -> bool:
    """Approved to executing: whoever gets it, and nobody else, makes the one call."""
    stamp = format_timestamp(now)
    tx.hint(stored.place.workspace_id)
    claimed = await tx.execute(
        "UPDATE tool_action_requests SET status = 'executing', execution_token = :token,"
        " updated_at = :now WHERE id = :id AND status = 'approved'",
        {"id": stored.review.review_id, "token": token, "now": stamp},
    )
    if not claimed:
        return False
    move = Statement(
        "UPDATE tool_invocations SET status = 'executing', approval_state = 'approved',"
        " started_at = :now, updated_at = :now WHERE id = :id",
        {"id": stored.invocation_id, "now": stamp},
    )
    event = reviews.event_of(stored, "call_started", now)
    await tx.execute_each([move, recording(replace(event, metadata={"timeout_ms": 60_000}))])
    return True


async def settle(
    tx: Transaction, stored: Stored, call: Call, end: End, token: str, now: Nanoseconds
) -> bool:
    """Executing to executed or failed, by the one who has the claim (T1.2)."""
    return await _finish(tx, stored, call, end, now, "status = 'executing'", token)


async def lose(tx: Transaction, stored: Stored, call: Call, end: End, now: Nanoseconds) -> bool:
    """Executing to failed, of a process that is gone: nobody has the claim any more."""
    return await _finish(tx, stored, call, end, now, "status = 'executing'", None)


async def fail_approved(
    tx: Transaction, stored: Stored, call: Call, end: End, now: Nanoseconds
) -> bool:
    """Approved to failed, or to expired: something it was approved for is no longer so."""
    status = "expired" if end.code in {EXPIRED, SESSION_ENDED} else "failed"
    return await _finish(tx, stored, call, end, now, "status = 'approved'", None, status)


async def mark_collected(tx: Transaction, invocation_id: str, now: Nanoseconds) -> bool:
    """Its agent is being given how it ended; False when it was before."""
    marked = await tx.execute(
        "UPDATE tool_invocations SET collected_at = :now WHERE id = :id AND collected_at IS NULL",
        {"id": invocation_id, "now": format_timestamp(now)},
    )
    await receipts.collect(tx, invocation_id, now)
    return marked > 0


async def list_unsettled(tx: Transaction) -> tuple[ReviewId, ...]:
    """Requests that are approved or under way, oldest first."""
    rows = await tx.fetch_all(
        "SELECT r.id FROM tool_action_requests r"
        " WHERE r.status IN ('pending','approved','executing')"
        f" AND r.status <> 'pending' AND r.owner = '{GATEWAY}' ORDER BY r.created_at, r.id"
    )
    return tuple(ReviewId(str(row["id"])) for row in rows)


async def list_running(tx: Transaction) -> tuple[Call, ...]:
    """Attempts nobody was asked about that have no end."""
    rows = await tx.fetch_all(
        f"{_SELECT} WHERE i.status = 'executing' AND i.owner = '{GATEWAY}' AND r.id IS NULL"
        " ORDER BY i.created_at, i.id"
    )
    return tuple(_call(row) for row in rows)


async def list_of_server(tx: Transaction, server_id: ServerId) -> tuple[ReviewId, ...]:
    """Its requests that have no outcome."""
    rows = await tx.fetch_all(
        "SELECT r.id FROM tool_action_requests r"
        " JOIN tool_invocations i ON i.id = r.invocation_id"
        " WHERE r.status IN ('pending','approved','executing')"
        " AND r.status <> 'executing' AND i.connection_id = :server ORDER BY r.created_at, r.id",
        {"server": server_id},
    )
    return tuple(ReviewId(str(row["id"])) for row in rows)


async def list_of_session(tx: Transaction, session_id: SessionId) -> tuple[ReviewId, ...]:
    """Its requests that have no outcome and were not begun."""
    rows = await tx.fetch_all(
        "SELECT r.id FROM tool_action_requests r"
        " WHERE r.status IN ('pending','approved','executing')"
        f" AND r.status <> 'executing' AND r.owner = '{GATEWAY}'"
        f" AND {after_lookup(tx.dialect, 'r.session_id = :session')} ORDER BY r.created_at, r.id",
        {"session": session_id},
    )
    return tuple(ReviewId(str(row["id"])) for row in rows)


async def list_without_server(tx: Transaction) -> tuple[ReviewId, ...]:
    """Requests nobody can carry out any more: their server was removed before they were settled."""
    rows = await tx.fetch_all(
        "SELECT r.id FROM tool_action_requests r"
        " WHERE r.status IN ('pending','approved','executing')"
        f" AND r.status <> 'executing' AND r.owner = '{GATEWAY}'"
        " AND NOT EXISTS (SELECT 1 FROM mcp_servers s WHERE s.id = r.server_id)"
        " ORDER BY r.created_at, r.id"
    )
    return tuple(ReviewId(str(row["id"])) for row in rows)


async def _finish(
    tx: Transaction,
    stored: Stored,
    call: Call,
    end: End,
    now: Nanoseconds,
    expected: str,
    token: str | None,
    failed_as: str = "failed",
) -> bool:
    tx.hint(stored.place.workspace_id)
    held = " AND execution_token = :token" if token is not None else ""
    moved = await tx.execute(
        "UPDATE tool_action_requests SET status = :status, resolved_at = :now, updated_at = :now"
        f" WHERE id = :id AND {expected}{held}",
        {
            "id": stored.review.review_id,
            "status": failed_as if end.code else "executed",
            "now": format_timestamp(now),
            **({"token": token} if token is not None else {}),
        },
    )
    if not moved:
        return False
    await tx.execute_each(
        [
            Statement(
                f"UPDATE tool_invocations SET {_ENDED} WHERE id = :id", _ended(call, end, now)
            ),
            recording(_end_event(call, end, now)),
            *receipts.ending(stored.review, now),
        ]
    )
    await review_outcomes.project(tx, stored.review.review_id, now)
    return True


_ENDED: Final = (
    "status = :status, error_code = :code, error_message = :detail, result_summary = :summary,"
    " result_size_bytes = :size, completed_at = :now, updated_at = :now"
)
_SHOWN: Final = 4_000


def _ended(call: Call, end: End, now: Nanoseconds) -> dict[str, str | int | None]:
    return {
        "id": call.invocation_id,
        "status": "failed" if end.code else "succeeded",
        "code": end.code,
        "detail": end.detail[:_SHOWN],
        "summary": end.summary[:_SHOWN],
        "size": end.size,
        "now": format_timestamp(now),
    }


def _end_event(call: Call, end: End, now: Nanoseconds) -> ToolEvent:
    return ToolEvent(
        event_type="call_failed" if end.code else "call_completed",
        session_id=call.session_id,
        turn_id=call.turn_id,
        now=now,
        workspace_id=call.workspace_id,
        task_id=call.task_id,
        invocation_id=call.invocation_id,
        request_id=call.review_id,
        tool_name=call.tool_name,
        reason_code=end.code,
        outcome="failure" if end.code else "success",
        arguments_hash=call.arguments_hash,
        metadata={"result_bytes": end.size} if end.size else {},
    )


def _call(row: Row) -> Call:
    request, expires = row["request_id"], row["expires_at"]
    return Call(
        invocation_id=str(row["id"]),
        workspace_id=as_text(row["workspace_id"]),
        task_id=TaskId(str(row["task_id"])),
        session_id=SessionId(str(row["session_id"])),
        turn_id=TurnId(str(row["turn_id"])),
        server_id=ServerId(str(row["connection_id"])),
        definition_digest=as_text(row["catalog_version_hash"]),
        tool_name=as_text(row["tool_name"]),
        arguments_hash=as_text(row["arguments_hash"]),
        status=str(row["status"]),
        risk=as_text(row["risk_level"]),
        summary=as_text(row["result_summary"]),
        error_code=as_text(row["error_code"]),
        error_message=as_text(row["error_message"]),
        collected=row["collected_at"] is not None,
        created_at=as_time(row["created_at"]),
        review_id=None if request is None else ReviewId(str(request)),
        expires_at=None if expires is None else as_time(expires),
    )
