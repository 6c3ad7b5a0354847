"""The window's life: starts the backend after the first frame, raises, hides, quits cleanly."""

import logging
import os
import sys
from asyncio import AbstractEventLoop
from dataclasses import dataclass

from PySide6.QtCore import QObject, QProcess, Qt

from app.bridge.backend_thread import BackendThread
from app.bridge.client import BackendClient
from app.crash import CrashReporter
from app.desktop.notifications import Notifications
from app.desktop.tray import Tray
from app.desktop.window_state import WindowState
from app.first_frame import FirstFrame, show_window
from app.launch_options import WindowOptions
from app.leaving import LeavingWords
from app.screenshot import ScreenshotFailed, take_screenshot
from app.tasks import WindowTasks
from app.theme import Theme
from app.timers import WindowTimer
from app.viewmodels.desk import DeskViewModel
from app.viewmodels.notices import Notice
from app.widgets.clarification_overlay import ClarificationOverlay
from app.widgets.confirm import Question, ask
from app.windows.crash_dialog import CrashDialog
from app.windows.desk_view import DeskView
from app.windows.main_window import MainWindow
from backend.errors import AppError
from backend.events import WindowRequested

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Parts:
    """What the composition root has built."""

    client: BackendClient
    desk: DeskViewModel
    frame: FirstFrame
    window: MainWindow
    view: DeskView
    overlay: ClarificationOverlay
    theme: Theme
    tray: Tray
    notifications: Notifications
    state: WindowState
    tasks: WindowTasks
    crash: CrashReporter


class Program(QObject):
    """Runs on the window's thread; `exit_code` is valid once the loop has stopped."""

    def __init__(self, parts: Parts, options: WindowOptions, loop: AbstractEventLoop) -> None:
        super().__init__()
        self._parts = parts
        self._options = options
        self._loop = loop
        self._backend: BackendThread | None = None
        self._quitting = False
        self._leaving = False
        self._words = LeavingWords(self)
        self._crash_dialog: CrashDialog | None = None
        self.exit_code = 0
        self._connect()

    def start(self) -> None:
        """Show the window unless it is or is to stay hidden; then start the backend."""
        parts, options = self._parts, self._options
        if options.screenshot is None:
            parts.tray.show_icon()
        stay_hidden = options.background and options.screenshot is None and parts.tray.available
        if not parts.window.isVisible() and not stay_hidden:
            show_window(parts.frame, options)
        # A turn later: the backend's imports are heavy, and what is shown is painted first.
        WindowTimer(self, self._start_backend).start()

    def quit(self) -> None:
        """Stop at once: drain the backend, save the window's place, end the loop."""
        if not self._quitting:
            self._quitting = True
            self._loop.create_task(self._stop(), name="quit")

    def ask_to_quit(self) -> None:
        """Quit, after a question when somebody waits for an answer or something would be lost."""
        self._leave(told_of_waiting=False)

    def _leave(self, *, told_of_waiting: bool) -> None:
        # What the demo asks and is told is thrown away with its store: nothing to warn of.
        if self._options.demo or not self._parts.desk.ready:
            self.quit()
        elif not self._leaving and not self._quitting:
            self._leaving = True
            work = self._look_before_leaving(told_of_waiting=told_of_waiting)
            self._parts.tasks.start(work, name="look what would be lost")

    async def _look_before_leaving(self, *, told_of_waiting: bool) -> None:
        desk = self._parts.desk
        try:
            unsaved = await desk.typed.unsaved()
        finally:
            self._leaving = False
        waiting = 0 if told_of_waiting else desk.inbox.count
        question = self._words.question(waiting, desk.reviews.count, unsaved)
        if question is None:
            self.quit()
            return
        self.raise_window()
        ask(self._parts.window, question, self.quit)

    def raise_window(self, token: str = "") -> None:
        """Bring the window to the front, as far as the desktop allows."""
        window = self._parts.window
        window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, on=False)
        self._use_activation_token(token)
        if window.isMinimized():
            window.showNormal()
        window.show()
        window.raise_()
        window.activateWindow()

    def _connect(self) -> None:
        parts = self._parts
        parts.desk.window_requested.connect(self._show_requested)
        parts.desk.loaded.connect(self._maybe_screenshot)
        parts.desk.inbox.waiting_changed.connect(parts.tray.show_waiting)
        parts.tray.open_wanted.connect(self.raise_window)
        parts.tray.quit_wanted.connect(self.ask_to_quit)
        parts.tray.message_clicked.connect(parts.notifications.clicked)
        parts.notifications.opened.connect(self._open_from_notification)
        parts.window.close_wanted.connect(self._close_window)
        menu = parts.view.menu
        menu.quit_wanted.connect(self.ask_to_quit)
        menu.about_wanted.connect(self._show_about)
        menu.scheme_chosen.connect(parts.state.save_scheme)
        menu.language_chosen.connect(parts.state.save_language)
        menu.zoom_chosen.connect(parts.state.save_zoom)
        parts.desk.preferences.changed.connect(
            lambda: parts.state.save_send_key(parts.desk.preferences.send_key)
        )
        parts.view.pages.welcome.demo_wanted.connect(self._start_demo)
        parts.view.pages.storage.retry_wanted.connect(self._retry)
        parts.view.pages.storage.quit_wanted.connect(self.quit)
        parts.view.pages.starting.quit_wanted.connect(self.quit)
        parts.view.pages.migration.confirmed.connect(self._migrate)
        parts.view.pages.migration.quit_wanted.connect(self.quit)
        parts.crash.crashed.connect(self._show_crash)
        if self._options.demo:
            parts.view.title_changed.connect(self._name_the_demo)
            self._name_the_demo(parts.window.windowTitle())

    def _name_the_demo(self, title: str) -> None:
        """The demo's window may lie over the human's own desk and looks just like it."""
        self._parts.window.setWindowTitle(self.tr("Demo: %1").replace("%1", title))

    def _start_backend(self, *, allow_migration: bool = False) -> None:
        if self._backend is not None or self._quitting:
            return
        self._backend = BackendThread(
            self._options.home,
            self._parts.client,
            demo=self._options.demo,
            allow_migration=allow_migration,
        )
        self._backend.started_up.connect(self._backend_ready)
        self._backend.failed.connect(self._backend_failed)
        self._backend.crashed.connect(self._backend_crashed)
        self._backend.start()

    def _backend_ready(self) -> None:
        self._parts.desk.start()

    def _backend_failed(self, error: AppError) -> None:
        if self._options.screenshot is not None:
            self._fail(error.detail)
            return
        self._parts.view.show_storage_failure(error)
        self.raise_window()

    def _backend_crashed(self, error: BaseException) -> None:
        self._parts.crash.report(error)
        if self._options.screenshot is not None:
            self._fail(str(error))

    def _retry(self) -> None:
        self._backend = None
        self._start_backend()

    def _migrate(self) -> None:
        self._parts.view.show_starting()
        self._backend = None
        self._start_backend(allow_migration=True)

    async def _stop(self) -> None:
        parts = self._parts
        if self._options.screenshot is None:
            parts.state.save(parts.window)
        parts.tray.hide_icon()
        await parts.desk.close()
        await parts.tasks.stop()
        try:
            if self._backend is not None:
                await self._backend.stop()
        finally:
            parts.window.allow_close()
            parts.window.close()
            self._loop.stop()

    def _close_window(self) -> None:
        """Without its window the desk goes on answering, where a tray can bring it back."""
        parts = self._parts
        if parts.desk.info is None or self._options.demo:
            # There is no desk to go on: it has not started, cannot open its store, or is a demo.
            self.quit()
            return
        if not parts.tray.available:
            self._ask_to_minimise()
            return
        parts.state.save(parts.window)
        parts.window.hide()
        if parts.state.first_time("tray"):
            parts.tray.show_message(
                "Kandesk", self.tr("Kandesk goes on in the tray, so that agents can ask.")
            )

    def _ask_to_minimise(self) -> None:
        question = Question(
            title="Kandesk",
            text=self.tr("Quit Kandesk, or only put its window away?"),
            detail=self.tr("Questions can be answered here only while it runs."),
            accept=self.tr("Quit"),
            cancel=self.tr("Minimise"),
        )
        box = ask(self._parts.window, question, lambda: self._leave(told_of_waiting=True))
        box.rejected.connect(self._parts.window.showMinimized)

    def _show_requested(self, request: WindowRequested) -> None:
        self.raise_window(request.activation_token)
        if request.pending_id is not None:
            self._open_from_notification(request.pending_id)

    def _open_from_notification(self, pending_id: object) -> None:
        self.raise_window()
        inbox = self._parts.desk.inbox
        bundle = next((b for b in inbox.content.open if b.pending_id == pending_id), None)
        if bundle is not None:
            self._parts.view.open_bundle(bundle)
        review = next((r for r in inbox.content.reviews if r.review_id == pending_id), None)
        if review is not None:
            self._parts.view.open_review(review)

    def _maybe_screenshot(self) -> None:
        if self._options.screenshot is not None:
            self._loop.create_task(self._screenshot(), name="screenshot")

    async def _screenshot(self) -> None:
        parts, target = self._parts, self._options.screenshot
        if target is None:
            return
        try:
            await take_screenshot(
                parts.window, parts.desk, parts.overlay, target, demo=self._options.demo
            )
        except ScreenshotFailed as error:
            self._fail(str(error))
        else:
            self.quit()

    def _fail(self, reason: str) -> None:
        sys.stderr.write(f"kandesk: {reason}\n")
        self.exit_code = 1
        self.quit()

    def _start_demo(self) -> None:
        frozen = getattr(sys, "frozen", False)
        arguments = ["demo"] if frozen else ["-m", "app.launch", "demo"]
        started, _ = QProcess.startDetached(sys.executable, arguments)
        if not started:
            self._parts.desk.notices.show_notice(
                Notice(self.tr("The demo did not start. Run “kandesk demo” in a terminal."))
            )

    def _show_about(self) -> None:
        info = self._parts.desk.info
        if info is None:
            return
        words = self.tr("Kandesk %1 · store: %2 · listens on %3")
        for number, value in enumerate((info.version, info.store, info.api_url), start=1):
            words = words.replace(f"%{number}", value)
        self._parts.desk.notices.show_notice(Notice(words))

    def _show_crash(self, details: str) -> None:
        if self._crash_dialog is None:
            self._crash_dialog = CrashDialog(self._parts.theme, self._parts.window)
            self._crash_dialog.finished.connect(self._forget_crash)
            self._crash_dialog.open()
        self._crash_dialog.add(details)

    def _forget_crash(self) -> None:
        if self._crash_dialog is not None:
            self._crash_dialog.deleteLater()
            self._crash_dialog = None

    def _use_activation_token(self, token: str) -> None:
        if token:
            # Qt reads it from the environment when it asks the compositor to raise a window.
            os.environ["XDG_ACTIVATION_TOKEN"] = token
