"""What an agent says during one turn, as rows of its transcript (kandev-app.md b.4 and c.4).

Pure: time and ids are given, and whoever stores and shows the rows is told which have changed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds
from backend.conversation.bounds import (
    LIST_LIMIT,
    bounded_json,
    bounded_name,
    bounded_tail,
    bounded_text,
)
from backend.conversation.live_rows import LONGEST_TEXT, LiveRow, PlainRow, TextRow, TurnPlace
from backend.conversation.tool_rows import ToolRow
from backend.domain.agents import (
    AgentUpdate,
    PlanChanged,
    PlanEntry,
    PlanText,
    TextChunk,
    ThoughtChunk,
    ToolCallChange,
    ToolStatus,
    UnknownUpdate,
)
from backend.domain.turn_end import TurnEnding, TurnNotice, TurnOutcome
from backend.ids import MessageId
from backend.store.metadata import OWN_KEY, JsonDict

UNKNOWN_KIND: Final = "unknown_update"
"""The type of a row whose update has a name no row may have."""
_FREE_KIND: Final = re.compile("[a-z][a-z0-9_]{0,63}")
_TAKEN: Final = frozenset(
    {
        "message",
        "content",
        "thinking",
        "tool_call",
        "tool_read",
        "tool_search",
        "tool_edit",
        "tool_execute",
        "todo",
        "agent_plan",
        "permission_request",
        "clarification_request",
        "status",
        "error",
        "progress",
        "log",
        "script_execution",
    }
)
_ENDED_TOOLS: Final = {
    TurnOutcome.COMPLETED: ToolStatus.COMPLETED,
    TurnOutcome.CANCELLED: ToolStatus.CANCELLED,
    TurnOutcome.INTERRUPTED: ToolStatus.INTERRUPTED,
    TurnOutcome.FAILED: ToolStatus.INTERRUPTED,
}


@dataclass(frozen=True, slots=True)
class RowMaking:
    """What making a row needs: an id, a moment after every row before, and who hears of it."""

    new_id: Callable[[], MessageId]
    next_moment: Callable[[], Nanoseconds]
    changed: Callable[[LiveRow], None]


class TurnTranscript:
    """The rows of one turn while it runs."""

    def __init__(self, place: TurnPlace, making: RowMaking) -> None:
        self._place = place
        self._making = making
        self._text: TextRow | None = None
        self._tools: dict[str, ToolRow] = {}
        self._ended_calls: frozenset[str] = frozenset()
        self._todo: PlainRow | None = None
        self._plan: PlainRow | None = None
        self._ended = False

    def apply(self, update: AgentUpdate) -> None:
        """Take over one update; one that is about the session and not the turn changes no row.

        The human's own words, which an agent may repeat, are rows already.
        """
        match update:
            case TextChunk():
                self._say("message", update.text, update.message_id)
            case ThoughtChunk():
                self._say("thinking", update.text, update.message_id)
            case ToolCallChange():
                self._change_tool(update)
            case PlanChanged():
                self._change_todo(update)
            case PlanText():
                self._change_plan(update.text)
            case UnknownUpdate():
                self._add_unknown(update)
            case _:
                pass

    def close_text(self) -> None:
        """A row of somebody else has come: what the agent says next stands after it."""
        text, self._text = self._text, None
        if text is not None and text.close():
            self._making.changed(text)

    def end(self, ending: TurnEnding) -> None:
        """Close what is open, and tell why the turn has ended unless it simply has."""
        self.close_text()
        for tool in self._tools.values():
            if tool.open:
                tool.settle(_ENDED_TOOLS[ending.outcome])
                self._making.changed(tool)
        self._ended_calls |= self._tools.keys()
        self._tools.clear()
        if ending.notice is not None and not self._ended:
            kind, content, metadata = notice_row(ending)
            self._add(kind, content, metadata)
        self._ended = True

    def _say(self, kind: str, text: str, said_as: str) -> None:
        for start in range(0, len(text), LONGEST_TEXT):
            self._say_part(kind, text[start : start + LONGEST_TEXT], said_as)

    def _say_part(self, kind: str, text: str, said_as: str) -> None:
        row = self._text
        if row is None or row.kind != kind or not row.takes_more or _differs(row.said_as, said_as):
            self.close_text()
            row = TextRow(
                self._place, self._making.new_id(), self._making.next_moment(), kind, said_as
            )
            self._text = row
        row.said_as = row.said_as or said_as
        row.append(text)
        if self._ended:
            # Nobody ends a turn twice.
            row.settle()
        self._making.changed(row)

    def _change_tool(self, change: ToolCallChange) -> None:
        row = self._tools.get(change.call_id)
        if row is None or row.standing.given_up:
            if change.call_id in self._ended_calls and not change.started:
                return
            self.close_text()
            row = ToolRow(
                self._place,
                self._making.new_id(),
                self._making.next_moment(),
                bounded_name(change.call_id),
            )
            self._tools[change.call_id] = row
        before = row.version
        row.apply(change)
        if self._ended:
            row.settle(ToolStatus.COMPLETED)
        if row.version != before:
            self._making.changed(row)

    def _change_todo(self, plan: PlanChanged) -> None:
        metadata: JsonDict = {"todos": [_todo(entry) for entry in plan.entries[:LIST_LIMIT]]}
        if self._todo is None:
            self._todo = self._add("todo", "Updated Todos", metadata)
        elif self._todo.metadata != metadata:
            self._todo.replace("Updated Todos", metadata)
            self._making.changed(self._todo)

    def _change_plan(self, text: str) -> None:
        """A plan that grows is one row; another plan is another row."""
        content, cut = bounded_text(text)
        metadata: JsonDict = {OWN_KEY: {"truncated": ["content"]}} if cut else {}
        if self._plan is None or not content.startswith(self._plan.content):
            self._plan = self._add("agent_plan", content, metadata)
        elif content != self._plan.content:
            self._plan.replace(content, metadata)
            self._making.changed(self._plan)

    def _add_unknown(self, update: UnknownUpdate) -> None:
        usable = _FREE_KIND.fullmatch(update.kind) and update.kind not in _TAKEN
        payload, cut = bounded_json(dict(update.payload))
        own: JsonDict = {"kind": bounded_name(update.kind), "payload": payload}
        if cut:
            own["truncated"] = ["payload"]
        self._add(update.kind if usable else UNKNOWN_KIND, own["kind"], {OWN_KEY: own})

    def _add(self, kind: str, content: object, metadata: JsonDict) -> PlainRow:
        self.close_text()
        row = PlainRow(
            self._place,
            self._making.new_id(),
            self._making.next_moment(),
            kind,
            str(content),
            metadata,
        )
        self._making.changed(row)
        return row


def notice_row(ending: TurnEnding) -> tuple[str, str, JsonDict]:
    """Type, content and metadata of the row that tells why a turn has ended.

    The content is for whoever reads the store; the window has its own words for the notice.
    """
    notice = ending.notice or TurnNotice.OTHER_STOP
    detail = bounded_tail(ending.detail)
    own: JsonDict = {"notice": notice.value, "detail": detail}
    if notice is TurnNotice.PROMPT_FAILED:
        return "error", f"{_CONTENTS[notice]}: {detail}", {OWN_KEY: own}
    if notice is TurnNotice.AGENT_ENDED:
        own["stderr_tail"] = detail
        if ending.exit_code is not None:
            own["exit_code"] = ending.exit_code
        return "error", _CONTENTS[notice], {OWN_KEY: own}
    metadata: JsonDict = {"variant": "warning", OWN_KEY: own}
    if notice is TurnNotice.CANCELLED:
        metadata.update(variant="default", cancelled=True)
    return "status", _CONTENTS[notice], metadata


_CONTENTS: Final = {
    TurnNotice.MAX_TOKENS: "The agent stopped: it has reached its limit of tokens",
    TurnNotice.MAX_TURN_REQUESTS: "The agent stopped: it has made as many requests as it may",
    TurnNotice.REFUSAL: "The agent refused to go on",
    TurnNotice.CANCELLED: "Cancelled",
    TurnNotice.OTHER_STOP: "The agent stopped for a reason of its own",
    TurnNotice.AGENT_ENDED: "The agent ended unexpectedly",
    TurnNotice.PROMPT_FAILED: "The agent answered with an error",
    TurnNotice.DESK_ENDED: "Interrupted: the desk ended while the agent worked",
    TurnNotice.DESK_ENDED_WAITING: "Interrupted: the desk ended while the agent waited",
}


def _todo(entry: PlanEntry) -> JsonDict:
    return {
        "text": bounded_name(entry.content),
        "status": bounded_name(entry.status),
        "priority": bounded_name(entry.priority),
        "done": entry.status == "completed",
    }


def _differs(one: str, other: str) -> bool:
    return bool(one and other and one != other)
