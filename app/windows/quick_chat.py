"""The side panel with a conversation that belongs to no project."""

from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.kept_text import kept_text, pin_text
from app.resources import Icon
from app.text import session_title
from app.theme import Theme
from app.viewmodels.preferences import Preferences
from app.viewmodels.quick_chat import QuickChatViewModel
from app.widgets.chat_foot import ChatFoot
from app.widgets.choice_box import ChoiceBox
from app.widgets.clarification_overlay import ClarificationOverlay
from app.widgets.quick_start import QuickStart
from app.widgets.review_card import ReviewCardWidget
from app.widgets.status_banner import StatusBanner
from app.widgets.touch import TouchLayout, show_touch
from app.windows.chat_page import ChatPage
from backend.ids import SessionId

_TITLE: Final = 40


class QuickChat(QWidget):
    """`close_wanted` when the panel is to go; the conversation goes on."""

    close_wanted = Signal()

    def __init__(
        self,
        view_model: QuickChatViewModel,
        page: ChatPage,
        preferences: Preferences,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("quickChat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.view_model = self._view_model = view_model
        self._theme = theme
        self._touch = touch
        self.page = page
        self._name = QLabel()
        self._name.setProperty("role", "heading")
        self._chats = ChoiceBox(theme)
        self._chats.setObjectName("quickChats")
        self._chats.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._chats.setMinimumContentsLength(8)
        self._pin = QToolButton()
        self._pin.setObjectName("pinQuickChat")
        self._pin.setCheckable(True)
        self._new = QToolButton()
        self._new.setObjectName("newQuickChat")
        self._close = QToolButton()
        self._close.setObjectName("closeQuickChat")
        self._start = QuickStart(view_model.new_session, preferences, theme, touch)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._start)
        self._stack.addWidget(page)
        self._build()
        self._chats.activated.connect(self._choose)
        self._pin.clicked.connect(self._set_pinned)
        self._new.clicked.connect(self._begin)
        self._close.clicked.connect(self.close_wanted)
        view_model.changed.connect(self._refresh)
        theme.changed.connect(self._show_icons)
        touch.changed.connect(self._show_touch)
        self._show_icons()
        self._show_touch()
        self._retranslate()

    def open(self) -> None:
        """Show the newest chat, or where a new one is begun, with the keyboard in it."""
        self._view_model.open()
        self.show()
        self.focus()

    def holds_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def focus(self) -> None:
        """Put the keyboard where something is written."""
        if self._stack.currentWidget() is self._start:
            self._start.focus_editor()
        elif not self.page.foot.focus_editor():
            self.page.transcript.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc goes to the question first, which collapses (K8.8); then the panel closes."""
        if event.key() == Qt.Key.Key_Escape and not event.isAutoRepeat():
            self.close_wanted.emit()
            event.accept()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        top = QHBoxLayout()
        top.setContentsMargins(px(24), px(8), px(8), px(8))
        top.setSpacing(px(8))
        top.addWidget(self._name)
        top.addWidget(self._chats, 1)
        top.addStretch(0)
        top.addWidget(self._pin)
        top.addWidget(self._new)
        top.addWidget(self._close)
        line = QFrame()
        line.setProperty("role", "hairline")
        line.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(line)
        column.addWidget(self._stack, 1)

    def _begin(self) -> None:
        self._view_model.begin()
        self.focus()

    def _set_pinned(self, pinned: bool) -> None:  # noqa: FBT001 - a Qt slot
        self._view_model.set_pinned(pinned=pinned)
        # It shows what is so, once it is so.
        self._show_pin()

    def _choose(self, index: int) -> None:
        self._view_model.show_session(SessionId(str(self._chats.itemData(index))))

    def _refresh(self) -> None:
        model = self._view_model
        chats = model.chats()
        with QSignalBlocker(self._chats):
            self._chats.clear()
            for chat in chats:
                title = session_title(chat.title, chat.agent)
                shown = title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"
                self._chats.addItem(shown, chat.session_id)
            self._chats.setCurrentIndex(self._chats.findData(model.current))
        # The one that is shown has its name below.
        self._chats.setVisible(any(chat.session_id != model.current for chat in chats))
        self._show_pin()
        before = self._stack.currentWidget()
        self._stack.setCurrentWidget(self._start if model.current is None else self.page)
        if self.isVisible() and before is not self._stack.currentWidget():
            self.focus()

    def _show_pin(self) -> None:
        session = self._view_model.sessions.current
        pinned = session is not None and session.pinned
        self._pin.setVisible(session is not None and session.quick_chat)
        self._pin.setChecked(pinned)
        self._pin.setIcon(self._theme.icon(Icon.PIN, "accent" if pinned else "text_muted"))
        self._pin.setIconSize(self._theme.icon_size())
        words = pin_text(pinned=pinned)
        kept = "" if session is None else kept_text(session)
        self._pin.setAccessibleName(words)
        self._pin.setToolTip(f"{words}\n{kept}" if kept and not pinned else words)

    def _show_icons(self) -> None:
        self._show_pin()
        self._new.setIcon(self._theme.icon(Icon.NEW))
        self._close.setIcon(self._theme.icon(Icon.CLOSE))
        for button in (self._new, self._close):
            button.setIconSize(self._theme.icon_size())

    def _show_touch(self) -> None:
        show_touch(self, touch=self._touch.on)
        theme, touch = self._theme, self._touch.on
        self._chats.setMinimumHeight(theme.touch_pixels if touch else theme.pixels(30))

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Quick Chat"))
        self._name.setText(self.tr("Quick Chat"))
        chats = self.tr("Quick Chats that are kept")
        self._chats.setAccessibleName(chats)
        self._chats.view().setAccessibleName(chats)
        for button, words in (
            (self._new, self.tr("New Quick Chat")),
            (self._close, self.tr("Close Quick Chat")),
        ):
            button.setAccessibleName(words)
            button.setToolTip(words)
        self._refresh()


def make_quick_chat(
    view_model: QuickChatViewModel, preferences: Preferences, theme: Theme, touch: TouchLayout
) -> QuickChat:
    """The panel with composer, question, banner and late answers of its own."""
    overlay = ClarificationOverlay(view_model.clarification, theme, touch)
    banner = StatusBanner(view_model.clarification, theme, touch)
    foot = ChatFoot(view_model.composer, view_model.clarification, preferences, theme, touch)
    review = ReviewCardWidget(view_model.reviews, view_model.sessions, theme, touch)
    page = ChatPage(view_model, theme, banner, overlay, foot, review)
    panel = QuickChat(view_model, page, preferences, theme, touch)
    overlay.focus_wanted.connect(panel.focus)
    foot.late.focus_wanted.connect(panel.focus)
    review.focus_wanted.connect(panel.focus)
    overlay.escape.watch(foot)
    return panel
