"""A list to choose from and a switch, with marks in the theme's icons and colours.

A style sheet can draw a frame in the theme's colours, but a mark only from a file.
"""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QStyle, QStyleOptionButton, QWidget

from app.resources import Icon, pixmap
from app.theme import Theme


class ChoiceBox(QComboBox):
    """A combo box with the program's own arrow."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        px, colours = self._theme.pixels, self._theme.colours
        side = px(16)
        left = self.width() - side - px(6)
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            left = px(6)
        place = QRect(left, (self.height() - side) // 2, side, side)
        colour = colours.text_muted if self.isEnabled() else colours.text_disabled
        _draw(self, Icon.EXPAND, colour, place)


class SwitchBox(QCheckBox):
    """A check box whose mark is a check."""

    def __init__(self, theme: Theme, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self.setProperty("role", "switch")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        # What the style gives lies where it is drawn, in either direction of writing.
        box = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        side = self._theme.pixels(12)
        place = QRect(0, 0, side, side)
        place.moveCenter(box.center())
        colours = self._theme.colours
        _draw(self, Icon.CHECK, colours.on_accent if self.isEnabled() else colours.surface, place)


def _draw(widget: QWidget, which: Icon, colour: str, place: QRect) -> None:
    picture = pixmap(which, colour, place.width(), widget.devicePixelRatio())
    painter = QPainter(widget)
    painter.drawPixmap(place.topLeft(), picture)
    painter.end()
