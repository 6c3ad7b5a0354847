"""Calls of agents that need a decision: how they are opened and read (T1). The session is held."""

from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.agents import ToolKind
from backend.domain.conversation import TERMINAL_STATES, Message
from backend.domain.policy import BY_DEFAULT, BY_RULE, CallFacts, PolicyDecision, Ruling
from backend.domain.review import Door, Owner, Review
from backend.ids import AgentKey, ClaimId, PendingId, ReviewId, RuleId, SessionId, TaskId, TurnId
from backend.store import deliveries, messages, receipts
from backend.store.database import Params, Row, Statement, Transaction
from backend.store.metadata import (
    OWN_KEY,
    as_dict,
    as_kind,
    as_text,
    as_time,
    decode,
    decode_list,
    encode,
)
from backend.store.review_rows import facts_of, options_json, preview, to_review
from backend.store.review_schema import EXPIRING, UNSETTLED
from backend.store.tool_events import ToolEvent, recording

GUEST: Final = "guest:"
"""Before the name a guest's program gives itself."""
_COLUMNS: Final = (
    "r.id, r.workspace_id, r.invocation_id, r.task_id, r.session_id, r.turn_id, r.interaction_id,"
    " r.status, r.agent_name, r.folder, r.options, r.canonical_arguments_hash, r.signed_arguments,"
    " r.option_id, r.claim_id, r.decided_at, r.door, r.drifted, r.created_at, r.owner,"
    " r.requested_by_agent, r.tool_name, r.risk_level, r.action_digest, r.server_id, r.server_name,"
    " r.definition_digest, r.expires_at, r.policy_id, r.decline_reason, i.error_code,"
    " i.error_message, i.result_summary"
)
SELECT: Final = (
    f"SELECT {_COLUMNS} FROM tool_action_requests r"
    " JOIN tool_invocations i ON i.id = r.invocation_id"
)
_INSERT_CALL: Final = (
    "INSERT INTO tool_invocations (id, workspace_id, owner, idempotency_key, actor_id, task_id,"
    " session_id, turn_id, connection_id, catalog_version_hash, tool_call_id, tool_name,"
    " risk_level, arguments_hash, policy_decision, matched_policy_ids, approval_state, status,"
    " error_code, started_at, completed_at, created_at, updated_at)"
    " VALUES (:id, :workspace, :owner, :key, :agent, :task, :session, :turn, :server, :definition,"
    " :call, :tool, :risk, :hash, :decision, :rules, :approval, :status, :code, :started, :done,"
    " :now, :now)"
)
_INSERT_REQUEST: Final = (
    "INSERT INTO tool_action_requests (id, workspace_id, owner, invocation_id, task_id, session_id,"
    " turn_id, interaction_id, agent_name, folder, tool_name, risk_level, action_digest, server_id,"
    " server_name, definition_digest, options, canonical_arguments_hash, signed_arguments,"
    " preview_markdown, requested_by_agent, expires_at, created_at, updated_at)"
    " VALUES (:id, :workspace, :owner, :invocation, :task, :session, :turn, :message, :agent_name,"
    " :folder, :tool, :risk, :action, :server, :server_name, :definition, :options, :digest,"
    " :signed, :preview, :agent, :expires, :now, :now)"
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
    facts: CallFacts
    """What rules look at."""
    invocation_id: str
    status: str
    """As in T1.2."""
    signed: str
    digest: str
    claim_id: ClaimId | None


@dataclass(frozen=True, slots=True)
class NewCall:
    """One attempted call as it is written down, whatever is decided of it."""

    invocation_id: str
    session_id: SessionId
    turn_id: TurnId
    owner: Owner
    call_id: str
    place: Place
    facts: CallFacts
    arguments_hash: str
    now: Nanoseconds
    ruling: Ruling
    idempotency_key: str | None = None
    end_is_told: bool = False
    """Whether this desk will hear how it ends, or ends it itself."""


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
    client = as_text(as_dict(own.get("client")).get("name"))
    if not agent:
        # A guest: no rule of an agent this desk runs is ever one of what only calls itself so.
        agent = f"{GUEST}{client}"
    return Asker(
        place=Place(as_text(row["workspace_id"]), TaskId(str(row["task_id"]))),
        agent=AgentKey(agent),
        agent_name=as_text(own.get("agent_name")) or client or agent,
        folder=as_text(own.get("folder")),
    )


async def open_request(tx: Transaction, call: NewCall, new: Stored) -> None:
    """The attempted call, the request for it and the first row of its ledger; its card is there."""
    tx.hint(new.place.workspace_id)
    review, facts = new.review, call.facts
    expires = review.expires_at
    request: Params = {
        "id": review.review_id,
        "workspace": new.place.workspace_id,
        "owner": call.owner.value,
        "invocation": new.invocation_id,
        "task": new.place.task_id,
        "session": review.session_id,
        "turn": review.turn_id,
        "message": review.message_id,
        "agent_name": review.agent_name,
        "folder": review.folder,
        "tool": facts.tool_name,
        "risk": facts.risk.value,
        "action": facts.action_digest,
        "server": facts.server_id or "",
        "server_name": review.server_name,
        "definition": facts.definition_digest,
        "options": encode(options_json(review.options)),
        "digest": new.digest,
        "signed": new.signed,
        "preview": preview(review.call),
        "agent": facts.agent,
        "expires": None if expires is None else format_timestamp(expires),
        "now": format_timestamp(review.asked_at),
    }
    asked = event_of(new, "approval_requested", review.asked_at)
    inserting = _inserting(call, "require_approval", approval="pending", status="awaiting_approval")
    await tx.execute_each(
        [
            inserting,
            Statement(_INSERT_REQUEST, request),
            receipts.opening(review, review.asked_at),
            recording(
                replace(
                    asked, actor_type="agent", actor_id=facts.agent, reason_code=call.ruling.reason
                )
            ),
        ]
    )


async def record_ruled(tx: Transaction, call: NewCall) -> None:
    """A call that is decided without asking, with its rows in the ledger.

    One whose end is told is under way from here on: it is written down before it is (T1.1).
    """
    ruling = call.ruling
    allowed = ruling.decision is PolicyDecision.ALLOW
    event = ToolEvent(
        event_type="policy_decision",
        session_id=call.session_id,
        turn_id=call.turn_id,
        now=call.now,
        workspace_id=call.place.workspace_id,
        task_id=call.place.task_id,
        invocation_id=call.invocation_id,
        tool_name=call.facts.tool_name,
        decision=ruling.decision.value,
        rule_ids=_rule_ids(ruling),
        reason_code=ruling.reason,
        outcome="success" if allowed else "denied",
        door=Door.RULE,
        arguments_hash=call.arguments_hash,
    )
    statements = [
        _inserting(
            call,
            ruling.decision.value,
            approval="not_required",
            status=_status_of(call) if allowed else "denied",
        ),
        recording(event),
    ]
    if ruling.rule_id is not None:
        statements.append(recording(replace(event, event_type="trust_rule_used")))
    await tx.execute_each(statements)


def _status_of(call: NewCall) -> str:
    return "executing" if call.end_is_told else "authorized"


def _inserting(call: NewCall, decision: str, *, approval: str, status: str) -> Statement:
    now = format_timestamp(call.now)
    denied = status == "denied"
    params: Params = {
        "id": call.invocation_id,
        "workspace": call.place.workspace_id,
        "owner": call.owner.value,
        "key": call.idempotency_key,
        "agent": call.facts.agent,
        "task": call.place.task_id,
        "session": call.session_id,
        "turn": call.turn_id,
        "server": call.facts.server_id or "",
        "definition": call.facts.definition_digest,
        "call": call.call_id,
        "tool": call.facts.tool_name,
        "risk": call.facts.risk.value,
        "hash": call.arguments_hash,
        "decision": decision,
        "rules": encode(_rule_ids(call.ruling)),
        "approval": approval,
        "status": status,
        "code": call.ruling.reason if denied else "",
        "started": now if status == "executing" else None,
        "done": now if denied else None,
        "now": now,
    }
    return Statement(_INSERT_CALL, params)


def _rule_ids(ruling: Ruling) -> tuple[RuleId, ...]:
    return () if ruling.rule_id is None else (ruling.rule_id,)


async def find_ruling(tx: Transaction, invocation_id: str) -> Ruling | None:
    """How a call was decided that nobody was asked about; None where it is not written down."""
    row = await tx.fetch_one(
        "SELECT policy_decision, matched_policy_ids, error_code FROM tool_invocations"
        " WHERE id = :id",
        {"id": invocation_id},
    )
    if row is None:
        return None
    rules = decode_list(row["matched_policy_ids"])
    return Ruling(
        decision=as_kind(PolicyDecision, row["policy_decision"], PolicyDecision.ASK),
        reason=as_text(row["error_code"]) or (BY_RULE if rules else BY_DEFAULT),
        rule_id=RuleId(as_text(rules[0])) if rules else None,
    )


async def find(tx: Transaction, review_id: ReviewId) -> Stored | None:
    row = await tx.fetch_one(f"{SELECT} WHERE r.id = :id", {"id": review_id})
    return None if row is None else _stored(row)


async def find_by_key(tx: Transaction, workspace_id: str, key: str) -> Stored | None:
    """The request of an equal call that holds its key still."""
    row = await tx.fetch_one(
        f"{SELECT} WHERE i.workspace_id = :workspace AND i.idempotency_key = :key"
        " AND i.idempotency_key IS NOT NULL",
        {"workspace": workspace_id, "key": key},
    )
    return None if row is None else _stored(row)


async def find_card(tx: Transaction, review: Review) -> Message | None:
    """The row of the transcript that shows it."""
    row = await tx.fetch_one(
        f"SELECT {messages.COLUMNS} FROM task_session_messages WHERE id = :id",
        {"id": review.message_id},
    )
    if row is None:
        return None
    pending = PendingId(review.review_id)
    delivery = (await deliveries.states_of(tx, [pending])).get(pending)
    return replace(messages.to_message(row), delivery=delivery)


async def is_closed(tx: Transaction, session_id: SessionId) -> bool:
    """Whether its conversation has ended or its task was put away: nothing is to be done for it."""
    row = await tx.fetch_one(
        "SELECT s.state, t.archived_at FROM task_sessions s JOIN tasks t ON t.id = s.task_id"
        " WHERE s.id = :session",
        {"session": session_id},
    )
    return row is None or row["archived_at"] is not None or as_text(row["state"]) in TERMINAL_STATES


async def list_pending(tx: Transaction) -> tuple[Stored, ...]:
    """Every request that waits for a decision, oldest first."""
    rows = await tx.fetch_all(
        f"{SELECT} WHERE r.{UNSETTLED} AND r.status = 'pending' ORDER BY r.created_at, r.id"
    )
    return tuple(_stored(row) for row in rows)


async def next_expiry(tx: Transaction, now: Nanoseconds) -> Nanoseconds | None:
    """When the first of the requests that wait after `now` expires."""
    row = await tx.fetch_one(
        f"SELECT expires_at FROM tool_action_requests r WHERE {EXPIRING} AND expires_at > :now"
        " ORDER BY expires_at LIMIT 1",
        {"now": format_timestamp(now)},
    )
    return None if row is None else as_time(row["expires_at"])


async def list_expired(tx: Transaction, now: Nanoseconds) -> tuple[ReviewId, ...]:
    """Requests that wait and have expired by `now`, the first first."""
    rows = await tx.fetch_all(
        f"SELECT id FROM tool_action_requests r WHERE {EXPIRING} AND expires_at <= :now"
        " ORDER BY expires_at",
        {"now": format_timestamp(now)},
    )
    return tuple(ReviewId(str(row["id"])) for row in rows)


async def list_unsettled(tx: Transaction) -> tuple[ReviewId, ...]:
    """What agents carry out that ends with the process which told them, oldest first.

    So does what nobody knows who carries it out.
    """
    rows = await tx.fetch_all(
        f"SELECT r.id FROM tool_action_requests r WHERE r.{UNSETTLED} AND r.owner <> :owner"
        " ORDER BY r.created_at, r.id",
        {"owner": Owner.GATEWAY.value},
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
        facts=facts_of(row),
        invocation_id=str(row["invocation_id"]),
        status=str(row["status"]),
        signed=str(row["signed_arguments"]),
        digest=str(row["canonical_arguments_hash"]),
        claim_id=None if claim is None else ClaimId(str(claim)),
    )
