"""What is to be allowed, to be read: it scrolls, and tells when its end has been in sight."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QPaintEvent,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.models.review_content import Mark, Piece
from app.theme import Theme

_LEAST_LINES: Final = 3
_MOST: Final = 2_000
"""Pixels of height that are worth asking for; whoever places it gives less."""


class ReviewText(QPlainTextEdit):
    """`end_seen` each time its end is painted inside it, so that a human can have read it."""

    end_seen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reviewText")
        self._theme = theme
        self._pieces: Sequence[Piece] = ()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_pieces(self, pieces: Sequence[Piece], *, keep_place: bool = False) -> None:
        """Show this from its beginning, or go on where the human reads."""
        place = self.verticalScrollBar().value() if keep_place else 0
        self._pieces = pieces
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for piece in pieces:
            cursor.insertText(self._words(piece), self._format(piece.mark))
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(place)
        self.updateGeometry()

    @property
    def complete(self) -> bool:
        """Nothing is left out of what is shown."""
        return all(piece.mark is not Mark.MORE for piece in self._pieces)

    @property
    def end_in_sight(self) -> bool:
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        place = self.cursorRect(end)
        return place.top() >= 0 and place.bottom() <= self.viewport().height()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._pieces and self.complete and self.end_in_sight:
            self.end_seen.emit()

    def sizeHint(self) -> QSize:
        """As tall as its lines, wrapped as they are now."""
        tall, most = 0.0, self._theme.pixels(_MOST)
        layout, block = self.document().documentLayout(), self.document().firstBlock()
        while block.isValid() and tall < most:
            tall += layout.blockBoundingRect(block).height()
            block = block.next()
        least = self.fontMetrics().lineSpacing()
        return QSize(self._theme.pixels(200), self._around + max(round(tall), least))

    def minimumSizeHint(self) -> QSize:
        """A few lines, or fewer where there are no more: else it would take the buttons' room."""
        lines = self._around + _LEAST_LINES * self.fontMetrics().lineSpacing()
        return QSize(self._theme.pixels(80), min(lines, self.sizeHint().height()))

    def natural_height(self) -> int:
        return self.sizeHint().height()

    @property
    def _around(self) -> int:
        margin = round(2 * self.document().documentMargin()) + 2 * self.frameWidth()
        return margin + self._theme.pixels(6)

    def _words(self, piece: Piece) -> str:
        match piece.mark:
            case Mark.BLANK_LINES:
                return self.tr("⋮ %n blank line(s)", "", piece.count)
            case Mark.SPACES:
                return self.tr("⟨%n space(s)⟩", "", piece.count)
            case Mark.MORE:
                return "\n" + self.tr("… %n more character(s)", "", piece.count)
            case Mark.ODD:
                return f"⟨{piece.text}⟩"
            case _:
                return piece.text

    def _format(self, mark: Mark) -> QTextCharFormat:
        colours, shown = self._theme.colours, QTextCharFormat()
        match mark:
            case Mark.ADDED:
                shown.setBackground(QColor(colours.added_soft))
            case Mark.REMOVED:
                shown.setBackground(QColor(colours.removed_soft))
            case Mark.HEADING:
                shown.setForeground(QColor(colours.text_muted))
            case Mark.BLANK_LINES | Mark.SPACES | Mark.MORE | Mark.ODD:
                shown.setForeground(QColor(colours.text))
                shown.setBackground(QColor(colours.attention_soft))
            case Mark.PLAIN:
                pass
        return shown

    def _restyle(self) -> None:
        self.setFont(self._theme.fixed_font(12))
        self.show_pieces(self._pieces, keep_place=True)
