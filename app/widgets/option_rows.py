"""The agent's own options, one below the other; they scroll where there is too little height."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.wordy_button import WordyButton


class OptionRows(QScrollArea):
    """As tall as its buttons where it may be; a part of the second shows that there is more."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self._rows = QVBoxLayout(inside)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(theme.pixels(6))
        self.setWidget(inside)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.hide()

    def add(self, button: WordyButton) -> None:
        self._rows.addWidget(button)
        self.show()

    def remove(self, button: WordyButton) -> None:
        self._rows.removeWidget(button)
        button.hide()
        button.deleteLater()
        self.setVisible(self._rows.count() > 0)

    def slack(self, width: int) -> int:
        """How much less height than all of them need it can do with."""
        return 0 if self.isHidden() else max(0, self.heightForWidth(width) - self._least(width))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._rows.heightForWidth(width)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.pixels(200), self.heightForWidth(max(self.width(), 80)))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.pixels(80), self._least(max(self.width(), 80)))

    def _least(self, width: int) -> int:
        """The first whole, and half of the next."""
        heights = [
            item.heightForWidth(width)
            for number in range(min(self._rows.count(), 2))
            if (item := self._rows.itemAt(number)) is not None
        ]
        if len(heights) < 2:
            return sum(heights)
        return heights[0] + self._rows.spacing() + heights[1] // 2
