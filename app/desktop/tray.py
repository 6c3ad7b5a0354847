"""The icon in the tray: the count of what waits, and a way back to the window."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from app.resources import program_icon


class Tray(QObject):
    """`open_wanted`, `quit_wanted`, and `message_clicked` for a click on a notification."""

    open_wanted = Signal()
    quit_wanted = Signal()
    message_clicked = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._questions = 0
        self._permissions = 0
        self._menu = QMenu(window)
        self._open = self._menu.addAction("", self.open_wanted.emit)
        self._menu.addSeparator()
        self._quit = self._menu.addAction("", self.quit_wanted.emit)
        self._icon = QSystemTrayIcon(program_icon(), self)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.message_clicked)
        window.installEventFilter(self)
        self._retranslate()

    @property
    def available(self) -> bool:
        """Whether this desktop has a tray the icon is shown in."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def shows_messages(self) -> bool:
        return self.available and QSystemTrayIcon.supportsMessages()

    def show_icon(self) -> None:
        if self.available:
            self._icon.show()

    def hide_icon(self) -> None:
        self._icon.hide()

    def show_waiting(self, questions: int, permissions: int) -> None:
        """How many of each wait for the human; the icon shows their sum."""
        if (questions, permissions) != (self._questions, self._permissions):
            self._questions, self._permissions = questions, permissions
            self._icon.setIcon(program_icon(questions + permissions))
            self._retranslate()

    @property
    def tool_tip(self) -> str:
        """What waits, by its kind."""
        waiting = []
        if self._questions:
            waiting.append(self.tr("%n question(s) waiting for you", "", self._questions))
        if self._permissions:
            waiting.append(self.tr("%n permission(s) waiting for you", "", self._permissions))
        return "\n".join(["Kandesk", *waiting])

    def show_message(self, title: str, text: str) -> None:
        """A desktop notification; nothing on a desktop without them."""
        if self.shows_messages:
            self._icon.showMessage(title, text, program_icon())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        return super().eventFilter(watched, event)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.DoubleClick,
        ):
            self.open_wanted.emit()

    def _retranslate(self) -> None:
        self._open.setText(QCoreApplication.translate("Tray", "Open Kandesk"))
        self._quit.setText(QCoreApplication.translate("Tray", "Quit"))
        self._icon.setToolTip(self.tool_tip)
