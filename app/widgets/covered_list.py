"""What a new rule covers among what waits: listed, and decided only when the human confirms it."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.models.review_words import ReviewWords
from app.plain_text import plain_tip
from app.theme import Theme
from app.viewmodels.reviews import ReviewCard
from app.widgets.arming import ArmingGuard
from app.widgets.named_button import named_button
from app.widgets.one_line import OneLine
from backend.domain.review import ReviewStatus

_LISTED: Final = 5


class CoveredList(QWidget):
    """`confirmed` and `left_open`: nothing is decided by looking at it."""

    confirmed = Signal()
    left_open = Signal()

    def __init__(self, theme: Theme, guard: ArmingGuard) -> None:
        super().__init__()
        self.setObjectName("coveredReviews")
        self._guard = guard
        self._card: ReviewCard | None = None
        self._words = ReviewWords(self)
        self._heading = QLabel()
        self._heading.setObjectName("coveredHeading")
        self._heading.setWordWrap(True)
        self._heading.setTextFormat(Qt.TextFormat.PlainText)
        self._lines = [OneLine() for _ in range(_LISTED)]
        self._more = QLabel()
        self._more.setProperty("role", "small")
        self._leave = named_button("leaveCovered")
        self._confirm = named_button("settleCovered", "primary")
        guard.watch(self._confirm)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(4))
        column.addWidget(self._heading)
        for line in self._lines:
            line.setContentsMargins(theme.pixels(12), 0, 0, 0)
            column.addWidget(line)
        column.addWidget(self._more)
        buttons = QGridLayout()
        buttons.setContentsMargins(0, theme.pixels(4), 0, 0)
        buttons.setSpacing(theme.pixels(8))
        buttons.setColumnStretch(0, 1)
        buttons.addWidget(self._leave, 0, 1)
        buttons.addWidget(self._confirm, 0, 2)
        column.addLayout(buttons)
        self._confirm.clicked.connect(self._settle)
        self._leave.clicked.connect(self.left_open)
        self._retranslate()
        self.hide()

    def show_card(self, card: ReviewCard, *, shown: bool) -> None:
        before = self._card.covered if self._card is not None else ()
        self._card = card if shown else None
        self.setVisible(shown)
        if shown and before != card.covered:
            self._guard.rearm(self._confirm)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _settle(self) -> None:
        if self._confirm.isEnabled() and self._guard.accepts(self._confirm):
            self.confirmed.emit()

    def _retranslate(self) -> None:
        card = self._card
        self._leave.setText(self.tr("Leave them open"))
        if card is None:
            self._confirm.setText(self.tr("Decide these too"))
            return
        declined = card.review.status is ReviewStatus.DECLINED
        covered = card.covered
        if declined:
            words = self.tr("The new rule would decline %n more that wait(s):", "", len(covered))
            deed = self.tr("Decline %n too", "", len(covered))
        else:
            words = self.tr("The new rule would allow %n more that wait(s):", "", len(covered))
            deed = self.tr("Approve %n too", "", len(covered))
        self._heading.setText(words)
        for number, line in enumerate(self._lines):
            line.setVisible(number < len(covered))
            if number < len(covered):
                text = self._words.short(covered[number])
                line.show_text(f"• {text}")
                line.setAccessibleName(text)
        more = covered[_LISTED:]
        self._more.setVisible(bool(more))
        self._more.setText(self.tr("and %n more", "", len(more)))
        self._more.setToolTip(plain_tip("\n".join(map(self._words.short, more[:20]))))
        self._confirm.setText(self.tr("Sending…") if card.settling else deed)
        self._confirm.setAccessibleDescription(words)
        self._confirm.setEnabled(not card.settling)
        self._leave.setEnabled(not card.settling)
