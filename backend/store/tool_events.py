"""The ledger of what agents wanted to do: rows are added and never changed (T2)."""

from dataclasses import dataclass, field

from backend.clock import Nanoseconds, format_timestamp
from backend.ids import ReviewId, RuleId, SessionId, TaskId, TurnId, new_id
from backend.store.database import Statement
from backend.store.metadata import JsonDict, encode


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """One thing that happened to one call."""

    event_type: str
    session_id: SessionId
    turn_id: TurnId
    now: Nanoseconds
    workspace_id: str = ""
    task_id: TaskId | None = None
    invocation_id: str = ""
    request_id: ReviewId | None = None
    tool_name: str = ""
    actor_type: str = "system"
    actor_id: str = ""
    decision: str = ""
    rule_ids: tuple[RuleId, ...] = ()
    reason_code: str = ""
    outcome: str = ""
    door: str = ""
    arguments_hash: str = ""
    metadata: JsonDict = field(default_factory=dict)


def recording(event: ToolEvent) -> Statement:
    return Statement(
        "INSERT INTO tool_call_events (id, workspace_id, event_type, actor_type, actor_id,"
        " task_id, session_id, turn_id, invocation_id, action_request_id, tool_name, decision,"
        " matched_policy_ids, reason_code, outcome, door, arguments_hash, metadata, created_at)"
        " VALUES (:id, :workspace, :event_type, :actor_type, :actor_id, :task, :session, :turn,"
        " :invocation, :request, :tool, :decision, :rules, :reason, :outcome, :door, :hash,"
        " :metadata, :now)",
        {
            "id": new_id(),
            "workspace": event.workspace_id,
            "event_type": event.event_type,
            "actor_type": event.actor_type,
            "actor_id": event.actor_id,
            "task": event.task_id or "",
            "session": event.session_id,
            "turn": event.turn_id,
            "invocation": event.invocation_id,
            "request": event.request_id,
            "tool": event.tool_name,
            "decision": event.decision,
            "rules": encode(event.rule_ids),
            "reason": event.reason_code,
            "outcome": event.outcome,
            "door": event.door,
            "hash": event.arguments_hash,
            "metadata": encode(event.metadata),
            "now": format_timestamp(event.now),
        },
    )
