"""A main window on a fake backend, wired as `app.main` wires the real one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication, QWidget

from app.language import Language
from app.tasks import WindowTasks
from app.theme import Scheme, Theme
from app.timers import SystemWindowClock, deadline
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.desk import DeskViewModel
from app.viewmodels.notices import NoticesViewModel
from app.viewmodels.quick_chat import QuickChatViewModel
from app.widgets.chat_foot import ChatFoot
from app.widgets.clarification_overlay import ClarificationOverlay
from app.widgets.review_card import ReviewCardWidget
from app.widgets.status_banner import StatusBanner
from app.widgets.touch import TouchLayout
from app.windows.app_menu import AppMenu
from app.windows.desk_view import DeskView
from app.windows.main_window import MainWindow
from app.windows.quick_chat import QuickChat, make_quick_chat
from backend.ids import ClientId
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until


@dataclass
class Shown:
    """What a test of the window works with."""

    backend: FakeBackend
    desk: DeskViewModel
    window: MainWindow
    view: DeskView
    theme: Theme
    language: Language
    overlay: QWidget
    touch: TouchLayout
    tasks: WindowTasks

    def find(self, name: str, *, within: str = "") -> QWidget:
        """The widget with this automation name; some names are in the Inbox and on the card."""
        place = self.find(within) if within else self.window
        found = place.findChild(QWidget, name)
        assert isinstance(found, QWidget), f"there is no {name}"
        return found


@asynccontextmanager
async def shown_window(
    backend: FakeBackend,
    *,
    width: int = 1180,
    height: int = 780,
    load: bool = True,
) -> AsyncIterator[Shown]:
    """Show a window of this size with its lists filled; everything is closed afterwards."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    language = Language(application, "en")
    theme = Theme(application, Scheme.LIGHT)
    notices = NoticesViewModel()
    tasks = WindowTasks(notices.show_error)
    clarification = _clarification(application, backend, tasks)
    desk = DeskViewModel(backend, clarification, notices, tasks)
    touch = TouchLayout(application)
    overlay = ClarificationOverlay(clarification, theme, touch)
    banner = StatusBanner(clarification, theme, touch)
    window = MainWindow(theme)
    foot = ChatFoot(desk.composer, clarification, desk.preferences, theme, touch)
    menu = AppMenu(theme, language, desk.preferences)
    review = ReviewCardWidget(desk.reviews, desk.sessions, theme, touch)

    def quick_chat() -> QuickChat:
        own = _clarification(application, backend, tasks)
        model = QuickChatViewModel(backend, desk, own, tasks, desk)
        return make_quick_chat(model, desk.preferences, theme, touch)

    view = DeskView(desk, theme, menu, banner, overlay, foot, review, quick_chat)
    view.title_changed.connect(window.setWindowTitle)
    window.show_view(view)
    view.follow_touch(touch)
    overlay.focus_wanted.connect(view.focus_writing)
    review.focus_wanted.connect(view.focus_writing)
    foot.late.focus_wanted.connect(view.focus_writing)
    window.resize(width, height)
    window.show()
    window.activateWindow()
    if load:
        desk.start()
        await until(lambda: desk.settled)
    try:
        yield Shown(backend, desk, window, view, theme, language, overlay, touch, tasks)
    finally:
        await desk.close()
        await tasks.stop()
        window.allow_close()
        window.close()
        window.deleteLater()
        language.use("en")
        theme.set_zoom(1.0)
        touch.deleteLater()
        theme.deleteLater()
        language.deleteLater()


def _clarification(
    application: QApplication, backend: FakeBackend, tasks: WindowTasks
) -> ClarificationViewModel:
    return ClarificationViewModel(
        backend,
        clock=SystemWindowClock(application),
        deadline=deadline,
        background=tasks,
        client_id=ClientId("window-test"),
    )
