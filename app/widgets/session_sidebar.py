"""The side pane: the Inbox on top, the sessions of every project below."""

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.kept_text import pin_text
from app.models.session_list_model import SessionListModel, SessionRole
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.widgets.inbox_view import InboxView
from app.widgets.session_delegate import SessionDelegate
from backend.domain.conversation import SessionSummary


class SessionSidebar(QWidget):
    """`session_chosen` with the id of the session the human wants to see.

    `pin_wanted` with the id of a Quick Chat and whether it is to be kept for good,
    `new_wanted` and `quick_chat_wanted` when a conversation is to be begun,
    `history_wanted` for what is closed.
    """

    session_chosen = Signal(object)
    pin_wanted = Signal(object, bool)
    new_wanted = Signal()
    quick_chat_wanted = Signal()
    history_wanted = Signal()

    def __init__(
        self,
        sessions: SessionsViewModel,
        conversations: ConversationsViewModel,
        inbox_view: InboxView,
        menu: QMenu,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("sidePane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._sessions = sessions
        self._theme = theme
        self._model = SessionListModel(sessions, conversations, self)
        self._name = QLabel("Kandesk")
        self._name.setProperty("role", "heading")
        self._menu_button = QToolButton()
        self._menu_button.setObjectName("menuButton")
        self._menu_button.setMenu(menu)
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._new = QToolButton()
        self._new.setObjectName("newSession")
        self._new.clicked.connect(self.new_wanted)
        self._quick = QToolButton()
        self._quick.setObjectName("quickChatButton")
        self._quick.clicked.connect(self.quick_chat_wanted)
        self._history = QPushButton()
        self._history.setObjectName("historyButton")
        self._history.setProperty("role", "pane")
        self._history.clicked.connect(self.history_wanted)
        self._heading = QLabel()
        self._heading.setProperty("role", "heading")
        self._empty = QLabel()
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self.list = self._make_list()
        self._build(inbox_view)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        sessions.current_changed.connect(self._mark_current)
        sessions.changed.connect(self._show_content)
        self._model.modelReset.connect(self._mark_current)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def refresh_ages(self, now: int) -> None:
        self._delegate.now = now
        self.list.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _make_list(self) -> QListView:
        view = QListView(self)
        view.setObjectName("sessionList")
        self._delegate = SessionDelegate(self._theme, view)
        view.setItemDelegate(self._delegate)
        view.setModel(self._model)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setMouseTracking(True)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._theme.changed.connect(view.scheduleDelayedItemsLayout)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._show_menu)
        return view

    def _build(self, inbox_view: InboxView) -> None:
        px = self._theme.pixels
        top = QHBoxLayout()
        top.setContentsMargins(px(18), px(10), px(10), px(10))
        top.addWidget(self._name, 1)
        top.addWidget(self._menu_button)
        heading = QHBoxLayout()
        heading.setContentsMargins(px(18), px(12), px(10), 0)
        heading.addWidget(self._heading, 1)
        heading.addWidget(self._quick)
        heading.addWidget(self._new)
        empty = QHBoxLayout()
        empty.setContentsMargins(px(18), 0, px(18), 0)
        empty.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(inbox_view)
        history = QHBoxLayout()
        history.setContentsMargins(px(10), 0, px(10), px(6))
        history.addWidget(self._history)
        column.addLayout(history)
        column.addWidget(_hairline(self))
        column.addLayout(heading)
        column.addLayout(empty)
        column.addWidget(self.list, 1)

    def _choose(self, index: QModelIndex) -> None:
        session = index.data(SessionRole.SESSION)
        if isinstance(session, SessionSummary):
            self.session_chosen.emit(session.session_id)

    def _show_menu(self, place: QPoint) -> None:
        """At the pointer, or by the keyboard's own key at the row it is on."""
        index = self.list.indexAt(place)
        session = index.data(SessionRole.SESSION)
        if not isinstance(session, SessionSummary) or not session.quick_chat:
            return
        menu = QMenu(self.list)
        menu.setObjectName("sessionMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pinned = session.pinned
        deed = menu.addAction(self._theme.icon(Icon.PIN), pin_text(pinned=pinned))
        deed.triggered.connect(lambda: self.pin_wanted.emit(session.session_id, not pinned))
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _mark_current(self) -> None:
        current = self._sessions.current_id
        selection = self.list.selectionModel()
        if current is None:
            selection.clearSelection()
            return
        index = self._model.index_of(current)
        if index.isValid() and not selection.isSelected(index):
            selection.setCurrentIndex(index, selection.SelectionFlag.ClearAndSelect)

    def _show_content(self) -> None:
        self._empty.setVisible(self._sessions.count == 0)
        with QSignalBlocker(self.list):
            self._mark_current()

    def _show_icons(self) -> None:
        self._menu_button.setIcon(self._theme.icon(Icon.MORE))
        self._new.setIcon(self._theme.icon(Icon.NEW))
        self._quick.setIcon(self._theme.icon(Icon.QUICK_CHAT))
        for button in (self._menu_button, self._new, self._quick):
            button.setIconSize(self._theme.icon_size())
        self._history.setIcon(self._theme.button_icon(Icon.WAITING, "text_muted"))
        self._history.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Side pane"))
        self._heading.setText(self.tr("Sessions"))
        self._history.setText(self.tr("History"))
        self._history.setToolTip(self.tr("Closed questions and permissions") + " (Ctrl+H)")
        self._empty.setText(
            self.tr("A session appears here when an agent asks, or when you start one.")
        )
        for button, words, keys in (
            (self._new, self.tr("New session"), "Ctrl+N"),
            (self._quick, self.tr("Quick Chat"), "Ctrl+Shift+Q"),
        ):
            button.setAccessibleName(words)
            button.setToolTip(f"{words} ({keys})")
        self._menu_button.setAccessibleName(self.tr("Menu"))
        self._menu_button.setToolTip(self.tr("Menu"))
        self.list.setAccessibleName(self.tr("Sessions"))
        self._model.retranslate()
        self._show_content()


def _hairline(parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setProperty("role", "hairline")
    line.setFixedHeight(1)
    return line
