"""Links in text from agents: only http, https and mailto, and only after the human agreed."""

from typing import Final

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

_SCHEMES: Final = frozenset({"http", "https", "mailto"})


def may_open(address: QUrl) -> bool:
    """Whether this kind of address is ever opened."""
    return address.isValid() and address.scheme().lower() in _SCHEMES


def ask_to_open(parent: QWidget, address: QUrl) -> QMessageBox | None:
    """Ask before anything is opened, naming the whole address; None for a kind never opened."""
    if not may_open(address):
        return None
    box = QMessageBox(parent)
    box.setObjectName("openLinkQuestion")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Question)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(QCoreApplication.translate("Links", "Open a link"))
    box.setText(QCoreApplication.translate("Links", "An agent wrote this link. Open it?"))
    box.setInformativeText(address.toDisplayString())
    opened = box.addButton(
        QCoreApplication.translate("Links", "Open"), QMessageBox.ButtonRole.AcceptRole
    )
    cancel = box.addButton(
        QCoreApplication.translate("Links", "Cancel"), QMessageBox.ButtonRole.RejectRole
    )
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    opened.clicked.connect(lambda: QDesktopServices.openUrl(address))
    box.open()
    return box
