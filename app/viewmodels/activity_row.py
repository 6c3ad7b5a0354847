"""What rows beside tools say: thoughts, lists of things to do, permissions, states, errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.viewmodels.row_metadata import as_json, items, kandesk, mapping, words
from backend.domain.conversation import Message

THINKING_KIND: Final = "thinking"
TODO_KIND: Final = "todo"
PLAN_KIND: Final = "agent_plan"
PERMISSION_KIND: Final = "permission_request"
ERROR_KIND: Final = "error"


class Step(StrEnum):
    """How far one thing to do is."""

    OPEN = "open"
    STARTED = "started"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class TodoItem:
    text: str
    step: Step


class Verdict(StrEnum):
    """What became of a request for permission."""

    PENDING = "pending"
    APPROVED = "approved"
    SUCCEEDED = "succeeded"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PermissionRow:
    """`chosen` is the name of the option that was taken, where the row tells it."""

    title: str
    verdict: Verdict
    chosen: str = ""
    command: str = ""
    folder: str = ""
    path: str = ""
    details: str = ""
    drifted: bool = False
    door: str = ""
    """Where it was decided."""
    result: str = ""
    """What came of it; written by the tool."""
    error: str = ""
    """Whether the agent then told of other arguments than it had asked for."""


_STEPS: Final = {
    "pending": Step.OPEN,
    "in_progress": Step.STARTED,
    "running": Step.STARTED,
    "active": Step.STARTED,
    "completed": Step.DONE,
    "complete": Step.DONE,
    "done": Step.DONE,
    "cancelled": Step.CANCELLED,
}
_VERDICTS: Final = {
    "": Verdict.PENDING,
    "pending": Verdict.PENDING,
    "approved": Verdict.APPROVED,
    "executed": Verdict.SUCCEEDED,
    "rejected": Verdict.DECLINED,
    "declined": Verdict.DECLINED,
    "cancelled": Verdict.CANCELLED,
    "withdrawn": Verdict.CANCELLED,
    "expired": Verdict.EXPIRED,
    "failed": Verdict.FAILED,
    "outcome_unknown": Verdict.UNKNOWN,
}


def read_thought(message: Message) -> str:
    """The text of a thought, which b.4 keeps in the metadata."""
    return words(message.metadata.get("thinking")) or message.content


def read_todos(message: Message) -> tuple[TodoItem, ...]:
    """The things to do, whichever of the three shapes of b.4 the row has."""
    normalized = mapping(message.metadata.get("normalized"))
    managed = mapping(normalized.get("payload")) or mapping(normalized.get("manage_todos"))
    entries = items(message.metadata.get("todos")) or items((managed or normalized).get("items"))
    return tuple(_todo(entry) for entry in entries)


def is_decided(message: Message) -> bool:
    """Whether nobody is asked any more by a request for permission."""
    return read_permission(message).verdict is not Verdict.PENDING


def read_permission(message: Message) -> PermissionRow:
    metadata = message.metadata
    details = mapping(metadata.get("action_details"))
    resolution = mapping(metadata.get("permission_resolution"))
    own = kandesk(message)
    # What a row of this desk says of itself is finer than the words both desks know.
    word = words(own.get("review_status")) or words(metadata.get("status"))
    verdict = _VERDICTS.get(word, Verdict.UNKNOWN)
    if resolution.get("result") == "indeterminate":
        verdict = Verdict.UNKNOWN
    command = words(details.get("command"))
    given = words(details.get("raw_input_preview")) or as_json(details.get("raw_input"))
    return PermissionRow(
        title=message.content or words(metadata.get("title")) or words(details.get("description")),
        verdict=verdict,
        chosen=_option_name(metadata, resolution, own),
        command=command,
        folder=words(details.get("cwd")) or words(own.get("folder")),
        path=words(details.get("path")),
        details="" if command else given,
        drifted=own.get("arguments_drifted") is True,
        door=words(resolution.get("source")),
        result=words(own.get("result")),
        error=words(own.get("error")),
    )


def read_stderr(message: Message) -> str:
    """What the agent's program wrote last before it failed."""
    metadata, own = message.metadata, kandesk(message)
    data = metadata.get("error_data")
    return (
        words(own.get("stderr_tail"))
        or words(own.get("stderr"))
        or words(metadata.get("stderr_tail"))
        or words(mapping(data).get("stderr"))
        or as_json(data)
    )


def _option_name(
    metadata: Mapping[str, object], resolution: Mapping[str, object], own: Mapping[str, object]
) -> str:
    wanted = words(resolution.get("option_id")) or words(own.get("chosen"))
    for option in map(mapping, items(metadata.get("options"))):
        if wanted and wanted in (option.get("option_id"), option.get("id")):
            return words(option.get("name"))
    return ""


def _todo(entry: object) -> TodoItem:
    if isinstance(entry, str):
        return TodoItem(entry, Step.OPEN)
    values = mapping(entry)
    text = words(values.get("text")) or words(values.get("description"))
    text = text or words(values.get("content"))
    step = _STEPS.get(words(values.get("status")), Step.OPEN)
    return TodoItem(text, Step.DONE if values.get("done") is True else step)
