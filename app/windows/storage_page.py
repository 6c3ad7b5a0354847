"""What is shown instead of the desk while its store cannot be used."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.plain_text import breakable
from app.resources import Icon
from app.text import error_text
from app.theme import Theme
from backend.errors import AppError


class StoragePage(QWidget):
    """One clear message; `retry_wanted` and `quit_wanted` are all that can be done."""

    retry_wanted = Signal()
    quit_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("storagePage")
        self._theme = theme
        self._error: AppError | None = None
        self._icon = QLabel()
        self._title = QLabel()
        self._title.setProperty("role", "title")
        self._title.setWordWrap(True)
        self._text = QLabel()
        self._text.setObjectName("storageError")
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._detail = QLabel()
        self._detail.setProperty("role", "small")
        self._detail.setWordWrap(True)
        self._detail.setTextFormat(Qt.TextFormat.PlainText)
        self._detail.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._retry = QPushButton()
        self._retry.setObjectName("retryStore")
        self._retry.setProperty("role", "primary")
        self._quit = QPushButton()
        self._quit.setObjectName("quitButton")
        self._build()
        self._retry.clicked.connect(self.retry_wanted)
        self._quit.clicked.connect(self.quit_wanted)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def show_error(self, error: AppError) -> None:
        self._error = error
        self._retranslate()
        self._retry.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        column = QVBoxLayout()
        column.setSpacing(px(8))
        for label in (self._icon, self._title, self._text, self._detail):
            column.addWidget(label)
        buttons = QHBoxLayout()
        buttons.setSpacing(px(8))
        buttons.addWidget(self._retry)
        buttons.addWidget(self._quit)
        buttons.addStretch(1)
        column.addSpacing(px(12))
        column.addLayout(buttons)
        inner = QWidget()
        inner.setLayout(column)
        inner.setMaximumWidth(px(520))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(inner, 100)
        row.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(24), px(24), px(24))
        outer.addStretch(1)
        outer.addLayout(row)
        outer.addStretch(2)

    def _show_icons(self) -> None:
        side = self._theme.pixels(32)
        self._icon.setPixmap(self._theme.icon(Icon.WARNING, "attention").pixmap(side, side))
        self._retry.setIcon(self._theme.button_icon(Icon.RETRY, "on_accent"))
        self._retry.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self._icon.setAccessibleName(self.tr("Warning"))
        self._title.setText(self.tr("Kandesk cannot open its store"))
        self._retry.setText(self.tr("Try again"))
        self._quit.setText(self.tr("Quit"))
        if self._error is not None:
            self._text.setText(breakable(error_text(self._error)))
            self._detail.setText(self._error.detail)
