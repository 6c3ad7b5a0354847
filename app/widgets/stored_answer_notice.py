"""An answer given earlier to the same question: offered, never handed over by itself (rule 4)."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.resources import Icon
from app.text import age_text
from app.theme import Theme
from app.viewmodels.clarification_card import Card
from backend.domain.clarification import Delivery


class StoredAnswerNotice(QFrame):
    """`hand_over_wanted` and `discard_wanted` from its two buttons."""

    hand_over_wanted = Signal()
    discard_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._age: tuple[int, int] | None = None
        self.setObjectName("storedAnswer")
        self.setProperty("role", "notice")
        self._icon = QLabel()
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self.hand_over = QPushButton()
        self.hand_over.setObjectName("handOverStoredAnswer")
        self.discard = QPushButton()
        self.discard.setObjectName("discardStoredAnswer")
        self.discard.setProperty("role", "quiet")
        row = QHBoxLayout(self)
        row.setContentsMargins(*(theme.pixels(n) for n in (12, 8, 8, 8)))
        row.setSpacing(theme.pixels(8))
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._words, 1)
        row.addWidget(self.discard)
        row.addWidget(self.hand_over)
        self.hand_over.clicked.connect(self.hand_over_wanted)
        self.discard.clicked.connect(self.discard_wanted)
        theme.changed.connect(self._show_icon)
        self._show_icon()
        self._retranslate()
        self.hide()

    def refresh(self, card: Card, now: int) -> None:
        stored = card.bundle.stored_answer
        self.setVisible(stored is not None and card.bundle.answerable)
        if stored is None:
            return
        self._age = (stored.answered_at, now)
        self.discard.setVisible(stored.delivery is Delivery.WAITING_FOR_AGENT)
        self.hand_over.setEnabled(card.editable)
        self.discard.setEnabled(card.editable)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _show_icon(self) -> None:
        icon = self._theme.icon(Icon.WAITING, "accent")
        self._icon.setPixmap(icon.pixmap(self._theme.icon_size(18)))

    def _retranslate(self) -> None:
        age = age_text(*self._age) if self._age is not None else ""
        words = self.tr(
            "You answered this {age} for an earlier call. Nothing is sent until you say so."
        )
        self._words.setText(words.format(age=age))
        self.hand_over.setText(self.tr("Hand over that answer"))
        self.hand_over.setAccessibleDescription(self._words.text())
        self.discard.setText(self.tr("Discard"))
        self.discard.setAccessibleName(self.tr("Discard the earlier answer"))
