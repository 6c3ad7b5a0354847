"""Controls that answer for the human work only after they have stood still for a moment."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

SETTLE_SECONDS: Final = 0.5
"""After a control appeared, moved or began to mean something else."""
ACTIVATION_SECONDS: Final = 0.3
"""After the window was activated: the click that raised it answers nothing."""

_PRESSES: Final = frozenset(
    {
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.TouchBegin,
    }
)
_MOTIONS: Final = frozenset({QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Resize})
_KEYS: Final = frozenset({Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Select})


class ArmingGuard(QObject):
    """Swallows presses on the controls it guards while they are not armed (window.md, Hands).

    Whoever acts on a control by another way, a shortcut or an assistive tool, asks `accepts`.
    """

    def __init__(self, monotonic: Callable[[], float], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._monotonic = monotonic
        self._stamps: dict[QWidget, float] = {}
        self._places: dict[QWidget, QPoint] = {}
        self._window: QWidget | None = None
        self._activated = float("-inf")
        self._moved = float("-inf")
        self._unsettled = False
        self.refusals = 0
        """How often something was not accepted: whoever types on shows that it was no choice."""

    def watch(self, control: QWidget) -> None:
        """Guard `control` from now until it is destroyed."""
        self._stamps[control] = self._monotonic()
        if isinstance(control, QPushButton):
            # A click that was swallowed must not leave the keyboard where a space answers.
            control.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        control.installEventFilter(self)
        control.destroyed.connect(lambda: self._forget(control))
        self._watch_ancestors(control)

    def rearm(self, *controls: QWidget) -> None:
        """Start anew: all controls, or those that mean something else now."""
        now = self._monotonic()
        for control in controls or tuple(self._stamps):
            self._stamps[control] = now

    def accepts(self, control: QWidget) -> bool:
        """Whether an activation of `control` is deliberate by now."""
        if control not in self._stamps:
            return False
        self._notice_move(control)
        now = self._monotonic()
        settled = now - self._stamps[control] >= SETTLE_SECONDS
        accepted = settled and now - self._activated >= ACTIVATION_SECONDS
        self.refusals += not accepted
        return accepted

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(watched, QWidget) and watched in self._stamps:
            if self._is_press(event) and not self.accepts(watched):
                if event.type() == QEvent.Type.KeyPress:
                    self.rearm()
                return True
            if kind == QEvent.Type.Show:
                self._watch_ancestors(watched)
                self._stamps[watched] = self._monotonic()
        if kind in _MOTIONS:
            self._moved = self._monotonic()
            self._unsettled = True
        elif kind == QEvent.Type.UpdateRequest and self._unsettled:
            self._note_places()
        elif kind == QEvent.Type.WindowActivate and watched is self._window:
            self._activated = self._monotonic()
        return super().eventFilter(watched, event)

    def _note_places(self) -> None:
        """About to be painted: where controls are now is where the human sees them."""
        self._unsettled = False
        for control in self._stamps:
            if control.isVisible():
                self._notice_move(control)

    def _notice_move(self, control: QWidget) -> None:
        """Only where a control came to rest counts: a layout may push it about in between."""
        place = control.mapTo(control.window(), QPoint(0, 0))
        if self._places.get(control) != place:
            self._stamps[control] = max(self._stamps[control], self._moved)
            self._places[control] = place

    def _is_press(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.key() in _KEYS and (event.isAutoRepeat() or self._plain(event))
        return event.type() in _PRESSES

    def _plain(self, event: QKeyEvent) -> bool:
        return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier

    def _watch_ancestors(self, control: QWidget) -> None:
        ancestor = control.parentWidget()
        while ancestor is not None:
            ancestor.installEventFilter(self)
            if ancestor.isWindow():
                self._window = ancestor
                break
            ancestor = ancestor.parentWidget()

    def _forget(self, control: QWidget) -> None:
        self._stamps.pop(control, None)
        self._places.pop(control, None)
