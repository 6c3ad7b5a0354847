"""What becomes of a request: every step is guarded by the one before, so that it happens once, and
writes the ledger and the card together with the outcome (T1.2). The session is held.
"""

from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.ids import ClaimId, ClientId, ReviewId, RuleId
from backend.store import receipts, reviews
from backend.store.database import Statement, Transaction
from backend.store.metadata import JsonDict, decode, encode
from backend.store.review_rows import OUTCOME_UNKNOWN, decided_metadata
from backend.store.reviews import Stored
from backend.store.revisions import next_revision
from backend.store.tool_events import ToolEvent, recording

DESK_ENDED: Final = "desk_ended"
"""Why a request was cancelled that waited when the desk ended."""
NO_OPTION_FOR_IT: Final = "permission_option_unavailable"
"""It is declined, and its agent offers nothing that says so: it is told `cancelled` (T8.4)."""
EXPIRED: Final = "action_expired"
CLOSED: Final = "action_issue_closed"
"""Its conversation or its task has ended."""

_DECIDE: Final = (
    "UPDATE tool_action_requests SET status = :status, option_id = :option, claim_id = :claim,"
    " decided_by_user = :client, door = :door, decided_at = :now, resolved_at = :resolved,"
    " decline_reason = :reason, policy_id = :rule, updated_at = :now"
    " WHERE id = :id AND status = 'pending'"
)


@dataclass(frozen=True, slots=True)
class Decision:
    """One attempt to decide. `status` is approved or rejected."""

    review_id: ReviewId
    option_id: str
    status: str
    claim_id: ClaimId
    client_id: ClientId
    door: str
    now: Nanoseconds
    reason: str = ""
    """Why it is declined, in the human's words."""
    rule_id: RuleId | None = None
    """The rule that was made with it, or that it follows because the human has confirmed it."""


async def decide(tx: Transaction, stored: Stored, decision: Decision) -> bool:
    """Pending to approved or rejected, at most once; False when it is no longer pending."""
    now = format_timestamp(decision.now)
    approved = decision.status == "approved"
    tx.hint(stored.place.workspace_id)
    changed = await tx.execute(
        _DECIDE,
        {
            "id": decision.review_id,
            "status": decision.status,
            "option": decision.option_id,
            "claim": decision.claim_id,
            "client": decision.client_id,
            "door": decision.door,
            "reason": decision.reason,
            "rule": decision.rule_id,
            "resolved": None if approved else now,
            "now": now,
        },
    )
    if not changed:
        return False
    await project(tx, decision.review_id, decision.now)
    await tx.execute_each(
        [
            _call_moved(
                stored,
                status="awaiting_approval" if approved else "denied",
                approval="approved" if approved else "rejected",
                code="" if approved else "action_declined",
                now=decision.now,
            ),
            recording(_resolved(stored, decision)),
            receipts.deciding(stored.review, approved=approved, now=decision.now),
        ]
    )
    return True


def _resolved(stored: Stored, decision: Decision) -> ToolEvent:
    return replace(
        reviews.event_of(stored, "approval_resolved", decision.now),
        actor_type="user",
        actor_id=decision.client_id,
        decision=decision.status,
        outcome="success" if decision.status == "approved" else "denied",
        door=decision.door,
        rule_ids=() if decision.rule_id is None else (decision.rule_id,),
        metadata=_said(decision),
    )


def _said(decision: Decision) -> JsonDict:
    said: JsonDict = {"option_id": decision.option_id}
    return said | {"reason": decision.reason} if decision.reason else said


async def mark_told(tx: Transaction, stored: Stored, now: Nanoseconds) -> bool:
    """The agent has been given the answer; False when it was before, or nobody has decided."""
    tx.hint(stored.place.workspace_id)
    told = await tx.execute(
        "UPDATE tool_action_requests SET execution_token = :claim, updated_at = :now,"
        " status = CASE WHEN status = 'approved' THEN 'executing' ELSE status END"
        " WHERE id = :id AND execution_token IS NULL AND status IN ('approved','rejected')",
        {
            "id": stored.review.review_id,
            "claim": stored.claim_id,
            "now": format_timestamp(now),
        },
    )
    if not told:
        return False
    approved = stored.status == "approved"
    event = replace(
        reviews.event_of(stored, "call_started" if approved else "call_denied", now),
        reason_code="told" if stored.review.chosen else NO_OPTION_FOR_IT,
        outcome="pending" if approved else "denied",
        metadata={"option_id": stored.review.chosen},
    )
    call = _call_moved(
        stored,
        status="executing" if approved else "denied",
        approval="approved" if approved else "rejected",
        code="" if approved else "action_declined",
        now=now,
    )
    await tx.execute_each([call, recording(event), receipts.telling(stored.review, now)])
    return True


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """How a call of an agent has ended, as it tells; `call_status` is succeeded or failed."""

    call_status: str
    result: str = ""
    drifted: bool = False
    """What it did was not quite what it had asked for."""


async def mark_executed(tx: Transaction, stored: Stored, end: AgentEnd, now: Nanoseconds) -> bool:
    """The agent has gone on."""
    call_status, drifted = end.call_status, end.drifted
    event_type = "call_failed" if call_status == "failed" else "call_completed"
    return await _end(
        tx,
        stored,
        "executed",
        expected="status IN ('approved','executing')",
        call=_call_moved(
            stored,
            status=call_status,
            approval="approved",
            code="tool_execution_failed" if call_status == "failed" else "",
            result=end.result,
            now=now,
        ),
        event=replace(
            reviews.event_of(stored, event_type, now),
            outcome="failure" if call_status == "failed" else "success",
            reason_code="arguments_drifted" if drifted else "",
        ),
        receipt=(receipts.telling(stored.review, now),),
        now=now,
        drifted=drifted,
    )


async def mark_unknown(
    tx: Transaction, stored: Stored, now: Nanoseconds, *, detail: str = ""
) -> bool:
    """It was answered, and nobody can tell what came of it; it is never answered again (T8.3).

    `detail` is the code of why, where nothing has gone wrong.
    """
    return await _end(
        tx,
        stored,
        "failed",
        expected="status IN ('approved','executing')",
        call=_call_moved(
            stored,
            status="failed",
            approval="approved",
            code=OUTCOME_UNKNOWN,
            detail=detail,
            now=now,
        ),
        event=replace(
            reviews.event_of(stored, "call_failed", now),
            outcome="failure",
            reason_code=OUTCOME_UNKNOWN,
        ),
        receipt=(receipts.doubting(stored.review, now),),
        now=now,
    )


async def cancel(
    tx: Transaction, stored: Stored, reason: str, now: Nanoseconds, *, untold: bool = False
) -> bool:
    """Nobody waits for the decision any more; `untold` also where it was made and never told."""
    return await _end(
        tx,
        stored,
        "cancelled",
        expected="status IN ('pending','approved')" if untold else "status = 'pending'",
        call=_call_moved(stored, status="cancelled", approval="expired", code=reason, now=now),
        event=replace(
            reviews.event_of(stored, "approval_resolved", now),
            decision="cancelled",
            outcome="cancelled",
            reason_code=reason,
        ),
        receipt=receipts.ending(stored.review, now),
        now=now,
    )


async def expire(
    tx: Transaction, stored: Stored, reason: str, now: Nanoseconds, *, approved: bool = False
) -> bool:
    """Nobody has decided in time; `approved` also where somebody has, and nothing has begun.

    Whatever comes later grants nothing (T5.1, T6.3 case 67).
    """
    return await _end(
        tx,
        stored,
        "expired",
        expected="status IN ('pending','approved')" if approved else "status = 'pending'",
        call=_call_moved(stored, status="failed", approval="expired", code=reason, now=now),
        event=replace(
            reviews.event_of(stored, "approval_resolved", now),
            decision="expired",
            outcome="timeout",
            reason_code=reason,
        ),
        receipt=receipts.ending(stored.review, now),
        now=now,
    )


async def _end(
    tx: Transaction,
    stored: Stored,
    status: str,
    *,
    expected: str,
    call: Statement,
    event: ToolEvent,
    receipt: tuple[Statement, ...],
    now: Nanoseconds,
    drifted: bool = False,
) -> bool:
    tx.hint(stored.place.workspace_id)
    changed = await tx.execute(
        "UPDATE tool_action_requests SET status = :status, resolved_at = :now, updated_at = :now,"
        f" drifted = :drifted WHERE id = :id AND {expected}",
        {
            "id": stored.review.review_id,
            "status": status,
            "drifted": int(drifted),
            "now": format_timestamp(now),
        },
    )
    if changed:
        await tx.execute_each([call, recording(event), *receipt])
        await project(tx, stored.review.review_id, now)
    return changed > 0


async def project(tx: Transaction, review_id: ReviewId, now: Nanoseconds) -> bool:
    """Write the outcome on the card's row, together with the outcome.

    False, and nothing is written, where there is no card or it shows just that (T3.7).
    """
    stored = await reviews.find(tx, review_id)
    if stored is None:
        return False
    row = await tx.fetch_one(
        "SELECT metadata FROM task_session_messages WHERE id = :id",
        {"id": stored.review.message_id},
    )
    if row is None:
        return False
    shown = decode(row["metadata"])
    metadata = decided_metadata(shown, stored.review, stored.claim_id)
    if metadata == shown:
        return False
    await tx.execute(
        "UPDATE task_session_messages SET metadata = :metadata, updated_at = :now,"
        " revision = :revision WHERE id = :id",
        {
            "id": stored.review.message_id,
            "metadata": encode(metadata),
            "now": format_timestamp(now),
            "revision": await next_revision(tx),
        },
    )
    return True


def _call_moved(
    stored: Stored,
    *,
    status: str,
    approval: str,
    now: Nanoseconds,
    code: str = "",
    detail: str = "",
    result: str = "",
) -> Statement:
    final = status in {"denied", "succeeded", "failed", "cancelled"}
    return Statement(
        "UPDATE tool_invocations SET status = :status, approval_state = :approval,"
        " error_code = :code, error_message = :detail, result_summary = :result, updated_at = :now,"
        " idempotency_key = CASE WHEN :freed = 1 THEN NULL ELSE idempotency_key END,"
        " started_at = CASE WHEN :started = 1 THEN :now ELSE started_at END,"
        " completed_at = CASE WHEN :final = 1 THEN :now ELSE completed_at END WHERE id = :id",
        {
            "id": stored.invocation_id,
            "status": status,
            "approval": approval,
            "code": code,
            "detail": detail,
            "result": result,
            "started": int(status == "executing"),
            "final": int(final),
            # Whatever ended without an effect may be asked for again (T8.6).
            "freed": int(status in {"failed", "cancelled"} and code != OUTCOME_UNKNOWN),
            "now": format_timestamp(now),
        },
    )
