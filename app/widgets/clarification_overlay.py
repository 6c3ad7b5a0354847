"""The question that waits, as part of the chat: never a dialog, never in the way of typing."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QWidget

from app.text import workspace_text
from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.timing import Timer
from app.widgets.announcing import announce
from app.widgets.arming import ArmingGuard
from app.widgets.choice_list import RadioOption, TickOption
from app.widgets.confirm_strip import Step
from app.widgets.escape_watch import EscapeWatch, is_plain_escape
from app.widgets.overlay_frame import OverlayFrame
from app.widgets.overlay_keys import KeyActions, editing, press, types_a_letter
from app.widgets.pane_focus import holds_focus
from app.widgets.question_card import QuestionCard
from app.widgets.touch import TouchLayout, show_touch

AGE_SECONDS: Final = 30.0


class ClarificationOverlay(QWidget):
    """Shows the view model's card; whoever places it decides how tall it may be.

    `focus_wanted` when the card has gone or collapsed and no opener can take the focus back.
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
        self.setObjectName("clarificationOverlay")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._view_model = view_model
        self._theme = theme
        self._touch = touch
        self._opener: QWidget | None = None
        self._by_human = False
        self._chosen: tuple[int, str] | None = None
        self._step = -1
        self._progress = ""
        self._age_timer: Timer | None = None
        self.guard = ArmingGuard(view_model.clock.monotonic, self)
        self.escape = EscapeWatch(self._escape, self)
        self._frame = OverlayFrame(view_model, theme, self.guard)
        self._keys = KeyActions(self._submit, self._move, self._choose, self._enter, self.guard)
        self._outer = QHBoxLayout(self)
        self._outer.setContentsMargins(*(theme.pixels(n) for n in (16, 4, 16, 0)))
        self._outer.addStretch(1)
        self._outer.addWidget(self._frame, 1000)
        self._outer.addStretch(1)
        self._connect()
        self._guard_controls()
        self._replace()

    def set_opener(self, opener: QWidget | None) -> None:
        """Where the focus goes back to after the question that is shown now."""
        self._opener = opener

    def focus_question(self) -> None:
        """The human asked for the keyboard to be here."""
        card, page = self._view_model.card, self._frame.body.page
        if card is not None and not card.collapsed and page is not None:
            page.focus_first()
        else:
            self._frame.bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def hasHeightForWidth(self) -> bool:
        """Whoever places it limits its height; `sizeHint` follows its width."""
        return False

    def sizeHint(self) -> QSize:
        outer = self._outer.contentsMargins()
        width = min(self.width() - outer.left() - outer.right(), self._frame.maximumWidth())
        return QSize(width, self._frame.natural_height(width) + outer.top() + outer.bottom())

    def minimumSizeHint(self) -> QSize:
        outer = self._outer.contentsMargins()
        return QSize(0, self._frame.least_height + outer.top() + outer.bottom())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        refusals = self.guard.refusals
        handled = self._handle_key(event)
        if types_a_letter(event) and (not handled or self.guard.refusals > refusals):
            # Somebody types without a field: the next space or digit is a part of it too.
            self.guard.rearm()
        if handled:
            event.accept()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._frame.set_height(self.height())
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stop_following_time()
        self._follow_time()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop_following_time()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
            self._name()
        super().changeEvent(event)

    def _connect(self) -> None:
        view_model, frame = self._view_model, self._frame
        view_model.card_replaced.connect(self._replace)
        view_model.changed.connect(self._refresh)
        view_model.closed_here.connect(self._note_human)
        self._theme.changed.connect(self._restyle)
        self._touch.changed.connect(self._show_touch)
        frame.header.collapse_wanted.connect(self._collapse)
        frame.bar.clicked.connect(self._expand)
        frame.tabs.step_wanted.connect(view_model.go_to)
        frame.body.chosen.connect(self._choose)
        frame.body.edited.connect(self._write)
        frame.body.entered.connect(self._enter)
        frame.body.finished.connect(self._submit)
        frame.body.change_wanted.connect(view_model.go_to)
        frame.body.stored.hand_over_wanted.connect(self._hand_over)
        frame.body.stored.discard_wanted.connect(self._discard_stored)
        frame.footer.step_wanted.connect(self._move)
        frame.footer.submit_wanted.connect(self._submit)
        frame.footer.skip_wanted.connect(lambda: self._open_strip(Step.SKIP))
        frame.footer.close_wanted.connect(lambda: self._open_strip(Step.CLOSE))
        frame.strip.confirmed.connect(self._confirm)
        frame.strip.cancelled.connect(self._close_strip)

    def _guard_controls(self) -> None:
        footer, stored = self._frame.footer, self._frame.body.stored
        for control in (
            footer.submit,
            footer.skip,
            footer.close_question,
            self._frame.strip.confirm,
            stored.hand_over,
            stored.discard,
        ):
            self.guard.watch(control)

    def _replace(self) -> None:
        """Another card, or none: the focus moves only if it was in here.

        Whoever was typing when another closed the card goes on typing for a moment: to nobody.
        """
        card, had_focus = self._view_model.card, holds_focus(self)
        interrupted = had_focus and editing() and not self._by_human
        self._frame.strip.hide()
        self._frame.strip.reason.clear()
        self._chosen, self._step, self._progress = None, -1, ""
        if card is None:
            if had_focus:
                self._give_focus_back()
            self.hide()
        else:
            if interrupted:
                self._give_focus_back()
            elif had_focus:
                self.setFocus(Qt.FocusReason.OtherFocusReason)
            self._step = card.step
            self._frame.tabs.show_card(card)
            self._frame.body.show_step(card)
            self._refresh()
            self._show_touch()
            self.show()
            self.guard.rearm()
            self._announce_card()
        self._by_human, self._opener = False, None

    def _refresh(self) -> None:
        card = self._view_model.card
        if card is None:
            return
        if card.step != self._step:
            self._show_step()
        if card.busy and holds_focus(self):
            # What has the keyboard is about to be disabled, and would drop it.
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._frame.refresh(self._hint())
        progress = self._frame.tabs.progress
        if card.review_step > 0 and progress != self._progress:
            self._progress = progress
            announce(self, progress)
        self.updateGeometry()

    def _show_step(self) -> None:
        card = self._view_model.card
        if card is None:
            return
        had_focus = holds_focus(self)
        if had_focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._frame.body.show_step(card)
        self._step, self._chosen = card.step, None
        self.guard.rearm()
        if had_focus and self._frame.body.page is not None:
            self._frame.refresh(self._hint())
            self._frame.body.page.focus_first()

    def _hint(self) -> str:
        if self._chosen is None or not self._view_model.can_submit:
            return ""
        return self.tr("Choose it again or press Submit to send")

    def _choose(self, row: RadioOption | TickOption) -> None:
        """The first activation chooses; on a single question a second, later one sends."""
        card, page = self._view_model.card, self._frame.body.page
        if card is None or not isinstance(page, QuestionCard) or not self.guard.accepts(row):
            return
        option, index = row.option.id, page.index
        alone = len(card.questions) == 1 and not card.questions[index].multi_select
        again = self._chosen == (card.generation, option)
        if alone and again and card.sheet.entry(index).selected == (option,):
            self._submit()
            return
        if alone:
            self._chosen = (card.generation, option)
            self.guard.rearm(row)
        self._view_model.pick(index, option)

    def _write(self, text: str) -> None:
        page = self._frame.body.page
        if isinstance(page, QuestionCard):
            if text:
                self._chosen = None
            self._view_model.write(page.index, text)

    def _enter(self) -> None:
        """Enter in the own-words field: send a single answer, else go on to the next question."""
        card = self._view_model.card
        if card is None or card.reviewing or not card.sheet.settled(card.step):
            return
        if card.review_step > 0:
            self._view_model.go_to(card.step + 1)
        else:
            self._submit()

    def _move(self, step: int) -> None:
        card = self._view_model.card
        if card is not None and card.review_step > 0:
            self._view_model.go_to(card.step + step)

    def _submit(self) -> None:
        """Send what is complete; several answers are reviewed first."""
        card = self._view_model.card
        if card is None or not self._view_model.can_submit:
            return
        if not self.guard.accepts(self._frame.footer.submit):
            return
        if card.review_step > 0 and not card.reviewing:
            self._view_model.go_to(card.review_step)
        else:
            self._view_model.submit()

    def _open_strip(self, step: Step) -> None:
        footer = self._frame.footer
        opener = footer.skip if step is Step.SKIP else footer.close_question
        if self._view_model.can_skip and self.guard.accepts(opener):
            self._frame.open_strip(step)
            self.guard.rearm(self._frame.strip.confirm)
            self.updateGeometry()

    def _close_strip(self) -> None:
        self._frame.close_strip()
        self._frame.footer.skip.setFocus(Qt.FocusReason.OtherFocusReason)
        self.updateGeometry()

    def _confirm(self, step: Step) -> None:
        if not self.guard.accepts(self._frame.strip.confirm):
            return
        if step is Step.SKIP:
            self._view_model.skip(self._frame.strip.reason_text)
        else:
            self._view_model.close_question()

    def _hand_over(self) -> None:
        if self.guard.accepts(self._frame.body.stored.hand_over):
            self._view_model.hand_over()

    def _discard_stored(self) -> None:
        if self.guard.accepts(self._frame.body.stored.discard):
            self._view_model.discard_stored()

    def _collapse(self) -> None:
        had_focus = holds_focus(self)
        if had_focus:
            self._by_human = True
            self._give_focus_back()
            self._by_human = False
        self._view_model.set_collapsed(collapsed=True)
        if had_focus and QApplication.focusWidget() is None:
            self._frame.bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _expand(self) -> None:
        had_focus = self._frame.bar.hasFocus()
        if had_focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._view_model.set_collapsed(collapsed=False)
        self.guard.rearm()
        if had_focus:
            self.focus_question()

    def _escape(self) -> bool:
        """Esc steps back by one: from the second step of Skip, then into the collapsed line."""
        card = self._view_model.card
        if card is None or card.busy or card.collapsed or not self.isVisible():
            return False
        if self._frame.confirming:
            self._close_strip()
        else:
            self._collapse()
        return True

    def _handle_key(self, event: QKeyEvent) -> bool:
        card = self._view_model.card
        if card is None or card.collapsed:
            return False
        if is_plain_escape(event):
            return self._escape()
        if card.busy or self._frame.confirming:
            return False
        return press(event, self._frame.body.page, self._keys, self.layoutDirection())

    def _give_focus_back(self) -> None:
        """To whoever opened it; after another's doing to nobody: keys must not land elsewhere."""
        focus = QApplication.focusWidget()
        if focus is not None:
            focus.clearFocus()
        if not self._by_human:
            return
        if self._opener is not None and self._opener.isVisible():
            self._opener.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.focus_wanted.emit()

    def _note_human(self) -> None:
        self._by_human = True

    def _announce_card(self) -> None:
        if words := self._name():
            announce(self, words, urgent=True)

    def _name(self) -> str:
        """Name the card for those who hear it; empty when nobody asks."""
        if (session := self._view_model.session) is None:
            return ""
        words = self.tr("Question from {agent} in {project}")
        words = words.format(agent=session.agent, project=workspace_text(session.workspace))
        self.setAccessibleName(words)
        self._frame.setAccessibleName(words)
        return words

    def _show_touch(self) -> None:
        show_touch(self, touch=self._touch.on)
        self._frame.body.show_for(touch=self._touch.on)
        self.updateGeometry()

    def _restyle(self) -> None:
        """Sizes and colours have changed: build the page anew around the keyboard."""
        self._outer.setContentsMargins(*(self._theme.pixels(n) for n in (16, 4, 16, 0)))
        card, body = self._view_model.card, self._frame.body
        if card is None:
            return
        place = body.page.place() if body.page is not None else None
        if place is not None:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        body.show_step(card)
        self._refresh()
        self.guard.rearm()
        if place is not None and body.page is not None:
            body.page.return_to(place)

    def _follow_time(self) -> None:
        self._frame.header.refresh()
        self._age_timer = self._view_model.clock.call_later(AGE_SECONDS, self._follow_time)

    def _stop_following_time(self) -> None:
        if self._age_timer is not None:
            self._age_timer.cancel()
            self._age_timer = None
