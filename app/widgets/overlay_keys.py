"""Which key means what while the keyboard is in the overlay (K6.3; window.md, Hands)."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from app.widgets.arming import ArmingGuard
from app.widgets.choice_list import RadioOption, TickOption
from app.widgets.question_card import QuestionCard
from app.widgets.review_page import ReviewPage

ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


@dataclass(frozen=True, slots=True)
class KeyActions:
    """What keys may do; each asks the guard and the view model itself."""

    submit: Callable[[], None]
    move: Callable[[int], None]
    choose: Callable[[RadioOption | TickOption], None]
    go_on: Callable[[], None]
    guard: ArmingGuard


def press(
    event: QKeyEvent, page: object, actions: KeyActions, direction: Qt.LayoutDirection
) -> bool:
    """Carry out what a key means; False when it means nothing here. A held key means nothing."""
    if event.isAutoRepeat():
        return False
    if event.key() in ENTER and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        actions.submit()
        return True
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or editing():
        return False
    if event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
        mirrored = direction is Qt.LayoutDirection.RightToLeft
        forward = (event.key() == Qt.Key.Key_Right) is not mirrored
        actions.move(1 if forward else -1)
        return True
    if isinstance(page, ReviewPage) and event.key() in ENTER:
        return _press_button(QApplication.focusWidget(), page)
    return isinstance(page, QuestionCard) and _press_on_question(event, page, actions)


def _press_button(focus: QWidget | None, page: QWidget) -> bool:
    """Enter is what Space is on the page of all answers: its buttons only lead back."""
    if not isinstance(focus, QPushButton) or not page.isAncestorOf(focus):
        return False
    focus.click()
    return True


def _press_on_question(event: QKeyEvent, page: QuestionCard, actions: KeyActions) -> bool:
    key, rows = event.key(), page.choices.rows
    if key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
        page.step_focus(1 if key == Qt.Key.Key_Down else -1)
        return True
    if not page.choices.isEnabled():
        return False
    if key in ENTER:
        wanted = next((row for row in rows if row.hasFocus()), None)
        if wanted is not None:
            _enter_on(wanted, actions)
        return wanted is not None
    if not 0 <= key - Qt.Key.Key_1 < min(9, len(rows)):
        return False
    wanted = rows[key - Qt.Key.Key_1]
    # Enter after it means this row, not the one the keyboard was on before.
    wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
    actions.choose(wanted)
    return True


def _enter_on(row: RadioOption | TickOption, actions: KeyActions) -> None:
    """Enter ticks; on what is ticked it goes on, as in the field. Only Space takes it back."""
    if not isinstance(row, TickOption):
        actions.choose(row)
    elif not row.isChecked():
        actions.choose(row)
        actions.guard.rearm(row)
    elif actions.guard.accepts(row):
        actions.go_on()


def types_a_letter(event: QKeyEvent) -> bool:
    """Whether a field would have taken it in: a letter, not a key that leads somewhere."""
    commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
    return not event.modifiers() & commands and bool(event.text()) and event.text().isprintable()


def editing() -> bool:
    """Whether what the human types goes into a text."""
    focus = QApplication.focusWidget()
    if isinstance(focus, QPlainTextEdit):
        return not focus.isReadOnly()
    return isinstance(focus, QLineEdit)
