"""What came of a call, behind one line: closed at first, plain, bounded, not in our words."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.models.result_text import result_text
from app.resources import Icon
from app.theme import Theme
from app.widgets.named_button import named_button

_MOST_HEIGHT: Final = 220


class ResultView(QWidget):
    """`resized` when it is opened or closed; hidden while there is nothing to show."""

    resized = Signal()

    def __init__(self, theme: Theme, name: str = "showResult") -> None:
        super().__init__()
        self._theme = theme
        self._result = ""
        self._shown = ""
        self._left_out = 0
        self._failed = False
        self._toggle = named_button(name, "link")
        self._toggle.setCheckable(True)
        self._note = QLabel()
        self._note.setProperty("role", "small")
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._text = _PlainText(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(4))
        column.addWidget(self._toggle, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._note)
        column.addWidget(self._text)
        self._toggle.toggled.connect(self._show)
        theme.changed.connect(self._show_icon)
        self.show_result("", failed=False)

    def show_result(self, result: str, *, failed: bool) -> None:
        """Show what a tool wrote; closed again when it is another text."""
        if result != self._result:
            self._toggle.setChecked(False)
        self._result, self._failed = result, failed
        self._shown, self._left_out = result_text(result)
        self._text.setPlainText(self._shown)
        self.setVisible(bool(result))
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        opened = self._toggle.isChecked()
        words = self.tr("Hide the result") if opened else self.tr("Show the result")
        if self._failed:
            words = self.tr("Hide what it said") if opened else self.tr("Show what it said")
        self._toggle.setText(words)
        note = self.tr("Written by the tool, not by Kandesk.")
        if self._left_out:
            more = self.tr("%n more character(s) are not shown.", "", self._left_out)
            note = f"{note} {more}"
        self._note.setText(note)
        self._text.setAccessibleName(self.tr("Result"))
        self._text.setAccessibleDescription(note)
        for part in (self._note, self._text):
            part.setVisible(opened)
        self._show_icon()
        self.updateGeometry()
        self.resized.emit()

    def _show_icon(self) -> None:
        which = Icon.COLLAPSE if self._toggle.isChecked() else Icon.EXPAND
        self._toggle.setIcon(self._theme.icon(which, "accent"))


class _PlainText(QPlainTextEdit):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("resultText")
        self._theme = theme
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setFont(theme.fixed_font(12))
        theme.changed.connect(lambda: self.setFont(theme.fixed_font(12)))

    def sizeHint(self) -> QSize:
        lines = self.document().size().height() + 1
        tall = round(lines * self.fontMetrics().lineSpacing()) + self._theme.pixels(16)
        return QSize(self._theme.pixels(200), min(tall, self._theme.pixels(_MOST_HEIGHT)))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.pixels(80), min(self.sizeHint().height(), self._theme.pixels(80)))
