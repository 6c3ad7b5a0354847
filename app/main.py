"""The composition root of the window: builds every long-lived part and runs the loop."""

import asyncio
import contextlib
import os
import signal
import sys

import qasync  # type: ignore[import-untyped]  # it ships no types
from PySide6.QtWidgets import QApplication

from app.bridge.client import BackendClient
from app.crash import CrashReporter
from app.desktop.notifications import Notifications
from app.desktop.tray import Tray
from app.desktop.window_state import WindowState
from app.language import Language
from app.launch_options import WindowOptions
from app.program import Parts, Program
from app.resources import program_icon
from app.tasks import WindowTasks
from app.theme import Scheme, Theme
from app.timers import SystemWindowClock, deadline
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.desk import DeskViewModel
from app.viewmodels.notices import NoticesViewModel
from app.widgets.clarification_overlay import ClarificationOverlay
from app.widgets.status_banner import StatusBanner
from app.widgets.touch import TouchLayout
from app.windows.app_menu import AppMenu
from app.windows.main_window import MainWindow
from backend.ids import ClientId, new_id


def run(options: WindowOptions) -> int:
    """Open the window and run until it is quit; the exit code of the command."""
    if not _has_display(options):
        sys.stderr.write("kandesk: there is no display; “kandesk serve” runs without a window\n")
        return 1
    application = _application()
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        program = Program(build(application, options), options, loop)
        _quit_on_signals(loop, program)
        loop.call_soon(program.start)
        loop.run_forever()
    return program.exit_code


def build(application: QApplication, options: WindowOptions) -> Parts:
    """Everything the window consists of, connected and not yet shown."""
    state = WindowState(options.home.root)
    language = Language(application, options.language or state.language)
    scheme = Scheme(options.theme) if options.theme else state.scheme
    theme = Theme(application, scheme, state.zoom)
    client = BackendClient()
    notices = NoticesViewModel()
    tasks = WindowTasks(notices.show_error)
    clarification = ClarificationViewModel(
        client,
        clock=SystemWindowClock(application),
        deadline=deadline,
        background=tasks,
        client_id=ClientId(f"window-{new_id()}"),
    )
    desk = DeskViewModel(client, clarification, notices, tasks)
    touch = TouchLayout(application)
    overlay = ClarificationOverlay(clarification, theme, touch)
    banner = StatusBanner(clarification, theme, touch)
    window = MainWindow(desk, theme, AppMenu(theme, language), banner, overlay)
    overlay.focus_wanted.connect(window.focus_reading)
    touch.watch(window)
    tray = Tray(window)
    notifications = Notifications(desk.inbox, desk.sessions, tray, window)
    crash = CrashReporter()
    crash.install(asyncio.get_event_loop())
    return Parts(
        client=client,
        desk=desk,
        window=window,
        overlay=overlay,
        theme=theme,
        tray=tray,
        notifications=notifications,
        state=state,
        tasks=tasks,
        crash=crash,
    )


def _has_display(options: WindowOptions) -> bool:
    """Without a display a picture is drawn off screen, and a window is refused in one line."""
    named = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"} & os.environ.keys()
    if sys.platform != "linux" or named:
        return True
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        return True
    return False


def _application() -> QApplication:
    application = QApplication(sys.argv[:1])
    application.setApplicationName("kandesk")
    application.setApplicationDisplayName("Kandesk")
    application.setDesktopFileName("dev.kandesk.Kandesk")
    application.setWindowIcon(program_icon())
    application.setQuitOnLastWindowClosed(False)
    return application


def _quit_on_signals(loop: asyncio.AbstractEventLoop, program: Program) -> None:
    with contextlib.suppress(NotImplementedError):
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, program.quit)
