"""What is known of a tool call by everything an agent has said of it."""

from dataclasses import replace

from backend.domain.agents import ToolCallChange, ToolStatus

ENDED = frozenset(
    {ToolStatus.COMPLETED, ToolStatus.FAILED, ToolStatus.CANCELLED, ToolStatus.INTERRUPTED}
)


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
