"""The session list as rows: a heading for each workspace and one for Quick Chats, its sessions
below.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.kept_text import kept_text
from app.plain_text import plain_tip
from app.session_text import session_text
from app.text import session_title, workspace_text
from app.timers import WindowTimer
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.conversation import SessionSummary
from backend.domain.hosted import Conversation
from backend.ids import SessionId

Index = QModelIndex | QPersistentModelIndex


class SessionRole(IntEnum):
    """What a row holds beside its text."""

    SESSION = Qt.ItemDataRole.UserRole + 1
    """The `SessionSummary`; None for a heading."""
    WORKSPACE = Qt.ItemDataRole.UserRole + 2
    """The folder a heading stands for."""
    QUICK_CHATS = Qt.ItemDataRole.UserRole + 3
    """Whether a heading stands for the Quick Chats."""
    CONVERSATION = Qt.ItemDataRole.UserRole + 4
    """The `Conversation` of a session this desk hosts, as far as it is known."""


@dataclass(frozen=True, slots=True)
class _Row:
    workspace: str
    session: SessionSummary | None = None
    conversation: Conversation | None = None
    quick_chats: bool = False

    @property
    def key(self) -> str:
        if self.session is not None:
            return self.session.session_id
        return "quick chats" if self.quick_chats else f"folder {self.workspace}"


class SessionListModel(QAbstractListModel):
    """Follows a `SessionsViewModel`, a turn of the loop later; rows that stay are not rebuilt."""

    def __init__(
        self,
        sessions: SessionsViewModel,
        conversations: ConversationsViewModel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._conversations = conversations
        self._rows: list[_Row] = []
        # A burst of asks changes many lines at once: one look at them all, a turn later.
        self._soon = WindowTimer(self, self._follow)
        sessions.changed.connect(self._soon.start)
        conversations.changed.connect(lambda _: self._soon.start())
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
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(_tip(row)) or None
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case SessionRole.SESSION:
                return row.session
            case SessionRole.WORKSPACE:
                return row.workspace
            case SessionRole.QUICK_CHATS:
                return row.quick_chats
            case SessionRole.CONVERSATION:
                return row.conversation
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self._rows[index.row()].session is None:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def index_of(self, session_id: SessionId) -> QModelIndex:
        """Where a session stands; invalid when it is not in the list."""
        for number, row in enumerate(self._rows):
            if row.session is not None and row.session.session_id == session_id:
                return self.index(number)
        return QModelIndex()

    def retranslate(self) -> None:
        """The language has changed: every row reads differently."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def _follow(self) -> None:
        rows = [
            row
            for group in self._sessions.groups()
            for row in (
                _Row(group.workspace, quick_chats=group.quick_chats),
                *(self._row(group.workspace, session) for session in group.sessions),
            )
        ]
        if [row.key for row in rows] != [row.key for row in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        for number, (new, old) in enumerate(zip(rows, self._rows, strict=True)):
            if new != old:
                self._rows[number] = new
                self.dataChanged.emit(self.index(number), self.index(number))

    def _row(self, workspace: str, session: SessionSummary) -> _Row:
        return _Row(workspace, session, self._conversations.get(session.session_id))

    def _title(self, row: _Row) -> str:
        if row.quick_chats:
            return self.tr("Quick Chats")
        if row.session is None:
            return workspace_text(row.workspace)
        return session_title(row.session.title, row.session.agent)

    def _spoken(self, row: _Row) -> str:
        if row.quick_chats:
            return self._title(row)
        if row.session is None:
            return self.tr("Project %1").replace("%1", self._title(row))
        parts = [self._title(row), row.session.agent, session_text(row.session, row.conversation)]
        if row.session.pending_questions:
            parts.append(self.tr("%n question(s) for you", "", row.session.pending_questions))
        if row.session.pending_permissions:
            parts.append(self.tr("%n permission(s) for you", "", row.session.pending_permissions))
        if row.session.waiting_answers:
            parts.append(self.tr("%n answer(s) not collected", "", row.session.waiting_answers))
        parts.append(kept_text(row.session))
        return _SEPARATOR.join(part for part in dict.fromkeys(parts) if part)


def _tip(row: _Row) -> str:
    return row.workspace if row.session is None else kept_text(row.session) or row.workspace


_SEPARATOR: Final = ", "
