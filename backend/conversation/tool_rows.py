"""A tool call as a transcript row: its type, its normalized payload and its bounded content.

Texts of diffs and outputs stand in `metadata.kandesk.content` only; `normalized` says what was done
to what (kandev-app.md b.4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from backend.clock import Nanoseconds
from backend.conversation.bounds import (
    CONTENT_LIMIT,
    FIELD_LIMIT,
    bounded_json,
    bounded_name,
    bounded_text,
)
from backend.conversation.live_rows import LiveRow, TurnPlace
from backend.domain.agents import (
    ToolCallChange,
    ToolContent,
    ToolKind,
    ToolLocation,
    ToolStatus,
    ToolTerminal,
    ToolText,
)
from backend.domain.json_size import json_size
from backend.domain.tool_call import call_size, with_change
from backend.ids import MessageId
from backend.store.metadata import OWN_KEY, JsonDict, as_dict, as_list, as_text

_OPEN: Final = frozenset({ToolStatus.PENDING, ToolStatus.IN_PROGRESS})
_ROW_TYPES: Final = {
    "read_file": "tool_read",
    "code_search": "tool_search",
    "modify_file": "tool_edit",
    "shell_exec": "tool_execute",
}
_CHANGES_FILES: Final = frozenset({ToolKind.EDIT, ToolKind.DELETE, ToolKind.MOVE})
_MOST_ITEMS: Final = 200
_KINDS: Final = {kind.value: kind for kind in ToolKind}
_STATUSES: Final = {status.value: status for status in ToolStatus}


@dataclass(frozen=True, slots=True)
class _Call:
    """What is known of a call by now; `content` and the raw values are bounded already."""

    title: str = ""
    kind: ToolKind = ToolKind.OTHER
    status: ToolStatus = ToolStatus.PENDING
    content: tuple[JsonDict, ...] = ()
    locations: tuple[ToolLocation, ...] = ()
    raw_input: object = None
    raw_output: object = None
    parent_call_id: str = ""
    tool_name: str = ""
    cut: frozenset[str] = field(default_factory=frozenset)
    """The fields that were too long to be kept whole."""


class ToolRow(LiveRow):
    """The row of one call in one turn; its type may change with what becomes known of the call."""

    def __init__(
        self, place: TurnPlace, message_id: MessageId, created_at: Nanoseconds, call_id: str
    ) -> None:
        super().__init__(place, message_id, created_at, "tool_call")
        self.call_id = call_id
        self._call = _Call()
        self._weight = 0
        self._away = 0
        self._later: ToolCallChange | None = None
        """What was told since it was put away."""

    @property
    def weight(self) -> int:
        return self._weight + 1_024

    @property
    def open(self) -> bool:
        return self._call.status in _OPEN

    @property
    def may_go_on(self) -> bool:
        return True

    @property
    def away(self) -> int:
        return self._away

    def put_away(self) -> None:
        self._away = self.weight
        self._call = _Call(status=self._call.status)
        self.metadata = {}
        self._weight = 0

    def recall(self, metadata: JsonDict) -> None:
        later, self._later = self._later, None
        self._away = 0
        self._call = _stored_call(metadata)
        self._set(self._call if later is None else _merged(self._call, later))

    def apply(self, change: ToolCallChange) -> None:
        """Take over the parts that are told; a call that has ended may still be told more of."""
        if not self._away:
            self._set(_merged(self._call, change))
            return
        self._later = with_change(self._later, change)
        self._call = replace(self._call, status=change.status or self._call.status)
        self._weight = call_size(self._later)
        self.changed()

    def settle(self, status: ToolStatus) -> None:
        """The turn is over: a call that is still open ends so too."""
        if self.open:
            self.apply(ToolCallChange(self.call_id, status=status))

    def _set(self, call: _Call) -> None:
        if call == self._call and self.metadata:
            return
        self._call = call
        kind, payload = _normalized(call)
        self.kind = _ROW_TYPES.get(kind, "tool_call")
        self.content = call.title or call.tool_name or self.call_id
        self.metadata = _metadata(self.call_id, call, {"kind": kind, kind: payload})
        self._weight = json_size(self.metadata)
        self.changed()


def _merged(call: _Call, change: ToolCallChange) -> _Call:
    cut = set(call.cut)
    told: dict[str, object] = {}
    for name in ("kind", "status", "locations"):
        if (value := getattr(change, name)) is not None:
            told[name] = value
    if change.title is not None:
        told["title"] = bounded_name(change.title)
    for name in ("parent_call_id", "tool_name"):
        if value := getattr(change, name):
            told[name] = bounded_name(value)
    for name in ("raw_input", "raw_output"):
        if (value := getattr(change, name)) is not None:
            told[name], was_cut = bounded_json(value)
            cut = cut | {name} if was_cut else cut - {name}
    if change.content is not None:
        told["content"], was_cut = _bounded_content(change.content)
        cut = cut | {"content"} if was_cut else cut - {"content"}
    return replace(call, **told, cut=frozenset(cut))  # type: ignore[arg-type]


def _bounded_content(content: tuple[ToolContent, ...]) -> tuple[tuple[JsonDict, ...], bool]:
    items: list[JsonDict] = []
    left = CONTENT_LIMIT
    any_cut = len(content) > _MOST_ITEMS
    for item in content[:_MOST_ITEMS]:
        kept, cut = _content_item(item, min(left, FIELD_LIMIT))
        left -= sum(len(value) for value in kept.values() if isinstance(value, str))
        left = max(left, 0)
        any_cut = any_cut or cut
        items.append({**kept, "truncated": True} if cut else kept)
    return tuple(items), any_cut


def _content_item(item: ToolContent, limit: int) -> tuple[JsonDict, bool]:
    if isinstance(item, ToolText):
        text, cut = bounded_text(item.text, limit)
        return {"type": "text", "text": text}, cut
    if isinstance(item, ToolTerminal):
        return {"type": "terminal", "terminal_id": bounded_name(item.terminal_id)}, False
    new_text, new_cut = bounded_text(item.new_text, limit)
    diff: JsonDict = {"type": "diff", "path": bounded_name(item.path), "new_text": new_text}
    if item.old_text is None:
        return {**diff, "old_text": None}, new_cut
    diff["old_text"], old_cut = bounded_text(item.old_text, limit)
    return diff, new_cut or old_cut


def _metadata(call_id: str, call: _Call, normalized: JsonDict) -> JsonDict:
    own: JsonDict = {
        "kind": call.kind.value,
        "content": list(call.content),
        "locations": [
            {"path": bounded_name(at.path), "line": at.line} for at in call.locations[:_MOST_ITEMS]
        ],
        "raw_input": call.raw_input,
        "raw_output": call.raw_output,
    }
    if call.tool_name:
        own["tool_name"] = call.tool_name
    if call.cut:
        own["truncated"] = sorted(call.cut)
    metadata: JsonDict = {
        "tool_call_id": call_id,
        "title": call.title,
        "status": call.status.value,
        "normalized": normalized,
        OWN_KEY: own,
    }
    if call.parent_call_id:
        metadata["parent_tool_call_id"] = call.parent_call_id
    return metadata


def _stored_call(metadata: JsonDict) -> _Call:
    """The call of a row as `_metadata` wrote it."""
    own = as_dict(metadata.get(OWN_KEY))
    places = (as_dict(place) for place in as_list(own.get("locations")))
    return _Call(
        title=as_text(metadata.get("title")),
        kind=_KINDS.get(as_text(own.get("kind")), ToolKind.OTHER),
        status=_STATUSES.get(as_text(metadata.get("status")), ToolStatus.PENDING),
        content=tuple(as_dict(item) for item in as_list(own.get("content"))),
        locations=tuple(
            ToolLocation(as_text(place.get("path")), line if isinstance(line, int) else None)
            for place in places
            for line in [place.get("line")]
        ),
        raw_input=own.get("raw_input"),
        raw_output=own.get("raw_output"),
        parent_call_id=as_text(metadata.get("parent_tool_call_id")),
        tool_name=as_text(own.get("tool_name")),
        cut=frozenset(as_text(name) for name in as_list(own.get("truncated"))),
    )


def _normalized(call: _Call) -> tuple[str, JsonDict]:
    given: Mapping[str, object] = call.raw_input if isinstance(call.raw_input, dict) else {}
    diffs = [item for item in call.content if item["type"] == "diff"]
    path = _path(call, given, diffs)
    if call.kind in _CHANGES_FILES or diffs:
        return "modify_file", {"file_path": path, "mutations": _mutations(call, given, diffs)}
    if call.kind is ToolKind.READ:
        return "read_file", {"file_path": path, **_some(given, "offset", "limit")}
    if call.kind is ToolKind.SEARCH:
        return "code_search", {"path": path, **_some(given, "query", "pattern", "glob")}
    if call.kind is ToolKind.EXECUTE:
        return "shell_exec", _command(call, given)
    if call.kind is ToolKind.FETCH:
        return "http_request", {"url": _first(given, "url", "uri"), **_some(given, "method")}
    return "generic", {"name": call.tool_name or call.title}


def _mutations(call: _Call, given: Mapping[str, object], diffs: list[JsonDict]) -> list[JsonDict]:
    if call.kind is ToolKind.DELETE:
        return [{"type": "delete"}]
    if call.kind is ToolKind.MOVE:
        target = _first(given, "new_path", "newPath", "destination", "to")
        return [{"type": "rename", "new_path": target}]
    return [
        {"type": "create" if diff["old_text"] is None else "replace", "path": diff["path"]}
        for diff in diffs
    ]


def _command(call: _Call, given: Mapping[str, object]) -> JsonDict:
    raw = given.get("command", given.get("cmd"))
    if isinstance(raw, list):
        raw = " ".join(str(part) for part in raw)
    command = raw if isinstance(raw, str) and raw else call.title
    payload: JsonDict = {"command": command, **_some(given, "description", "timeout")}
    if folder := _first(given, "cwd", "work_dir", "workdir"):
        payload["work_dir"] = folder
    output = call.raw_output if isinstance(call.raw_output, dict) else {}
    code = output.get("exit_code", output.get("exitCode"))
    if isinstance(code, int):
        payload["output"] = {"exit_code": code}
    return payload


def _path(call: _Call, given: Mapping[str, object], diffs: list[JsonDict]) -> str:
    if diffs:
        return str(diffs[0]["path"])
    if call.locations:
        return bounded_name(call.locations[0].path)
    return _first(given, "file_path", "filePath", "path", "abs_path", "absPath")


def _first(given: Mapping[str, object], *names: str) -> str:
    found = (given.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")


def _some(given: Mapping[str, object], *names: str) -> JsonDict:
    """The short values among these; the whole input stands beside."""
    return {
        name: bounded_name(value) if isinstance(value, str) else value
        for name in names
        if isinstance(value := given.get(name), str | int)
    }
