"""The choices of a request: decline and approve, for longer, and the agent's own others."""

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.models.policy_words import PolicyWords
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.review_choices import NO_OPTION, Choices, Decision, allows, choices_of
from app.widgets.armed_menu import ArmedMenu
from app.widgets.arming import ArmingGuard
from app.widgets.decline_strip import DeclineStrip
from app.widgets.named_button import named_button
from app.widgets.option_rows import OptionRows
from app.widgets.verdict_row import VerdictRow
from app.widgets.wordy_button import WordyButton
from backend.domain.agents import PermissionOption
from backend.domain.policy import Risk, RuleScope
from backend.domain.review import Owner, Review

DAY: Final = 86_400.0
_NOTHING = Choices(None, None, (), ())


class ReviewButtons(QWidget):
    """`chosen` with a `Decision`; every button works only once it is armed.

    `resized` when it takes more or less room than before.
    """

    chosen = Signal(object)
    resized = Signal()

    def __init__(self, theme: Theme, guard: ArmingGuard, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._theme = theme
        self._guard = guard
        self._monotonic = monotonic
        self._words = PolicyWords(self)
        self._choices = _NOTHING
        self._agent = ""
        self._runs_here = False
        self._destroys = False
        self._extra: list[tuple[WordyButton, PermissionOption]] = []
        self._sending = False
        self._low = False
        self.decline = named_button("declineButton")
        self.decline_more = named_button("declineMore")
        self.always = named_button("alwaysAllowButton")
        self.approve = named_button("approveButton", "primary")
        self.strip = DeclineStrip(theme, guard)
        self.options = OptionRows(theme)
        self._main = VerdictRow(
            theme, (self.decline, self.decline_more), (self.always, self.approve)
        )
        self._note = QLabel()
        self._note.setProperty("role", "small")
        self._note.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._build()
        for button in (self.decline, self.decline_more, self.always, self.approve):
            guard.watch(button)
        self.decline.clicked.connect(lambda: self._press(self.decline, self._decline))
        self.decline_more.clicked.connect(lambda: self._press(self.decline_more, self._open_more))
        self.always.clicked.connect(lambda: self._press(self.always, self._open_scopes))
        self.approve.clicked.connect(lambda: self._press(self.approve, self._approve))
        self.strip.declined.connect(lambda reason: self._decline(reason=reason))
        self.strip.cancelled.connect(self._close_strip)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def show_review(self, review: Review) -> None:
        """Build the buttons of another request."""
        choices = self._choices = choices_of(review)
        self._agent = review.agent_name or self.tr("The agent")
        self._runs_here = review.owner is Owner.GATEWAY
        self._destroys = review.risk is Risk.DESTRUCTIVE
        for button, _ in self._extra:
            self.options.remove(button)
        self._extra = []
        for number, option in enumerate((*choices.always, *choices.others), start=1):
            self._add_option(number, option)
        # The name is a contract: it is the desk's own button where there is one.
        self.always.setObjectName("alwaysAllowButton" if choices.scopes else "alwaysAllowHere")
        self.always.setVisible(bool(choices.scopes))
        self.approve.setVisible(choices.approve is not None)
        self.approve.setProperty("role", "destructive" if self._destroys else "primary")
        self.approve.style().unpolish(self.approve)
        self.approve.style().polish(self.approve)
        self._show_icons()
        self._note.setVisible(bool(choices.always) and not self._low)
        self._show_strip(shown=False)
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
        self.decline_more.setEnabled(decidable)
        self.strip.refresh(decidable=decidable)
        for button in (self.approve, self.always):
            button.setEnabled(decidable and readable)
        for option_button, option in self._extra:
            option_button.setEnabled(decidable and (readable or not allows(option)))
        self._retranslate()

    def buttons(self) -> tuple[QPushButton, ...]:
        """Those that are there for this request."""
        own = (self.decline, self.decline_more, self.always, self.approve)
        extra = (button for button, _ in self._extra)
        return tuple(button for button in (*own, *extra) if not button.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(8))
        column.addWidget(self.options)
        column.addWidget(self._note)
        column.addWidget(self._main)
        column.addWidget(self.strip)

    def _add_option(self, number: int, option: PermissionOption) -> None:
        button = WordyButton(self._theme)
        first = bool(self._choices.always) and number == 1 and not self._choices.scopes
        button.setObjectName("alwaysAllowButton" if first else f"reviewOption_{number}")
        button.clicked.connect(
            lambda: self._press(button, lambda: self.chosen.emit(Decision(option.id)))
        )
        self._guard.watch(button)
        self.options.add(button)
        self._extra.append((button, option))

    def _press(self, button: QPushButton, deed: Callable[[], None]) -> None:
        if button.isEnabled() and self._guard.accepts(button):
            deed()

    def _decline(self, *, remember: RuleScope | None = None, reason: str = "") -> None:
        option = self._choices.decline
        chosen = option.id if option is not None else NO_OPTION
        self.chosen.emit(Decision(chosen, remember, reason))

    def _approve(
        self, remember: RuleScope | None = None, remember_for: float | None = None
    ) -> None:
        option = self._choices.approve
        if option is not None and self.approve.isEnabled():
            self.chosen.emit(Decision(option.id, remember, remember_for=remember_for))

    def _open_scopes(self) -> None:
        menu = self._menu("alwaysAllowMenu", self.tr("Always allow"))
        for scope in self._choices.scopes:
            words = self.tr("Always allow: %1").replace("%1", self._words.scope(scope))
            menu.add_deed(words, partial(self._approve, scope), f"always_{scope}")
        for scope in self._choices.scopes:
            words = self.tr("Allow for one day: %1").replace("%1", self._words.scope(scope))
            menu.add_deed(words, partial(self._approve, scope, DAY), f"day_{scope}")
        self._pop_up(menu, self.always)

    def _open_more(self) -> None:
        menu = self._menu("declineMenu", self.tr("Other ways to decline"))
        menu.add_deed(self.tr("Decline with a reason…"), self._open_strip, "declineWithReason")
        for scope in self._choices.decline_scopes:
            words = self.tr("Always decline: %1").replace("%1", self._words.scope(scope))
            menu.add_deed(words, partial(self._decline, remember=scope), f"never_{scope}")
        self._pop_up(menu, self.decline_more)

    def _menu(self, name: str, words: str) -> ArmedMenu:
        menu = ArmedMenu(self._monotonic, self)
        menu.setObjectName(name)
        menu.setAccessibleName(words)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _pop_up(self, menu: ArmedMenu, by: QPushButton) -> None:
        """Above its button: the card stands at the bottom of the window."""
        menu.popup(by.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _open_strip(self) -> None:
        self._show_strip(shown=True)
        self.strip.open()

    def _close_strip(self) -> None:
        self._show_strip(shown=False)
        self.decline_more.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_strip(self, *, shown: bool) -> None:
        if shown is not self._main.isHidden():
            self._main.setVisible(not shown)
            self.strip.setVisible(shown)
            self.resized.emit()

    def _show_icons(self) -> None:
        self.decline.setIcon(self._theme.button_icon(Icon.CLOSE))
        self.decline_more.setIcon(self._theme.icon(Icon.EXPAND))
        colour = "danger" if self._destroys else "on_accent"
        self.approve.setIcon(self._theme.button_icon(Icon.CHECK, colour))
        for button in (self.decline, self.approve):
            button.setIconSize(self._theme.button_icon_size)
        self.decline_more.setIconSize(self._theme.icon_size(16))

    def _retranslate(self) -> None:
        choices = self._choices
        self.decline.setText(self.tr("Decline"))
        more = self.tr("Other ways to decline")
        self.decline_more.setAccessibleName(more)
        self.decline_more.setToolTip(more)
        self.approve.setText(self._approve_words())
        name = (
            self.tr("Approve this once, and run it")
            if self._runs_here
            else self.tr("Approve this once")
        )
        self.approve.setAccessibleName(name)
        self.always.setAccessibleName(self.tr("Always allow…"))
        scopes = "; ".join(self._words.scope(scope) for scope in choices.scopes)
        self.always.setAccessibleDescription(scopes)
        for button, option in ((self.decline, choices.decline), (self.approve, choices.approve)):
            called = option.name if option is not None else ""
            words = self.tr("The agent calls it: %1").replace("%1", called) if called else ""
            button.setAccessibleDescription("" if self._runs_here else words)
        remembers = self.tr(
            "%1 remembers this itself and will not ask again. No rule is made here."
        ).replace("%1", self._agent)
        self._note.setText(remembers)
        for extra, own in self._extra:
            always, called = own in choices.always, own.name or own.id
            if always and choices.scopes:
                # Beside the desk's own button: whoever remembers is told apart in the words.
                words = self.tr("%1 (%2 remembers it)").replace("%2", self._agent)
                called = words.replace("%1", called)
            extra.set_words(called)
            extra.setAccessibleDescription(remembers if always else "")
            extra.setToolTip(remembers if always and self._low else "")
        self._fit()

    def _fit(self) -> None:
        """Where not all words fit beside each other, "Always allow…" is a button to unfold, as the
        other ways to decline are: its words are in its menu then.
        """
        words, scopes = self.always.accessibleName(), self.always.accessibleDescription()
        self.always.setText(words)
        self.always.setIcon(QIcon())
        short = self._main.natural_width > self.width()
        if short:
            self.always.setText("")
            self.always.setIcon(self._theme.icon(Icon.EXPAND))
            self.always.setIconSize(self._theme.icon_size(16))
        self.always.setToolTip(f"{words} {scopes}" if short else scopes)
        self._main.arrange()

    def _approve_words(self) -> str:
        if self._sending:
            return self.tr("Sending…")
        return self.tr("Approve && run") if self._runs_here else self.tr("Approve")
