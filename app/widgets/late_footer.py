"""What can be done with a late answer: close it, step through it, send it."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.theme import Theme
from app.viewmodels.late_answer import LateAnswer, LatePhase
from app.widgets.named_button import named_button


class LateFooter(QWidget):
    """Close sends nothing; Send says what it does, or leads to what is missing."""

    close_wanted = Signal()
    step_wanted = Signal(int)
    send_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._busy = False
        self.close_button = named_button("closeLateAnswer")
        self.previous = named_button("previousQuestion")
        self.next = named_button("nextQuestion")
        self.send = named_button("sendAsNewMessage")
        self.send.setProperty("role", "primary")
        self.close_button.setProperty("role", "quiet")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.pixels(8))
        row.addWidget(self.close_button)
        row.addStretch(1)
        for button in (self.previous, self.next, self.send):
            row.addWidget(button)
        self.close_button.clicked.connect(self.close_wanted)
        self.previous.clicked.connect(lambda: self.step_wanted.emit(-1))
        self.next.clicked.connect(lambda: self.step_wanted.emit(1))
        self.send.clicked.connect(self.send_wanted)
        self._retranslate()

    def refresh(self, late: LateAnswer) -> None:
        card = late.card
        several = card.review_step > 0
        self._busy = late.phase is LatePhase.SENDING
        for button in (self.previous, self.next):
            button.setVisible(several)
        self.previous.setEnabled(card.step > 0 and not self._busy)
        self.next.setEnabled(several and not card.reviewing and not self._busy)
        # Also where something is missing: a button that cannot be pressed does not say what.
        self.send.setEnabled(not self._busy)
        self.close_button.setEnabled(not self._busy)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.close_button.setText(self.tr("Close"))
        self.close_button.setAccessibleDescription(
            self.tr("Sends nothing; what you have put in is kept")
        )
        self.previous.setText(self.tr("Back"))
        self.next.setText(self.tr("Next"))
        self.send.setText(self.tr("Sending…") if self._busy else self.tr("Send as new message"))
