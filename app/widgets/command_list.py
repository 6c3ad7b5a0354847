"""The agent's commands while one is being typed: chosen by arrows and Enter, or by a press."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSizePolicy, QWidget

from app.plain_text import plain_tip
from app.theme import Theme
from app.widgets.announcing import announce
from backend.domain.agents import SlashCommand

_SHOWN: Final = 6
_TAKES: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab})


class CommandList(QListWidget):
    """`chosen` with the text that belongs into the editor. The focus stays in the editor."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("commandList")
        self._theme = theme
        self._commands: tuple[SlashCommand, ...] = ()
        self._closed = False
        self._touch = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.itemClicked.connect(lambda _: self._choose())
        theme.changed.connect(self._fit)
        self.hide()
        self._retranslate()

    def show_commands(self, commands: tuple[SlashCommand, ...]) -> None:
        """Offer these for what is typed; Esc hides them until another command is begun."""
        self._closed = self._closed and bool(commands)
        if commands != self._commands:
            self._commands = commands
            self.clear()
            for command in commands:
                self._add(command)
            if commands:
                self.setCurrentRow(0)
                announce(self, self.tr("%n command(s)", "", len(commands)))
            self._fit()
        self.setVisible(bool(commands) and not self._closed)

    def show_for(self, *, touch: bool) -> None:
        self._touch = touch
        self._fit()

    def take_key(self, event: QKeyEvent) -> None:
        """Accepts the keys that are its own while it is shown."""
        if not self.isVisible() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self._closed = True
            self.hide()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            self.setCurrentRow((self.currentRow() + step) % max(1, self.count()))
            announce(self, self.currentItem().text())
        elif key in _TAKES and not event.modifiers():
            if not event.isAutoRepeat():
                self._choose()
        else:
            return
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _add(self, command: SlashCommand) -> None:
        name = f"/{command.name.removeprefix('/')}"
        words = " ".join(part for part in (name, command.hint) if part)
        item = QListWidgetItem(f"{words} — {command.description}" if command.description else words)
        item.setToolTip(plain_tip(command.description))
        item.setData(Qt.ItemDataRole.UserRole, f"{name} " if command.hint else name)
        self.addItem(item)

    def _choose(self) -> None:
        item = self.currentItem()
        if item is not None:
            self._closed = True
            self.hide()
            self.chosen.emit(str(item.data(Qt.ItemDataRole.UserRole)))

    def _fit(self) -> None:
        theme = self._theme
        row = theme.touch_pixels if self._touch else theme.pixels(30)
        for number in range(self.count()):
            self.item(number).setSizeHint(QSize(1, row))
        self.setFixedHeight(row * min(max(1, self.count()), _SHOWN) + theme.pixels(10))

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Commands of the agent"))
