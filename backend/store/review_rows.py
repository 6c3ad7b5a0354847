"""A request of an agent as its card and its own row write it down (kandev-app.md b.4, T1.2)."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from backend.clock import format_timestamp
from backend.domain.agents import (
    PermissionOption,
    ToolCallChange,
    ToolContent,
    ToolDiff,
    ToolKind,
    ToolLocation,
    ToolTerminal,
    ToolText,
)
from backend.domain.digest import canonical_json
from backend.domain.policy import CallFacts, Risk, decline_scopes_offered, scopes_offered
from backend.domain.review import RECORD_UNREADABLE, Owner, Review, ReviewStatus
from backend.ids import (
    AgentKey,
    ClaimId,
    MessageId,
    ReviewId,
    RuleId,
    ServerId,
    SessionId,
    TurnId,
)
from backend.store.database import Row
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    as_dict,
    as_kind,
    as_list,
    as_text,
    as_time,
    decode,
    decode_list,
    encode,
)

PERMISSION: Final = "permission_request"
OUTCOME_UNKNOWN: Final = "tool_execution_outcome_unknown"
SHOWN: Final = 4_000
"""Characters of arguments a card's row holds; the whole is in the request."""
_SAMPLE: Final = 400

_STATUS: Final = {
    "pending": ReviewStatus.PENDING,
    "approved": ReviewStatus.APPROVED,
    "executing": ReviewStatus.APPROVED,
    "rejected": ReviewStatus.DECLINED,
    "executed": ReviewStatus.EXECUTED,
    "failed": ReviewStatus.FAILED,
    "cancelled": ReviewStatus.CANCELLED,
    "expired": ReviewStatus.EXPIRED,
}
_CARD_STATUS: Final = {
    ReviewStatus.APPROVED: "approved",
    ReviewStatus.EXECUTED: "approved",
    ReviewStatus.OUTCOME_UNKNOWN: "approved",
    ReviewStatus.DECLINED: "rejected",
    ReviewStatus.FAILED: "approved",
    ReviewStatus.CANCELLED: "expired",
    ReviewStatus.EXPIRED: "expired",
}
_RESULT: Final = {
    ReviewStatus.APPROVED: "dispatching",
    ReviewStatus.EXECUTED: "accepted",
    ReviewStatus.OUTCOME_UNKNOWN: "indeterminate",
    ReviewStatus.DECLINED: "accepted",
    ReviewStatus.FAILED: "accepted",
    ReviewStatus.CANCELLED: "expired",
    ReviewStatus.EXPIRED: "expired",
}


def canonical_call(call: ToolCallChange) -> str:
    """Everything an agent asks to do, as one text for one request.

    Raises:
        ValueError: it cannot be written.
    """
    return canonical_json(
        {
            "call_id": call.call_id,
            "title": call.title,
            "kind": call.kind,
            "tool_name": call.tool_name,
            "content": None if call.content is None else [_part(part) for part in call.content],
            "locations": None
            if call.locations is None
            else [{"path": place.path, "line": place.line} for place in call.locations],
            "raw_input": call.raw_input,
        }
    )


def call_of(text: str) -> ToolCallChange:
    """The call of `canonical_call`; what no text may hold reads as U+FFFD.

    What is not one any more reads as empty: its signature allows nothing, and it can still end.
    """
    stored = as_dict(_safe(decode(text)))
    kind = as_text(stored.get("kind"))
    content, locations = stored.get("content"), stored.get("locations")
    return ToolCallChange(
        call_id=as_text(stored.get("call_id")),
        title=_optional(stored.get("title")),
        kind=as_kind(ToolKind, kind, ToolKind.OTHER) if kind else None,
        tool_name=as_text(stored.get("tool_name")),
        content=None if content is None else tuple(_parts(as_list(content))),
        locations=None
        if locations is None
        else tuple(_location(as_dict(place)) for place in as_list(locations)),
        raw_input=stored.get("raw_input"),
    )


def reviewed_input(text: str) -> object:
    """The arguments in the text of `canonical_call`, exactly as they were reviewed."""
    return dict(json.loads(text))["raw_input"]


def options_json(options: Iterable[PermissionOption]) -> list[JsonDict]:
    return [
        {"option_id": option.id, "name": option.name, "kind": option.kind} for option in options
    ]


def card_metadata(review: Review) -> JsonDict:
    """What the row of a pending request holds; its status is absent until it is decided."""
    call = review.call
    return {
        "request_id": review.review_id,
        "pending_id": review.review_id,
        "tool_call_id": call.call_id,
        "options": options_json(review.options),
        "action_type": (call.kind or ToolKind.OTHER).value,
        "action_details": _details(review),
        OWN_KEY: {"agent_name": review.agent_name, "folder": review.folder},
    }


def decided_metadata(metadata: JsonDict, review: Review, claim_id: ClaimId | None) -> JsonDict:
    """The row of a request that is no longer pending."""
    option = review.option(review.chosen) if review.chosen else None
    resolution: JsonDict = {
        "request_id": review.review_id,
        "pending_id": review.review_id,
        "result": _RESULT[review.status],
        "source": review.door,
    }
    if option is not None:
        resolution |= {"option_id": option.id, "option_kind": option.kind}
    if claim_id is not None:
        resolution["claim_id"] = claim_id
    if review.decided_at is not None:
        resolution["selected_at"] = format_timestamp(review.decided_at)
    own = {**as_dict(metadata.get(OWN_KEY)), "review_status": review.status.value}
    if review.drifted:
        own["arguments_drifted"] = True
    for name, text in (("error", review.error), ("result", review.result)):
        own.pop(name, None)
        if text:
            own[name] = _bounded(text)
    return {
        **metadata,
        "status": _CARD_STATUS[review.status],
        "permission_resolution": {
            **as_dict(metadata.get("permission_resolution")),
            **resolution,
        },
        OWN_KEY: own,
    }


def facts_of(row: Row) -> CallFacts:
    """What rules look at; a request of before there were rules is one none can be made of.

    Nor can one of a risk nobody knows, which counts as the greatest.
    """
    risk, server = as_text(row["risk_level"]), as_text(row["server_id"])
    return CallFacts(
        workspace_id=as_text(row["workspace_id"]),
        agent=AgentKey(as_text(row["requested_by_agent"])),
        folder=as_text(row["folder"]),
        tool_name=as_text(row["tool_name"]),
        risk=as_kind(Risk, risk, Risk.DESTRUCTIVE) if risk else Risk.WRITE,
        action_digest=as_text(row["action_digest"]),
        server_id=ServerId(server) if server else None,
        definition_digest=as_text(row["definition_digest"]),
    )


def to_review(row: Row) -> Review:
    """Whatever a row says, it reads: what nobody knows is carried out by nobody."""
    decided, expires, rule = row["decided_at"], row["expires_at"], row["policy_id"]
    status, facts = _status(row), facts_of(row)
    error_code = as_text(row["error_code"])
    undecided = status in {ReviewStatus.CANCELLED, ReviewStatus.EXPIRED}
    return Review(
        review_id=ReviewId(str(row["id"])),
        session_id=SessionId(str(row["session_id"])),
        turn_id=TurnId(str(row["turn_id"])),
        message_id=MessageId(str(row["interaction_id"] or "")),
        agent_name=as_text(row["agent_name"]),
        folder=as_text(row["folder"]),
        call=call_of(str(row["signed_arguments"])),
        options=tuple(_option(as_dict(item)) for item in decode_list(row["options"])),
        status=status,
        asked_at=as_time(row["created_at"]),
        chosen=as_text(row["option_id"]),
        decided_at=None if decided is None else as_time(decided),
        door=as_text(row["door"]),
        drifted=bool(row["drifted"]),
        owner=as_kind(Owner, row["owner"], Owner.AGENT),
        risk=facts.risk,
        scopes=scopes_offered(facts),
        decline_scopes=decline_scopes_offered(facts),
        server_id=facts.server_id,
        server_name=as_text(row["server_name"]),
        expires_at=None if expires is None else as_time(expires),
        rule_id=None if rule is None else RuleId(str(rule)),
        reason=as_text(row["decline_reason"]) or (error_code if undecided else ""),
        error=_error(row, status, error_code),
        result=as_text(row["result_summary"]),
    )


def _status(row: Row) -> ReviewStatus:
    status = _STATUS.get(str(row["status"]), ReviewStatus.OUTCOME_UNKNOWN)
    if status is ReviewStatus.FAILED and as_text(row["error_code"]) == OUTCOME_UNKNOWN:
        return ReviewStatus.OUTCOME_UNKNOWN
    return status


def _error(row: Row, status: ReviewStatus, error_code: str) -> str:
    if str(row["status"]) not in _STATUS:
        return RECORD_UNREADABLE
    return as_text(row["error_message"]) or error_code if _failed(status, error_code) else ""


def _failed(status: ReviewStatus, error_code: str) -> bool:
    """A tool that an agent has run may have failed, and its request is executed all the same."""
    ended = {ReviewStatus.EXECUTED, ReviewStatus.FAILED, ReviewStatus.OUTCOME_UNKNOWN}
    return bool(error_code) and status in ended


def preview(call: ToolCallChange) -> str:
    """One line that says what is asked for."""
    title = call.title or call.tool_name or (call.kind.value if call.kind else "")
    return _bounded(as_text(title).strip() or ToolKind.OTHER.value)


def one_line(call: ToolCallChange) -> str:
    """What a rule was made of, in one line with both its ends: a command rather than its title."""
    command = command_of(as_dict(call.raw_input))
    text = " ".join((command or preview(call)).split())
    half = _SAMPLE // 2
    return text if len(text) <= _SAMPLE else f"{text[:half]} … {text[-half:]}"


def _details(review: Review) -> JsonDict:
    call = review.call
    raw = as_dict(call.raw_input)
    details: JsonDict = {"description": _bounded(as_text(raw.get("description")))}
    encoded = encode(call.raw_input)
    if len(encoded) <= SHOWN:
        details["raw_input"] = call.raw_input
    else:
        details["raw_input"] = {}
        details["raw_input_preview"] = encoded[:SHOWN]
    command = command_of(raw)
    if command:
        details["command"] = _bounded(command)
    path = as_text(raw.get("file_path") or raw.get("path")) or _first_path(call)
    if path:
        details["path"] = _bounded(path)
    cwd = as_text(raw.get("cwd")) or review.folder
    if cwd:
        details["cwd"] = _bounded(cwd)
    return details


def command_of(raw_input: Mapping[str, object]) -> str:
    """A command an agent gives as a text or as a list of words."""
    command = raw_input.get("command", raw_input.get("cmd"))
    if isinstance(command, list):
        return " ".join(as_text(word) for word in command)
    return as_text(command)


def _first_path(call: ToolCallChange) -> str:
    diffs = [part.path for part in call.content or () if isinstance(part, ToolDiff)]
    places = [place.path for place in call.locations or ()]
    return as_text(next(iter([*diffs, *places]), ""))


def _bounded(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _part(part: ToolContent) -> JsonDict:
    if isinstance(part, ToolText):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolDiff):
        return {"type": "diff", "path": part.path, "new": part.new_text, "old": part.old_text}
    return {"type": "terminal", "id": part.terminal_id}


def _parts(stored: Iterable[object]) -> Iterable[ToolContent]:
    for part in map(as_dict, stored):
        if part.get("type") == "text":
            yield ToolText(as_text(part.get("text")))
        elif part.get("type") == "diff":
            old = _optional(part.get("old"))
            yield ToolDiff(as_text(part.get("path")), as_text(part.get("new")), old)
        else:
            yield ToolTerminal(as_text(part.get("id")))


def _location(stored: JsonDict) -> ToolLocation:
    line = stored.get("line")
    return ToolLocation(as_text(stored.get("path")), line if isinstance(line, int) else None)


def _option(stored: JsonDict) -> PermissionOption:
    return PermissionOption(
        as_text(stored.get("option_id")), as_text(stored.get("name")), as_text(stored.get("kind"))
    )


def _optional(value: object) -> str | None:
    return as_text(value) if isinstance(value, str) else None


def _safe(value: object) -> object:
    """As it is shown: no NUL, no lone surrogate."""
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, Mapping):
        return {as_text(key): _safe(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_safe(item) for item in value]
    return value
