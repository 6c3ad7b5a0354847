"""Links in text from agents: only http, https and mailto, and only after the human agreed."""

from typing import Final

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.confirm import Question, ask

_SCHEMES: Final = frozenset({"http", "https", "mailto"})


def may_open(address: QUrl) -> bool:
    """Whether this kind of address is ever opened."""
    return address.isValid() and address.scheme().lower() in _SCHEMES


def ask_to_open(parent: QWidget, address: QUrl) -> QMessageBox | None:
    """Ask before anything is opened, naming the whole address; None for a kind never opened."""
    if not may_open(address):
        return None
    question = Question(
        title=QCoreApplication.translate("Links", "Open a link"),
        text=QCoreApplication.translate("Links", "An agent wrote this link. Open it?"),
        detail=address.toDisplayString(),
        accept=QCoreApplication.translate("Links", "Open"),
    )
    return ask(parent, question, lambda: _open(address))


def _open(address: QUrl) -> None:
    QDesktopServices.openUrl(address)
