"""What the window says at its top edge: one notice at a time, the newest first."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from app.text import error_text
from backend.errors import AppError, Conflict


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to say; `action` is what its button does, if it has one.

    `detail` is the cause in the backend's own words, for those who ask for it.
    """

    text: str
    severity: Severity = Severity.INFO
    detail: str = ""
    action_text: str = ""
    action: Callable[[], None] | None = None


class NoticesViewModel(QObject):
    """The notices nobody has dismissed yet."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notices: list[Notice] = []

    @property
    def current(self) -> Notice | None:
        return self._notices[-1] if self._notices else None

    def show_notice(self, notice: Notice) -> None:
        """Show `notice`; one that is already there moves to the front instead of doubling."""
        if notice in self._notices:
            self._notices.remove(notice)
        self._notices.append(notice)
        self.changed.emit()

    def show_error(self, error: AppError) -> None:
        severity = Severity.INFO if isinstance(error, Conflict) else Severity.ERROR
        self.show_notice(Notice(error_text(error), severity))

    def withdraw(self, notice: Notice) -> None:
        """What it says is no longer so; harmless when the human has sent it away."""
        if notice in self._notices:
            self._notices.remove(notice)
            self.changed.emit()

    def dismiss(self) -> None:
        """Take away the notice that is shown."""
        if self._notices:
            self._notices.pop()
            self.changed.emit()
