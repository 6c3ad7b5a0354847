"""The line under the editor: what becomes of a message, or what became of the last one."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.agent_text import UsageTexts, message_error_text, mode_text, outcome_text
from app.theme import Theme
from app.viewmodels.composer import ComposerMode, ComposerViewModel
from app.viewmodels.messages import SendPhase
from app.widgets.announcing import announce
from backend.domain.hosted import AdmissionOutcome

_QUIET = "small"


class ComposerHint(QWidget):
    """`retry_wanted` for the button beside an outcome that is not known."""

    retry_wanted = Signal()

    def __init__(
        self, view_model: ComposerViewModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self._usage_texts = UsageTexts()
        self._said = ""
        self._refused_paste = False
        self._words = QLabel()
        self._words.setObjectName("composerHint")
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._retry = QPushButton()
        self._retry.setObjectName("retrySending")
        self._retry.setAutoDefault(False)
        self._usage = QLabel()
        self._usage.setObjectName("agentUsage")
        self._usage.setProperty("role", "small")
        self._usage.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.pixels(6), 0, theme.pixels(6), 0)
        row.setSpacing(theme.pixels(12))
        row.addWidget(self._words, 1)
        row.addWidget(self._retry)
        row.addWidget(self._usage)
        self._retry.setText(self.tr("Retry"))
        self._retry.clicked.connect(self.retry_wanted)

    @property
    def text(self) -> str:
        return self._words.text()

    @property
    def urgent(self) -> bool:
        """It says more than what becomes of the next message."""
        return str(self._words.property("role")) != _QUIET

    def refresh(self) -> None:
        conversation = self._view_model.conversation
        usage = "" if conversation is None else self._usage_texts.text(conversation.usage)
        self._usage.setText(usage)
        self._usage.setVisible(bool(usage))
        words, role = self._say()
        self._words.setText(words)
        if self._words.property("role") != role:
            self._words.setProperty("role", role)
            self._words.style().unpolish(self._words)
            self._words.style().polish(self._words)
        writing = self._view_model.writing
        unknown = writing is not None and writing.phase is SendPhase.UNCERTAIN
        self._retry.setVisible(unknown)
        self._retry.setText(self.tr("Retry"))
        if words != self._said:
            self._said = words
            if role != _QUIET:
                announce(self, words, urgent=role == "danger")

    def refuse_paste(self) -> None:
        """Said until the text changes."""
        self._refused_paste = True
        self.refresh()

    def text_changed(self) -> None:
        self._refused_paste = False

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    def _say(self) -> tuple[str, str]:
        """The words and the role of the label."""
        model = self._view_model
        if self._refused_paste:
            return (
                self.tr("That text holds characters that cannot be kept. Nothing was inserted."),
                "danger",
            )
        if model.problem is not None:
            return message_error_text(model.problem), "danger"
        writing = model.writing
        if writing is None:
            return mode_text(model.mode, ""), _QUIET
        if writing.phase is SendPhase.REFUSED and writing.error is not None:
            return message_error_text(writing.error), "danger"
        if writing.phase is SendPhase.UNCERTAIN:
            return (
                self.tr(
                    "It is not known whether this was sent. Your text is kept; "
                    "trying again is safe and sends it once."
                ),
                "attention",
            )
        if writing.phase is SendPhase.EARLIER:
            return (
                self.tr(
                    "An earlier wording was sent; what stands here was not. "
                    "Send makes it a message of its own."
                ),
                "attention",
            )
        if writing.phase is SendPhase.SENDING:
            return self.tr("Sending…"), _QUIET
        became = "" if writing.text else self._became(writing.outcome)
        if became:
            return became, "success"
        mode = model.mode
        conversation = model.conversation
        agent = conversation.agent_name if conversation is not None else ""
        words = mode_text(mode, agent)
        closed = mode in {ComposerMode.ENDED, ComposerMode.NOT_STARTED}
        return words, "attention" if closed else _QUIET

    def _became(self, outcome: AdmissionOutcome | None) -> str:
        """What became of the last message, as long as that is how it stands."""
        conversation = self._view_model.conversation
        if outcome is not AdmissionOutcome.QUEUED or conversation is None:
            return "" if outcome is None else outcome_text(outcome)
        if not conversation.queue:
            return ""
        return outcome_text(outcome, held=not conversation.auto_run)
