"""The words of a transcript row: for the clipboard, for a screen reader, for its status line."""

from PySide6.QtCore import QCoreApplication

from app.text import delivery_text, status_text, superseded_text
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.question_row import QUESTION_KIND, QuestionRow, read_question
from backend.domain.clarification import BundleStatus, Delivery
from backend.domain.conversation import Message

TEXT_KINDS = frozenset({"message", "content", ""})
STATUS_KINDS = frozenset({"status", "progress", "log"})
ERROR_KIND = "error"
NOTE_KIND = "note"
KNOWN_KINDS = TEXT_KINDS | STATUS_KINDS | {ERROR_KIND, NOTE_KIND, QUESTION_KIND}

_QUIET_DELIVERIES = frozenset({Delivery.DELIVERED})


def plain_text(message: Message) -> str:
    """What Copy puts on the clipboard: Markdown as it was written."""
    if message.kind == QUESTION_KIND:
        return _question_text(read_question(message))
    if message.kind not in KNOWN_KINDS:
        return f"{unknown_kind_text(message.kind)}\n{message.content}".strip()
    return message.content


def spoken_text(message: Message) -> str:
    """One row for a screen reader: who, then what."""
    return f"{author_text(message)}: {plain_text(message)}"


def author_text(message: Message, agent: str = "") -> str:
    """Who wrote a row, for people."""
    if message.author == "user":
        return QCoreApplication.translate("Transcript", "You")
    return agent or QCoreApplication.translate("Transcript", "Agent")


def unknown_kind_text(kind: str) -> str:
    """A row this version cannot show is named, never dropped."""
    words = QCoreApplication.translate("Transcript", "A row of the kind “%1”")
    return words.replace("%1", kind)


def question_status(message: Message, row: QuestionRow, inbox: InboxViewModel) -> str:
    """The word of clarification.md, with where the answer is when that is worth saying."""
    if row.status is None:
        return row.status_word
    pending_id = message.pending_id
    if row.status is BundleStatus.PENDING:
        open_here = pending_id is not None and inbox.is_open(pending_id)
        return status_text(row.status) if open_here or not inbox.loaded else superseded_text()
    words = status_text(row.status, row.withdrawn)
    heard = None if pending_id is None else inbox.delivery(pending_id)
    delivery = heard or message.delivery
    if delivery is None or delivery in _QUIET_DELIVERIES:
        return words
    return f"{words} · {delivery_text(delivery)}"


def _question_text(row: QuestionRow) -> str:
    lines = [row.title, row.prompt] if row.title else [row.prompt]
    lines.extend(f"{'☑' if option.chosen else '☐'} {option.label}" for option in row.options)
    if row.custom_text:
        lines.append(f"“{row.custom_text}”")
    return "\n".join(lines)
