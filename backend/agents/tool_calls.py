"""Tool calls of ACP as the desk's own values, and what is remembered of them for one prompt."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from backend.agents.content_text import content_text, fenced
from backend.agents.frames import JsonMap
from backend.agents.json_reading import as_map, count_of, maps, meta_of, optional_text, text_of
from backend.domain.agents import (
    ToolCallChange,
    ToolContent,
    ToolDiff,
    ToolKind,
    ToolLocation,
    ToolStatus,
    ToolTerminal,
    ToolText,
)
from backend.domain.tool_call import ENDED, RememberedCalls, with_change

MAX_TERMINAL_TEXT: Final = 64 * 1024
"""Characters of a terminal's output that are kept while it runs: the end of it."""
_MOST_TERMINALS: Final = 128
"""Whose calls have not ended; beyond it the output is forgotten that is not told of any more."""

_MCP_PREFIX: Final = "mcp__"
_MCP_NAME: Final = re.compile(r"[\w.-]+")
_STATUS: Final = {
    "pending": ToolStatus.PENDING,
    "in_progress": ToolStatus.IN_PROGRESS,
    "running": ToolStatus.IN_PROGRESS,
    "started": ToolStatus.IN_PROGRESS,
    "completed": ToolStatus.COMPLETED,
    "complete": ToolStatus.COMPLETED,
    "failed": ToolStatus.FAILED,
    "error": ToolStatus.FAILED,
    "errored": ToolStatus.FAILED,
    "cancelled": ToolStatus.CANCELLED,
    "canceled": ToolStatus.CANCELLED,
    "interrupted": ToolStatus.INTERRUPTED,
}
_KIND: Final = {kind.value: kind for kind in ToolKind}


class ToolCalls:
    """The tool calls of one prompt. Their ids may come again in the next."""

    def __init__(self) -> None:
        self._known = RememberedCalls()
        self._terminals: dict[str, str] = {}

    def clear(self) -> None:
        """A new prompt begins."""
        self._known.clear()
        self._terminals.clear()

    def read(self, update: JsonMap, *, started: bool) -> ToolCallChange:
        """One change. Output that comes in pieces beside it is put together here."""
        change = _read(update, started=started)
        change = self._with_terminal(change, meta_of(update))
        self._known.change(change)
        if change.status in ENDED:
            self._terminals.pop(change.call_id, None)
        return change

    def asked(self, call: JsonMap) -> ToolCallChange:
        """The call a permission is for, with what was told of it before: Codex tells no more."""
        change = _read(call, started=False)
        known = self._known.find(change.call_id)
        if known is None:
            return change
        merged = with_change(known, change)
        if known.kind is ToolKind.OTHER and known.tool_name.startswith(_MCP_PREFIX):
            # Codex asks for a tool of a server as if it were a command.
            merged = replace(merged, kind=known.kind)
        return merged

    def _with_terminal(self, change: ToolCallChange, meta: JsonMap) -> ToolCallChange:
        """`_meta.terminal_output` of Claude and Codex: the next piece of what a command prints."""
        told = as_map(meta.get("terminal_output"))
        ended = as_map(meta.get("terminal_exit"))
        if ended and change.raw_output is None:
            change = replace(change, raw_output=dict(ended))
        if not isinstance(told.get("data"), str):
            return change
        text = self._terminals.pop(change.call_id, "") + text_of(told, "data")
        self._terminals[change.call_id] = text = text[-MAX_TERMINAL_TEXT:]
        if len(self._terminals) > _MOST_TERMINALS:
            del self._terminals[next(iter(self._terminals))]
        beside = tuple(part for part in change.content or () if not isinstance(part, ToolTerminal))
        return replace(change, content=(ToolText(fenced(text)), *beside))


def _read(update: JsonMap, *, started: bool) -> ToolCallChange:
    meta = meta_of(update)
    claude = as_map(meta.get("claudeCode"))
    raw_output = update.get("rawOutput")
    return ToolCallChange(
        call_id=text_of(update, "toolCallId"),
        started=started,
        title=optional_text(update, "title"),
        kind=ToolKind.OTHER if _is_mcp(meta) else _kind(update.get("kind"), started=started),
        status=_status(update.get("status"), started=started),
        content=_contents(update.get("content")),
        locations=_locations(update.get("locations")),
        raw_input=update.get("rawInput"),
        raw_output=claude.get("toolResponse") if raw_output is None else raw_output,
        parent_call_id=text_of(claude, "parentToolUseId"),
        tool_name=_tool_name(update, claude, meta),
    )


def _is_mcp(meta: JsonMap) -> bool:
    """Codex's mark of a call of an MCP server's tool, which no model writes."""
    return meta.get("is_mcp_tool_call") is True


def _tool_name(update: JsonMap, claude: JsonMap, meta: JsonMap) -> str:
    """The structured name; `mcp__SERVER__TOOL` for a tool of an MCP server.

    Claude tells it in its own part of `_meta`, Codex as server and tool of the input of a call it
    marks. The input of any other call is what a model wrote, and names nothing.
    """
    told = text_of(claude, "toolName")
    if told:
        return told
    given = as_map(update.get("rawInput"))
    server, tool = text_of(given, "server"), text_of(given, "tool")
    if _is_mcp(meta) and _MCP_NAME.fullmatch(server) and _MCP_NAME.fullmatch(tool):
        return f"{_MCP_PREFIX}{server}__{tool}"
    return text_of(update, "name")


def _kind(told: object, *, started: bool) -> ToolKind | None:
    if isinstance(told, str):
        return _KIND.get(told, ToolKind.OTHER)
    return ToolKind.OTHER if started else None


def _status(told: object, *, started: bool) -> ToolStatus | None:
    if isinstance(told, str) and told in _STATUS:
        return _STATUS[told]
    return ToolStatus.PENDING if started else None


def _contents(told: object) -> tuple[ToolContent, ...] | None:
    return tuple(_content(told)) if isinstance(told, list) else None


def _content(told: object) -> Iterator[ToolContent]:
    for part in maps(told):
        kind = part.get("type")
        if kind == "diff" and isinstance(part.get("newText"), str):
            old = optional_text(part, "oldText")
            yield ToolDiff(text_of(part, "path"), text_of(part, "newText"), old)
        elif kind == "terminal":
            yield ToolTerminal(text_of(part, "terminalId"))
        else:
            text = content_text(part.get("content") if kind == "content" else part)
            if text:
                yield ToolText(text)


def _locations(told: object) -> tuple[ToolLocation, ...] | None:
    if not isinstance(told, list):
        return None
    return tuple(
        ToolLocation(text_of(place, "path"), count_of(place, "line"))
        for place in maps(told)
        if text_of(place, "path")
    )
