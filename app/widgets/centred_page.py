"""A page that says one thing in the middle of the centre; it scrolls in a small window."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.theme import Theme

_WIDTH: Final = 560


class CentredPage(QScrollArea):
    """Fill `column` from top to bottom; `add_buttons` ends it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._px = theme.pixels
        self.column = QVBoxLayout()
        self.column.setSpacing(self._px(8))
        inner = QWidget()
        inner.setLayout(self.column)
        inner.setMaximumWidth(self._px(_WIDTH))
        page = QWidget()
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(inner, 100)
        row.addStretch(1)
        outer = QVBoxLayout(page)
        outer.setContentsMargins(*[self._px(24)] * 4)
        outer.addStretch(1)
        outer.addLayout(row)
        outer.addStretch(2)
        self.setWidget(page)

    def add_buttons(self, *buttons: QPushButton) -> None:
        """A last row of buttons, large enough for fingers whatever the pointer."""
        row = QHBoxLayout()
        row.setSpacing(self._px(8))
        for button in buttons:
            button.setProperty("target", "large")
            row.addWidget(button)
        row.addStretch(1)
        self.column.addSpacing(self._px(12))
        self.column.addLayout(row)


def page_label(role: str = "") -> QLabel:
    """A label of such a page: plain text that wraps."""
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    return label
