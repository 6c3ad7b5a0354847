"""An earlier question, answered now: what is put in goes to its agent as a new message (K6.5)."""

from typing import Final

from PySide6.QtCore import QEvent, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.late_answer import LateAnswer
from app.widgets.announcing import announce
from app.widgets.arming import ArmingGuard
from app.widgets.choice_list import RadioOption, TickOption
from app.widgets.escape_watch import is_plain_escape
from app.widgets.late_footer import LateFooter
from app.widgets.overlay_body import OverlayBody
from app.widgets.pane_focus import holds_focus
from app.widgets.question_card import QuestionCard
from app.widgets.question_tabs import QuestionTabs, question_name, shortened
from app.widgets.touch import TouchLayout, show_touch

MAX_WIDTH: Final = 808
_BORDER: Final = 2


class LateAnswerForm(QWidget):
    """Shows the late answer that is open in the session; whoever places it limits its height.

    `focus_wanted` when it has closed and its opener cannot take the focus back.
    """

    focus_wanted = Signal()

    def __init__(
        self,
        view_model: ClarificationViewModel,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("lateAnswerForm")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._view_model = view_model
        self._theme = theme
        self._touch = touch
        self._opener: QWidget | None = None
        self._shown: LateAnswer | None = None
        self._card: object = None
        self._step = -1
        self.guard = ArmingGuard(view_model.clock.monotonic, self)
        self._title = QLabel()
        self._title.setProperty("role", "heading")
        self._note = QLabel()
        self._note.setObjectName("lateAnswerNote")
        self._note.setProperty("role", "muted")
        self._note.setWordWrap(True)
        self._tabs = QuestionTabs(theme)
        self.body = OverlayBody(theme, self.guard)
        self._missing = QLabel()
        self._missing.setObjectName("missingAnswers")
        self._missing.setProperty("role", "small")
        self._missing.setTextFormat(Qt.TextFormat.PlainText)
        self._missing.setWordWrap(True)
        self._footer = LateFooter(theme)
        self._frame = QFrame()
        self._frame.setProperty("role", "question-card")
        self._frame.setProperty("closed", True)  # noqa: FBT003 - Qt's signature
        self._build()
        self._connect()
        self.hide()
        self._retranslate()

    def set_opener(self, opener: QWidget | None) -> None:
        """Where the focus goes back to after it has closed."""
        self._opener = opener

    def hasHeightForWidth(self) -> bool:
        """Whoever places it limits its height; `sizeHint` follows its width."""
        return False

    def sizeHint(self) -> QSize:
        margins = self._column.contentsMargins()
        width = min(self.width(), self._frame.maximumWidth()) - margins.left() - margins.right()
        return QSize(width, self._fixed_height() + self.body.natural_height(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._fixed_height() + self.body.least_height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_plain_escape(event) and not event.isAutoRepeat():
            self._view_model.late.close()
        elif enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if not event.isAutoRepeat():
                self._send()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        self._column = QVBoxLayout(self._frame)
        self._column.setContentsMargins(px(16), px(12), px(16), px(12))
        self._column.setSpacing(px(8))
        for part in (self._title, self._note, self._tabs):
            self._column.addWidget(part)
        self._column.addWidget(self.body, 1)
        self._column.addWidget(self._missing)
        self._column.addWidget(self._footer)
        self._frame.setMaximumWidth(px(MAX_WIDTH))
        outer = QHBoxLayout(self)
        outer.setContentsMargins(px(16), px(4), px(16), 0)
        outer.addStretch(1)
        outer.addWidget(self._frame, 1000)
        outer.addStretch(1)
        self.guard.watch(self._footer.send)

    def _connect(self) -> None:
        view_model = self._view_model
        for signal in (view_model.changed, view_model.card_replaced, view_model.recovery_changed):
            signal.connect(self._refresh)
        self.body.chosen.connect(self._choose)
        self.body.edited.connect(self._write)
        self.body.entered.connect(self._enter)
        self.body.finished.connect(self._send)
        self.body.change_wanted.connect(view_model.late.go_to)
        self._tabs.step_wanted.connect(view_model.late.go_to)
        self._footer.step_wanted.connect(self._move)
        self._footer.close_wanted.connect(view_model.late.close)
        self._footer.send_wanted.connect(self._send)
        self._theme.changed.connect(self._restyle)
        self._touch.changed.connect(self._show_touch)

    def _refresh(self) -> None:
        late = self._view_model.late.opened
        if late is not self._shown:
            self._show(late)
        elif late is not None and (late.card is not self._card or late.card.step != self._step):
            self._show_step(late)
        if late is not None:
            self._tabs.refresh(late.card)
            self._tabs.setVisible(late.card.review_step > 0)
            self.body.refresh(late.card, self._view_model.clock.now())
            self._footer.refresh(late)
            self._say_missing(late)
            self.updateGeometry()

    def _show(self, late: LateAnswer | None) -> None:
        had_focus = holds_focus(self)
        self._shown = late
        if late is None:
            self._card, self._step = None, -1
            self.hide()
            if had_focus:
                self._give_focus_back()
            return
        self._tabs.show_card(late.card)
        self._show_step(late)
        self._show_touch()
        self.show()
        self.guard.rearm()
        self._focus_page()
        announce(self, f"{self._title.text()}. {self._note.text()}")

    def _show_step(self, late: LateAnswer) -> None:
        had_focus = holds_focus(self)
        if had_focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._card, self._step = late.card, late.card.step
        self.body.show_step(late.card)
        self.body.refresh(late.card, self._view_model.clock.now())
        self.body.show_for(touch=self._touch.on)
        self.guard.rearm(self._footer.send)
        if had_focus:
            self._focus_page()

    def _focus_page(self) -> None:
        """The human asked for this form: the keyboard is where it is filled in."""
        if isinstance(self.body.page, QuestionCard):
            self.body.page.focus_first()
        else:
            self._footer.send.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self, row: RadioOption | TickOption) -> None:
        """Only chooses: a late answer is never sent by choosing an option."""
        page = self.body.page
        if isinstance(page, QuestionCard) and self.guard.accepts(row):
            self._view_model.late.pick(page.index, row.option.id)

    def _write(self, text: str) -> None:
        page = self.body.page
        if isinstance(page, QuestionCard):
            self._view_model.late.write(page.index, text)

    def _enter(self) -> None:
        """Enter in the own-words field goes on to the next question; it never sends."""
        if self._shown is not None and self._shown.card.review_step > 0:
            self._move(1)

    def _move(self, step: int) -> None:
        if self._shown is not None:
            self._view_model.late.go_to(self._shown.card.step + step)

    def _send(self) -> None:
        late = self._shown
        if late is None:
            return
        if late.missing:
            self._lead_to(late.missing[0])
        elif late.sendable and self.guard.accepts(self._footer.send):
            self._view_model.late.send(late.bundle.pending_id)

    def _lead_to(self, index: int) -> None:
        """The keyboard goes to the first answer that is missing, and what is missing is said."""
        self._view_model.late.go_to(index)
        self._focus_page()
        announce(self, self._missing.text(), urgent=True)

    def _say_missing(self, late: LateAnswer) -> None:
        words = self._missing_words(late)
        self._missing.setText(words)
        self._missing.setVisible(bool(words))
        self._footer.send.setAccessibleDescription(words)

    def _missing_words(self, late: LateAnswer) -> str:
        if not late.missing:
            return ""
        if late.card.review_step < 0:
            return self.tr("Choose an option or write an answer, then it can be sent.")
        names = [question_name(late.card.questions[index], index) for index in late.missing]
        listed = QLocale().createSeparatedList([shortened(name) for name in names])
        return self.tr("Still to be answered: %1").replace("%1", listed)

    def _give_focus_back(self) -> None:
        if self._opener is not None and self._opener.isVisible():
            self._opener.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.focus_wanted.emit()

    def _fixed_height(self) -> int:
        margins = self._column.contentsMargins()
        parts: list[QWidget] = [self._title, self._note, self._footer]
        parts.extend(part for part in (self._tabs, self._missing) if not part.isHidden())
        width = max(80, self._frame.width() - margins.left() - margins.right() - _BORDER)
        heights = sum(max(part.sizeHint().height(), part.heightForWidth(width)) for part in parts)
        around = margins.top() + margins.bottom() + _BORDER + self._theme.pixels(4)
        return heights + around + len(parts) * self._column.spacing()

    def _show_touch(self) -> None:
        show_touch(self, touch=self._touch.on)
        self.body.show_for(touch=self._touch.on)
        self.updateGeometry()

    def _restyle(self) -> None:
        self._frame.setMaximumWidth(self._theme.pixels(MAX_WIDTH))
        if self._shown is not None:
            self._show_step(self._shown)
            self._refresh()

    def _retranslate(self) -> None:
        self._title.setText(self.tr("Answer as a new message"))
        self._note.setText(
            self.tr(
                "The agent no longer waits for this answer. It gets what you put in here as a "
                "new message."
            )
        )
        self.setAccessibleName(self._title.text())
        self.setAccessibleDescription(self._note.text())
        if self._shown is not None:
            self._say_missing(self._shown)
