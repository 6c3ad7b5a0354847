"""Which key means what while the keyboard is in the overlay (K6.3; window.md, Hands)."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from app.widgets.choice_list import RadioOption, TickOption
from app.widgets.question_card import QuestionCard

ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


@dataclass(frozen=True, slots=True)
class KeyActions:
    """What keys may do; each asks the guard and the view model itself."""

    submit: Callable[[], None]
    move: Callable[[int], None]
    choose: Callable[[RadioOption | TickOption], None]


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
    return isinstance(page, QuestionCard) and _press_on_question(event, page, actions)


def _press_on_question(event: QKeyEvent, page: QuestionCard, actions: KeyActions) -> bool:
    key, rows = event.key(), page.choices.rows
    if key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
        page.step_focus(1 if key == Qt.Key.Key_Down else -1)
        return True
    if not page.choices.isEnabled():
        return False
    wanted = next((row for row in rows if row.hasFocus()), None) if key in ENTER else None
    if 0 <= key - Qt.Key.Key_1 < min(9, len(rows)):
        wanted = rows[key - Qt.Key.Key_1]
    if wanted is not None:
        actions.choose(wanted)
    return wanted is not None


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
