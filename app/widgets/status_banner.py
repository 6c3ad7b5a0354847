"""What became of the last answer, and the one thing that can be done about it now."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.resources import Icon
from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.clarification_card import ActionKind
from app.viewmodels.clarification_recovery import (
    LATE_OPEN,
    RecoveryKind,
    RecoveryState,
    answers_text,
)
from app.widgets.announcing import announce
from app.widgets.arming import ArmingGuard
from app.widgets.named_button import named_button
from app.widgets.status_texts import StatusTexts
from app.widgets.touch import TouchLayout, show_touch

MAX_WIDTH: Final = 808
_NARROW: Final = 560
_TONES: Final = {
    RecoveryKind.SUBMITTING: "quiet",
    RecoveryKind.ERROR: "error",
    RecoveryKind.UNKNOWN: "attention",
    RecoveryKind.RETURNED: "quiet",
    RecoveryKind.INACTIVE: "attention",
    RecoveryKind.ELSEWHERE: "quiet",
    RecoveryKind.SAVED: "quiet",
    RecoveryKind.DELIVERED: "success",
    RecoveryKind.UNCONFIRMED: "attention",
    RecoveryKind.COLLECTED: "attention",
    RecoveryKind.LATE_SENDING: "quiet",
    RecoveryKind.LATE_SENT: "success",
    RecoveryKind.LATE_QUEUED: "quiet",
    RecoveryKind.LATE_REFUSED: "error",
    RecoveryKind.LATE_UNAVAILABLE: "attention",
    RecoveryKind.LATE_UNKNOWN: "attention",
    RecoveryKind.LATE_EARLIER: "attention",
}
_ICONS: Final = {
    RecoveryKind.SUBMITTING: (Icon.WAITING, "text_muted"),
    RecoveryKind.ERROR: (Icon.ERROR, "danger"),
    RecoveryKind.UNKNOWN: (Icon.WARNING, "attention"),
    RecoveryKind.RETURNED: (Icon.INFO, "accent"),
    RecoveryKind.INACTIVE: (Icon.WITHDRAWN, "attention"),
    RecoveryKind.ELSEWHERE: (Icon.INFO, "text_muted"),
    RecoveryKind.SAVED: (Icon.WAITING, "accent"),
    RecoveryKind.DELIVERED: (Icon.ANSWERED, "success"),
    RecoveryKind.UNCONFIRMED: (Icon.WARNING, "attention"),
    RecoveryKind.COLLECTED: (Icon.INFO, "attention"),
    RecoveryKind.LATE_SENDING: (Icon.WAITING, "text_muted"),
    RecoveryKind.LATE_SENT: (Icon.SEND, "success"),
    RecoveryKind.LATE_QUEUED: (Icon.WAITING, "accent"),
    RecoveryKind.LATE_REFUSED: (Icon.ERROR, "danger"),
    RecoveryKind.LATE_UNAVAILABLE: (Icon.WARNING, "attention"),
    RecoveryKind.LATE_UNKNOWN: (Icon.WARNING, "attention"),
    RecoveryKind.LATE_EARLIER: (Icon.INFO, "attention"),
}
_UNDER_WAY: Final = frozenset({RecoveryKind.SUBMITTING, RecoveryKind.LATE_SENDING})


class StatusBanner(QWidget):
    """One state at a time, the same for wide and narrow windows; hidden when there is none."""

    def __init__(
        self,
        view_model: ClarificationViewModel,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("statusBanner")
        self._view_model = view_model
        self._theme = theme
        self._touch = touch
        self._state: RecoveryState | None = None
        self._said = ""
        self._texts = StatusTexts()
        self.guard = ArmingGuard(view_model.clock.monotonic, self)
        self._frame = QFrame()
        self._frame.setObjectName("statusCard")
        self._icon = QLabel()
        self._words = QLabel()
        self._words.setObjectName("statusText")
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._retry = named_button("retryButton")
        self._copy = named_button("copyAnswer")
        self._send_late = named_button("sendAsNewMessage")
        self._close = QToolButton()
        self._close.setObjectName("closeLateAnswer")
        self._arrange()
        self._retry.clicked.connect(self._retry_now)
        self._copy.clicked.connect(self._copy_answer)
        self._send_late.clicked.connect(self._send_late_now)
        self._close.clicked.connect(self._dismiss)
        for button in (self._retry, self._send_late, self._close):
            self.guard.watch(button)
        view_model.recovery_changed.connect(self._refresh)
        view_model.changed.connect(self._refresh)
        view_model.card_replaced.connect(self._refresh)
        theme.changed.connect(self._restyle)
        touch.changed.connect(self._show_touch)
        self._refresh()
        self._show_touch()

    @property
    def text(self) -> str:
        return self._words.text()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._theme.pixels(_NARROW)
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

    def _arrange(self) -> None:
        px = self._theme.pixels
        words = QHBoxLayout()
        words.setSpacing(px(10))
        words.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        words.addWidget(self._words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(px(8))
        buttons.addStretch(1)
        for button in (self._copy, self._send_late, self._retry, self._close):
            buttons.addWidget(button)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(px(8))
        self._row.addLayout(words, 1)
        self._row.addLayout(buttons)
        frame = QVBoxLayout(self._frame)
        frame.setContentsMargins(px(14), px(6), px(8), px(6))
        frame.addLayout(self._row)
        self._frame.setMaximumWidth(px(MAX_WIDTH))
        outer = QHBoxLayout(self)
        outer.setContentsMargins(px(16), px(4), px(16), px(4))
        outer.addStretch(1)
        outer.addWidget(self._frame, 1000)
        outer.addStretch(1)

    def _refresh(self) -> None:
        state = self._state = self._view_model.recovery
        self.setVisible(state is not None)
        self._retranslate_buttons(state)
        if state is None:
            self._said = ""
            return
        words = self._texts.words(state)
        self._words.setText(words)
        self._retry.setVisible(state.can_retry)
        self._retry.setEnabled(self._can_retry(state))
        self._copy.setVisible(bool(state.copyable))
        self._send_late.setVisible(state.can_send_late)
        self._close.setVisible(state.kind not in _UNDER_WAY)
        tone = _TONES[state.kind]
        if self._frame.property("tone") != tone:
            self._frame.setProperty("tone", tone)
            self._frame.style().unpolish(self._frame)
            self._frame.style().polish(self._frame)
        self._show_icons()
        if words != self._said:
            self._said = words
            self.guard.rearm()
            self.setAccessibleName(words)
            announce(self, words, urgent=state.alarming)

    def _can_retry(self, state: RecoveryState) -> bool:
        if state.kind in LATE_OPEN:
            return True
        card = self._view_model.card
        return state.action is not ActionKind.SUBMIT or (card is not None and card.sheet.complete)

    def _retranslate_buttons(self, state: RecoveryState | None) -> None:
        self._send_late.setText(self.tr("Send as new message"))
        self._send_late.setAccessibleDescription(
            self.tr("The agent gets your answer as a new message")
        )
        self._retry.setText(self.tr("Retry"))
        self._copy.setText(self.tr("Copy answer"))
        inactive = state is not None and state.kind is RecoveryKind.INACTIVE
        gone = inactive and self._view_model.card is not None
        self._close.setAccessibleName(
            self.tr("Close this question") if gone else self.tr("Close this message")
        )
        self._close.setToolTip(self.tr("Close"))

    def _retry_now(self) -> None:
        if self.guard.accepts(self._retry):
            self._view_model.retry()

    def _send_late_now(self) -> None:
        if self.guard.accepts(self._send_late):
            self._view_model.send_late()

    def _dismiss(self) -> None:
        """With words typed on a card that is gone, closing it is as final as a verdict."""
        if self.guard.accepts(self._close):
            self._view_model.dismiss()

    def _copy_answer(self) -> None:
        state = self._state
        if state is not None:
            text = answers_text(state.bundle, state.copyable)
            QGuiApplication.clipboard().setText(text)
            announce(self, self.tr("Copied"))

    def _show_icons(self) -> None:
        if self._state is None:
            return
        icon, colour = _ICONS[self._state.kind]
        size = self._theme.icon_size(18)
        self._icon.setPixmap(self._theme.icon(icon, colour).pixmap(size))
        self._close.setIcon(self._theme.icon(Icon.CLOSE))

    def _restyle(self) -> None:
        self._frame.setMaximumWidth(self._theme.pixels(MAX_WIDTH))
        self._show_icons()

    def _show_touch(self) -> None:
        show_touch(self, touch=self._touch.on)
