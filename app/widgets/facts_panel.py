"""Everything of one fact: names and values, plain and to be selected, and what can be done."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.plain_text import breakable
from app.theme import Theme
from app.widgets.result_view import ResultView

Line = tuple[str, str]
"""A name and what it is; empty values are not shown."""


class FactsPanel(QFrame):
    """`below` is filled by whoever owns it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("role", "card")
        self._theme = theme
        self._heading = QLabel()
        self._heading.setObjectName(f"{name}Heading")
        self._heading.setProperty("role", "strong")
        self._heading.setWordWrap(True)
        self._heading.setTextFormat(Qt.TextFormat.PlainText)
        self._heading.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._names: list[QLabel] = []
        self._values: list[QLabel] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.pixels(16))
        self._grid.setVerticalSpacing(theme.pixels(4))
        self._grid.setColumnStretch(1, 1)
        self.result = ResultView(theme, f"{name}Result")
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.pixels(8))
        self.below = QVBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.pixels(n) for n in (16, 12, 16, 12)))
        column.setSpacing(theme.pixels(8))
        column.addWidget(self._heading)
        column.addLayout(self._grid)
        column.addWidget(self.result)
        column.addLayout(self._buttons)
        column.addLayout(self.below)

    def show_lines(self, heading: str, lines: Sequence[Line]) -> None:
        self._heading.setText(breakable(heading))
        self._heading.setAccessibleName(heading)
        told = [(name, value) for name, value in lines if value]
        while len(self._names) < len(told):
            self._add_line()
        for number, (name, value) in enumerate(zip(self._names, self._values, strict=True)):
            used = number < len(told)
            name.setVisible(used)
            value.setVisible(used)
            if used:
                name.setText(told[number][0])
                value.setText(breakable(told[number][1]))
                value.setAccessibleName(f"{told[number][0]}: {told[number][1]}")

    def add_actions(self, *buttons: QWidget) -> None:
        for button in buttons:
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)

    @property
    def lines(self) -> dict[str, str]:
        """What is shown, by its names."""
        return {
            name.text(): value.text()
            for name, value in zip(self._names, self._values, strict=True)
            if not name.isHidden()
        }

    def _add_line(self) -> None:
        name, value = QLabel(), QLabel()
        name.setProperty("role", "small")
        name.setAlignment(Qt.AlignmentFlag.AlignTop)
        for label in (name, value):
            label.setTextFormat(Qt.TextFormat.PlainText)
        value.setWordWrap(True)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = len(self._names)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(value, row, 1)
        self._names.append(name)
        self._values.append(value)
