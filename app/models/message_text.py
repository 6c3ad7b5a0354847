"""The words of a transcript row: for the clipboard, for a screen reader, for its status line."""

import re
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.models.activity_text import (
    decision_text,
    doing_text,
    progress_text,
    step_state_text,
    todo_count_text,
)
from app.models.diff_lines import diff, read_diff
from app.models.notice_text import dispatch_text, notice_detail, notice_text
from app.text import delivery_text, status_text, superseded_text
from app.viewmodels.activity_row import (
    ERROR_KIND,
    PERMISSION_KIND,
    PLAN_KIND,
    THINKING_KIND,
    TODO_KIND,
    is_decided,
    read_permission,
    read_stderr,
    read_thought,
    read_todos,
)
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.question_row import QUESTION_KIND, QuestionRow, read_question
from app.viewmodels.row_metadata import as_json, is_streaming, items, kandesk, mapping, words
from app.viewmodels.tool_row import TOOL_KINDS, FileChange, read_tool
from backend.domain.clarification import BundleStatus, Delivery
from backend.domain.conversation import Message

TEXT_KINDS: Final = frozenset({"message", "content", ""})
STATUS_KINDS: Final = frozenset({"status", "progress", "log"})
NOTE_KIND: Final = "note"
KNOWN_KINDS: Final = (
    TEXT_KINDS
    | STATUS_KINDS
    | TOOL_KINDS
    | {ERROR_KIND, NOTE_KIND, QUESTION_KIND, THINKING_KIND, TODO_KIND, PLAN_KIND, PERMISSION_KIND}
)
_HIDDEN: Final = re.compile(r"<kandev-system>.*?(?:</kandev-system>\s*|\Z)", re.DOTALL)
_QUIET_DELIVERIES: Final = frozenset({Delivery.DELIVERED})
_TOLD_LATER: Final = (Delivery.WAITING_FOR_AGENT, Delivery.UNKNOWN)


def visible_text(message: Message) -> str:
    """The text of a row without the instructions that were hidden in it for the agent."""
    text = message.content
    if message.author == "user" and "<kandev-system>" in text:
        return _HIDDEN.sub("", text).strip()
    return text


def attachment_names(message: Message) -> tuple[str, ...]:
    """What a human sent along with a message."""
    metadata = message.metadata
    entries = (*items(metadata.get("attachments")), *items(metadata.get("context_files")))
    names = (words(mapping(e).get("name")) or words(mapping(e).get("path")) for e in entries)
    return tuple(name for name in names if name)


def plain_text(message: Message) -> str:
    """What Copy puts on the clipboard: Markdown as it was written."""
    write = _TEXTS.get(message.kind)
    if write is not None:
        return write(message)
    if message.kind in KNOWN_KINDS:
        return visible_text(message)
    parts = unknown_kind_text(message), unknown_content(message), as_json(message.metadata)
    return "\n".join(filter(None, parts))


def spoken_text(message: Message) -> str:
    """One row for a screen reader: who, what kind of row and how it stands, then what it says."""
    who = author_text(message)
    kind = kind_text(message)
    lead = f"{who}, {kind}" if kind else who
    if is_streaming(message):
        lead = f"{lead}, {QCoreApplication.translate('Transcript', 'still being written')}"
    return f"{lead}: {plain_text(message)}"


def kind_text(message: Message) -> str:
    """What kind of row it is and how it stands; nothing for plain words."""
    say = _KINDS.get(message.kind, dispatch_text)
    return say(message)


def opens(message: Message) -> bool:
    """Whether a row is one line that says more when it is opened."""
    if message.kind == PERMISSION_KIND:
        return is_decided(message)
    if message.kind == THINKING_KIND:
        return bool(read_thought(message))
    return message.kind in TOOL_KINDS and read_tool(message).has_more


def is_line(message: Message) -> bool:
    """Whether a row is one line until it is opened."""
    if message.kind == PERMISSION_KIND:
        return is_decided(message)
    return message.kind == THINKING_KIND or message.kind in TOOL_KINDS


def author_text(message: Message, agent: str = "") -> str:
    """Who wrote a row, for people."""
    if message.author == "user":
        return QCoreApplication.translate("Transcript", "You")
    return agent or QCoreApplication.translate("Transcript", "Agent")


def thought_text(message: Message) -> str:
    if is_streaming(message):
        return QCoreApplication.translate("Transcript", "Thinking")
    return QCoreApplication.translate("Transcript", "Thought")


def todo_name() -> str:
    return QCoreApplication.translate("Transcript", "To-do list")


def plan_name() -> str:
    return QCoreApplication.translate("Transcript", "Plan")


def permission_name() -> str:
    return QCoreApplication.translate("Transcript", "Permission")


def variant_text(message: Message) -> str:
    """The word for a status that is more than a note."""
    variant = message.metadata.get("variant")
    if variant == "warning":
        return QCoreApplication.translate("Transcript", "Warning")
    return QCoreApplication.translate("Transcript", "Error") if variant == "error" else ""


def unknown_kind_text(message: Message) -> str:
    """A row this version cannot show is named, never dropped."""
    told = QCoreApplication.translate("Transcript", "A row of the kind “%1”")
    return told.replace("%1", words(kandesk(message).get("kind")) or message.kind)


def unknown_content(message: Message) -> str:
    """What such a row says beside its name."""
    named = words(kandesk(message).get("kind")) or message.kind
    return "" if message.content == named else message.content


def question_status(message: Message, row: QuestionRow, inbox: InboxViewModel) -> str:
    """The word of clarification.md, with where the answer is when that is worth saying."""
    if row.status is None:
        return row.status_word
    pending_id = message.pending_id
    if row.status is BundleStatus.PENDING:
        open_here = pending_id is not None and inbox.is_open(pending_id)
        return status_text(row.status) if open_here or not inbox.loaded else superseded_text()
    told = status_text(row.status, row.withdrawn)
    delivery = answer_delivery(message, inbox)
    if delivery is None or delivery in _QUIET_DELIVERIES:
        return told
    return f"{told} · {delivery_text(delivery)}"


def answer_delivery(message: Message, inbox: InboxViewModel) -> Delivery | None:
    """Where the answer to a question is, as the window has heard of it last."""
    heard = None if message.pending_id is None else inbox.delivery(message.pending_id)
    return heard or message.delivery


def change_text(change: FileChange) -> str:
    """A changed file as it is copied."""
    told = read_diff(change.diff) if change.diff else diff(change.old, change.new)
    return f"{change.path}\n{told.text}".strip()


def _tool_text(message: Message) -> str:
    row = read_tool(message)
    parts = [row.title]
    if row.command and row.command not in row.title:
        parts.append(row.command)
    parts += row.locations
    parts += [change_text(change) for change in row.changes]
    parts += [row.output, row.error_output]
    return "\n".join(filter(None, parts))


def _tool_kind(message: Message) -> str:
    row = read_tool(message)
    return f"{doing_text(row.doing)}, {progress_text(row)}"


def _todo_text(message: Message) -> str:
    lines = (f"{step_state_text(item.step)}: {item.text}" for item in read_todos(message))
    return "\n".join(lines) or message.content


def _todo_kind(message: Message) -> str:
    return f"{todo_name()}, {todo_count_text(read_todos(message))}"


def _permission_text(message: Message) -> str:
    row = read_permission(message)
    return "\n".join(filter(None, (row.title, row.command, row.chosen)))


def _permission_kind(message: Message) -> str:
    return f"{permission_name()}, {permission_status(message)}"


def permission_status(message: Message) -> str:
    """What became of it, and where that is on its way to an agent which was not told yet."""
    told = decision_text(read_permission(message))
    delivery = message.delivery
    if delivery is None or delivery not in _TOLD_LATER:
        return told
    return f"{told} · {delivery_text(delivery)}"


def _error_text(message: Message) -> str:
    parts = notice_text(message), notice_detail(message), read_stderr(message)
    return "\n".join(filter(None, parts))


def _status_text(message: Message) -> str:
    return "\n".join(filter(None, (notice_text(message), notice_detail(message))))


def _error_kind(message: Message) -> str:  # noqa: ARG001 - one of `_KINDS`
    return QCoreApplication.translate("Transcript", "Error")


def _status_kind(message: Message) -> str:
    return variant_text(message) or QCoreApplication.translate("Transcript", "Status")


def _question_text(message: Message) -> str:
    row = read_question(message)
    lines = [row.title, row.prompt] if row.title else [row.prompt]
    lines.extend(f"{'☑' if option.chosen else '☐'} {option.label}" for option in row.options)
    if row.custom_text:
        lines.append(f"“{row.custom_text}”")
    return "\n".join(lines)


def _question_kind(message: Message) -> str:
    row = read_question(message)
    name = QCoreApplication.translate("Transcript", "Question")
    word = row.status_word if row.status is None else status_text(row.status, row.withdrawn)
    return f"{name}, {word}"


_TEXTS: Final[dict[str, Callable[[Message], str]]] = {
    **dict.fromkeys(TOOL_KINDS, _tool_text),
    **dict.fromkeys(STATUS_KINDS, _status_text),
    QUESTION_KIND: _question_text,
    THINKING_KIND: read_thought,
    TODO_KIND: _todo_text,
    PERMISSION_KIND: _permission_text,
    ERROR_KIND: _error_text,
}
_KINDS: Final[dict[str, Callable[[Message], str]]] = {
    **dict.fromkeys(TOOL_KINDS, _tool_kind),
    **dict.fromkeys(STATUS_KINDS, _status_kind),
    QUESTION_KIND: _question_kind,
    THINKING_KIND: thought_text,
    TODO_KIND: _todo_kind,
    PLAN_KIND: lambda _: plan_name(),
    PERMISSION_KIND: _permission_kind,
    ERROR_KIND: _error_kind,
}
