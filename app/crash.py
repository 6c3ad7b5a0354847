"""Bugs are told: logged with their traceback and shown, and the program goes on if it can."""

import logging
import sys
import traceback
from asyncio import AbstractEventLoop
from types import TracebackType

from PySide6.QtCore import QObject, Signal

_log = logging.getLogger(__name__)


class CrashReporter(QObject):
    """`crashed` with the traceback of each bug that reached the top of the window's thread."""

    crashed = Signal(str)

    def install(self, loop: AbstractEventLoop) -> None:
        """Catch what no code caught: in slots, in tasks, and in the backend's thread."""
        sys.excepthook = self._caught
        loop.set_exception_handler(self._caught_in_loop)

    def report(self, error: BaseException) -> None:
        text = "".join(traceback.format_exception(error))
        _log.error("a bug reached the top of the window: %s", text)
        self.crashed.emit(text)

    def _caught(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            sys.__excepthook__(kind, error, trace)
            return
        self.report(error)

    def _caught_in_loop(self, loop: AbstractEventLoop, context: dict[str, object]) -> None:  # noqa: ARG002 - asyncio's signature
        error = context.get("exception")
        if isinstance(error, BaseException):
            self.report(error)
        else:
            _log.error("the window's loop reports: %s", context.get("message"))
