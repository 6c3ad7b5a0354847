"""Where a message is written: several lines, safe for input methods, sent by one key."""

from typing import Final

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.theme import Theme
from app.viewmodels.clarification_answers import character_problem
from app.viewmodels.preferences import Preferences, SendKey

MAX_HEIGHT: Final = 220
"""It grows with its text up to here and scrolls from then on."""
_ENTER: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_NEW_LINE: Final = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier


class ComposerEdit(QPlainTextEdit):
    """`edited` with the whole text; `send_wanted` for the key that sends.

    `key_pressed` with each key event first, for a list that is open above; whoever takes it
    accepts it. `composing_changed` while an input method is at work: its words are not text yet.
    """

    edited = Signal(str)
    send_wanted = Signal()
    key_pressed = Signal(object)
    composing_changed = Signal()
    refused = Signal()

    def __init__(
        self, theme: Theme, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preferences = preferences
        self._touch = False
        self._composing = False
        self._limit = MAX_HEIGHT
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._tell)
        theme.changed.connect(self.updateGeometry)

    @property
    def composing(self) -> bool:
        return self._composing

    def show_text(self, text: str) -> None:
        """Show what is kept; the cursor goes to its end, and stays where nothing changed."""
        if text != self.toPlainText():
            self.setPlainText(text)
            self.moveCursor(QTextCursor.MoveOperation.End)

    def show_for(self, *, touch: bool) -> None:
        """For fingers Enter makes a new line: Send is the only way to send."""
        self._touch = touch
        self.updateGeometry()

    def set_limit(self, height: int) -> None:
        """The most it takes, in pixels of the design."""
        if height != self._limit:
            self._limit = height
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        lines = max(1.0, self.document().size().height())
        padding = 2 * self._theme.pixels(8) + round(2 * self.document().documentMargin())
        wanted = round(lines * self.fontMetrics().lineSpacing()) + padding
        theme = self._theme
        least = theme.touch_pixels if self._touch else theme.pixels(36)
        return QSize(200, min(max(wanted, least), max(least, theme.pixels(self._limit))))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._composing:
            if event.key() not in _ENTER:
                super().keyPressEvent(event)
            return
        event.setAccepted(False)
        self.key_pressed.emit(event)
        if event.isAccepted():
            return
        if event.key() not in _ENTER:
            super().keyPressEvent(event)
        elif event.isAutoRepeat():
            event.accept()
        else:
            self._enter(event.modifiers())
            event.accept()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        if composing is not self._composing:
            self._composing = composing
            self.composing_changed.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if character_problem(source.text()) is not None:
            self.refused.emit()
            return
        super().insertFromMimeData(source)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def _enter(self, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.send_wanted.emit()
        elif self._touch or modifiers & _NEW_LINE:
            self.insertPlainText("\n")
        elif self._preferences.send_key is SendKey.ENTER:
            self.send_wanted.emit()
        else:
            self.insertPlainText("\n")

    def _tell(self) -> None:
        self.updateGeometry()
        self.edited.emit(self.toPlainText())
