"""What the human should know, short, at the top edge; it can always be sent away."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.plain_text import breakable, plain_tip
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.notices import NoticesViewModel, Severity
from app.widgets.announcing import announce

_LOOK = {
    Severity.INFO: (Icon.INFO, "accent"),
    Severity.WARNING: (Icon.WARNING, "attention"),
    Severity.ERROR: (Icon.ERROR, "danger"),
}


class NoticeBar(QFrame):
    """Shows the newest notice; hidden while there is none."""

    def __init__(
        self, notices: NoticesViewModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self._notices = notices
        self._theme = theme
        self._said = ""
        self._icon = QLabel()
        self._text = _label("noticeText")
        self._cause = _label("noticeCause")
        self._cause.setProperty("role", "small")
        self._cause.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._details = QToolButton()
        self._details.setObjectName("noticeDetails")
        self._details.setCheckable(True)
        self._action = QPushButton()
        self._action.setObjectName("noticeAction")
        self._dismiss = QToolButton()
        self._dismiss.setObjectName("dismissNotice")
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.pixels(16), theme.pixels(6), theme.pixels(8), theme.pixels(6))
        row.setSpacing(theme.pixels(12))
        words = QVBoxLayout()
        words.setSpacing(theme.pixels(2))
        words.addWidget(self._text)
        words.addWidget(self._cause)
        row.addWidget(self._icon)
        row.addLayout(words, 1)
        row.addWidget(self._details)
        row.addWidget(self._action)
        row.addWidget(self._dismiss)
        self._action.clicked.connect(self._act)
        self._details.toggled.connect(self._show_cause)
        self._dismiss.clicked.connect(notices.dismiss)
        notices.changed.connect(self._show_current)
        theme.changed.connect(self._show_current)
        self._retranslate()
        self._show_current()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _show_current(self) -> None:
        notice = self._notices.current
        self.setVisible(notice is not None)
        if notice is None:
            self._said = ""
            self._details.setChecked(False)
            return
        icon, colour = _LOOK[notice.severity]
        side = self._theme.pixels(18)
        self._icon.setPixmap(self._theme.icon(icon, colour).pixmap(side, side))
        self._text.setText(notice.text)
        self._text.setAccessibleName(notice.text)
        self._text.setToolTip(plain_tip(notice.detail))
        self._text.setAccessibleDescription(notice.detail)
        self.setAccessibleDescription(notice.detail)
        self._cause.setText(breakable(notice.detail))
        self._cause.setAccessibleName(notice.detail)
        self._show_cause()
        if notice.text != self._said:
            announce(self, notice.text, urgent=notice.severity is not Severity.INFO)
            self._said = notice.text
        self._action.setText(notice.action_text)
        self._action.setVisible(bool(notice.action_text))
        self._dismiss.setIcon(self._theme.icon(Icon.CLOSE))
        self.setProperty("severity", notice.severity.value)
        self.style().unpolish(self)
        self.style().polish(self)

    def _show_cause(self) -> None:
        known = bool(self._cause.text())
        self._details.setVisible(known)
        self._cause.setVisible(known and self._details.isChecked())

    def _act(self) -> None:
        notice = self._notices.current
        if notice is not None and notice.action is not None:
            self._notices.dismiss()
            notice.action()

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Notice"))
        self._dismiss.setAccessibleName(self.tr("Dismiss"))
        self._dismiss.setToolTip(self.tr("Dismiss"))
        self._details.setText(self.tr("Details"))


def _label(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
