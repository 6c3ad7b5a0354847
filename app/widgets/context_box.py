"""What the agent says to all its questions, shown once and not longer than need be."""

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.markdown_view import MarkdownView

_LINES: Final = 4
_ANY_HEIGHT: Final = 16_777_215


class ContextBox(QFrame):
    """Shows the first lines, and all of it when asked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._whole = False
        self._lines = _LINES
        self.setObjectName("questionContext")
        self.setProperty("role", "context")
        self._text = MarkdownView()
        self._text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._more = QPushButton()
        self._more.setObjectName("wholeContext")
        self._more.setProperty("role", "link")
        self._more.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._more.clicked.connect(self._toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.pixels(n) for n in (12, 8, 12, 8)))
        column.setSpacing(theme.pixels(4))
        column.addWidget(self._text)
        column.addWidget(self._more)
        self._clamp()
        self.hide()

    def show_context(self, text: str) -> None:
        self._whole = False
        self._text.set_markdown(text.strip())
        self.setVisible(bool(text.strip()))
        self._clamp()

    def set_lines(self, lines: int) -> None:
        """How many lines are shown before "Show all"; 0 for none."""
        if lines != self._lines:
            self._lines = lines
            self._clamp()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._clamp()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._clamp()
        super().changeEvent(event)

    def _toggle(self) -> None:
        self._whole = not self._whole
        self._clamp()

    def _clamp(self) -> None:
        inner = self.width() - 2 * self._theme.pixels(12)
        natural = self._text.heightForWidth(max(inner, 80))
        least = round(self._lines * self._text.fontMetrics().lineSpacing() * 1.45)
        long = natural > least * 1.3 + 4
        self._text.setVisible(self._whole or not long or self._lines > 0)
        self._text.setMaximumHeight(least if long and not self._whole else _ANY_HEIGHT)
        self._text.setAccessibleName(self.tr("Context"))
        self._more.setVisible(long)
        if self._whole:
            self._more.setText(self.tr("Show less"))
        else:
            self._more.setText(self.tr("Show all") if self._lines else self.tr("Show context"))
        self.updateGeometry()
