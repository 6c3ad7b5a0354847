"""The overlay and its banner in a real window, with a text field of somebody else beside them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.clarification_overlay import ClarificationOverlay
from app.widgets.status_banner import StatusBanner
from app.widgets.touch import TouchLayout
from backend.domain.clarification import Bundle
from tests.helpers.clarification_case import Case
from tests.helpers.clock import settle
from tests.helpers.waiting import until

W = TypeVar("W", bound=QWidget)


class OverlayWindow:
    """Finds controls by the names of window.md and uses them as a human would."""

    def __init__(self, case: Case, theme: Theme) -> None:
        self.case = case
        self.touch = TouchLayout()
        self.window = QWidget()
        self.composer = QLineEdit()
        self.overlay = ClarificationOverlay(case.view_model, theme, self.touch)
        self.banner = StatusBanner(case.view_model, theme, self.touch)
        column = QVBoxLayout(self.window)
        column.addStretch(1)
        for part in (self.banner, self.overlay, self.composer):
            column.addWidget(part)

    def find(self, kind: type[W], name: str) -> W:
        found = self.window.findChild(kind, name)
        assert found is not None, name
        return found

    def widget(self, name: str) -> QWidget:
        return self.find(QWidget, name)

    async def arm(self) -> None:
        """Let everything stand still long enough to be used."""
        await settle()
        QApplication.processEvents()
        await self.case.clock.advance(0.6)

    async def click(self, name: str) -> None:
        """A press that is swallowed does nothing, as for a human."""
        QApplication.processEvents()
        target = self.widget(name)
        assert target.isVisible(), name
        QTest.mouseClick(target, Qt.MouseButton.LeftButton)
        await settle()

    async def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier | None = None) -> None:
        """A key for whoever has the focus."""
        target = QApplication.focusWidget() or self.window
        QTest.keyClick(target, key, modifiers or Qt.KeyboardModifier.NoModifier)
        await settle()

    def rect_of(self, name: str) -> QRect:
        """Where a control is, in the window."""
        target = self.widget(name)
        return QRect(target.mapTo(self.window, QPoint(0, 0)), target.size())

    @property
    def focus(self) -> QWidget | None:
        return QApplication.focusWidget()


@asynccontextmanager
async def overlay_window(
    *bundles: Bundle, size: tuple[int, int] = (900, 700), case: Case | None = None
) -> AsyncIterator[OverlayWindow]:
    """A shown, active window whose controls are armed."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    application.setQuitOnLastWindowClosed(False)
    theme = Theme(application)
    held = case or Case()
    await held.show(*bundles)
    shown = OverlayWindow(held, theme)
    shown.window.resize(*size)
    shown.window.show()
    shown.window.activateWindow()
    try:
        await until(shown.window.isActiveWindow)
        shown.composer.setFocus()
        await shown.arm()
        yield shown
    finally:
        shown.window.close()
        shown.window.deleteLater()
        theme.set_zoom(1.0)
        theme.deleteLater()
        await settle()
