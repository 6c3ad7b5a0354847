"""Builds every long-lived part of the window once, and connects them."""

import asyncio

from PySide6.QtWidgets import QApplication

from app.bridge.client import BackendClient
from app.crash import CrashReporter
from app.desktop.notifications import Notifications
from app.desktop.tray import Tray
from app.first_frame import FirstFrame
from app.program import Parts
from app.tasks import WindowTasks
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
from app.windows.quick_chat import QuickChat, make_quick_chat
from backend.ids import ClientId, new_id


def compose(application: QApplication, frame: FirstFrame) -> Parts:
    """Fill the window of `frame`; the loop that will run is the current one."""
    window, theme = frame.window, frame.theme
    client = BackendClient()
    notices = NoticesViewModel()
    tasks = WindowTasks(notices.show_error)
    clarification = _clarification(application, client, tasks)
    desk = DeskViewModel(client, clarification, notices, tasks)
    desk.preferences.set_send_key(frame.state.send_key)
    touch = TouchLayout(application)
    overlay = ClarificationOverlay(clarification, theme, touch)
    banner = StatusBanner(clarification, theme, touch)
    foot = ChatFoot(desk.composer, clarification, desk.preferences, theme, touch)
    menu = AppMenu(theme, frame.language, desk.preferences)
    review = ReviewCardWidget(desk.reviews, desk.sessions, theme, touch)

    def quick_chat() -> QuickChat:
        own = _clarification(application, client, tasks)
        model = QuickChatViewModel(client, desk, own, tasks, desk)
        return make_quick_chat(model, desk.preferences, theme, touch)

    view = DeskView(desk, theme, menu, banner, overlay, foot, review, quick_chat)
    view.title_changed.connect(window.setWindowTitle)
    overlay.focus_wanted.connect(view.focus_writing)
    review.focus_wanted.connect(view.focus_writing)
    foot.late.focus_wanted.connect(view.focus_writing)
    window.show_view(view)
    window.used_again.connect(desk.look_again)
    touch.watch(window)
    view.follow_touch(touch)
    tray = Tray(window)
    crash = CrashReporter()
    crash.install(asyncio.get_event_loop())
    return Parts(
        client=client,
        desk=desk,
        frame=frame,
        window=window,
        view=view,
        overlay=overlay,
        theme=theme,
        tray=tray,
        notifications=Notifications(desk.inbox, desk.sessions, desk.reviews, tray, window),
        state=frame.state,
        tasks=tasks,
        crash=crash,
    )


def _clarification(
    application: QApplication, client: BackendClient, tasks: WindowTasks
) -> ClarificationViewModel:
    """One for each place where questions are answered; each is a client of its own."""
    return ClarificationViewModel(
        client,
        clock=SystemWindowClock(application),
        deadline=deadline,
        background=tasks,
        client_id=ClientId(f"window-{new_id()}"),
    )
