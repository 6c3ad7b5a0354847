"""The agents to choose from: those that are here, one's own, and how to get the others."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme
from app.widgets.copy_line import CopyLine
from backend.domain.hosted import CUSTOM_AGENT, AgentOffer
from backend.ids import AgentKey


class AgentChoice(QWidget):
    """`chosen` with the key of an agent, `command_edited` with the words of one's own command."""

    chosen = Signal(str)
    command_edited = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("agentChoice")
        self._theme = theme
        self._offers: tuple[AgentOffer, ...] | None = None
        self._buttons: dict[AgentKey, QRadioButton] = {}
        self._missing: list[QLabel] = []
        self._group = QButtonGroup(self)
        self._list = QVBoxLayout()
        self._list.setSpacing(theme.pixels(4))
        self._others = QPushButton()
        self._others.setObjectName("otherAgents")
        self._others.setProperty("role", "link")
        self._others.setCheckable(True)
        self._others.toggled.connect(self._show_others)
        self._absent = QWidget()
        self._absent_list = QVBoxLayout(self._absent)
        self._absent_list.setContentsMargins(0, 0, 0, 0)
        self._absent_list.setSpacing(theme.pixels(4))
        self._absent.hide()
        self._custom = self._radio(CUSTOM_AGENT, "")
        self.command = QLineEdit()
        self.command.setObjectName("customCommand")
        self.command.setMinimumHeight(theme.touch_pixels)
        self.command.textEdited.connect(self.command_edited)
        self.command.textEdited.connect(lambda _: self.chosen.emit(CUSTOM_AGENT))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(4))
        column.addLayout(self._list)
        column.addWidget(self._custom)
        column.addWidget(self.command)
        column.addWidget(self._others, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._absent)
        self._retranslate()

    def show_choice(
        self, offers: tuple[AgentOffer, ...], agent: AgentKey | None, command: str
    ) -> None:
        if offers != self._offers:
            self._offers = offers
            self._rebuild(offers)
        for key, button in self._buttons.items():
            button.blockSignals(True)  # noqa: FBT003 - Qt's signature
            self._group.setExclusive(False)
            button.setChecked(key == agent)
            self._group.setExclusive(True)
            button.blockSignals(False)  # noqa: FBT003
        if self.command.text() != command:
            self.command.setText(command)
        self.command.setVisible(agent == CUSTOM_AGENT)

    def focus_first(self) -> None:
        usable = (button for button in self._buttons.values() if button.isChecked())
        next(usable, self._custom).setFocus()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _radio(self, key: AgentKey, name: str) -> QRadioButton:
        button = QRadioButton(name)
        button.setObjectName(f"agentChoice_{key}")
        button.setProperty("role", "choice")
        button.setMinimumHeight(self._theme.touch_pixels)
        button.toggled.connect(lambda on: self.chosen.emit(key) if on else None)
        self._group.addButton(button)
        self._buttons[key] = button
        return button

    def _rebuild(self, offers: tuple[AgentOffer, ...]) -> None:
        self._clear(self._list)
        self._clear(self._absent_list)
        self._buttons = {CUSTOM_AGENT: self._custom}
        self._missing = []
        for offer in offers:
            button = self._radio(offer.key, offer.name)
            if offer.command is not None:
                self._list.addWidget(button)
            else:
                button.setEnabled(False)
                self._absent_list.addWidget(button)
                self._add_hint(offer)
        self._others.setVisible(bool(self._missing))
        self._others.setChecked(self._list.count() == 0)
        self._retranslate()

    def _clear(self, list_: QVBoxLayout) -> None:
        while (item := list_.takeAt(0)) is not None:
            widget = item.widget()
            if isinstance(widget, QRadioButton):
                self._group.removeButton(widget)
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _add_hint(self, offer: AgentOffer) -> None:
        words = QLabel()
        words.setProperty("role", "small")
        words.setContentsMargins(self._theme.pixels(24), 0, 0, 0)
        self._missing.append(words)
        self._absent_list.addWidget(words)
        if offer.install_hint:
            line = CopyLine(self._theme, offer.install_hint, wraps=True)
            line.setContentsMargins(self._theme.pixels(24), 0, 0, 0)
            self._absent_list.addWidget(line)

    def _show_others(self, shown: bool) -> None:  # noqa: FBT001 - Qt's signature
        self._absent.setVisible(shown)
        self._retranslate()

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Agents"))
        self._custom.setText(self.tr("Another command"))
        self.command.setAccessibleName(self.tr("Command that speaks the agent protocol"))
        self.command.setPlaceholderText(self.tr("NAME=value program --option"))
        self._others.setText(
            self.tr("Hide agents that are not installed")
            if self._others.isChecked()
            else self.tr("%n agent(s) that can be installed…", "", len(self._missing))
        )
        for words in self._missing:
            words.setText(self.tr("Not found on this machine. To install it:"))
