"""What a rule can tell of a call that an agent wants a permission for.

Titles and descriptions prove nothing: a model writes them. What is left out of the digest is only
what two equal calls of a real agent differ in; whatever else is there makes them different.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from backend.domain.agents import ToolCallChange, ToolDiff, ToolKind, ToolText
from backend.domain.digest import canonical_json, signed_digest
from backend.domain.policy import CallFacts, Risk
from backend.ids import AgentKey, ServerId

_COMMAND: Final = ("command", "cmd")
_FOLDERS: Final = ("cwd", "workdir")
_OF_THE_MOMENT: Final = frozenset(
    {
        "approval_id",
        "call_id",
        "description",
        "item_id",
        "justification",
        "reason",
        "thread_id",
        "turn_id",
        "approvalId",
        "callId",
        "itemId",
        "threadId",
        "turnId",
    }
)
"""What agents put beside a command: ids of this one call, and why the model wants it (Claude's
`description`, Codex's `reason`). A tool of a server may mean something by such a name, a shell does
not."""
_RISKS: Final = {
    ToolKind.READ: Risk.READ,
    ToolKind.SEARCH: Risk.READ,
    ToolKind.THINK: Risk.READ,
    ToolKind.DELETE: Risk.DESTRUCTIVE,
}


@dataclass(frozen=True, slots=True)
class ReviewedAction:
    """`CallFacts` less who asks, and where."""

    tool_name: str
    risk: Risk
    action_digest: str = ""
    server_id: ServerId | None = None
    server_name: str = ""
    definition_digest: str = ""

    def facts(self, workspace_id: str, agent: AgentKey, folder: str) -> CallFacts:
        return CallFacts(
            workspace_id=workspace_id,
            agent=agent,
            folder=folder,
            tool_name=self.tool_name,
            risk=self.risk,
            action_digest=self.action_digest,
            server_id=self.server_id,
            definition_digest=self.definition_digest,
        )


def action_of(call: ToolCallChange, announced: ToolCallChange | None, key: bytes) -> ReviewedAction:
    """What an agent's own tool is asked for; without a digest where it does not tell all of it.

    `announced` is what was said of the same call before. OpenCode tells the folder only there.
    """
    kind = call.kind or ToolKind.OTHER
    return ReviewedAction(
        tool_name=call.tool_name or kind.value,
        risk=_RISKS.get(kind, Risk.WRITE),
        action_digest=_digest(call, announced, key),
    )


def arguments_digest(key: bytes, tool: str, arguments: object) -> str:
    """Of a call that is wholly told by its tool and its arguments; empty if it cannot be written.

    Empty also without a key.
    """
    return _signed(key, {"tool": tool, "arguments": arguments})


def _digest(call: ToolCallChange, announced: ToolCallChange | None, key: bytes) -> str:
    raw = call.raw_input
    diffs = [part for part in call.content or () if isinstance(part, ToolDiff)]
    if not raw and not _tells_all(call, diffs):
        return ""
    texts = [part.text for part in call.content or () if isinstance(part, ToolText)]
    return _signed(
        key,
        {
            "tool": call.tool_name,
            "kind": call.kind,
            "input": _lasting(call, raw),
            "folder": _folder(raw, announced),
            "diffs": [[part.path, part.old_text, part.new_text] for part in diffs],
            # Codex tells a host it wants to reach in words only.
            "texts": texts,
        },
    )


def _tells_all(call: ToolCallChange, diffs: list[ToolDiff]) -> bool:
    """Whether an edit without arguments shows every file it changes: Codex leaves out long ones."""
    if call.kind is not ToolKind.EDIT:
        return False
    changed = {part.path for part in diffs}
    return bool(changed) and {place.path for place in call.locations or ()} <= changed


def _lasting(call: ToolCallChange, raw: object) -> object:
    if not isinstance(raw, Mapping) or not _is_command(call, raw):
        return raw
    return {name: value for name, value in raw.items() if name not in _OF_THE_MOMENT}


def _is_command(call: ToolCallChange, raw: Mapping[str, object]) -> bool:
    is_server_tool = call.tool_name.startswith("mcp__") or "server" in raw
    return (
        call.kind is ToolKind.EXECUTE
        and not is_server_tool
        and any(isinstance(raw.get(name), str | list) for name in _COMMAND)
    )


def _folder(raw: object, announced: ToolCallChange | None) -> object:
    """Where it runs, when only the call before said so."""
    told = announced.raw_input if announced is not None else None
    if not isinstance(told, Mapping) or not isinstance(raw, Mapping):
        return {}
    return {name: told[name] for name in _FOLDERS if name in told and name not in raw}


def _signed(key: bytes, value: object) -> str:
    if not key:
        return ""
    try:
        return signed_digest(key, canonical_json(value))
    except ValueError:
        return ""
