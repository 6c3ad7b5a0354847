"""What an agent is told of a call by what the store has of it (T5.5)."""

from backend.clock import Nanoseconds
from backend.domain.policy import Risk
from backend.review.gateway.results import CallEnd, Reply, ReplyKind, ToolResult
from backend.store.gateway_calls import OUTCOME_UNKNOWN, Call
from backend.store.reviews import Stored

UNDECIDED = frozenset({"pending", "approved", "executing"})


def reply_of(call: Call, stored: Stored | None, kept: CallEnd | None) -> Reply | None:
    """None while it has no end. `kept` is its whole end, where this process still has it."""
    server, _, tool = call.tool_name.partition("__")
    result = None if kept is None else kept.result
    if stored is not None and stored.status in UNDECIDED:
        return None
    if stored is None and call.status == "executing":
        return None
    if result is not None:
        return Reply(ReplyKind.RAN, server, tool, result)
    if call.status == "succeeded":
        return Reply(ReplyKind.RAN, server, tool, _summary(call), shortened=True)
    return Reply(_kind(call, stored), server, tool, detail=_detail(call, stored))


def reply_to(tool_name: str, end: CallEnd) -> Reply:
    """Of a call that has just ended."""
    server, _, tool = tool_name.partition("__")
    if end.result is not None:
        return Reply(ReplyKind.RAN, server, tool, end.result)
    kind = ReplyKind.UNKNOWN if end.code == OUTCOME_UNKNOWN else ReplyKind.FAILED
    return Reply(kind, server, tool, detail=end.detail or end.code)


def answers(call: Call, stored: Stored | None, now: Nanoseconds) -> bool:
    """Whether an equal call is told what became of this one, instead of beginning anew (T5.5).

    What has run is not run again within its hour; a tool that only reads is, once its result was
    handed over. What failed is told once, so that nobody runs it again without knowing.
    """
    if stored is None:
        return True
    lives = call.expires_at is not None and now < call.expires_at
    match stored.status:
        case "pending" | "rejected":
            return lives
        case "approved" | "executing":
            return True
        case "executed":
            return not call.collected or (lives and call.risk != Risk.READ)
        case "failed":
            return not call.collected
        case _:
            return False


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
