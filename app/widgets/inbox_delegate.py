"""Paints the Inbox: what is asked, by whom, where and since when."""

from typing import Final

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.models.inbox_model import InboxRole
from app.models.review_words import ReviewWords
from app.resources import Icon
from app.text import age_text, workspace_text
from app.theme import Theme
from app.widgets.list_painting import RowPainter
from backend.domain.clarification import Bundle
from backend.domain.conversation import SessionSummary
from backend.domain.review import Review

Index = QModelIndex | QPersistentModelIndex
_SOON: Final = 15 * 60 * 1_000_000_000
"""Nanoseconds before it expires from which on that is told rather than its age."""


class InboxDelegate(QStyledItemDelegate):
    """`now` is the moment ages are counted from; the view sets it."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ReviewWords(self)
        self.now = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        heading = not any(index.data(role) for role in (InboxRole.BUNDLE, InboxRole.REVIEW))
        return QSize(self._theme.pixels(160), self._theme.pixels(32 if heading else 50))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        row = RowPainter(painter, option, self._theme)
        title = str(index.data(Qt.ItemDataRole.DisplayRole))
        bundle = index.data(InboxRole.BUNDLE)
        review = index.data(InboxRole.REVIEW)
        if isinstance(bundle, Bundle):
            stored = bool(index.data(InboxRole.UNCOLLECTED))
            icon = Icon.DETACHED if bundle.detached else Icon.QUESTION
            icon = Icon.WAITING if stored else icon
            self._paint_ask(row, index, title, icon=icon, since=bundle.created_at)
        elif isinstance(review, Review):
            soon = self._expires_soon(review)
            self._paint_ask(
                row, index, title, icon=Icon.PERMISSION, since=review.asked_at, soon=soon
            )
        else:
            px = self._theme.pixels
            words = row.rect.adjusted(px(18), px(8), -px(18), 0)
            row.text(words, title, self._theme.font(12, semibold=True), "text_muted")
        painter.restore()

    def _expires_soon(self, review: Review) -> str:
        """How long it can still be decided, once that is short."""
        if review.expires_at is None or review.expires_at - self.now > _SOON:
            return ""
        return self._words.expiry(review, self.now)

    def _paint_ask(
        self, row: RowPainter, index: Index, title: str, *, icon: Icon, since: int, soon: str = ""
    ) -> None:
        px = self._theme.pixels
        stored = bool(index.data(InboxRole.UNCOLLECTED))
        side = px(16)
        top = row.rect.top() + px(6)
        row.icon(
            QRect(row.rect.left() + px(17), top + px(2), side, side),
            icon,
            "text_muted" if stored else "attention",
        )
        left, right = row.rect.left() + px(38), row.rect.right() - px(18)
        row.text(
            QRect(left, top, right - left, px(19)),
            title,
            self._theme.font(13, semibold=not stored),
            "text",
        )
        second = QRect(left, top + px(19), right - left, px(18))
        small = self._theme.font(12)
        age = soon or age_text(since, self.now)
        width = row.text(second, age, small, "attention" if soon else "text_muted", at_end=True)
        second.setRight(right - width - px(8))
        row.text(second, _where(index), small, "text_muted")


def _where(index: Index) -> str:
    session = index.data(InboxRole.SESSION)
    if not isinstance(session, SessionSummary):
        return ""
    return " · ".join(part for part in (workspace_text(session.workspace), session.agent) if part)
