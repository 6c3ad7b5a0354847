"""The pages of the centre, with the button of the drawer in their corner while it is one."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QStackedWidget, QToolButton, QWidget

from app.resources import Icon
from app.theme import Theme


class PageStack(QStackedWidget):
    """`drawer_wanted` when the button is pressed."""

    drawer_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._button = QToolButton(self)
        self._button.setObjectName("drawerButton")
        self._button.hide()
        self._badge = QLabel(self)
        self._badge.setProperty("role", "badge")
        self._badge.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._badge.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._badge.hide()
        self._count = 0
        self._button.clicked.connect(self.drawer_wanted)
        self.currentChanged.connect(self._place)
        theme.changed.connect(self._show_icon)
        self._show_icon()
        self._retranslate()

    @property
    def corner_width(self) -> int:
        """What a page leaves free beside the button."""
        return self._theme.pixels(60)

    def show_button(self, *, visible: bool) -> None:
        self._button.setVisible(visible)
        self._badge.setVisible(visible and bool(self._count))
        self._place()

    def show_count(self, count: int) -> None:
        """How many questions are in the drawer that nobody sees while it is closed."""
        self._count = count
        self._badge.setText(str(count))
        self._badge.setVisible(self._button.isVisibleTo(self) and bool(count))
        self._retranslate()
        self._place()

    def focus_button(self) -> None:
        self._button.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() is QEvent.Type.LayoutDirectionChange:
            self._place()
        super().changeEvent(event)

    def _place(self) -> None:
        px = self._theme.pixels
        self._button.adjustSize()
        self._badge.adjustSize()
        left = px(8)
        badge = left + self._button.width() - self._badge.width() // 2 - px(4)
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            left = self.width() - left - self._button.width()
            badge = self.width() - badge - self._badge.width()
        self._button.move(left, px(8))
        self._badge.move(badge, px(4))
        self._button.raise_()
        self._badge.raise_()

    def _show_icon(self) -> None:
        self._button.setIcon(self._theme.icon(Icon.MENU))
        self._button.setIconSize(self._theme.icon_size())

    def _retranslate(self) -> None:
        words = self.tr("Show the side pane")
        if self._count:
            waiting = self.tr("%n question(s) waiting for you", "", self._count)
            words = f"{words} ({waiting})"
        self._button.setAccessibleName(words)
        self._button.setToolTip(words)
