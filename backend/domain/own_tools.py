"""Whether an agent asks to use this desk's own tools, which it may unasked (agents.md, ACP).

Only what the agent's program tells in structured fields counts: a title is written by a model.
"""

from collections.abc import Mapping
from typing import Final

from backend.domain.agents import PermissionAsked, ToolCallChange, ToolKind

OWN_TOOLS: Final = frozenset(
    {
        "ask_user_question",
        "ask_user_question_kandev",
        "get_answer",
        "send_note",
        "request_permission",
    }
)
"""What agents see at the desk's endpoint; a permission for another tool is a human's to give."""

_GEMINI_ALLOWS_SERVER: Final = "proceed_always_server"
"""Offered by Gemini for a tool of an MCP server, and for nothing else."""


def own_tool(
    asked: PermissionAsked, announced: ToolCallChange | None, server: str | None
) -> str | None:
    """The tool of ours that is asked for; None when that is not certain.

    `announced` is what the agent has said of the same call before, `server` the name under which
    this desk's endpoint was given to this agent and to nobody else.
    """
    if not server:
        return None
    for tool in sorted(OWN_TOOLS):
        if (
            _named(asked, announced, server, tool)
            or _codex_names(asked, announced, server, tool)
            or _gemini_names(asked, server, tool)
        ):
            return tool
    return None


def own_prompted_tool(tool_name: str, server: str) -> bool:
    """Whether a permission prompt is for a tool of ours; its caller names the server it knows."""
    return any(tool_name == f"mcp__{server}__{tool}" for tool in OWN_TOOLS)


def _named(
    asked: PermissionAsked, announced: ToolCallChange | None, server: str, tool: str
) -> bool:
    """Claude and Qwen tell the tool's registered name in `_meta`, which no model writes.

    A call's own `tool_name` may be made of its arguments: it can only contradict.
    """
    wanted = f"mcp__{server}__{tool}"
    claude = _mapping(asked.meta.get("claudeCode"))
    told = {_text(claude, "toolName"), _text(asked.meta, "toolName")} - {""}
    named = {asked.call.tool_name, announced.tool_name if announced else ""} - {""}
    source = _text(_mapping(claude.get("mcpServer")), "name")
    return told == {wanted} and named <= {wanted} and source in {"", server}


def _codex_names(
    asked: PermissionAsked, announced: ToolCallChange | None, server: str, tool: str
) -> bool:
    """Codex marks the request; the server and the tool are those of the call it announced."""
    if asked.meta.get("is_mcp_tool_approval") is not True:
        return False
    called = [
        _mapping(call.raw_input)
        for call in (asked.call, announced)
        if call is not None and call.raw_input is not None
    ]
    return bool(called) and all(
        _text(call, "server") == server and _text(call, "tool") == tool for call in called
    )


def _gemini_names(asked: PermissionAsked, server: str, tool: str) -> bool:
    """Gemini tells neither: but its call id begins with the tool's registered name."""
    call = asked.call
    return (
        call.raw_input is None
        and call.kind is ToolKind.OTHER
        and call.call_id.startswith(f"mcp_{server}_{tool}__")
        and call.title == f"{tool} ({server} MCP Server)"
        and any(option.id == _GEMINI_ALLOWS_SERVER for option in asked.options)
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Mapping[str, object], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
