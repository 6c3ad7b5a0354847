"""One message that waits: read in a line, changed in place, moved, sent first or taken out."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.resources import Icon
from app.theme import Theme
from app.widgets.one_line import OneLine
from backend.domain.hosted import QueuedPrompt


class _Editor(QPlainTextEdit):
    """Esc gives the change up; Ctrl+Enter keeps it."""

    given_up = Signal()
    finished = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        elif enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if not event.isAutoRepeat():
                self.finished.emit()
        else:
            super().keyPressEvent(event)


class QueuedRow(QWidget):
    """`edited` with the new text, `moved` by -1 or 1; what it means is the list's affair.

    `resized` when the editor was opened or closed.
    """

    sent_now = Signal()
    edited = Signal(str)
    moved = Signal(int)
    removed = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.entry: QueuedPrompt | None = None
        self._count = 0
        self._number = QLabel()
        self._number.setProperty("role", "small")
        self._text = OneLine()
        self._now = self._tool("queuedSendNow")
        self._edit = self._tool("queuedEdit")
        self._up = self._tool("queuedUp")
        self._down = self._tool("queuedDown")
        self._remove = self._tool("queuedRemove")
        self._buttons = (self._now, self._edit, self._up, self._down, self._remove)
        self._editor = _Editor()
        self._editor.setObjectName("queuedEditor")
        self._editor.setTabChangesFocus(True)
        self._keep = QPushButton()
        self._keep.setObjectName("queuedKeep")
        self._give_up = QPushButton()
        self._give_up.setObjectName("queuedGiveUp")
        self._build()
        self._connect()
        self._show_icons()
        self._retranslate()

    @property
    def editing(self) -> bool:
        return not self._editing.isHidden()

    @property
    def line_height(self) -> int:
        """What it takes while it is not edited."""
        return self._line.sizeHint().height()

    @property
    def change(self) -> str | None:
        """The text of a change that is neither kept nor given up."""
        return self._editor.toPlainText() if self.editing else None

    @property
    def written_in(self) -> bool:
        """The keyboard is in the editor."""
        return self.editing and self._editor.hasFocus()

    @property
    def held(self) -> str:
        """The name of the button that has the keyboard; empty while none of them has it."""
        return next((one.objectName() for one in self._buttons if one.hasFocus()), "")

    def hold(self, name: str) -> None:
        """Give the keyboard to a button; at an end of the queue to the one that moves back."""
        for wanted in (name, "queuedDown" if name == "queuedUp" else "queuedUp", "queuedEdit"):
            for button in self._buttons:
                if button.objectName() == wanted and button.isEnabled():
                    button.setFocus(Qt.FocusReason.OtherFocusReason)
                    return

    def go_on(self, change: str, *, focus: bool) -> None:
        """Edit from here on: from the entry's text, or a change that was begun before."""
        self._editor.setPlainText(change)
        self._editor.moveCursor(QTextCursor.MoveOperation.End)
        self._line.hide()
        self._editing.show()
        if focus:
            self._editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.resized.emit()

    def show_entry(self, entry: QueuedPrompt, count: int) -> None:
        """Show an entry; what is being edited stays until it is kept or given up."""
        same = self.entry is not None and self.entry.entry_id == entry.entry_id
        if not same:
            self._close_editor()
        self.entry, self._count = entry, count
        self._number.setText(f"{entry.position + 1}.")
        self._text.show_text(entry.text)
        self._up.setEnabled(entry.position > 0)
        self._down.setEnabled(entry.position + 1 < count)
        self._retranslate()

    def focus_editor(self) -> None:
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _tool(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        return button

    def _build(self) -> None:
        px = self._theme.pixels
        self._line = QWidget()
        line = QHBoxLayout(self._line)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(px(2))
        line.addWidget(self._number)
        line.addSpacing(px(4))
        line.addWidget(self._text, 1)
        for button in self._buttons:
            line.addWidget(button)
        self._editing = QWidget()
        editing = QVBoxLayout(self._editing)
        editing.setContentsMargins(0, px(2), 0, px(4))
        editing.setSpacing(px(4))
        self._editor.setFixedHeight(px(76))
        editing.addWidget(self._editor)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._give_up)
        buttons.addWidget(self._keep)
        editing.addLayout(buttons)
        self._editing.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._line)
        column.addWidget(self._editing)

    def _connect(self) -> None:
        self._now.clicked.connect(self.sent_now)
        self._up.clicked.connect(lambda: self.moved.emit(-1))
        self._down.clicked.connect(lambda: self.moved.emit(1))
        self._remove.clicked.connect(self.removed)
        self._edit.clicked.connect(self._open_editor)
        self._keep.clicked.connect(self._keep_change)
        self._give_up.clicked.connect(self._give_change_up)
        self._editor.finished.connect(self._keep_change)
        self._editor.given_up.connect(self._give_change_up)
        self._theme.changed.connect(self._show_icons)

    def _open_editor(self) -> None:
        if self.entry is not None:
            self.go_on(self.entry.text, focus=True)

    def _keep_change(self) -> None:
        text = self._editor.toPlainText()
        if text.strip():
            self._give_change_up()
            self.edited.emit(text)

    def _give_change_up(self) -> None:
        self._close_editor()
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close_editor(self) -> None:
        was_open = self.editing
        self._editing.hide()
        self._line.show()
        if was_open:
            self.resized.emit()

    def _show_icons(self) -> None:
        for button, icon in (
            (self._now, Icon.SEND),
            (self._edit, Icon.EDIT),
            (self._up, Icon.UP),
            (self._down, Icon.TO_END),
            (self._remove, Icon.CLOSE),
        ):
            button.setIcon(self._theme.icon(icon))
            button.setIconSize(self._theme.icon_size(16))

    def _retranslate(self) -> None:
        number = str(self.entry.position + 1) if self.entry is not None else ""
        for button, words in (
            (self._now, self.tr("Send message %1 next")),
            (self._edit, self.tr("Edit message %1")),
            (self._up, self.tr("Move message %1 up")),
            (self._down, self.tr("Move message %1 down")),
            (self._remove, self.tr("Remove message %1")),
        ):
            named = words.replace("%1", number)
            button.setAccessibleName(named)
            button.setToolTip(named)
        self._editor.setAccessibleName(self.tr("Text of message %1").replace("%1", number))
        self._keep.setText(self.tr("Keep change"))
        self._give_up.setText(self.tr("Cancel"))
        self._text.setAccessibleName(self.entry.text if self.entry is not None else "")
