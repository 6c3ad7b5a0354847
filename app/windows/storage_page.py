"""What is shown instead of the desk while its store cannot be used."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.plain_text import breakable
from app.resources import Icon
from app.text import error_text
from app.theme import Theme
from app.widgets.announcing import announce
from app.widgets.centred_page import CentredPage, page_label
from backend.errors import AppError, ErrorCode

_OUT_OF_REACH: Final = frozenset(
    {ErrorCode.STORE_UNREACHABLE, ErrorCode.STORE_BUSY, ErrorCode.TEMPORARILY_UNAVAILABLE}
)
_SETTINGS: Final = frozenset({ErrorCode.SETTING_INVALID, ErrorCode.FILE_UNSAFE})


class StoragePage(CentredPage):
    """One clear message; `retry_wanted` and `quit_wanted` are all that can be done."""

    retry_wanted = Signal()
    quit_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("storagePage")
        self._theme = theme
        self._error: AppError | None = None
        self._trying = False
        self._icon = QLabel()
        self._title = page_label("title")
        self._text = page_label()
        self._text.setObjectName("storageError")
        self._detail = page_label("small")
        self._detail.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._retry = QPushButton()
        self._retry.setObjectName("retryStore")
        self._retry.setProperty("role", "primary")
        self._quit = QPushButton()
        self._quit.setObjectName("quitButton")
        for label in (self._icon, self._title, self._text, self._detail):
            self.column.addWidget(label)
        self.add_buttons(self._retry, self._quit)
        self._retry.clicked.connect(self._try_again)
        self._quit.clicked.connect(self.quit_wanted)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    @property
    def trying(self) -> bool:
        """A retry is under way."""
        return self._trying

    def show_error(self, error: AppError) -> None:
        """Say what is wrong, and put the keyboard on the way out of it."""
        self._error = error
        self._trying = False
        self._retranslate()
        self._retry.setFocus()
        announce(self, f"{self._title.text()}. {error_text(error)}", urgent=True)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _try_again(self) -> None:
        self._trying = True
        self._retranslate()
        self.retry_wanted.emit()

    def _show_icons(self) -> None:
        side = self._theme.pixels(32)
        self._icon.setPixmap(self._theme.icon(Icon.WARNING, "attention").pixmap(side, side))
        self._retry.setIcon(self._theme.button_icon(Icon.RETRY, "on_accent"))
        self._retry.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self._icon.setAccessibleName(self.tr("Warning"))
        self._title.setText(self._heading())
        self._retry.setText(self.tr("Trying again…") if self._trying else self.tr("Try again"))
        self._retry.setEnabled(not self._trying)
        self._quit.setText(self.tr("Quit"))
        if self._error is not None:
            words = error_text(self._error)
            self._text.setText(breakable(words))
            self._text.setAccessibleName(words)
            self._detail.setText(breakable(self._error.detail))
            self._detail.setAccessibleName(self._error.detail)
            self._retry.setAccessibleDescription(words)

    def _heading(self) -> str:
        code = None if self._error is None else self._error.code
        if code in _OUT_OF_REACH:
            return self.tr("Kandesk cannot reach its store")
        if code is ErrorCode.STORE_OWNED:
            return self.tr("Another Kandesk uses this store")
        if code in _SETTINGS:
            return self.tr("Kandesk cannot use its settings")
        return self.tr("Kandesk cannot open its store")
