"""A second, deliberate step in place of the footer: skip with a reason, or close without one."""

from enum import StrEnum

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from app.theme import Theme
from app.viewmodels.clarification_answers import text_problem


class Step(StrEnum):
    SKIP = "skip"
    CLOSE = "close"


class _ReasonField(QLineEdit):
    """A line in which a held Enter is nothing, and Esc goes to whoever holds the strip."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and event.isAutoRepeat():
            return
        super().keyPressEvent(event)


class ConfirmStrip(QWidget):
    """`confirmed` with the step; `cancelled` when the human changes their mind."""

    confirmed = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.step = Step.SKIP
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self.reason = _ReasonField()
        self.reason.setObjectName("skipReason")
        self.keep = QPushButton()
        self.keep.setObjectName("keepAnswering")
        self.confirm = QPushButton()
        self.confirm.setObjectName("confirmSkip")
        for button in (self.keep, self.confirm):
            button.setAutoDefault(False)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.pixels(8))
        grid.addWidget(self._words, 0, 0, 1, 3)
        grid.addWidget(self.reason, 1, 0)
        grid.addWidget(self.keep, 1, 1)
        grid.addWidget(self.confirm, 1, 2)
        grid.setColumnStretch(0, 1)
        self.confirm.clicked.connect(self._confirm)
        self.reason.returnPressed.connect(self._confirm)
        self.reason.textChanged.connect(self._check)
        self.keep.clicked.connect(self.cancelled)
        self._retranslate()
        self.hide()

    def open_for(self, step: Step) -> None:
        self.step = step
        self.reason.setVisible(step is Step.SKIP)
        self.confirm.setObjectName("confirmSkip" if step is Step.SKIP else "confirmClose")
        self._retranslate()
        self._check()
        self.show()
        (self.reason if step is Step.SKIP else self.keep).setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def reason_text(self) -> str:
        return self.reason.text()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _confirm(self) -> None:
        if self.confirm.isEnabled():
            self.confirmed.emit(self.step)

    def _check(self) -> None:
        self.confirm.setEnabled(text_problem(self.reason.text()) is None)
        self._retranslate()

    def _retranslate(self) -> None:
        self.reason.setPlaceholderText(self.tr("Reason (optional)"))
        self.reason.setAccessibleName(self.tr("Reason for skipping, optional"))
        self.keep.setText(self.tr("Keep answering"))
        if self.step is Step.CLOSE:
            words = self.tr(
                "Close this question as withdrawn by you? The agent is sent nothing; should it "
                "call again, it hears only that."
            )
            self.confirm.setText(self.tr("Close as withdrawn"))
        elif not self.confirm.isEnabled():
            words = self.tr("This reason cannot be sent: it is too long or holds odd characters.")
            self.confirm.setText(self.tr("Skip"))
        else:
            words = self.tr(
                "Skip? The agent is told that you chose not to answer, with your reason."
            )
            self.confirm.setText(self.tr("Skip"))
        self._words.setText(words)
        self.confirm.setAccessibleDescription(words)
