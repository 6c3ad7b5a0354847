"""The rows of one session's transcript for a list view."""

from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.models.message_text import STATUS_KINDS, opens, plain_text, spoken_text
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.transcript import TranscriptViewModel
from backend.domain.conversation import Message
from backend.ids import PendingId

Index = QModelIndex | QPersistentModelIndex


class TranscriptRole(IntEnum):
    """What a row holds beside its text."""

    MESSAGE = Qt.ItemDataRole.UserRole + 1
    FIRST_OF_AUTHOR = Qt.ItemDataRole.UserRole + 2
    """Whether what stands before it is of another author, so that the name is worth showing."""


class TranscriptModel(QAbstractListModel):
    """Holds the rows a `TranscriptViewModel` tells; the Inbox knows which questions are open."""

    def __init__(
        self,
        transcript: TranscriptViewModel,
        inbox: InboxViewModel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._inbox = inbox
        self._rows: list[Message] = list(transcript.rows)
        transcript.reset.connect(self._reset)
        transcript.inserted.connect(self._insert)
        transcript.changed.connect(self._change)
        transcript.removed.connect(self._remove)
        inbox.bundle_changed.connect(self._refresh_question)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        message = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return plain_text(message)
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken_text(message)
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return self.tr("Enter opens or closes it.") if opens(message) else ""
            case TranscriptRole.MESSAGE:
                return message
            case TranscriptRole.FIRST_OF_AUTHOR:
                return self.is_first_of_author(index.row())
            case _:
                return None

    def message(self, row: int) -> Message:
        return self._rows[row]

    def retranslate(self) -> None:
        """The language has changed: every row reads differently."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def is_first_of_author(self, row: int) -> bool:
        """What stands before it is of another author; a status between two rows is nobody's."""
        author = self._rows[row].author
        for before in range(row - 1, -1, -1):
            if self._rows[before].kind not in STATUS_KINDS:
                return self._rows[before].author != author
        return True

    def _reset(self) -> None:
        self.beginResetModel()
        self._rows = list(self._transcript.rows)
        self.endResetModel()

    def _insert(self, index: int, messages: tuple[Message, ...]) -> None:
        self.beginInsertRows(QModelIndex(), index, index + len(messages) - 1)
        self._rows[index:index] = messages
        self.endInsertRows()

    def _change(self, index: int, message: Message) -> None:
        self._rows[index] = message
        self.dataChanged.emit(self.index(index), self.index(index))

    def _remove(self, index: int, count: int) -> None:
        self.beginRemoveRows(QModelIndex(), index, index + count - 1)
        del self._rows[index : index + count]
        self.endRemoveRows()

    def _refresh_question(self, pending_id: PendingId) -> None:
        for number, message in enumerate(self._rows):
            if message.pending_id == pending_id:
                self.dataChanged.emit(self.index(number), self.index(number))
