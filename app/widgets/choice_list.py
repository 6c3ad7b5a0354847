"""The options of one question: one to choose, or several to tick."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.plain_text import breakable
from app.resources import Icon
from app.theme import Theme
from backend.domain.clarification import Option, Question
from backend.ids import OptionId

_INDICATOR: Final = 18
_RADIUS: Final = 8
_ARROWS: Final = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right})

if TYPE_CHECKING:
    _Button = QAbstractButton
else:
    _Button = object


class _OptionRow(_Button):
    """What radio and tick rows share; mixed in before the Qt class that gives them their role."""

    def dress(self, option: Option, number: int, theme: Theme) -> None:
        """Fill a fresh button; call once."""
        self.option = option
        self._theme = theme
        self._label = QLabel(breakable(option.label))
        self._description = QLabel(breakable(option.description))
        self._number = QLabel(str(number))
        for part in (self._label, self._description, self._number):
            part.setTextFormat(Qt.TextFormat.PlainText)
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        for part in (self._label, self._description):
            part.setWordWrap(True)
        self._description.setProperty("role", "small")
        self._description.setVisible(bool(option.description))
        self._number.setProperty("role", "key")
        self._number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setObjectName(f"optionButton_{number}")
        self.setAccessibleName(option.label)
        self.setAccessibleDescription(option.description)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._arrange()

    def _arrange(self) -> None:
        px = self._theme.pixels
        words = QVBoxLayout()
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(px(2))
        words.addStretch(1)
        words.addWidget(self._label)
        words.addWidget(self._description)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(px(12), px(7), px(8), px(7))
        row.setSpacing(px(8))
        row.addSpacing(px(_INDICATOR + 8))
        row.addLayout(words, 1)
        row.addWidget(self._number, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_chosen(self, *, chosen: bool) -> None:
        """Follow the sheet; Qt would keep the last radio of a group checked for ever."""
        exclusive = self.autoExclusive()
        self.setAutoExclusive(False)
        self.setChecked(chosen)
        self.setAutoExclusive(exclusive)

    def show_for(self, *, touch: bool) -> None:
        """Large enough for fingers, with the key to press only where there are keys."""
        theme = self._theme
        self.setMinimumHeight(theme.touch_pixels if touch else theme.pixels(36))
        self._number.setVisible(not touch)

    def nextCheckState(self) -> None:
        """The sheet decides what is chosen, never the click itself."""

    def hitButton(self, position: object) -> bool:  # noqa: ARG002 - Qt's signature
        return True

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.totalSizeHint() if layout is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return layout.totalMinimumSize() if layout is not None else super().minimumSizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ARROWS:
            event.ignore()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in {QEvent.Type.EnabledChange, QEvent.Type.FontChange}:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - painted whole
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        px = self._theme.pixels
        side = px(_INDICATOR)
        colour = "accent" if self.isChecked() else "text_muted"
        if not self.isEnabled():
            colour = "text_disabled"
        left = px(12)
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            left = self.width() - left - side
        icon = self._theme.icon(self._indicator(), colour)
        icon.paint(painter, left, (self.height() - side) // 2, side, side)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        colours = self._theme.colours
        ground, edge, width = colours.surface, colours.hairline, 1.0
        if self.isDown():
            ground = colours.selected
        elif self.isChecked():
            ground, edge = colours.accent_soft, colours.accent
        elif self.underMouse() and self.isEnabled():
            ground, edge = colours.hover, colours.field_border
        if self.hasFocus():
            edge, width = colours.accent, 2.0
        painter.setPen(QPen(QColor(edge), width))
        painter.setBrush(QColor(ground))
        inset = width / 2
        radius = self._theme.pixels(_RADIUS)
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(box, radius, radius)

    def _indicator(self) -> Icon:
        if isinstance(self, QCheckBox):
            return Icon.BOX_TICKED if self.isChecked() else Icon.BOX_EMPTY
        return Icon.RADIO_ON if self.isChecked() else Icon.RADIO_OFF


class RadioOption(_OptionRow, QRadioButton):
    """One of several, of which one is chosen."""


class TickOption(_OptionRow, QCheckBox):
    """One of several, of which any number is ticked."""


class ChoiceList(QWidget):
    """The options in a column. `chosen` tells which row was activated; the sheet decides."""

    chosen = Signal(object)

    def __init__(self, question: Question, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.pixels(6))
        self.rows: list[RadioOption | TickOption] = []
        self._selected: tuple[OptionId, ...] = ()
        self._showing = False
        for number, option in enumerate(question.options, start=1):
            row = TickOption() if question.multi_select else RadioOption()
            row.dress(option, number, theme)
            row.clicked.connect(lambda _=False, row=row: self.chosen.emit(row))
            row.toggled.connect(lambda on, row=row: self._toggled(row, on=on))
            self._column.addWidget(row)
            self.rows.append(row)

    def show_selected(self, selected: tuple[OptionId, ...]) -> None:
        self._selected, self._showing = selected, True
        for row in self.rows:
            row.show_chosen(chosen=row.option.id in selected)
        self._showing = False

    def show_for(self, *, touch: bool) -> None:
        for row in self.rows:
            row.show_for(touch=touch)

    def _toggled(self, row: RadioOption | TickOption, *, on: bool) -> None:
        """An assistive tool toggles without a click: take it back, and let the sheet decide."""
        if self._showing or not (on or isinstance(row, TickOption)):
            return
        self.show_selected(self._selected)
        self.chosen.emit(row)

    def step_focus(self, step: int) -> bool:
        """Move the keyboard to a neighbouring row; False when there is none."""
        focused = next((i for i, row in enumerate(self.rows) if row.hasFocus()), None)
        wanted = 0 if focused is None else focused + step
        if not 0 <= wanted < len(self.rows):
            return False
        self.rows[wanted].setFocus(Qt.FocusReason.TabFocusReason)
        return True
