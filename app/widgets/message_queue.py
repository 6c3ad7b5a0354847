"""The messages that wait for the agent, above the composer."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme
from app.viewmodels.composer import ComposerViewModel
from app.widgets.choice_box import SwitchBox
from app.widgets.queued_row import QueuedRow
from app.widgets.touch import show_touch
from backend.domain.hosted import Conversation, QueuedPrompt
from backend.ids import QueueEntryId, SessionId

_ROWS: Final = 3
"""Rows in sight before it scrolls."""


class MessageQueue(QWidget):
    """Hidden while nothing waits, except for an auto-run that is switched off.

    `left` with the changed text, empty if it was not changed, when a message was sent or taken out
    while its editor had the keyboard, or the last one while one of its buttons had.
    """

    left = Signal(str)

    def __init__(
        self, view_model: ComposerViewModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("queueList")
        self._view_model = view_model
        self._theme = theme
        self._touch = False
        self._session: SessionId | None = None
        self._heading = QLabel()
        self._heading.setProperty("role", "small")
        self._auto_run = SwitchBox(theme)
        self._auto_run.setObjectName("autoRun")
        self._rows: list[QueuedRow] = []
        self._begun: dict[QueueEntryId, str] = {}
        """Changes neither kept nor given up, also of messages that are not shown now."""
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._content)
        self._build()
        self._auto_run.toggled.connect(self._switch)
        theme.changed.connect(self._fit)
        self.refresh()

    def refresh(self) -> None:
        """Show what waits now."""
        conversation = self._view_model.conversation
        queue = conversation.queue if conversation is not None else ()
        off = conversation is not None and not conversation.auto_run
        written = self._note_changes()
        same = conversation is not None and conversation.session_id == self._session
        held = self._held() if same else None
        gone = self._gone_from(conversation, written)
        self.setVisible(bool(queue) or off)
        while len(self._rows) < len(queue):
            self._add_row()
        for row, entry in zip(self._rows, queue, strict=False):
            row.show_entry(entry, len(queue))
            row.show()
            begun = self._begun.get(entry.entry_id)
            if begun is not None and not row.editing:
                row.go_on(begun, focus=written is not None and entry.entry_id == written.entry_id)
        for row in self._rows[len(queue) :]:
            row.entry = None
            row.hide()
        if conversation is not None:
            with QSignalBlocker(self._auto_run):
                self._auto_run.setChecked(conversation.auto_run)
        self._retranslate()
        self._fit()
        if held is not None:
            self._hold(*held)
        if gone is not None:
            change = self._begun.pop(gone.entry_id, "")
            self.left.emit("" if change == gone.text else change)

    def show_for(self, *, touch: bool) -> None:
        self._touch = touch
        theme = self._theme
        self._auto_run.setMinimumHeight(theme.touch_pixels if touch else theme.pixels(24))
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        top = QHBoxLayout()
        top.setSpacing(px(12))
        top.addWidget(self._heading, 1)
        top.addWidget(self._auto_run)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(4), 0, px(4), px(4))
        column.setSpacing(px(2))
        column.addLayout(top)
        column.addWidget(self._scroll)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _add_row(self) -> None:
        row = QueuedRow(self._theme)
        show_touch(row, touch=self._touch)
        row.sent_now.connect(lambda: self._with(row, self._send_now))
        row.removed.connect(lambda: self._with(row, self._remove))
        row.moved.connect(lambda step: self._with(row, lambda entry: self._move(entry, step)))
        row.edited.connect(
            lambda text: self._with(row, lambda entry: self._view_model.edit_queued(entry, text))
        )
        row.resized.connect(lambda: self._make_room(row))
        self._column.addWidget(row)
        self._rows.append(row)

    def _note_changes(self) -> QueuedPrompt | None:
        """Rows stand for places, changes belong to messages; returns the one being written in."""
        written = None
        for row in self._rows:
            if row.entry is None:
                continue
            if row.written_in:
                written = row.entry
            if row.change is None:
                self._begun.pop(row.entry.entry_id, None)
            else:
                self._begun[row.entry.entry_id] = row.change
        return written

    def _held(self) -> tuple[int, QueueEntryId, str] | None:
        """Place and message of the row that has the keyboard, and the name of its button."""
        for place, row in enumerate(self._rows):
            if row.entry is not None and row.held:
                return place, row.entry.entry_id, row.held
        return None

    def _hold(self, place: int, entry_id: QueueEntryId, name: str) -> None:
        """The keyboard goes with its message, not with its place; from one that has left, to the
        message in its place, and from the last of all to the composer.
        """
        shown = [row for row in self._rows if row.entry is not None]
        for row in shown:
            if row.entry is not None and row.entry.entry_id == entry_id:
                row.hold(name)
                self._scroll.ensureWidgetVisible(row, 0, 0)
                return
        if shown:
            shown[min(place, len(shown) - 1)].hold(name)
        else:
            self.left.emit("")

    def _gone_from(
        self, conversation: Conversation | None, written: QueuedPrompt | None
    ) -> QueuedPrompt | None:
        """The message being written in, if it waits no longer in the session shown before."""
        before = self._session
        self._session = conversation.session_id if conversation is not None else None
        if conversation is None or written is None or before != self._session:
            return None
        waits = any(entry.entry_id == written.entry_id for entry in conversation.queue)
        return None if waits else written

    def _with(self, row: QueuedRow, act: Callable[[QueuedPrompt], None]) -> None:
        if row.entry is not None:
            act(row.entry)

    def _send_now(self, entry: QueuedPrompt) -> None:
        self._view_model.send_queued_now(entry.entry_id)

    def _remove(self, entry: QueuedPrompt) -> None:
        self._view_model.remove_queued(entry.entry_id)

    def _move(self, entry: QueuedPrompt, step: int) -> None:
        self._view_model.move_queued(entry.entry_id, entry.position + step)

    def _switch(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        self._view_model.set_auto_run(auto_run=on)

    def _fit(self) -> None:
        shown = [row for row in self._rows if row.entry is not None]
        lines = sum(row.line_height for row in shown[:_ROWS])
        # An editor takes the room of the lines: in a small window there is no more.
        room = max(lines, *(row.sizeHint().height() for row in shown), 1)
        self._scroll.setVisible(bool(shown))
        self._scroll.setFixedHeight(room)
        self.updateGeometry()

    def _make_room(self, row: QueuedRow) -> None:
        """An editor is in sight whole, with its buttons."""
        self._fit()
        if row.editing:
            QTimer.singleShot(0, row, lambda: self._scroll.ensureWidgetVisible(row, 0, 0))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def _retranslate(self) -> None:
        conversation = self._view_model.conversation
        count = len(conversation.queue) if conversation is not None else 0
        limit = conversation.queue_limit if conversation is not None else 0
        words = self.tr("%1 of %2 queued").replace("%1", str(count)).replace("%2", str(limit))
        self._heading.setText(words)
        self.setAccessibleName(words)
        self._auto_run.setText(self.tr("Send by itself"))
        self._auto_run.setAccessibleDescription(
            self.tr("Queued messages are sent when the agent is free.")
        )
