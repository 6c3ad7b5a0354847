"""One conversation: its header, transcript, status banner, question card and foot."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.kept_text import kept_text
from app.models.transcript_model import TranscriptModel
from app.plain_text import plain_tip
from app.resources import Icon
from app.session_text import session_text
from app.text import session_title, workspace_text
from app.theme import Theme
from app.viewmodels.chat import Chat
from app.widgets.chat_foot import ChatFoot
from app.widgets.message_delegate import MessageDelegate
from app.widgets.one_line import OneLine
from app.widgets.overlay_slot import OverlaySlot
from app.widgets.review_card import ReviewCardWidget
from app.widgets.transcript_view import TranscriptView
from backend.ids import PendingId


class ChatPage(QWidget):
    """`banner`, `overlay` and `review` are shown between the transcript and the foot."""

    def __init__(
        self,
        desk: Chat,
        theme: Theme,
        banner: QWidget,
        overlay: QWidget,
        foot: ChatFoot,
        review: ReviewCardWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("chatPage")
        self._desk = desk
        self._theme = theme
        self._arrived = 0
        self._title = OneLine()
        self._title.setObjectName("sessionTitle")
        self._title.setProperty("role", "heading")
        self._subtitle = OneLine()
        self._subtitle.setProperty("role", "small")
        self._model = TranscriptModel(desk.transcript, desk.inbox, self)
        self._delegate = MessageDelegate(theme, desk.inbox, self)
        self.transcript = TranscriptView(theme, self._delegate)
        self.transcript.setMinimumHeight(1)
        self.transcript.show_model(self._model)
        self._new_rows = QPushButton(self.transcript)
        self._new_rows.setObjectName("newRowsButton")
        self._new_rows.hide()
        self._empty = QLabel(self.transcript)
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.hide()
        self.transcript.installEventFilter(self)
        self.foot = foot
        self._slot = OverlaySlot(overlay, theme)
        self._review = review
        self._review_slot = OverlaySlot(review, theme, handle="reviewHandle")
        self._build(banner)
        self._connect()
        self._retranslate()

    def set_corner(self, width: int) -> None:
        """Leave room for the button of the drawer before the title."""
        px = self._theme.pixels
        self._header.setContentsMargins(max(px(24), width), px(8), px(16), px(8))

    def refresh_ages(self, now: int) -> None:
        self._delegate.now = now

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What lies over the transcript follows it, also where a card or the foot takes room."""
        if watched is self.transcript and event.type() is QEvent.Type.Resize:
            self._place_new_rows()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _tell_height(self) -> None:
        """What is little height depends on the size of the letters too."""
        self._slot.set_chat_height(self.height())
        self._review.set_chat_height(self.height())
        self._review_slot.set_chat_height(self.height())
        self.foot.set_chat_height(self.height())
        self._place_new_rows()

    def _build(self, banner: QWidget) -> None:
        px = self._theme.pixels
        self._header = QHBoxLayout()
        self._header.setContentsMargins(px(24), px(8), px(16), px(8))
        self._header.setSpacing(px(8))
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(self._title)
        names.addWidget(self._subtitle)
        self._header.addLayout(names, 1)
        line = QFrame()
        line.setProperty("role", "hairline")
        line.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._header)
        column.addWidget(line)
        column.addWidget(self.transcript, 1)
        column.addWidget(banner)
        column.addWidget(self._slot)
        column.addWidget(self._review_slot)
        column.addWidget(self.foot)

    def _connect(self) -> None:
        desk = self._desk
        desk.sessions.current_changed.connect(self._show_session)
        desk.sessions.changed.connect(self._show_session)
        desk.clarification.card_replaced.connect(self._slot.reset_height)
        desk.clarification.card_replaced.connect(self._order_cards)
        self._review.again_wanted.connect(desk.composer.say)
        desk.reviews.card_replaced.connect(self._review_slot.reset_height)
        desk.composer.changed.connect(self._show_hosted)
        desk.composer.sent.connect(self._go_to_end)
        desk.transcript.reset.connect(self._start_over)
        desk.transcript.inserted.connect(self._count_new)
        desk.transcript.loading_changed.connect(self._show_empty)
        self.transcript.older_wanted.connect(desk.load_older)
        self.transcript.newer_wanted.connect(desk.load_newer)
        self.transcript.late_answer_wanted.connect(self._answer_late)
        self.transcript.at_end_changed.connect(self._show_new_rows)
        desk.transcript.newer_changed.connect(self._show_new_rows)
        self._new_rows.clicked.connect(self._go_to_end)
        self._theme.changed.connect(self._show_icons)
        self._theme.changed.connect(self._tell_height)
        self._show_icons()

    def _show_session(self) -> None:
        session = self._desk.sessions.current
        if session is None:
            return
        title = session_title(session.title, session.agent)
        self._title.show_text(title)
        place = kept_text(session) or workspace_text(session.workspace)
        known = self._desk.composer.conversation
        # Which session is shown changes here a moment sooner than there.
        mine = known if known is not None and known.session_id == session.session_id else None
        parts = [place, session_text(session, mine)]
        if session.agent != title:
            parts.insert(0, session.agent)
        self._subtitle.show_text(" · ".join(parts))
        self._subtitle.setToolTip(plain_tip(session.workspace))
        if self._delegate.agent != session.agent:
            self._delegate.agent = session.agent
            self.transcript.remeasure()

    def _order_cards(self) -> None:
        """One card at a time: a question of the session goes first."""
        self._review.hold_back(held=self._desk.clarification.card is not None)

    def _answer_late(self, pending_id: PendingId) -> None:
        self.foot.late.set_opener(self.transcript)
        self._desk.clarification.late.open(pending_id)

    def _show_hosted(self) -> None:
        """Only an agent this desk runs can be given a message."""
        hosted = self._desk.composer.conversation is not None
        if self._delegate.hosted is not hosted:
            self._delegate.hosted = hosted
            self.transcript.remeasure()
        self._show_session()

    def _start_over(self) -> None:
        self._arrived = 0
        self._show_new_rows()
        self._show_empty()

    def _count_new(self, index: int, rows: tuple[object, ...]) -> None:
        at_the_end = index + len(rows) == len(self._desk.transcript.rows)
        if at_the_end and not self.transcript.at_end:
            self._arrived += len(rows)
        self._show_new_rows()
        self._show_empty()

    def _show_new_rows(self) -> None:
        at_end = self.transcript.at_end and not self._desk.transcript.has_newer
        if at_end:
            self._arrived = 0
        if self._arrived:
            self._new_rows.setText(self.tr("%n new", "", self._arrived))
        else:
            self._new_rows.setText(self.tr("To the end"))
        self._new_rows.setVisible(not at_end and bool(self._desk.transcript.rows))
        self._place_new_rows()

    def _show_empty(self) -> None:
        transcript = self._desk.transcript
        self._empty.setVisible(not transcript.rows and not transcript.loading)
        self._empty.setGeometry(self.transcript.rect())

    def _place_new_rows(self) -> None:
        self._new_rows.adjustSize()
        view = self.transcript
        left = (view.width() - self._new_rows.width()) // 2
        self._new_rows.move(left, view.height() - self._new_rows.height() - self._theme.pixels(12))
        self._empty.setGeometry(view.rect())

    def _go_to_end(self) -> None:
        self._desk.show_end()
        self.transcript.go_to_end()

    def _show_icons(self) -> None:
        self._new_rows.setIcon(self._theme.button_icon(Icon.TO_END))
        self._new_rows.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self._empty.setText(self.tr("What the agent asks and says appears here."))
        self._show_session()
        self._show_new_rows()
