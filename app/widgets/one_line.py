"""The beginning of a text in one line, as much as there is room for."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel

from app.plain_text import plain_tip


class OneLine(QLabel):
    """Elided at its end; the whole text is its tool tip and what a screen reader says."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._whole = ""

    def show_text(self, text: str) -> None:
        self._whole = " ".join(text.split())
        self.setToolTip(plain_tip(text))
        self.setAccessibleName(self._whole)
        self._elide()

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(200, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._elide()

    def _elide(self) -> None:
        right = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(self._whole, right, self.width()))
