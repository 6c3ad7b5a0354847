"""Paints the session list: a quiet heading for each project, two lines for each session."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.models.session_list_model import SessionRole
from app.resources import Icon
from app.session_text import ended_badly, session_text
from app.text import age_text
from app.theme import Theme
from app.widgets.list_painting import RowPainter
from backend.domain.conversation import SessionState, SessionSummary
from backend.domain.hosted import Conversation

Index = QModelIndex | QPersistentModelIndex

_DOTS = {
    SessionState.STARTING: "accent",
    SessionState.RUNNING: "accent",
}


class SessionDelegate(QStyledItemDelegate):
    """`now` is the moment ages are counted from; the view sets it."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.now = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        heading = index.data(SessionRole.SESSION) is None
        return QSize(self._theme.pixels(160), self._theme.pixels(34 if heading else 50))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        row = RowPainter(painter, option, self._theme)
        session = index.data(SessionRole.SESSION)
        title = str(index.data(Qt.ItemDataRole.DisplayRole))
        if isinstance(session, SessionSummary):
            known = index.data(SessionRole.CONVERSATION)
            conversation = known if isinstance(known, Conversation) else None
            self._paint_session(row, session, conversation, title)
        else:
            quick = index.data(SessionRole.QUICK_CHATS) is True
            self._paint_heading(row, title, Icon.QUICK_CHAT if quick else Icon.FOLDER)
        painter.restore()

    def _paint_heading(self, row: RowPainter, title: str, icon: Icon) -> None:
        px = self._theme.pixels
        bottom = row.rect.bottom()
        side = px(14)
        middle = bottom - px(12)
        row.icon(
            QRect(row.rect.left() + px(18), middle - side // 2, side, side),
            icon,
            "text_muted",
        )
        words = QRect(row.rect.left() + px(38), middle - px(10), row.rect.width() - px(56), px(20))
        row.text(words, title, self._theme.font(12, semibold=True), "text_muted")

    def _paint_session(
        self,
        row: RowPainter,
        session: SessionSummary,
        conversation: Conversation | None,
        title: str,
    ) -> None:
        px = self._theme.pixels
        left, right = row.rect.left() + px(38), row.rect.right() - px(18)
        top = row.rect.top() + px(6)
        self._paint_dot(row, session, ended=ended_badly(session, conversation))
        first = QRect(left, top, right - left, px(19))
        if session.needs_human:
            width = row.badge(right, first.center().y(), session.needs_human)
            first.setRight(right - width - px(8))
        row.text(first, title, self._theme.font(13), "text")
        second = QRect(left, top + px(19), right - left, px(18))
        small = self._theme.font(12)
        age = age_text(session.updated_at, self.now)
        width = row.text(second, age, small, "text_muted", at_end=True)
        second.setRight(right - width - px(8))
        if session.pinned:
            side = px(12)
            place = QRect(second.right() - side, second.center().y() - side // 2, side, side)
            row.icon(place, Icon.PIN, "text_muted")
            second.setRight(place.left() - px(6))
        state = session_text(session, conversation)
        parts = [part for part in (session.agent, state) if part not in ("", title)]
        if session.needs_human:
            # Where both do not fit, what is wanted of the human is worth more.
            parts.reverse()
        words = " · ".join(parts)
        row.text(second, words, small, "text_muted")

    def _paint_dot(self, row: RowPainter, session: SessionSummary, *, ended: bool) -> None:
        colour = "danger" if ended else _DOTS.get(session.state, "")
        if session.needs_human:
            colour = "attention_badge"
        if colour:
            px = self._theme.pixels
            row.dot(row.rect.left() + px(25), row.rect.top() + px(16), colour)
