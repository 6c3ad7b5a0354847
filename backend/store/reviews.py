"""Calls of agents that need a decision: how they are opened and read (T1). The session is held."""

from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.agents import ToolKind
from backend.domain.conversation import Message
from backend.domain.review import Door, Review
from backend.ids import AgentKey, ClaimId, ReviewId, SessionId, TaskId, TurnId
from backend.store import messages
from backend.store.database import Params, Row, Statement, Transaction
from backend.store.metadata import OWN_KEY, as_dict, as_text, decode, encode
from backend.store.review_rows import options_json, preview, to_review
from backend.store.review_schema import UNSETTLED
from backend.store.tool_events import ToolEvent, recording

OWNER: Final = "agent"
"""Who carries the call out."""
_COLUMNS: Final = (
    "r.id, r.workspace_id, r.invocation_id, r.task_id, r.session_id, r.turn_id, r.interaction_id,"
    " r.status, r.agent_name, r.folder, r.options, r.canonical_arguments_hash, r.signed_arguments,"
    " r.option_id, r.claim_id, r.decided_at, r.door, r.drifted, r.created_at"
)
SELECT: Final = f"SELECT {_COLUMNS} FROM tool_action_requests r"
_INSERT_CALL: Final = (
    "INSERT INTO tool_invocations (id, workspace_id, owner, actor_id, task_id, session_id, turn_id,"
    " tool_call_id, tool_name, arguments_hash, policy_decision, approval_state, status, error_code,"
    " completed_at, created_at, updated_at)"
    f" VALUES (:id, :workspace, '{OWNER}', :agent, :task, :session, :turn, :call, :tool, :hash,"
    " :decision, :approval, :status, :code, :done, :now, :now)"
)
_INSERT_REQUEST: Final = (
    "INSERT INTO tool_action_requests (id, workspace_id, owner, invocation_id, task_id, session_id,"
    " turn_id, interaction_id, agent_name, folder, options, canonical_arguments_hash,"
    " signed_arguments, preview_markdown, requested_by_agent, created_at, updated_at)"
    f" VALUES (:id, :workspace, '{OWNER}', :invocation, :task, :session, :turn, :message,"
    " :agent_name, :folder, :options, :digest, :signed, :preview, :agent, :now, :now)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call belongs."""

    workspace_id: str
    task_id: TaskId


@dataclass(frozen=True, slots=True)
class Asker:
    """The agent of a session, as it is kept there."""

    place: Place
    agent: AgentKey
    agent_name: str
    folder: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A request with what only the store and the decision know of it."""

    review: Review
    place: Place
    invocation_id: str
    status: str
    """As in T1.2."""
    signed: str
    digest: str
    claim_id: ClaimId | None


@dataclass(frozen=True, slots=True)
class RuledCall:
    """A call nobody is asked about."""

    invocation_id: str
    session_id: SessionId
    turn_id: TurnId
    agent: AgentKey
    tool_name: str
    call_id: str
    arguments_hash: str
    decision: str
    """allow or deny."""
    reason: str
    now: Nanoseconds


async def find_asker(tx: Transaction, session_id: SessionId, turn_id: TurnId) -> Asker | None:
    """None when there is no such session, or it has no such turn."""
    row = await tx.fetch_one(
        "SELECT s.task_id, s.metadata, s.agent_profile_id, t.workspace_id FROM task_sessions s"
        " JOIN tasks t ON t.id = s.task_id JOIN task_session_turns n ON n.task_session_id = s.id"
        " WHERE s.id = :session AND n.id = :turn",
        {"session": session_id, "turn": turn_id},
    )
    if row is None:
        return None
    own = as_dict(decode(row["metadata"]).get(OWN_KEY))
    agent = as_text(own.get("agent")) or as_text(row["agent_profile_id"])
    return Asker(
        place=Place(as_text(row["workspace_id"]), TaskId(str(row["task_id"]))),
        agent=AgentKey(agent),
        agent_name=as_text(own.get("agent_name")) or agent,
        folder=as_text(own.get("folder")),
    )


async def open_request(
    tx: Transaction, new: Stored, *, agent: AgentKey, arguments_hash: str
) -> None:
    """The attempted call, the request for it and the first row of its ledger; its card is there."""
    review = new.review
    now = format_timestamp(review.asked_at)
    call: Params = {
        "id": new.invocation_id,
        "workspace": new.place.workspace_id,
        "agent": agent,
        "task": new.place.task_id,
        "session": review.session_id,
        "turn": review.turn_id,
        "call": review.call.call_id,
        "tool": tool_name_of(review),
        "hash": arguments_hash,
        "decision": "require_approval",
        "approval": "pending",
        "status": "awaiting_approval",
        "code": "",
        "done": None,
        "now": now,
    }
    request: Params = {
        "id": review.review_id,
        "workspace": new.place.workspace_id,
        "invocation": new.invocation_id,
        "task": new.place.task_id,
        "session": review.session_id,
        "turn": review.turn_id,
        "message": review.message_id,
        "agent_name": review.agent_name,
        "folder": review.folder,
        "options": encode(options_json(review.options)),
        "digest": new.digest,
        "signed": new.signed,
        "preview": preview(review.call),
        "agent": agent,
        "now": now,
    }
    event = event_of(new, "approval_requested", review.asked_at)
    await tx.execute_each(
        [
            Statement(_INSERT_CALL, call),
            Statement(_INSERT_REQUEST, request),
            recording(replace(event, actor_type="agent", actor_id=agent)),
        ]
    )


async def record_ruled(tx: Transaction, ruled: RuledCall, place: Place) -> None:
    """A call that a rule has decided, with its one row in the ledger; nothing when it is there."""
    if await _is_recorded(tx, ruled.invocation_id):
        return
    allowed = ruled.decision == "allow"
    now = format_timestamp(ruled.now)
    call: Params = {
        "id": ruled.invocation_id,
        "workspace": place.workspace_id,
        "agent": ruled.agent,
        "task": place.task_id,
        "session": ruled.session_id,
        "turn": ruled.turn_id,
        "call": ruled.call_id,
        "tool": ruled.tool_name,
        "hash": ruled.arguments_hash,
        "decision": ruled.decision,
        "approval": "not_required",
        "status": "authorized" if allowed else "denied",
        "code": "" if allowed else ruled.reason,
        "done": None if allowed else now,
        "now": now,
    }
    event = ToolEvent(
        event_type="policy_decision",
        session_id=ruled.session_id,
        turn_id=ruled.turn_id,
        now=ruled.now,
        workspace_id=place.workspace_id,
        task_id=place.task_id,
        invocation_id=ruled.invocation_id,
        tool_name=ruled.tool_name,
        decision=ruled.decision,
        reason_code=ruled.reason,
        outcome="success" if allowed else "denied",
        door=Door.RULE,
        arguments_hash=ruled.arguments_hash,
    )
    await tx.execute_each([Statement(_INSERT_CALL, call), recording(event)])


async def _is_recorded(tx: Transaction, invocation_id: str) -> bool:
    row = await tx.fetch_one(
        "SELECT id FROM tool_invocations WHERE id = :id", {"id": invocation_id}
    )
    return row is not None


async def find(tx: Transaction, review_id: ReviewId) -> Stored | None:
    row = await tx.fetch_one(f"{SELECT} WHERE r.id = :id", {"id": review_id})
    return None if row is None else _stored(row)


async def find_card(tx: Transaction, review: Review) -> Message | None:
    """The row of the transcript that shows it."""
    row = await tx.fetch_one(
        f"SELECT {messages.COLUMNS} FROM task_session_messages WHERE id = :id",
        {"id": review.message_id},
    )
    return None if row is None else messages.to_message(row)


async def list_pending(tx: Transaction) -> tuple[Review, ...]:
    """Every request that waits for a decision, oldest first."""
    rows = await tx.fetch_all(
        f"{SELECT} WHERE r.{UNSETTLED} AND r.status = 'pending' ORDER BY r.created_at, r.id"
    )
    return tuple(to_review(row) for row in rows)


async def list_unsettled(tx: Transaction) -> tuple[ReviewId, ...]:
    """What agents carry out that ends with the process which told them, oldest first."""
    rows = await tx.fetch_all(
        f"SELECT r.id FROM tool_action_requests r WHERE r.{UNSETTLED} AND r.owner = '{OWNER}'"
        " ORDER BY r.created_at, r.id"
    )
    return tuple(ReviewId(str(row["id"])) for row in rows)


def event_of(stored: Stored, event_type: str, now: Nanoseconds) -> ToolEvent:
    review = stored.review
    return ToolEvent(
        event_type=event_type,
        session_id=review.session_id,
        turn_id=review.turn_id,
        now=now,
        workspace_id=stored.place.workspace_id,
        task_id=stored.place.task_id,
        invocation_id=stored.invocation_id,
        request_id=review.review_id,
        tool_name=tool_name_of(review),
        outcome="pending",
    )


def tool_name_of(review: Review) -> str:
    """What the ledger calls it: its name where the agent tells one, else its kind."""
    return review.call.tool_name or (review.call.kind or ToolKind.OTHER).value


def _stored(row: Row) -> Stored:
    claim = row["claim_id"]
    return Stored(
        review=to_review(row),
        place=Place(as_text(row["workspace_id"]), TaskId(str(row["task_id"]))),
        invocation_id=str(row["invocation_id"]),
        status=str(row["status"]),
        signed=str(row["signed_arguments"]),
        digest=str(row["canonical_arguments_hash"]),
        claim_id=None if claim is None else ClaimId(str(claim)),
    )
