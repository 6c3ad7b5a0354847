"""How a call of a downstream tool ended, in words free of any protocol."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

RESULT_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of one message of a server; a longer one is not read."""
SUMMARY_LIMIT: Final = 4_000
"""Characters of a result that are stored (T5.6)."""
APPROVED_TIMEOUT: Final = 60.0
"""Seconds a call may take; time in which the server waits for its human does not count."""
CONNECT_TIMEOUT: Final = 30.0

OUTCOME_UNKNOWN: Final = "tool_execution_outcome_unknown"
TOOL_FAILED: Final = "tool_execution_failed"
RESULT_TOO_LARGE: Final = "tool_result_too_large"
RESULT_INVALID: Final = "tool_result_invalid"
SERVER_UNAVAILABLE: Final = "tool_server_unavailable"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned, as it came. Its texts are the server's, not ours."""

    content: tuple[Mapping[str, object], ...] = ()
    structured: Mapping[str, object] | None = None
    is_error: bool = False
    meta: Mapping[str, object] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """What the store and the card keep of it."""
        parts = [_part_text(part) for part in self.content]
        text = "\n".join(part for part in parts if part)
        if not text and self.structured is not None:
            text = str(dict(self.structured))
        return text if len(text) <= SUMMARY_LIMIT else f"{text[: SUMMARY_LIMIT - 1]}…"


@dataclass(frozen=True, slots=True)
class CallEnd:
    """The one end of one downstream call: a result, or the code and sentence of why there is none.

    `code` is empty where the tool returned something that is no error.
    """

    result: ToolResult | None = None
    code: str = ""
    detail: str = ""
    size: int = 0
    """Bytes of the result."""

    @property
    def succeeded(self) -> bool:
        return not self.code


class ReplyKind(StrEnum):
    """What became of an agent's call, as far as it is told."""

    RAN = "ran"
    """`result` is what the tool returned, be it an error of its own."""
    DENIED = "denied"
    DECLINED = "declined"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FAILED = "failed"
    UNKNOWN = "unknown"
    NOT_ASKED = "not_asked"


@dataclass(frozen=True, slots=True)
class Reply:
    """What an agent is told of one call."""

    kind: ReplyKind
    server: str
    tool: str
    result: ToolResult | None = None
    detail: str = ""
    """A reason of the human, or what went wrong."""
    replayed: bool = False
    shortened: bool = False
    """Only the stored summary of the result is left."""


class ServerGone(Exception):
    """A server cannot be reached; `detail` says why, in one line."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def _part_text(part: Mapping[str, object]) -> str:
    kind = part.get("type")
    if kind == "text":
        return str(part.get("text") or "")
    if kind == "resource_link":
        return f"[{part.get('uri')}]"
    return f"[{kind}: {part.get('mimeType') or 'data'}]"
