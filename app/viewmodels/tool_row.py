"""What a transcript row says about a tool, read from the metadata of kandev-app.md b.4."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.viewmodels.row_metadata import as_json, items, kandesk, mapping, whole, words
from backend.domain.conversation import Message

SCRIPT_KIND: Final = "script_execution"
TOOL_KINDS: Final = frozenset(
    {"tool_call", "tool_read", "tool_search", "tool_edit", "tool_execute", SCRIPT_KIND}
)


class Doing(StrEnum):
    """What kind of thing a tool does, as far as its row tells."""

    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    DELETE = "delete"
    MOVE = "move"
    RUN = "execute"
    FETCH = "fetch"
    THINK = "think"
    SUBAGENT = "subagent"
    DESK = "desk"
    """It calls a tool of this desk; what it asked has a row of its own."""
    OTHER = "other"


class Progress(StrEnum):
    """How far a tool is; the many words of b.4 in few."""

    WAITING = "waiting"
    NEEDS_PERMISSION = "needs_permission"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; `diff` is set when the row holds only that."""

    path: str
    old: str = ""
    new: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """`progress` is None for a word nobody knows, which `progress_word` keeps."""

    doing: Doing
    title: str
    progress: Progress | None = Progress.DONE
    progress_word: str = ""
    command: str = ""
    folder: str = ""
    description: str = ""
    output: str = ""
    error_output: str = ""
    exit_code: int | None = None
    changes: tuple[FileChange, ...] = ()
    locations: tuple[str, ...] = ()
    given: str = ""
    """What the tool was called with, where nothing above says it."""
    cut: bool = False
    """Whether a part of it was too long to be kept."""

    @property
    def has_more(self) -> bool:
        """Whether opening the row shows anything its line does not."""
        return bool(
            self.command
            or self.output
            or self.error_output
            or self.changes
            or self.locations
            or self.given
            or self.description
        )


_OUTPUT_NAMES: Final = ("stdout", "output", "formatted_output", "aggregated_output")
_PROGRESS: Final = {
    "pending": Progress.WAITING,
    "pending_permission": Progress.NEEDS_PERMISSION,
    "started": Progress.RUNNING,
    "running": Progress.RUNNING,
    "in_progress": Progress.RUNNING,
    "complete": Progress.DONE,
    "completed": Progress.DONE,
    "success": Progress.DONE,
    "error": Progress.FAILED,
    "errored": Progress.FAILED,
    "failed": Progress.FAILED,
    "cancelled": Progress.CANCELLED,
    "interrupted": Progress.INTERRUPTED,
    "expired": Progress.EXPIRED,
}
_BY_PAYLOAD: Final = {
    "read_file": Doing.READ,
    "code_search": Doing.SEARCH,
    "modify_file": Doing.EDIT,
    "shell_exec": Doing.RUN,
    "http_request": Doing.FETCH,
    "subagent_task": Doing.SUBAGENT,
}
_OUR_SERVER: Final = re.compile(r"\bkandesk-[0-9a-f]{6,}(?![0-9a-f])")
_OUR_TOOL: Final = re.compile(
    r"ask_user_question_kandev|ask_user_question|get_answer|send_note|request_permission"
)
_BY_ROW: Final = {
    "tool_read": Doing.READ,
    "tool_search": Doing.SEARCH,
    "tool_edit": Doing.EDIT,
    "tool_execute": Doing.RUN,
    SCRIPT_KIND: Doing.RUN,
}


def read_tool(message: Message) -> ToolRow:
    """Read a tool row; whatever it lacks stays empty."""
    metadata, own = message.metadata, kandesk(message)
    normalized = mapping(metadata.get("normalized"))
    kind = words(normalized.get("kind"))
    payload = _payload(normalized, kind)
    output = mapping(payload.get("output"))
    word = words(metadata.get("status"))
    command = words(payload.get("command")) or words(metadata.get("command"))
    title = words(metadata.get("title")) or message.content or command
    our_tool = _our_tool(title)
    doing = Doing.DESK if our_tool else _doing(words(own.get("kind")), kind, message.kind)
    changes = _changes(own, payload) if doing is not Doing.RUN else ()
    shown = _output(message, own, payload, output)
    return ToolRow(
        doing=doing,
        title=our_tool or title,
        progress=_PROGRESS.get(word) if word else Progress.DONE,
        progress_word=word,
        command=command,
        folder=words(payload.get("work_dir")),
        description=words(payload.get("description")),
        output=shown,
        error_output=words(output.get("stderr")),
        exit_code=_exit_code(output, metadata, own),
        changes=changes,
        locations=_locations(own, payload, kind),
        given="" if command or changes else as_json(own.get("raw_input") or payload.get("input")),
        cut=bool(items(own.get("truncated"))) or output.get("truncated") is True,
    )


def _payload(normalized: Mapping[str, object], kind: str) -> Mapping[str, object]:
    """The one payload beside `kind`, wherever it was put."""
    for name in ("payload", kind):
        if isinstance(normalized.get(name), Mapping):
            return mapping(normalized[name])
    return normalized


def _our_tool(title: str) -> str:
    """The plain name of one of our tools, which every agent writes in a way of its own.

    For reading only: whether a call really is one of ours is never decided by a title.
    """
    server = _OUR_SERVER.search(title.replace("_kandesk-", " kandesk-"))
    tool = _OUR_TOOL.search(title)
    return tool.group() if server and tool else ""


def _doing(own: str, payload: str, row: str) -> Doing:
    named = next((doing for doing in Doing if doing.value == own), None)
    if named is not None and named is not Doing.OTHER:
        return named
    return _BY_PAYLOAD.get(payload) or _BY_ROW.get(row) or Doing.OTHER


def _changes(own: Mapping[str, object], payload: Mapping[str, object]) -> tuple[FileChange, ...]:
    entries = [mapping(entry) for entry in items(own.get("content"))]
    found = tuple(
        FileChange(
            words(entry.get("path")),
            words(entry.get("old_text")) or words(entry.get("old")),
            words(entry.get("new_text")) or words(entry.get("new")),
        )
        for entry in entries
        if entry.get("type") == "diff"
    )
    if found:
        return found
    path = words(payload.get("file_path"))
    return tuple(
        FileChange(
            words(entry.get("new_path")) or path,
            words(entry.get("old_content")),
            words(entry.get("new_content")) or words(entry.get("content")),
            words(entry.get("diff")),
        )
        for entry in map(mapping, items(payload.get("mutations")))
        if any(entry.get(name) for name in ("content", "new_content", "old_content", "diff"))
    )


def _output(
    message: Message,
    own: Mapping[str, object],
    payload: Mapping[str, object],
    output: Mapping[str, object],
) -> str:
    texts = [
        words(entry.get("text"))
        for entry in map(mapping, items(own.get("content")))
        if entry.get("type") == "text"
    ]
    if message.kind == SCRIPT_KIND:
        texts.append(message.content)
    told = "\n".join(_unfenced(text) for text in texts if text)
    raw = mapping(own.get("raw_output"))
    written = (words(raw.get(name)) for name in _OUTPUT_NAMES)
    files = "\n".join(str(name) for name in items(output.get("files")))
    return (
        words(output.get("stdout"))
        or told
        or words(output.get("content"))
        or files
        or words(payload.get("output"))
        or words(payload.get("response"))
        or words(payload.get("result_text"))
        or next(filter(None, written), "")
        or as_json(own.get("raw_output"))
        or as_json(message.metadata.get("result"))
    )


def _unfenced(text: str) -> str:
    """Output that an agent has put into one code block, without its fences."""
    lines = text.strip().split("\n")
    fence = lines[0][:3]
    fenced = len(lines) > 1 and fence in ("```", "~~~") and lines[-1].strip(fence[0]) == ""
    inside = lines[1:-1]
    return "\n".join(inside) if fenced and not any(fence in line for line in inside) else text


def _exit_code(
    output: Mapping[str, object], metadata: Mapping[str, object], own: Mapping[str, object]
) -> int | None:
    places = (output, metadata, own, mapping(own.get("raw_output")))
    codes = (whole(place.get("exit_code")) for place in places)
    return next((code for code in codes if code is not None), None)


def _locations(
    own: Mapping[str, object], payload: Mapping[str, object], kind: str
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for entry in map(mapping, items(own.get("locations"))):
        path, line = words(entry.get("path")), whole(entry.get("line"))
        if path:
            found[path if line is None else f"{path}:{line}"] = None
    path = words(payload.get("file_path")) or words(payload.get("path"))
    if not found and path and kind in {"read_file", "code_search"}:
        found[path] = None
    return tuple(found)
