"""What the two lists of the side pane share: the ground of a row and a line that fits."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from app.resources import Icon, pixmap
from app.theme import Theme


class RowPainter:
    """Draws one row of the side pane in the theme's sizes and colours."""

    def __init__(self, painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> None:
        self._painter = painter
        self._theme = theme
        self._right_to_left = option.direction is Qt.LayoutDirection.RightToLeft
        self.rect: QRect = option.rect
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(option.state)

    def text(
        self,
        rect: QRect,
        words: str,
        font: QFont,
        colour: str,
        *,
        at_end: bool = False,
    ) -> int:
        """One line, shortened to fit; the width it took."""
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
        side = Qt.AlignmentFlag.AlignRight if at_end else Qt.AlignmentFlag.AlignLeft
        self._painter.setFont(font)
        self._painter.setPen(QColor(getattr(self._theme.colours, colour)))
        self._painter.drawText(
            self.mirrored(rect), self._side(side) | Qt.AlignmentFlag.AlignVCenter, shown
        )
        return metrics.horizontalAdvance(shown)

    def icon(self, rect: QRect, which: Icon, colour: str) -> None:
        ratio = self._painter.device().devicePixelRatio()
        picture = pixmap(which, getattr(self._theme.colours, colour), rect.width(), ratio)
        self._painter.drawPixmap(self.mirrored(rect).topLeft(), picture)

    def badge(self, right: int, middle: int, count: int) -> int:
        """The amber count that means "needs you"; the width it took."""
        font = self._theme.font(12, semibold=True)
        words = str(count) if count < 1000 else "999+"
        height = self._theme.pixels(18)
        width = max(height, QFontMetrics(font).horizontalAdvance(words) + self._theme.pixels(10))
        rect = self.mirrored(QRect(right - width, middle - height // 2, width, height))
        colours = self._theme.colours
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(colours.attention_badge))
        self._painter.drawRoundedRect(rect, height / 2, height / 2)
        self._painter.setFont(font)
        self._painter.setPen(QColor(colours.on_attention_badge))
        self._painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)
        return width

    def dot(self, centre_x: int, middle: int, colour: str) -> None:
        side = self._theme.pixels(8)
        rect = self.mirrored(QRect(centre_x - side // 2, middle - side // 2, side, side))
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(getattr(self._theme.colours, colour)))
        self._painter.drawEllipse(rect)

    def mirrored(self, rect: QRect) -> QRect:
        """`rect` as it lies in a right-to-left layout."""
        if not self._right_to_left:
            return rect
        left = self.rect.left() + self.rect.right() - rect.right()
        return QRect(left, rect.top(), rect.width(), rect.height())

    def _side(self, alignment: Qt.AlignmentFlag) -> Qt.AlignmentFlag:
        if not self._right_to_left:
            return alignment | Qt.AlignmentFlag.AlignAbsolute
        swapped = (
            Qt.AlignmentFlag.AlignLeft
            if alignment is Qt.AlignmentFlag.AlignRight
            else Qt.AlignmentFlag.AlignRight
        )
        return swapped | Qt.AlignmentFlag.AlignAbsolute

    def _ground(self, state: QStyle.StateFlag) -> None:
        colours = self._theme.colours
        margin = self._theme.pixels(8)
        around = QRectF(self.rect).adjusted(margin, 1, -margin, -1)
        radius = self._theme.pixels(8)
        self._painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            self._painter.setBrush(QColor(colours.selected))
            self._painter.drawRoundedRect(around, radius, radius)
        elif state & QStyle.StateFlag.State_MouseOver and state & QStyle.StateFlag.State_Enabled:
            self._painter.setBrush(QColor(colours.hover))
            self._painter.drawRoundedRect(around, radius, radius)
        by_key = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        if state & by_key == by_key:
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            self._painter.setPen(QPen(QColor(colours.accent), 2))
            self._painter.drawRoundedRect(around.adjusted(1, 1, -1, -1), radius, radius)
