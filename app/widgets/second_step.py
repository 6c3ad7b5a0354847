"""A second, deliberate step in place of a button: what will happen, and the way back."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.named_button import named_button


class SecondStep(QWidget):
    """`confirmed`, or `cancelled`. Whoever owns it says the words, also in another language."""

    confirmed = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme, name: str, words: Callable[[], tuple[str, str]]) -> None:
        """`words` gives the sentence and the label of what confirms it."""
        super().__init__()
        self._say = words
        self._subject = ""
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._back = named_button(f"{name}Back")
        self._confirm = named_button(f"{name}Confirm", "danger")
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.pixels(8))
        buttons.addWidget(self._back)
        buttons.addWidget(self._confirm)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(8))
        column.addWidget(self._words)
        column.addLayout(buttons)
        self._back.clicked.connect(self._leave)
        self._confirm.clicked.connect(self._do)
        self.retranslate()
        self.hide()

    def open(self, subject: str) -> None:
        """The keyboard is on the way back, where nothing happens."""
        self._subject = subject
        self.retranslate()
        self.show()
        self._back.setFocus(Qt.FocusReason.OtherFocusReason)

    def stay_for(self, subject: str) -> None:
        """What is chosen now; the step goes when it is not what it was opened for."""
        if subject != self._subject:
            self.hide()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
            return
        super().keyPressEvent(event)

    def retranslate(self) -> None:
        words, label = self._say()
        self._words.setText(words)
        self._confirm.setText(label)
        self._confirm.setAccessibleDescription(words)
        self._back.setText(self.tr("Back"))

    def _leave(self) -> None:
        self.hide()
        self.cancelled.emit()

    def _do(self) -> None:
        self.hide()
        self.confirmed.emit()
