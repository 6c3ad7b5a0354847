"""A command to copy: shown in full, copied with one activation."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.plain_text import breakable
from app.resources import Icon
from app.theme import Theme


class CopyLine(QWidget):
    """Text in a fixed-width font with a Copy button at its end.

    One that `wraps` may be longer than the page is wide; only its button copies it, and is
    `large` enough for a finger everywhere.
    """

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        parent: QWidget | None = None,
        *,
        wraps: bool = False,
        large: bool = True,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._command = text
        self._wraps = wraps
        self._text = QLabel()
        self._text.setWordWrap(wraps)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setProperty("role", "code")
        self._text.setFont(theme.fixed_font())
        if not wraps:
            self._text.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._copy = QToolButton()
        self._copy.setProperty("target", "large" if wraps and large else "")
        self._copy.clicked.connect(self._copy_text)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.pixels(4))
        row.addWidget(self._text, 1)
        row.addWidget(self._copy)
        theme.changed.connect(self._show_icon)
        self._show_icon()
        self._retranslate()

    def set_text(self, text: str) -> None:
        self._command = text
        self._retranslate()

    @property
    def text(self) -> str:
        return self._command

    def focus_copy(self) -> None:
        """Put the keyboard on the button."""
        self._copy.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._command)

    def _show_icon(self) -> None:
        self._copy.setIcon(self._theme.icon(Icon.COPY))
        self._copy.setIconSize(self._theme.icon_size(16))

    def _retranslate(self) -> None:
        self._text.setText(breakable(self._command) if self._wraps else self._command)
        words = self.tr("Copy: %1").replace("%1", self._command)
        self._copy.setAccessibleName(words)
        self._copy.setToolTip(words)
        self._text.setAccessibleName(self._command)
