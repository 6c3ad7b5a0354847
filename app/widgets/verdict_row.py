"""Two groups of buttons beside each other, or below each other where they do not fit."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.theme import Theme

_BESIDE = QBoxLayout.Direction.LeftToRight
_BELOW = QBoxLayout.Direction.TopToBottom


class VerdictRow(QWidget):
    """No button is narrower than its words (window.md: 800 x 600 at 200 %)."""

    def __init__(
        self, theme: Theme, first: Sequence[QPushButton], second: Sequence[QPushButton]
    ) -> None:
        super().__init__()
        self._gap = theme.pixels(8)
        self._groups = (tuple(first), tuple(second))
        self._parts = (QBoxLayout(_BESIDE), QBoxLayout(_BESIDE))
        self._whole = QBoxLayout(_BESIDE)
        for part, group in zip(self._parts, self._groups, strict=True):
            part.setSpacing(self._gap)
            for button in group:
                part.addWidget(button)
        self._whole.setSpacing(self._gap)
        self._whole.addLayout(self._parts[0])
        self._whole.addStretch(1)
        self._whole.addLayout(self._parts[1])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._whole)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def natural_width(self) -> int:
        """What all of them need beside each other."""
        first, second = self._shown()
        between = self._gap if first and second else 0
        return _wide(first, self._gap) + between + _wide(second, self._gap)

    def arrange(self) -> None:
        """Its buttons are others or read otherwise."""
        self._place(self.width())
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """A widget with a layout is asked for it in vain: the hints go by the width it has."""
        return False

    def _height(self, width: int) -> int:
        below, stacked = self._fit(width)
        heights = [
            _tall(group, self._gap, below=each)
            for group, each in zip(self._shown(), stacked, strict=True)
            if group
        ]
        if not heights:
            return 0
        return sum(heights) + self._gap * (len(heights) - 1) if below else max(heights)

    def sizeHint(self) -> QSize:
        return QSize(self.natural_width, self._height(max(self.width(), 80)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height(max(self.width(), 80)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.arrange()

    def _place(self, width: int) -> None:
        below, stacked = self._fit(width)
        self._whole.setDirection(_BELOW if below else _BESIDE)
        for part, each in zip(self._parts, stacked, strict=True):
            part.setDirection(_BELOW if each else _BESIDE)

    def _fit(self, width: int) -> tuple[bool, tuple[bool, bool]]:
        """Whether the groups stand below each other, and whether the buttons of each do."""
        below = self.natural_width > width
        first, second = self._shown()
        return below, (
            below and _wide(first, self._gap) > width,
            below and _wide(second, self._gap) > width,
        )

    def _shown(self) -> tuple[list[QPushButton], list[QPushButton]]:
        first, second = self._groups
        return (
            [each for each in first if not _put_away(each)],
            [each for each in second if not _put_away(each)],
        )


def _put_away(button: QPushButton) -> bool:
    """Qt calls hidden what was not shown yet as well."""
    return button.isHidden() and button.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def _wide(group: Sequence[QPushButton], gap: int) -> int:
    return sum(each.sizeHint().width() for each in group) + gap * max(0, len(group) - 1)


def _tall(group: Sequence[QPushButton], gap: int, *, below: bool) -> int:
    heights = [max(each.sizeHint().height(), each.minimumHeight()) for each in group]
    return sum(heights) + gap * (len(heights) - 1) if below else max(heights)
