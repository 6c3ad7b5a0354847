"""Where the Quick Chat is: made when it is first wanted, beside the pages, never twice."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.theme import Theme
from app.viewmodels.desk import DeskViewModel
from app.widgets.beside import Beside
from app.windows.quick_chat import QuickChat


class QuickChatPlace(QObject):
    """Opens and closes the panel; a conversation is shown in one place at a time."""

    def __init__(
        self, desk: DeskViewModel, main: QWidget, theme: Theme, make: Callable[[], QuickChat]
    ) -> None:
        super().__init__(main)
        self._desk = desk
        self._make = make
        self._return_to: QWidget | None = None
        self.widget = Beside(main, theme)
        self.panel: QuickChat | None = None
        desk.sessions.current_changed.connect(self._follow_main)

    def toggle(self) -> None:
        if not self._desk.ready:
            return
        if self.widget.is_open:
            self.close()
        else:
            self._open()

    def close(self) -> None:
        """The conversation goes on; the keyboard goes back to where it was."""
        panel = self.panel
        if panel is None or not self.widget.is_open:
            return
        had_focus = panel.holds_focus()
        self.widget.set_open(is_open=False)
        if had_focus and self._return_to is not None and self._return_to.isVisible():
            self._return_to.setFocus()

    def refresh_ages(self, now: int) -> None:
        if self.panel is not None:
            self.panel.page.refresh_ages(now)

    def _open(self) -> None:
        self._return_to = self.widget.window().focusWidget()
        if self.panel is None:
            self.panel = self._make()
            self.panel.close_wanted.connect(self.close)
            self.panel.view_model.changed.connect(self._follow_panel)
            self.widget.set_panel(self.panel)
        self.widget.set_open(is_open=True)
        self.panel.open()

    def _follow_main(self, session_id: object) -> None:
        panel = self.panel
        if panel is not None and session_id is not None and session_id == panel.view_model.current:
            panel.view_model.leave()
            self.close()

    def _follow_panel(self) -> None:
        shown = self.panel.view_model.current if self.panel is not None else None
        if shown is not None and shown == self._desk.sessions.current_id:
            self._desk.close_session()
