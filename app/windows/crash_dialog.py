"""Says that something went wrong, what is safe, and offers the details to copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme


class CrashDialog(QDialog):
    """One dialog at a time; later bugs are added to its details."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("crashDialog")
        self.setWindowTitle("Kandesk")
        title = QLabel(self.tr("Something went wrong in Kandesk"))
        title.setProperty("role", "heading")
        text = QLabel(
            self.tr(
                "Answers that were sent are safe in the store. You can go on; "
                "if things look odd, quit and start again."
            )
        )
        text.setWordWrap(True)
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setFont(theme.fixed_font())
        self._details.setAccessibleName(self.tr("Details"))
        copy = QPushButton(self.tr("Copy details"))
        copy.clicked.connect(self._copy)
        go_on = QPushButton(self.tr("Go on"))
        go_on.setDefault(True)
        go_on.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addWidget(copy)
        buttons.addStretch(1)
        buttons.addWidget(go_on)
        px = theme.pixels
        column = QVBoxLayout(self)
        column.setContentsMargins(px(24), px(24), px(24), px(16))
        column.setSpacing(px(12))
        for widget in (title, text, self._details):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.resize(px(64) * 9, px(64) * 6)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)

    def add(self, details: str) -> None:
        self._details.appendPlainText(details)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details.toPlainText())
