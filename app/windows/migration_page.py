"""Asks before a store on a server is changed: its backups are the server's, not the program's."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.plain_text import breakable
from app.resources import Icon
from app.step_text import steps_text
from app.text import error_text
from app.theme import Theme
from app.widgets.announcing import announce
from app.widgets.centred_page import CentredPage, page_label
from app.widgets.copy_line import CopyLine
from backend.errors import AppError


class MigrationPage(CentredPage):
    """`confirmed` when the human wants the store changed, `quit_wanted` when not now."""

    confirmed = Signal()
    quit_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("migrationPage")
        self._theme = theme
        self._error: AppError | None = None
        self._icon = QLabel()
        self._title = page_label("title")
        self._text = page_label()
        self._steps_title = page_label("heading")
        self._steps = page_label("small")
        self._steps.setObjectName("migrationSteps")
        self._first = page_label()
        self._command = CopyLine(theme, wraps=True)
        self._command.setObjectName("backupCommand")
        self._second = page_label()
        self._confirm = QPushButton()
        self._confirm.setObjectName("migrateStore")
        self._confirm.setProperty("role", "primary")
        self._quit = QPushButton()
        self._quit.setObjectName("quitInstead")
        self._build()
        self._confirm.clicked.connect(self.confirmed)
        self._quit.clicked.connect(self.quit_wanted)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def show_request(self, error: AppError) -> None:
        """Show what `store_migration_unconfirmed` says; the keyboard is on the backup command."""
        self._error = error
        self._command.set_text(str(error.params.get("command", "")))
        self._retranslate()
        self._command.focus_copy()
        announce(self, f"{self._title.text()}. {self._text.text()}", urgent=True)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        above = (self._icon, self._title, self._text, self._steps_title, self._steps)
        for widget in (*above, self._first, self._command, self._second):
            self.column.addWidget(widget)
        self.add_buttons(self._confirm, self._quit)

    def _show_icons(self) -> None:
        side = self._theme.pixels(32)
        self._icon.setPixmap(self._theme.icon(Icon.INFO, "accent").pixmap(side, side))

    def _retranslate(self) -> None:
        self._icon.setAccessibleName(self.tr("Information"))
        self._title.setText(self.tr("The store must be brought up to date"))
        self._steps_title.setText(self.tr("What will be done"))
        self._first.setText(self.tr("1. Make a backup of the database first, for example with:"))
        self._second.setText(
            self.tr("2. Then bring it up to date. This may take a while; it can be interrupted.")
        )
        self._confirm.setText(self.tr("Bring up to date"))
        self._confirm.setAccessibleDescription(self._second.text())
        self._quit.setText(self.tr("Quit"))
        if self._error is not None:
            store = str(self._error.params.get("store", ""))
            self._text.setText(breakable(f"{error_text(self._error)}\n{store}"))
            self._steps.setText(breakable(steps_text(str(self._error.params.get("steps", "")))))
