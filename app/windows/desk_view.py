"""What the window shows: side pane, pages, and the keys that work everywhere in it."""

from collections.abc import Callable
from dataclasses import fields
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme
from app.timers import SystemWindowClock, WindowTimer
from app.viewmodels.desk import DeskViewModel
from app.widgets.chat_foot import ChatFoot
from app.widgets.clarification_overlay import ClarificationOverlay
from app.widgets.inbox_view import InboxView
from app.widgets.list_page import ListPage
from app.widgets.notice_bar import NoticeBar
from app.widgets.page_stack import PageStack
from app.widgets.pane_focus import focus_first, focus_next
from app.widgets.review_card import ReviewCardWidget
from app.widgets.session_sidebar import SessionSidebar
from app.widgets.touch import TouchLayout, show_touch
from app.widgets.two_pane import TwoPane
from app.windows.app_menu import AppMenu
from app.windows.chat_page import ChatPage
from app.windows.pages import Pages, make_pages
from app.windows.quick_chat import QuickChat
from app.windows.quick_chat_place import QuickChatPlace
from backend.domain.clarification import Bundle
from backend.domain.gateway import Server
from backend.domain.review import Review
from backend.errors import AppError, ErrorCode
from backend.events import StoreProgress, StoreStep
from backend.ids import ReviewId, SessionId

_AGE_MILLISECONDS: Final = 30_000


class DeskView(QWidget):
    """Knows its parts and nothing of what they show. `title_changed` with the window's title."""

    title_changed = Signal(str)

    def __init__(
        self,
        desk: DeskViewModel,
        theme: Theme,
        menu: AppMenu,
        banner: QWidget,
        overlay: ClarificationOverlay,
        foot: ChatFoot,
        review: ReviewCardWidget,
        make_quick_chat: Callable[[], QuickChat],
    ) -> None:
        super().__init__()
        self.setObjectName("deskView")
        self._desk = desk
        self._theme = theme
        self._overlay = overlay
        self._review = review
        self._clock = SystemWindowClock(self)
        self.menu = menu
        menu.setParent(self, menu.windowFlags())
        self.inbox_view = InboxView(desk.inbox, desk.sessions, theme)
        self.sidebar = SessionSidebar(
            desk.sessions, desk.conversations, self.inbox_view, menu, theme
        )
        self.pages = make_pages(desk, theme, ChatPage(desk, theme, banner, overlay, foot, review))
        self._stack = PageStack(theme)
        for page in fields(Pages):
            self._stack.addWidget(getattr(self.pages, page.name))
        self.quick = QuickChatPlace(desk, self._stack, theme, make_quick_chat)
        self._panes = TwoPane(self.sidebar, self._centre(), theme)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._panes)
        self._ages = WindowTimer(
            self, self._refresh_ages, milliseconds=_AGE_MILLISECONDS, repeat=True
        )
        self._connect()
        self._add_keys()
        self._refresh_ages()

    def follow_touch(self, touch: TouchLayout) -> None:
        """Be large enough for fingers as long as they are used."""

        def follow() -> None:
            self.pages.chat.transcript.set_touch(touch=touch.on)
            for page in (*self.pages.lists, self.pages.server_form):
                show_touch(page, touch=touch.on)

        touch.changed.connect(follow)
        follow()

    def show_storage_failure(self, error: AppError) -> None:
        """Nothing works without the store: say so instead of the desk."""
        if error.code is ErrorCode.STORE_MIGRATION_UNCONFIRMED:
            self._stack.setCurrentWidget(self.pages.migration)
            self.pages.migration.show_request(error)
        else:
            self._stack.setCurrentWidget(self.pages.storage)
            self.pages.storage.show_error(error)

    def show_starting(self) -> None:
        self.pages.starting.begin()
        self._stack.setCurrentWidget(self.pages.starting)

    def show_welcome(self) -> None:
        """The welcome page, also over a desk that has sessions."""
        self._desk.close_session()
        self._stack.setCurrentWidget(self.pages.welcome)
        self._panes.close_drawer()

    def show_new_session(self) -> None:
        """Begin a conversation; what was put in before is still there."""
        if self._desk.ready:
            self._stack.setCurrentWidget(self.pages.new_session)
            self._panes.close_drawer()
            self.pages.new_session.open()

    def show_history(self) -> None:
        if self._show_list(self.pages.history):
            self.pages.history.open()

    def show_rules(self) -> None:
        if self._show_list(self.pages.rules):
            self.pages.rules.open()

    def show_record(self, review_id: ReviewId | None = None) -> None:
        """All of it, or that of one request."""
        if self._show_list(self.pages.record):
            self.pages.record.open(review_id)

    def show_servers(self) -> None:
        if self._show_list(self.pages.servers):
            self.pages.servers.open()

    def open_bundle(self, bundle: Bundle) -> None:
        """The human asks for this question: the keyboard goes where it is answered."""
        self._desk.open_bundle(bundle)
        self._show_chat()
        if self._overlay.isVisible():
            self._overlay.set_opener(self.inbox_view.list)
            self._overlay.focus_question()

    def open_review(self, review: Review) -> None:
        """As `open_bundle`; the keyboard goes where nothing is decided."""
        self._desk.open_review(review)
        self._show_chat()
        if self._review.isVisible():
            self._review.focus_card()

    def focus_inbox(self) -> None:
        self._panes.open_drawer()
        self.inbox_view.focus_list()

    def focus_reading(self) -> None:
        """Put the keyboard where it reads, and where nothing can happen by accident."""
        if self.pages.chat.isVisible():
            self.pages.chat.transcript.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_writing(self) -> None:
        """Put the keyboard into the composer; where there is none, where it reads."""
        if not self.pages.chat.foot.focus_editor():
            self.focus_reading()

    def cycle_panes(self) -> None:
        """Move the keyboard to the next pane in reading order."""
        chat = self.pages.chat
        cards = [self._overlay, self._review]
        panes = [self.inbox_view, self.sidebar.list, chat.transcript, *cards, chat.foot]
        focus_next([pane for pane in panes if pane.isVisible()], self._focus)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_ages()
        self._ages.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()

    def _centre(self) -> QWidget:
        centre = QWidget()
        centre.setObjectName("centre")
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(NoticeBar(self._desk.notices, self._theme))
        column.addWidget(self.quick.widget, 1)
        return centre

    def _connect(self) -> None:
        desk = self._desk
        self.sidebar.session_chosen.connect(self._open_session)
        self.inbox_view.bundle_chosen.connect(self.open_bundle)
        self.inbox_view.review_chosen.connect(self.open_review)
        self.inbox_view.close_wanted.connect(desk.close_questions)
        self.inbox_view.discard_wanted.connect(desk.discard_answers)
        desk.sessions.current_changed.connect(self._show_page)
        desk.loaded.connect(self._show_page)
        desk.loaded.connect(self.focus_reading)
        desk.inbox.arrived.connect(self.inbox_view.announce)
        desk.reviews.arrived.connect(self.inbox_view.announce_review)
        desk.inbox.count_changed.connect(self._show_count)
        desk.store_progress.connect(self._show_progress)
        self._stack.drawer_wanted.connect(self._panes.open_drawer)
        self._panes.narrow_changed.connect(self._show_narrow)
        self._theme.changed.connect(lambda: self._show_narrow(self._panes.narrow))
        self._panes.drawer_closed.connect(self._stack.focus_button)
        self.menu.connect_wanted.connect(self.show_welcome)
        self.menu.history_wanted.connect(self.show_history)
        self.menu.rules_wanted.connect(self.show_rules)
        self.menu.record_wanted.connect(self.show_record)
        self.menu.servers_wanted.connect(self.show_servers)
        self.pages.servers.edit_wanted.connect(self._edit_server)
        self.pages.server_form.left.connect(self.show_servers)
        self.sidebar.history_wanted.connect(self.show_history)
        for page in self.pages.lists:
            page.left.connect(self._leave_list)
        self.pages.history.session_wanted.connect(self._open_session)
        self.pages.history.record_wanted.connect(self.show_record)
        self.sidebar.pin_wanted.connect(desk.set_pinned)
        self.sidebar.new_wanted.connect(self.show_new_session)
        self.sidebar.quick_chat_wanted.connect(self._toggle_quick_chat)
        self.pages.welcome.new_session_wanted.connect(self.show_new_session)
        self.pages.new_session.cancelled.connect(self._show_page)
        desk.new_session.started.connect(self._open_started)

    def _add_keys(self) -> None:
        self.addActions(self.menu.shortcuts())
        for keys, slot in (
            ("F6", self.cycle_panes),
            ("Ctrl+I", self.focus_inbox),
            ("Ctrl+N", self.show_new_session),
            ("Ctrl+Shift+Q", self._toggle_quick_chat),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(slot)

    def _open_session(self, session_id: SessionId) -> None:
        self._desk.open_session(session_id)
        self._show_chat()

    def _show_chat(self) -> None:
        self._stack.setCurrentWidget(self.pages.chat)
        self._panes.close_drawer()

    def _toggle_quick_chat(self) -> None:
        self._panes.close_drawer()
        self.quick.toggle()

    def _open_started(self, session_id: SessionId) -> None:
        self._open_session(session_id)
        self.focus_writing()

    def _show_page(self) -> None:
        if self._desk.info is not None:
            self.pages.welcome.show_info(self._desk.info)
        if self._desk.sessions.current is not None:
            self._stack.setCurrentWidget(self.pages.chat)
        elif self._desk.inbox.loaded:
            self._stack.setCurrentWidget(self.pages.welcome)

    def _show_list(self, page: ListPage) -> bool:
        """Whether it is shown: before the desk is read there is nothing to list."""
        if self._desk.ready:
            self._stack.setCurrentWidget(page)
            self._panes.close_drawer()
            page.focus_page()
        return self._desk.ready

    def _edit_server(self, server: Server | None) -> None:
        self._stack.setCurrentWidget(self.pages.server_form)
        self.pages.server_form.open(server)

    def _leave_list(self) -> None:
        self._show_page()
        self.focus_reading()

    def _show_progress(self, progress: StoreProgress) -> None:
        connecting = progress.step == StoreStep.CONNECT
        if self._stack.currentWidget() is self.pages.storage and not connecting:
            self.show_starting()
        self.pages.starting.show_progress(progress)

    def _show_narrow(self, narrow: bool) -> None:  # noqa: FBT001 - a Qt slot
        self._stack.show_button(visible=narrow)
        corner = self._stack.corner_width if narrow else 0
        self.pages.chat.set_corner(corner)
        for page in self.pages.lists:
            page.set_corner(corner)
        self.pages.server_form.set_corner(corner)

    def _show_count(self, count: int) -> None:
        self.title_changed.emit(f"({count}) Kandesk" if count else "Kandesk")
        self._stack.show_count(count)

    def _refresh_ages(self) -> None:
        now = self._clock.now()
        self.inbox_view.refresh_ages(now)
        self.sidebar.refresh_ages(now)
        self.pages.chat.refresh_ages(now)
        self.quick.refresh_ages(now)
        for page in self.pages.lists:
            page.refresh_ages()

    def _focus(self, pane: QWidget) -> None:
        if pane is self.inbox_view:
            self.inbox_view.focus_list()
        else:
            focus_first(pane)
