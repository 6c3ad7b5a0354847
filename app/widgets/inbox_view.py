"""The Inbox: every question that waits, and every answer its agent has not collected."""

from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.models.inbox_model import InboxModel, InboxRole
from app.resources import Icon
from app.text import workspace_text
from app.theme import Theme
from app.viewmodels.answer_text import answer_text
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.widgets.confirm import Question, ask
from app.widgets.inbox_delegate import InboxDelegate
from backend.domain.clarification import Bundle
from backend.domain.review import Review
from backend.ids import SessionId


class InboxView(QWidget):
    """`bundle_chosen` and `review_chosen` with what to show; the others with pending ids."""

    bundle_chosen = Signal(object)
    review_chosen = Signal(object)
    close_wanted = Signal(object)
    discard_wanted = Signal(object)

    def __init__(
        self,
        inbox: InboxViewModel,
        sessions: SessionsViewModel,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("inboxView")
        self._inbox = inbox
        self._sessions = sessions
        self._theme = theme
        self._model = InboxModel(inbox, sessions, self)
        self._title = QLabel()
        self._title.setProperty("role", "heading")
        self._count = QLabel()
        self._count.setProperty("role", "badge")
        self._count.setObjectName("inboxCount")
        self._count.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty = QLabel()
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self.list = _InboxList(theme, self)
        self.list.setModel(self._model)
        self._close = QPushButton()
        self._close.setObjectName("closeQuestion")
        self._copy = QPushButton()
        self._copy.setObjectName("copyStoredAnswer")
        self._discard = QPushButton()
        self._discard.setObjectName("discardStoredAnswer")
        self._discard.setProperty("role", "danger")
        self._build()
        self._connect()
        self._retranslate()
        self._show_content()

    def focus_list(self) -> None:
        """Put the keyboard on the list, on its first row if none is current."""
        if not self.list.currentIndex().isValid() and self._model.rowCount():
            self.list.selectionModel().setCurrentIndex(
                self._model.index(0),
                self.list.selectionModel().SelectionFlag.NoUpdate,
            )
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refresh_ages(self, now: int) -> None:
        self.list.delegate.now = now
        self.list.viewport().update()

    def announce(self, bundle: Bundle) -> None:
        """Tell assistive technology of a new question; the focus stays where it is."""
        self._announce(self.tr("question from %1 in %2"), bundle.session_id)

    def announce_review(self, review: Review) -> None:
        """As `announce`, of something an agent may not do unasked."""
        self._announce(self.tr("permission for %1 in %2"), review.session_id)

    def _announce(self, words: str, session_id: SessionId) -> None:
        session = self._sessions.session(session_id)
        words = words.replace("%1", session.agent if session else self.tr("an agent"))
        words = words.replace("%2", workspace_text(session.workspace if session else ""))
        self._count.setAccessibleDescription(words)
        self._count.setAccessibleName(words)
        QAccessible.updateAccessibility(QAccessibleEvent(self._count, QAccessible.Event.Alert))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        header = QHBoxLayout()
        header.setContentsMargins(px(18), 0, px(18), 0)
        header.addWidget(self._title)
        header.addStretch(1)
        header.addWidget(self._count)
        actions = QHBoxLayout()
        actions.setContentsMargins(px(16), px(4), px(16), 0)
        actions.setSpacing(px(8))
        for button in (self._close, self._copy, self._discard):
            actions.addWidget(button)
        actions.addStretch(1)
        empty = QHBoxLayout()
        empty.setContentsMargins(px(18), 0, px(18), px(4))
        empty.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, px(8))
        column.setSpacing(px(4))
        column.addLayout(header)
        column.addLayout(empty)
        column.addWidget(self.list)
        column.addLayout(actions)

    def _connect(self) -> None:
        self._inbox.changed.connect(self._show_content)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.selectionModel().selectionChanged.connect(self._show_actions)
        self._model.modelReset.connect(self._show_actions)
        self._close.clicked.connect(self._ask_to_close)
        self._copy.clicked.connect(self._copy_answers)
        self._discard.clicked.connect(self._ask_to_discard)
        self._theme.changed.connect(self._show_icons)
        self._show_icons()

    def _choose(self, index: QModelIndex) -> None:
        bundle = index.data(InboxRole.BUNDLE)
        if isinstance(bundle, Bundle):
            self.bundle_chosen.emit(bundle)
        review = index.data(InboxRole.REVIEW)
        if isinstance(review, Review):
            self.review_chosen.emit(review)

    def _selected(self, *, uncollected: bool) -> list[Bundle]:
        rows = sorted(self.list.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [
            index.data(InboxRole.BUNDLE)
            for index in rows
            if bool(index.data(InboxRole.UNCOLLECTED)) is uncollected
            and index.data(InboxRole.BUNDLE) is not None
        ]

    def _ask_to_close(self) -> None:
        ids = [bundle.pending_id for bundle in self._selected(uncollected=False)]
        question = Question(
            title=self.tr("Close question"),
            text=self.tr("Close %n question(s) without an answer?", "", len(ids)),
            detail=self.tr("The agent is told that the question was withdrawn by you."),
            accept=self.tr("Close without an answer"),
        )
        ask(self, question, partial(self.close_wanted.emit, ids))

    def _ask_to_discard(self) -> None:
        ids = [bundle.pending_id for bundle in self._selected(uncollected=True)]
        question = Question(
            title=self.tr("Discard answer"),
            text=self.tr("Discard %n stored answer(s)?", "", len(ids)),
            detail=self.tr("The agent can no longer collect it."),
            accept=self.tr("Discard"),
        )
        ask(self, question, partial(self.discard_wanted.emit, ids))

    def _copy_answers(self) -> None:
        texts = [answer_text(bundle) for bundle in self._selected(uncollected=True)]
        QGuiApplication.clipboard().setText("\n\n".join(texts))

    def _show_content(self) -> None:
        count = self._inbox.count
        self._count.setText(str(count))
        self._count.setVisible(bool(count))
        self._count.setAccessibleName(self._waiting_words(count))
        # Before anything was read nobody knows: a store that cannot be opened may hold questions.
        self._empty.setVisible(self._inbox.loaded and self._model.rowCount() == 0)
        self.list.setVisible(self._model.rowCount() > 0)
        self.list.updateGeometry()
        self._show_actions()

    def _waiting_words(self, count: int) -> str:
        if self._inbox.content.reviews:
            return self.tr("%n request(s) waiting for you", "", count)
        return self.tr("%n question(s) waiting for you", "", count)

    def _show_actions(self) -> None:
        waiting = self._selected(uncollected=False)
        stored = self._selected(uncollected=True)
        self._close.setVisible(bool(waiting) and not stored)
        self._copy.setVisible(bool(stored) and not waiting)
        self._discard.setVisible(bool(stored) and not waiting)

    def _show_icons(self) -> None:
        self._close.setIcon(self._theme.button_icon(Icon.CLOSE))
        self._copy.setIcon(self._theme.button_icon(Icon.COPY))
        self._discard.setIcon(self._theme.button_icon(Icon.DISCARD, "danger"))
        for button in (self._close, self._copy, self._discard):
            button.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Inbox"))
        self._title.setText(self.tr("Inbox"))
        self._empty.setText(self.tr("Nothing waits for you."))
        self.list.setAccessibleName(self.tr("Questions waiting for you"))
        self._close.setText(self.tr("Close as withdrawn…"))
        self._close.setToolTip(
            self.tr("Closes the question without an answer; the agent hears that you withdrew it")
        )
        self._copy.setText(self.tr("Copy"))
        self._copy.setToolTip(self.tr("Copy the stored answer"))
        self._discard.setText(self.tr("Discard"))
        self._discard.setToolTip(self.tr("Drop the stored answer"))
        self._model.retranslate()
        self._show_content()


class _InboxList(QListView):
    """As tall as its rows, up to nearly half of the pane."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("inboxList")
        self.delegate = InboxDelegate(theme, self)
        self.setItemDelegate(self.delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._theme = theme
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def sizeHint(self) -> QSize:
        rows = self.model().rowCount()
        height = sum(self.sizeHintForRow(row) for row in range(min(rows, 8)))
        return QSize(self._theme.pixels(200), max(height, self._theme.pixels(50)))

    def minimumSizeHint(self) -> QSize:
        return QSize(
            self._theme.pixels(120), min(self.sizeHint().height(), self._theme.pixels(100))
        )
