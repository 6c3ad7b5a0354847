"""The calm page between the first frame and the first list; long steps of the store say so."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.theme import Theme
from backend.events import StoreProgress


class StartingPage(QWidget):
    """Empty until a step of the store takes long enough to be told."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("startingPage")
        self._text = QLabel()
        self._text.setProperty("role", "muted")
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(theme.pixels(64) * 4)
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addWidget(self._bar)
        centred.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(theme.pixels(12))
        column.addStretch(1)
        column.addWidget(self._text)
        column.addLayout(centred)
        column.addStretch(1)
        self._text.hide()
        self._bar.hide()
        self._retranslate()

    def show_progress(self, progress: StoreProgress) -> None:
        self._text.show()
        self._bar.show()
        self._bar.setMaximum(progress.total)
        self._bar.setValue(progress.done)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._text.setText(self.tr("Preparing the store. Nothing is lost if this is interrupted."))
        self._bar.setAccessibleName(self.tr("Progress"))
