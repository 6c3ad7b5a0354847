"""Runs the window: the first frame, then everything else, then the loop until it is quit."""

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app.first_frame import FirstFrame, make_first_frame, paint_first, show_window
from app.launch_options import WindowOptions
from app.resources import program_icon

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from app.program import Parts, Program


def run(options: WindowOptions) -> int:
    """Open the window and run until it is quit; the exit code of the command."""
    if not _has_display(options):
        sys.stderr.write("kandesk: there is no display; “kandesk serve” runs without a window\n")
        return 1
    application = _application()
    frame = make_first_frame(application, options)
    if not options.background:
        show_window(frame, options)
        paint_first(application, frame)
    return _run_loop(application, frame, options)


def build(application: QApplication, options: WindowOptions) -> "Parts":
    """Everything the window consists of, connected and not yet shown."""
    from app.composition import compose

    return compose(application, make_first_frame(application, options))


def _run_loop(application: QApplication, frame: FirstFrame, options: WindowOptions) -> int:
    # Imported here: these modules are most of the start, and the human sees the window already.
    import asyncio

    import qasync  # type: ignore[import-untyped]  # it ships no types

    from app.composition import compose
    from app.program import Program

    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        program = Program(compose(application, frame), options, loop)
        _quit_on_signals(loop, program)
        loop.call_soon(program.start)
        loop.run_forever()
    return program.exit_code


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


def _quit_on_signals(loop: "AbstractEventLoop", program: "Program") -> None:
    """Also when the terminal it was started from is closed."""
    names = ("SIGTERM", "SIGINT", "SIGHUP")
    with suppress(NotImplementedError):
        for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
            loop.add_signal_handler(number, program.quit)
