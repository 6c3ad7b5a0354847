"""Moves the keyboard from pane to pane."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def focus_next(panes: Sequence[QWidget], focus: Callable[[QWidget], None]) -> None:
    """Put the keyboard into the pane after the one that has it; past those that take none."""
    current = next((i for i, pane in enumerate(panes) if holds_focus(pane)), len(panes) - 1)
    for step in range(1, len(panes) + 1):
        pane = panes[(current + step) % len(panes)]
        focus(pane)
        if holds_focus(pane):
            return


def focus_first(pane: QWidget) -> None:
    """Put the keyboard on the pane, or on the first part of it that takes it."""
    target = pane if pane.focusPolicy() else _first_focusable(pane)
    if target is not None:
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)


def holds_focus(pane: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and (pane is focus or pane.isAncestorOf(focus))


def _first_focusable(pane: QWidget) -> QWidget | None:
    return next(
        (
            child
            for child in pane.findChildren(QWidget)
            if child.isVisible()
            and child.isEnabled()
            and child.focusPolicy() & Qt.FocusPolicy.TabFocus
        ),
        None,
    )
