"""The choices of a request: decline and approve, and the agent's own others by their names."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.resources import Icon
from app.theme import Theme
from app.viewmodels.review_choices import Choices, allows
from app.widgets.arming import ArmingGuard
from app.widgets.named_button import named_button
from app.widgets.wordy_button import WordyButton
from backend.domain.agents import PermissionOption

NO_OPTION = ""
"""Declines where the agent offers nothing for it."""


class ReviewButtons(QWidget):
    """`chosen` with the id of an option; every button works only once it is armed."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, guard: ArmingGuard) -> None:
        super().__init__()
        self._theme = theme
        self._guard = guard
        self._choices = Choices(None, None, (), ())
        self._extra: list[tuple[WordyButton, PermissionOption]] = []
        self._sending = False
        self._low = False
        self.decline = named_button("declineButton")
        self.approve = named_button("approveButton", "primary")
        self._rows = QVBoxLayout()
        self._rows.setSpacing(theme.pixels(6))
        self._note = QLabel()
        self._note.setProperty("role", "small")
        self._note.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        main = QHBoxLayout()
        main.setSpacing(theme.pixels(8))
        main.addWidget(self.decline)
        main.addStretch(1)
        main.addWidget(self.approve)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(8))
        column.addLayout(self._rows)
        column.addWidget(self._note)
        column.addLayout(main)
        for button in (self.decline, self.approve):
            guard.watch(button)
        self.decline.clicked.connect(self._decline)
        self.approve.clicked.connect(self._approve)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def show_choices(self, choices: Choices) -> None:
        """Build the buttons of another request."""
        self._choices = choices
        for button, _ in self._extra:
            self._rows.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._extra = []
        for number, option in enumerate((*choices.always, *choices.others), start=1):
            button = WordyButton(self._theme)
            first = bool(choices.always) and number == 1
            button.setObjectName("alwaysAllowButton" if first else f"reviewOption_{number}")
            button.clicked.connect(
                lambda _=False, chosen=option, by=button: self._choose(by, chosen)
            )
            self._guard.watch(button)
            self._rows.addWidget(button)
            self._extra.append((button, option))
        self.approve.setVisible(choices.approve is not None)
        self._note.setVisible(bool(choices.always) and not self._low)
        self._retranslate()

    def set_low(self, *, low: bool) -> None:
        """Where there is little height the buttons come before what explains them."""
        self._low = low
        self._note.setVisible(bool(self._choices.always) and not low)
        self._retranslate()

    def refresh(self, *, decidable: bool, readable: bool, sending: bool) -> None:
        """`readable`: all of the request was in sight, so that it may be allowed."""
        self._sending = sending
        self.decline.setEnabled(decidable)
        self.approve.setEnabled(decidable and readable)
        for button, option in self._extra:
            button.setEnabled(decidable and (readable or not allows(option)))
        self._retranslate()

    def buttons(self) -> tuple[QPushButton, ...]:
        return (self.decline, self.approve, *(button for button, _ in self._extra))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _decline(self) -> None:
        option = self._choices.decline
        if self._guard.accepts(self.decline):
            self.chosen.emit(option.id if option is not None else NO_OPTION)

    def _approve(self) -> None:
        option = self._choices.approve
        if option is not None and self.approve.isEnabled() and self._guard.accepts(self.approve):
            self.chosen.emit(option.id)

    def _choose(self, button: WordyButton, option: PermissionOption) -> None:
        if button.isEnabled() and self._guard.accepts(button):
            self.chosen.emit(option.id)

    def _show_icons(self) -> None:
        self.decline.setIcon(self._theme.button_icon(Icon.CLOSE))
        self.approve.setIcon(self._theme.button_icon(Icon.CHECK, "on_accent"))
        for button in (self.decline, self.approve):
            button.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        choices = self._choices
        self.decline.setText(self.tr("Decline"))
        self.approve.setText(self.tr("Sending…") if self._sending else self.tr("Approve"))
        self.approve.setAccessibleName(self.tr("Approve this once"))
        for button, option in ((self.decline, choices.decline), (self.approve, choices.approve)):
            name = option.name if option is not None else ""
            words = self.tr("The agent calls it: %1").replace("%1", name) if name else ""
            button.setAccessibleDescription(words)
        remembers = self.tr(
            "What is allowed for longer is remembered by the agent, not here: it asks no more."
        )
        self._note.setText(remembers)
        for button, option in self._extra:
            always = option in choices.always
            button.set_words(option.name or option.id)
            button.setAccessibleDescription(remembers if always else "")
            button.setToolTip(remembers if always and self._low else "")
