"""What Claude Code asks its permission-prompt tool, as a call like any other agent's (T8.1)."""

from collections.abc import Iterator, Mapping
from typing import Final

from backend.domain.agents import (
    PermissionOption,
    ToolCallChange,
    ToolContent,
    ToolDiff,
    ToolKind,
    ToolText,
)

ALLOW: Final = PermissionOption("allow", "Allow", "allow_once")
DENY: Final = PermissionOption("deny", "Deny", "reject_once")
PROMPT_OPTIONS: Final = (ALLOW, DENY)
"""All that its answer can say."""
ASKS_QUESTIONS: Final = "AskUserQuestion"
"""Claude's own tool that asks: it is answered, not allowed."""

_KINDS: Final = {
    "Bash": ToolKind.EXECUTE,
    "Edit": ToolKind.EDIT,
    "MultiEdit": ToolKind.EDIT,
    "NotebookEdit": ToolKind.EDIT,
    "Write": ToolKind.EDIT,
    "Read": ToolKind.READ,
    "NotebookRead": ToolKind.READ,
    "Glob": ToolKind.SEARCH,
    "Grep": ToolKind.SEARCH,
    "LS": ToolKind.SEARCH,
    "WebFetch": ToolKind.FETCH,
    "WebSearch": ToolKind.FETCH,
    "ExitPlanMode": ToolKind.SWITCH_MODE,
}
_NAMED_BY: Final = ("file_path", "notebook_path", "path", "url", "query", "pattern")


def prompted_call(call_id: str, tool_name: str, arguments: Mapping[str, object]) -> ToolCallChange:
    """The call as its card shows it; only the tool's name and the arguments are told."""
    return ToolCallChange(
        call_id,
        title=_title(tool_name, arguments),
        kind=_KINDS.get(tool_name, ToolKind.OTHER),
        tool_name=tool_name,
        content=tuple(_content(tool_name, arguments)) or None,
        raw_input=arguments,
    )


def _title(tool_name: str, arguments: Mapping[str, object]) -> str:
    named = next((text for key in _NAMED_BY if (text := _text(arguments, key))), "")
    return f"{tool_name} {named}".strip()


def _content(tool_name: str, arguments: Mapping[str, object]) -> Iterator[ToolContent]:
    path = _text(arguments, "file_path")
    if tool_name == "Write":
        yield ToolDiff(path, _text(arguments, "content"))
    elif tool_name == "Edit":
        yield _edit(path, arguments)
    elif tool_name == "MultiEdit":
        edits = arguments.get("edits")
        for edit in edits if isinstance(edits, list) else ():
            if isinstance(edit, Mapping):
                yield _edit(path, edit)
    elif tool_name == "ExitPlanMode":
        yield ToolText(_text(arguments, "plan"))


def _edit(path: str, edit: Mapping[str, object]) -> ToolDiff:
    return ToolDiff(path, _text(edit, "new_string"), _text(edit, "old_string"))


def _text(arguments: Mapping[str, object], key: str) -> str:
    value = arguments.get(key)
    return value if isinstance(value, str) else ""
