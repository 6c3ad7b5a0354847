"""What an agent is told of a call by what the store has of it (T5.5)."""

from backend.review.gateway.results import Reply, ReplyKind, ToolResult
from backend.store.gateway_calls import OUTCOME_UNKNOWN, Call
from backend.store.reviews import Stored

UNDECIDED = frozenset({"pending", "approved", "executing"})


def reply_of(call: Call, stored: Stored | None, kept: ToolResult | None) -> Reply | None:
    """None while it has no end. `kept` is its whole result, where this process still has it."""
    server, _, tool = call.tool_name.partition("__")
    if stored is not None and stored.status in UNDECIDED:
        return None
    if stored is None and call.status == "executing":
        return None
    if call.status == "succeeded" or (kept is not None and call.status == "failed"):
        result = kept or _summary(call)
        return Reply(ReplyKind.RAN, server, tool, result, shortened=kept is None)
    return Reply(_kind(call, stored), server, tool, detail=_detail(call, stored))


def _kind(call: Call, stored: Stored | None) -> ReplyKind:
    if call.error_code == OUTCOME_UNKNOWN:
        return ReplyKind.UNKNOWN
    if stored is None:
        return ReplyKind.DENIED if call.status == "denied" else ReplyKind.FAILED
    match stored.status:
        case "rejected":
            return ReplyKind.DECLINED
        case "expired":
            return ReplyKind.EXPIRED
        case "cancelled":
            return ReplyKind.CANCELLED
        case _:
            return ReplyKind.FAILED


def _detail(call: Call, stored: Stored | None) -> str:
    if stored is not None and stored.status == "rejected":
        return stored.review.reason
    return call.error_message or call.error_code


def _summary(call: Call) -> ToolResult:
    return ToolResult(content=({"type": "text", "text": call.summary},))
