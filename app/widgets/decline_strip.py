"""Why something is declined, in a line: the agent is told it."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.theme import Theme
from app.widgets.arming import ArmingGuard
from app.widgets.named_button import named_button

LONGEST = 1_000
"""Characters of a reason; more is not needed to turn an agent round."""


class _Line(QLineEdit):
    """A held Enter is nothing, and Esc goes back."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and event.isAutoRepeat():
            return
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)


class DeclineStrip(QWidget):
    """`declined` with the reason, which may be empty; `cancelled` to go back to the buttons."""

    declined = Signal(str)
    cancelled = Signal()

    def __init__(self, theme: Theme, guard: ArmingGuard) -> None:
        super().__init__()
        self._guard = guard
        self.reason = _Line()
        self.reason.setObjectName("declineReason")
        self.reason.setMaxLength(LONGEST)
        self.back = named_button("keepDeciding")
        self.confirm = named_button("confirmDecline", "danger")
        guard.watch(self.confirm)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.pixels(8))
        row.addWidget(self.reason, 1)
        row.addWidget(self.back)
        row.addWidget(self.confirm)
        self.back.clicked.connect(self.cancelled)
        self.reason.left.connect(self.cancelled)
        self.reason.returnPressed.connect(self._decline)
        self.confirm.clicked.connect(self._decline)
        self._retranslate()
        self.hide()

    def open(self) -> None:
        self.reason.clear()
        self.show()
        self._guard.rearm(self.confirm)
        self.reason.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self, *, decidable: bool) -> None:
        for part in (self.reason, self.confirm):
            part.setEnabled(decidable)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _decline(self) -> None:
        if self.confirm.isEnabled() and self._guard.accepts(self.confirm):
            self.declined.emit(" ".join(self.reason.text().split()))

    def _retranslate(self) -> None:
        self.reason.setPlaceholderText(self.tr("Why not? The agent is told this (optional)"))
        self.reason.setAccessibleName(self.tr("Reason for declining, optional"))
        self.back.setText(self.tr("Back"))
        self.confirm.setText(self.tr("Decline"))
        self.confirm.setAccessibleName(self.tr("Decline with this reason"))
