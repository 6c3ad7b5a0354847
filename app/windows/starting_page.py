"""The calm page between the first frame and the first list; long steps of the store say so."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.step_text import position_text, step_text
from app.theme import Theme
from app.timers import WindowTimer
from backend.events import StoreProgress, StoreStep

PATIENCE_MILLISECONDS: Final = 400
"""How long a start may take before the page says what it does."""
_WHOLE: Final = 1_000


class StartingPage(QWidget):
    """Empty until a start takes long enough to be told. `quit_wanted` ends it: what is done stays,
    and the next start goes on from there.
    """

    quit_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("startingPage")
        self._progress: StoreProgress | None = None
        self._skipped_backup = False
        self._step = _centred("startingStep")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(theme.pixels(64) * 4)
        self._position = _centred("startingPosition", role="muted")
        self._warning = _centred("startingWarning", role="muted")
        self._text = _centred("startingText", role="muted")
        self._quit = QPushButton()
        self._quit.setObjectName("quitStarting")
        self._quit.setProperty("target", "large")
        self._quit.clicked.connect(self._ask_to_quit)
        self._shown = (self._step, self._bar, self._position, self._text, self._quit)
        self._build(theme)
        self._reveal = WindowTimer(self, self._show_all, milliseconds=PATIENCE_MILLISECONDS)
        self.begin()

    def begin(self) -> None:
        """Another start: nothing is known of it yet."""
        self._progress = None
        self._skipped_backup = False
        self._reveal.stop()
        for widget in (*self._shown, self._warning):
            widget.hide()
        self._quit.setEnabled(True)
        self._retranslate()

    def show_progress(self, progress: StoreProgress) -> None:
        if self._progress is None:
            self._reveal.start()
        if progress.step == StoreStep.BACKUP_SKIPPED:
            self._skipped_backup = True
        self._progress = progress
        self._show_step()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self, theme: Theme) -> None:
        column = QVBoxLayout(self)
        margin = theme.pixels(24)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(theme.pixels(12))
        column.addStretch(1)
        column.addWidget(self._step)
        column.addLayout(_in_the_middle(self._bar))
        for label in (self._position, self._warning, self._text):
            column.addWidget(label)
        column.addSpacing(theme.pixels(12))
        column.addLayout(_in_the_middle(self._quit))
        column.addStretch(1)

    def _show_all(self) -> None:
        for widget in self._shown:
            widget.show()
        self._warning.setVisible(self._skipped_backup)

    def _show_step(self) -> None:
        progress = self._progress
        if progress is None:
            return
        self._step.setText(step_text(progress))
        self._position.setText(position_text(progress))
        # In thousandths: a store may have more rows than a bar can count. 0 means: not known.
        self._bar.setMaximum(_WHOLE if progress.total else 0)
        self._bar.setValue(progress.done * _WHOLE // progress.total if progress.total else 0)
        self._warning.setVisible(self._skipped_backup and self._step.isVisible())

    def _ask_to_quit(self) -> None:
        self._quit.setEnabled(False)
        self._text.setText(self.tr("Stopping. What is done stays done."))
        self.quit_wanted.emit()

    def _retranslate(self) -> None:
        self._text.setText(
            self.tr("Nothing is lost if this is interrupted: the next start goes on from here.")
        )
        self._warning.setText(
            self.tr("There is no room on the disk for a copy of the store: it goes on without one.")
        )
        self._quit.setText(self.tr("Quit"))
        self._bar.setAccessibleName(self.tr("Progress"))
        self._show_step()


def _centred(name: str, *, role: str = "") -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label


def _in_the_middle(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(widget)
    row.addStretch(1)
    return row
