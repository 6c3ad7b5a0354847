"""One question before something that cannot be taken back; it never blocks the loop."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox, QWidget


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `accept` is the label of the button that does it, `cancel` of the other."""

    title: str
    text: str
    detail: str
    accept: str
    cancel: str = ""


def ask(parent: QWidget, question: Question, on_accept: Callable[[], None]) -> QMessageBox:
    """Open the question beside `parent`'s window; Enter and Esc mean Cancel.

    A question that is open already is not asked a second time over itself.
    """
    for asked in parent.window().findChildren(QMessageBox, "confirmation"):
        if asked.isVisible() and asked.text() == question.text:
            asked.raise_()
            return asked
    box = QMessageBox(parent)
    box.setObjectName("confirmation")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(question.title)
    box.setText(question.text)
    box.setInformativeText(question.detail)
    accept = box.addButton(question.accept, QMessageBox.ButtonRole.AcceptRole)
    accept.setObjectName("confirmButton")
    cancel = box.addButton(
        question.cancel or QCoreApplication.translate("Confirm", "Cancel"),
        QMessageBox.ButtonRole.RejectRole,
    )
    cancel.setObjectName("cancelButton")
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    accept.clicked.connect(on_accept)
    box.open()
    return box
