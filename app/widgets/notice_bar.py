"""One line at the top edge for what the human should know; it can always be sent away."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from app.resources import Icon
from app.theme import Theme
from app.viewmodels.notices import Notice, NoticesViewModel, Severity
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
        self._said: Notice | None = None
        self._icon = QLabel()
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._action = QPushButton()
        self._action.setObjectName("noticeAction")
        self._dismiss = QToolButton()
        self._dismiss.setObjectName("dismissNotice")
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.pixels(16), theme.pixels(6), theme.pixels(8), theme.pixels(6))
        row.setSpacing(theme.pixels(12))
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._action)
        row.addWidget(self._dismiss)
        self._action.clicked.connect(self._act)
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
            self._said = None
            return
        icon, colour = _LOOK[notice.severity]
        side = self._theme.pixels(18)
        self._icon.setPixmap(self._theme.icon(icon, colour).pixmap(side, side))
        self._text.setText(notice.text)
        self._text.setAccessibleName(notice.text)
        if notice is not self._said:
            announce(self, notice.text, urgent=notice.severity is not Severity.INFO)
            self._said = notice
        self._action.setText(notice.action_text)
        self._action.setVisible(bool(notice.action_text))
        self._dismiss.setIcon(self._theme.icon(Icon.CLOSE))
        self.setProperty("severity", notice.severity.value)
        self.style().unpolish(self)
        self.style().polish(self)

    def _act(self) -> None:
        notice = self._notices.current
        if notice is not None and notice.action is not None:
            self._notices.dismiss()
            notice.action()

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Notice"))
        self._dismiss.setAccessibleName(self.tr("Dismiss"))
        self._dismiss.setToolTip(self.tr("Dismiss"))
