"""Room for the card above the foot of the chat: as tall as it needs, at most half of the chat."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.theme import Theme

_LEAST: Final = 120
_GRIP: Final = 10
_STEP: Final = 24


class _Handle(QWidget):
    """Drag it, or use the arrow keys, to give the card more or less room; double-click resets."""

    dragged = Signal(int)
    reset = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._from = 0
        self._touch = False
        self._fit()
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self._fit)
        self._retranslate()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the whole grip is small
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        colours = self._theme.colours
        painter.setBrush(QColor(colours.accent if self.hasFocus() else colours.scroll))
        width, height = self._theme.pixels(36), self._theme.pixels(4)
        left, top = (self.width() - width) // 2, (self.height() - height) // 2
        painter.drawRoundedRect(left, top, width, height, height / 2, height / 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = round(event.globalPosition().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = round(event.globalPosition().y())
        self.dragged.emit(self._from - here)
        self._from = here

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - Qt's signature
        self.reset.emit()

    def show_for(self, *, touch: bool) -> None:
        """The grip looks the same for fingers, but is as easy to hit as a button."""
        self._touch = touch
        self._fit()

    def _fit(self) -> None:
        theme = self._theme
        self.setFixedHeight(theme.touch_pixels if self._touch else theme.pixels(_GRIP))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up:
            self.dragged.emit(_STEP)
        elif event.key() == Qt.Key.Key_Down:
            self.dragged.emit(-_STEP)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Height of the question"))


class OverlaySlot(QWidget):
    """Holds the clarification overlay; tell it how tall the chat is."""

    def __init__(
        self,
        overlay: QWidget,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        handle: str = "overlayHandle",
    ) -> None:
        super().__init__(parent)
        self._overlay = overlay
        self._theme = theme
        self._limit = theme.pixels(300)
        self._chat_height = 2 * self._limit
        self._wanted: int | None = None
        self._handle = _Handle(theme, self)
        self._handle.setObjectName(handle)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._handle)
        column.addWidget(overlay)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        overlay.installEventFilter(self)
        self._handle.dragged.connect(self._drag)
        self._handle.reset.connect(self.reset_height)
        self.setVisible(not overlay.isHidden())

    def set_chat_height(self, height: int) -> None:
        """The card takes at most half of this, or what its buttons need if that is more."""
        self._chat_height = height
        self._limit = max(self._theme.pixels(_LEAST), height // 2)
        self.updateGeometry()

    def reset_height(self) -> None:
        """As tall as the card needs: after a double click, and for each new question."""
        self._wanted = None
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint = self._overlay.sizeHint()
        natural = hint.height() + self._handle.height()
        wanted = natural if self._wanted is None else min(self._wanted, natural)
        least = self._overlay.minimumSizeHint().height() + self._handle.height()
        height = max(min(wanted, self._limit), min(least, natural))
        return QSize(hint.width(), min(height, self._chat_height))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def hasHeightForWidth(self) -> bool:
        """The height is decided here, not by the words inside."""
        return False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._overlay:
            if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
                self.updateGeometry()
            elif event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
                self.setVisible(not self._overlay.isHidden())
            elif event.type() == QEvent.Type.DynamicPropertyChange:
                self._handle.show_for(touch=bool(self._overlay.property("touch")))
        return super().eventFilter(watched, event)

    def _drag(self, pixels: int) -> None:
        height = self.height() + pixels
        self._wanted = max(self._theme.pixels(_LEAST), min(height, self._limit))
        self.updateGeometry()
