"""The Inbox as rows: open questions, then answers that nobody has collected."""

from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.models.review_words import ReviewWords
from app.text import workspace_text
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.clarification import Bundle
from backend.domain.conversation import SessionSummary
from backend.domain.review import Review
from backend.ids import PendingId

Index = QModelIndex | QPersistentModelIndex


class InboxRole(IntEnum):
    """What a row holds beside its text."""

    BUNDLE = Qt.ItemDataRole.UserRole + 1
    """The `Bundle`; None for the heading of the second section."""
    SESSION = Qt.ItemDataRole.UserRole + 2
    """The `SessionSummary` of the one who asked, when it is known."""
    UNCOLLECTED = Qt.ItemDataRole.UserRole + 3
    """Whether the row belongs to the second section."""
    REVIEW = Qt.ItemDataRole.UserRole + 4
    """The `Review` of a row that is no question."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One row; with neither bundle nor review it is the heading of the second section."""

    bundle: Bundle | None
    session: SessionSummary | None = None
    uncollected: bool = False
    review: Review | None = None

    @property
    def is_heading(self) -> bool:
        return self.bundle is None and self.review is None

    @property
    def since(self) -> tuple[int, str]:
        if self.review is not None:
            return (self.review.asked_at, self.review.review_id)
        if self.bundle is not None:
            return (self.bundle.created_at, self.bundle.pending_id)
        return (0, "")


class InboxModel(QAbstractListModel):
    """Follows an `InboxViewModel`; names of agents and projects come from the sessions."""

    def __init__(
        self,
        inbox: InboxViewModel,
        sessions: SessionsViewModel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._inbox = inbox
        self._sessions = sessions
        self._rows: list[InboxRow] = []
        self._words = ReviewWords(self)
        inbox.changed.connect(self._follow)
        sessions.changed.connect(self._follow)
        self._follow()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case InboxRole.BUNDLE:
                return row.bundle
            case InboxRole.SESSION:
                return row.session
            case InboxRole.UNCOLLECTED:
                return row.uncollected
            case InboxRole.REVIEW:
                return row.review
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self._rows[index.row()].is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def index_of(self, pending_id: PendingId) -> QModelIndex:
        """Where a bundle stands; invalid when it is in neither section."""
        for number, row in enumerate(self._rows):
            if row.bundle is not None and row.bundle.pending_id == pending_id:
                return self.index(number)
        return QModelIndex()

    def retranslate(self) -> None:
        """The language has changed: every row reads differently."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def _follow(self) -> None:
        content = self._inbox.content
        rows = [InboxRow(bundle, self._session(bundle)) for bundle in content.open]
        rows.extend(
            InboxRow(None, self._sessions.session(review.session_id), review=review)
            for review in content.reviews
        )
        rows.sort(key=lambda row: row.since)
        if content.uncollected:
            rows.append(InboxRow(None, uncollected=True))
        rows.extend(
            InboxRow(bundle, self._session(bundle), uncollected=True)
            for bundle in content.uncollected
        )
        self._move_to([_key(row) for row in rows], rows)
        for number, (new, old) in enumerate(zip(rows, self._rows, strict=True)):
            if new != old:
                self._rows[number] = new
                self.dataChanged.emit(self.index(number), self.index(number))

    def _move_to(self, keys: list[tuple[str, bool]], rows: list[InboxRow]) -> None:
        """Take out and put in single rows: what is selected and what is read stays."""
        for number in reversed(range(len(self._rows))):
            if _key(self._rows[number]) not in keys:
                self.beginRemoveRows(QModelIndex(), number, number)
                del self._rows[number]
                self.endRemoveRows()
        known = {_key(row) for row in self._rows}
        for number, row in enumerate(rows):
            if keys[number] not in known:
                self.beginInsertRows(QModelIndex(), number, number)
                self._rows.insert(number, row)
                self.endInsertRows()
        if [_key(row) for row in self._rows] != keys:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def _session(self, bundle: Bundle) -> SessionSummary | None:
        return self._sessions.session(bundle.session_id)

    def _title(self, row: InboxRow) -> str:
        if row.review is not None:
            return self._words.short(row.review)
        if row.bundle is None:
            return self.tr("Answered, not yet collected")
        first = row.bundle.questions[0].question
        return " ".join((first.title or first.prompt).split())

    def _spoken(self, row: InboxRow) -> str:
        if row.review is not None:
            return f"{self._words.what(row.review)}: {self._title(row)}"
        if row.bundle is None or row.session is None:
            return self._title(row)
        where = self.tr("question from %1 in %2").replace("%1", row.session.agent)
        where = where.replace("%2", workspace_text(row.session.workspace))
        return f"{where}: {self._title(row)}"


def _key(row: InboxRow) -> tuple[str, bool]:
    if row.review is not None:
        return (row.review.review_id, False)
    return ("" if row.bundle is None else row.bundle.pending_id, row.uncollected)
