"""Everything that is closed: questions and permissions, with their endings in words."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit

from app.models.fact_model import Fact
from app.models.history_facts import HistoryFacts
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.history import HistoryViewModel
from app.viewmodels.history_items import HistoryItem
from app.viewmodels.sessions import SessionsViewModel
from app.widgets.list_page import ListPage
from app.widgets.named_button import named_button
from backend.domain.review import ReviewStatus


class HistoryPage(ListPage):
    """`session_wanted` with a session's id, `record_wanted` with a request's."""

    session_wanted = Signal(object)
    record_wanted = Signal(object)

    def __init__(
        self, view_model: HistoryViewModel, sessions: SessionsViewModel, theme: Theme
    ) -> None:
        super().__init__(theme, "history")
        self._sessions = sessions
        self._view_model = view_model
        self._facts = HistoryFacts(self)
        self._filter = QLineEdit()
        self._filter.setObjectName("historyFilter")
        self.controls.addWidget(self._filter, 1)
        self._session = named_button("historySession")
        self._record = named_button("historyRecord")
        self.panel.add_actions(self._session, self._record)
        view_model.changed.connect(self._refresh)
        self._filter.textChanged.connect(view_model.set_filter)
        self.older_wanted.connect(view_model.load_older)
        self.list.chosen.connect(self._show_item)
        self.list.activated.connect(lambda _: self._open_session())
        self._session.clicked.connect(self._open_session)
        self._record.clicked.connect(self._open_record)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.retranslate()

    def open(self) -> None:
        self._view_model.open()

    def refresh_ages(self) -> None:
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._view_model.close()

    def retranslate(self) -> None:
        super().retranslate()
        self.setAccessibleName(self.tr("History"))
        self.title.setText(self.tr("History"))
        self.intro.setText(
            self.tr("Questions and permissions that are closed, newest first. To read only.")
        )
        self._filter.setPlaceholderText(self.tr("Find in questions, answers and commands"))
        self._filter.setAccessibleName(self.tr("Find in the history"))
        self.list.setAccessibleName(self.tr("Closed questions and permissions"))
        self._session.setText(self.tr("Open the conversation"))
        self._record.setText(self.tr("Show its record"))
        self._refresh()

    def _refresh(self) -> None:
        model = self._view_model
        now = model.clock.now()
        self.list.show_facts(self._all_facts(now))
        if model.filter.strip():
            self.empty.setText(self.tr("Nothing found."))
        else:
            self.empty.setText(
                self.tr("Nothing is closed yet. What you answer or decide is kept here.")
            )
        self.show_state(loading=model.loading, more=model.more, any_rows=bool(model.items))

    def _all_facts(self, now: int) -> list[Fact]:
        known = self._sessions.session
        return [
            self._facts.fact(item, known(item.session_id), now) for item in self._view_model.items
        ]

    def _item(self) -> HistoryItem | None:
        fact = self.list.current
        subject = fact.subject if fact is not None else None
        return subject if isinstance(subject, HistoryItem) else None

    def _show_item(self, _: Fact | None) -> None:
        item = self._item()
        if item is None:
            return
        now = self._view_model.clock.now()
        self.panel.show_lines(self._facts.heading(item), self._facts.lines(item, now))
        review = item.review
        failed = review is not None and review.status in {
            ReviewStatus.FAILED,
            ReviewStatus.OUTCOME_UNKNOWN,
        }
        self.panel.result.show_result("" if review is None else review.result, failed=failed)
        self._record.setVisible(review is not None)

    def _open_session(self) -> None:
        item = self._item()
        if item is not None:
            self.session_wanted.emit(item.session_id)

    def _open_record(self) -> None:
        item = self._item()
        if item is not None and item.review is not None:
            self.record_wanted.emit(item.review.review_id)

    def _show_icons(self) -> None:
        self._filter.setMinimumHeight(self.theme.pixels(36))
        self._session.setIcon(self.theme.button_icon(Icon.NEXT))
        self._record.setIcon(self.theme.button_icon(Icon.PLAN))
        for button in (self._session, self._record):
            button.setIconSize(self.theme.button_icon_size)
