"""Where a human writes to the agent of a conversation, with everything that belongs to it."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.resources import Icon
from app.theme import Theme
from app.viewmodels.composer import WRITABLE, ComposerMode, ComposerViewModel
from app.viewmodels.preferences import Preferences, SendKey
from app.widgets.agent_pickers import AgentPickers
from app.widgets.command_list import CommandList
from app.widgets.composer_edit import MAX_HEIGHT, ComposerEdit
from app.widgets.composer_hint import ComposerHint
from app.widgets.message_queue import MessageQueue
from app.widgets.named_button import named_button
from app.widgets.touch import TouchLayout, show_touch
from app.widgets.trouble_bar import TroubleBar

MAX_WIDTH: Final = 808
_NARROW: Final = 560
_LOW: Final = 470
"""Below this height of the chat only what is needed to write and send is shown."""
_LOW_EDIT: Final = 64
_LEAST_EDIT: Final = 150
"""What a line to write in needs of the width to stand beside the buttons."""


class ComposerBox(QWidget):
    """Shows the composer's view model; hidden where nothing can be written to anybody."""

    def __init__(
        self,
        view_model: ComposerViewModel,
        preferences: Preferences,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._view_model = view_model
        self._preferences = preferences
        self._theme = theme
        self._touch = touch
        self._low = False
        self.queue = MessageQueue(view_model, theme)
        self._trouble = TroubleBar(view_model, theme)
        self._commands = CommandList(theme)
        self.edit = ComposerEdit(theme, preferences)
        self.edit.setObjectName("composerEdit")
        self._pickers = AgentPickers(view_model, theme)
        self._stop = _button("stopButton")
        self._send = _button("sendButton")
        self._send.setProperty("role", "primary")
        self._hint = ComposerHint(view_model, theme)
        self._frame = QFrame()
        self._frame.setObjectName("composerFrame")
        self._build()
        self._connect()
        self._show_icons()
        self._show_touch()
        self._show_text()
        self._refresh()

    def focus_editor(self) -> None:
        """Put the keyboard where a message is written."""
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_chat_height(self, height: int) -> None:
        """Say less where there is little height: the conversation needs it more."""
        low = height < self._theme.pixels(_LOW)
        if low is not self._low:
            self._low = low
            self.edit.set_limit(_LOW_EDIT if low else MAX_HEIGHT)
            self._refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._theme.pixels(_NARROW)
        self._trouble.set_narrow(narrow=narrow)
        self._place_pickers(narrow=narrow)
        self._place_edit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        row = QHBoxLayout()
        row.setSpacing(px(8))
        self._deeds = row
        row.addWidget(self._pickers, 1)
        row.addStretch(1)
        row.addWidget(self._stop)
        row.addWidget(self._send)
        frame = QVBoxLayout(self._frame)
        frame.setContentsMargins(px(6), px(4), px(6), px(6))
        frame.setSpacing(px(2))
        frame.addWidget(self.edit)
        frame.addLayout(row)
        self._writing = frame
        inner = QWidget()
        inner.setMaximumWidth(px(MAX_WIDTH))
        self._inner = inner
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(4))
        for part in (self._trouble, self.queue, self._commands, self._frame, self._hint):
            column.addWidget(part)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(px(16), px(6), px(16), px(8))
        outer.addStretch(1)
        outer.addWidget(inner, 1000)
        outer.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _place_pickers(self, *, narrow: bool) -> None:
        """Beside the buttons, or on a line of their own where there is little room."""
        if narrow and self._writing.indexOf(self._pickers) < 0:
            self._deeds.removeWidget(self._pickers)
            self._writing.insertWidget(1, self._pickers)
        elif not narrow and self._deeds.indexOf(self._pickers) < 0:
            self._writing.removeWidget(self._pickers)
            self._deeds.insertWidget(0, self._pickers, 1)

    def _place_edit(self) -> None:
        """Above the buttons, or beside them where there is little height and enough width."""
        buttons = [one for one in (self._stop, self._send) if not one.isHidden()]
        taken = sum(one.sizeHint().width() + self._deeds.spacing() for one in buttons)
        left = self._inner.width() - taken
        beside = self._low and left >= self._theme.pixels(_LEAST_EDIT)
        if beside and self._deeds.indexOf(self.edit) < 0:
            self._writing.removeWidget(self.edit)
            self._deeds.insertWidget(0, self.edit, 1000)
        elif not beside and self._writing.indexOf(self.edit) < 0:
            self._deeds.removeWidget(self.edit)
            self._writing.insertWidget(0, self.edit)

    def _connect(self) -> None:
        view_model = self._view_model
        view_model.changed.connect(self._refresh)
        view_model.text_replaced.connect(self._show_text)
        self.queue.left.connect(self._take_over)
        self.edit.edited.connect(self._write)
        self.edit.send_wanted.connect(self._send_now)
        self.edit.key_pressed.connect(self._commands.take_key)
        self.edit.composing_changed.connect(self._refresh)
        self.edit.refused.connect(self._hint.refuse_paste)
        self._commands.chosen.connect(self._take_command)
        self._send.clicked.connect(self._send_now)
        self._hint.retry_wanted.connect(self._send_now)
        self._stop.clicked.connect(view_model.stop)
        self._preferences.changed.connect(self._refresh)
        self._theme.changed.connect(self._restyle)
        self._touch.changed.connect(self._show_touch)

    def _write(self, text: str) -> None:
        self._hint.text_changed()
        self._view_model.write(text)
        self._commands.show_commands(self._view_model.commands(text))

    def _take_over(self, change: str) -> None:
        """Keep a change whose message was sent meanwhile.

        What is still being typed falls nowhere: a picker would take it for a choice, and the
        editor would send at Enter.
        """
        self._frame.setFocus(Qt.FocusReason.OtherFocusReason)
        if change:
            self._view_model.write_before(change)

    def _send_now(self) -> None:
        """Words an input method is still at work on are no text yet: they are never sent."""
        if not self.edit.composing:
            self._view_model.send()

    def _take_command(self, text: str) -> None:
        self.edit.show_text(text)
        self.focus_editor()

    def _show_text(self) -> None:
        writing = self._view_model.writing
        self.edit.show_text("" if writing is None else writing.text)

    def _refresh(self) -> None:
        model = self._view_model
        mode = model.mode
        hosted = model.conversation is not None
        self.setVisible(hosted)
        self._retranslate(mode)
        if not hosted:
            return
        if model.writing is not None and not self.edit.hasFocus():
            self._show_text()
        self.queue.refresh()
        self._trouble.refresh()
        self._pickers.refresh()
        self._hint.refresh()
        writable = mode in WRITABLE
        self._frame.setVisible(writable or bool(self.edit.toPlainText()))
        self.edit.setReadOnly(not writable)
        self._send.setEnabled(model.can_send and not self.edit.composing)
        self._stop.setVisible(model.at_work)
        self._stop.setEnabled(model.can_stop)
        self._pickers.setVisible(not self._low and not self._pickers.blank)
        self._hint.setVisible(not self._low or self._hint.urgent or not writable)
        self._place_edit()
        self.edit.setAccessibleDescription(self._hint.text)
        self._send.setAccessibleDescription(self._hint.text)
        self.updateGeometry()

    def _retranslate(self, mode: ComposerMode) -> None:
        conversation = self._view_model.conversation
        agent = conversation.agent_name if conversation is not None else ""
        queued = mode not in {ComposerMode.DIRECT, ComposerMode.STARTS_AGENT}
        words = self.tr("Message to %1").replace("%1", agent)
        self.edit.setAccessibleName(words)
        self.edit.setPlaceholderText(
            self.tr("Queue a message for %1…").replace("%1", agent) if queued else f"{words}…"
        )
        self._send.setText(self.tr("Queue") if queued else self.tr("Send"))
        by_enter = self._preferences.send_key is SendKey.ENTER
        key = self.tr("Enter") if by_enter else self.tr("Ctrl+Enter")
        self._send.setToolTip(key)
        self._stop.setText(self.tr("Stop"))
        self._stop.setAccessibleDescription(self.tr("Stop what the agent does now"))

    def _restyle(self) -> None:
        self._inner.setMaximumWidth(self._theme.pixels(MAX_WIDTH))
        self._show_icons()
        self.updateGeometry()

    def _show_icons(self) -> None:
        self._send.setIcon(self._theme.button_icon(Icon.SEND, "on_accent"))
        self._stop.setIcon(self._theme.button_icon(Icon.STOP))
        for button in (self._send, self._stop):
            button.setIconSize(self._theme.button_icon_size)

    def _show_touch(self) -> None:
        touch = self._touch.on
        show_touch(self, touch=touch)
        self.edit.show_for(touch=touch)
        for part in (self.queue, self._commands, self._pickers):
            part.show_for(touch=touch)


def _button(name: str) -> QPushButton:
    button = named_button(name)
    # A press on it leaves the keyboard in the editor.
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
