"""What is known of a tool call by everything an agent has said of it."""

from collections import OrderedDict
from dataclasses import replace
from typing import Final

from backend.domain.agents import ToolCallChange, ToolContent, ToolDiff, ToolStatus, ToolText
from backend.domain.json_size import json_size

ENDED = frozenset(
    {ToolStatus.COMPLETED, ToolStatus.FAILED, ToolStatus.CANCELLED, ToolStatus.INTERRUPTED}
)
REMEMBERED: Final = 16 * 1024 * 1024
"""About how many characters are remembered of the calls that run, all together."""
MOST_REMEMBERED: Final = 2_000


class RememberedCalls:
    """The calls of one agent that run, as far as it has told of them; what ended is forgotten.

    An agent may announce a call and then ask for it by its id alone, most often at once: beyond
    the bounds the calls that nothing was told of for longest are forgotten. One call is whole,
    or is not remembered. What a call has brought is no part of what may be asked for.
    """

    def __init__(self) -> None:
        self._calls: OrderedDict[str, tuple[ToolCallChange, int]] = OrderedDict()
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def clear(self) -> None:
        self._calls.clear()
        self._size = 0

    def find(self, call_id: str) -> ToolCallChange | None:
        known = self._calls.get(call_id)
        return None if known is None else known[0]

    def change(self, change: ToolCallChange) -> None:
        """Take over what is told; a call that begins has nothing of what had its id before."""
        before = self._pop(change.call_id)
        if change.status in ENDED:
            return
        call = replace(with_change(None if change.started else before, change), raw_output=None)
        size = call_size(call)
        self._calls[change.call_id] = call, size
        self._size += size
        while len(self._calls) > MOST_REMEMBERED or (
            self._size > REMEMBERED and len(self._calls) > 1
        ):
            self._pop(next(iter(self._calls)))

    def _pop(self, call_id: str) -> ToolCallChange | None:
        call, size = self._calls.pop(call_id, (None, 0))
        self._size -= size
        return call


def with_change(before: ToolCallChange | None, change: ToolCallChange) -> ToolCallChange:
    """The call after a change; what the change leaves out stays as it was."""
    if before is None:
        return change
    return replace(
        change,
        started=before.started or change.started,
        title=change.title if change.title is not None else before.title,
        kind=change.kind if change.kind is not None else before.kind,
        status=change.status if change.status is not None else before.status,
        content=change.content if change.content is not None else before.content,
        locations=change.locations if change.locations is not None else before.locations,
        raw_input=change.raw_input if change.raw_input is not None else before.raw_input,
        raw_output=change.raw_output if change.raw_output is not None else before.raw_output,
        parent_call_id=change.parent_call_id or before.parent_call_id,
        tool_name=change.tool_name or before.tool_name,
    )


def call_size(call: ToolCallChange) -> int:
    """About how many characters are told of a call."""
    content = sum(map(_content_size, call.content or ()))
    places = sum(len(place.path) + 16 for place in call.locations or ())
    names = len(call.call_id) + len(call.title or "") + len(call.parent_call_id)
    raw = json_size(call.raw_input) + json_size(call.raw_output)
    return content + places + names + len(call.tool_name) + raw


def _content_size(item: ToolContent) -> int:
    if isinstance(item, ToolText):
        return len(item.text)
    if isinstance(item, ToolDiff):
        return len(item.path) + len(item.new_text) + len(item.old_text or "")
    return len(item.terminal_id)
