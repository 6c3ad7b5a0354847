"""What stands on the screen before the rest of the program is even imported."""

import os
import time
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtWidgets import QApplication

from app.desktop.window_state import DEFAULT_SIZE, WindowState
from app.language import Language
from app.launch_options import WindowOptions
from app.theme import Scheme, Theme
from app.windows.main_window import MainWindow

_PATIENCE: Final = 0.5
"""Seconds to wait for a slow compositor before going on without a first frame."""


@dataclass(frozen=True)
class FirstFrame:
    """The window with its look and language, and nothing in it yet."""

    window: MainWindow
    theme: Theme
    language: Language
    state: WindowState


def make_first_frame(application: QApplication, options: WindowOptions) -> FirstFrame:
    """Build the window in its remembered look; it is not shown yet."""
    state = WindowState(options.home.root)
    language = Language(application, options.language or state.language)
    scheme = Scheme(options.theme) if options.theme else state.scheme
    theme = Theme(application, scheme, state.zoom)
    return FirstFrame(MainWindow(theme), theme, language, state)


def show_window(frame: FirstFrame, options: WindowOptions) -> None:
    """Show the window where it was; minimised and without focus when it is to stay back."""
    window = frame.window
    if options.screenshot is None:
        frame.state.restore(window)
    else:
        window.resize(DEFAULT_SIZE)
    if options.background and options.screenshot is None:
        window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        window.showMinimized()
        return
    if options.activation_token:
        # Qt reads it from the environment when it asks the compositor to raise a window.
        os.environ["XDG_ACTIVATION_TOKEN"] = options.activation_token
    window.show()


def paint_first(application: QApplication, frame: FirstFrame) -> None:
    """Return when the first frame is on the screen, or after a moment's patience."""
    ends_at = time.monotonic() + _PATIENCE
    while not frame.window.painted and time.monotonic() < ends_at:
        application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
