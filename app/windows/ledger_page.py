"""The record: what agents wanted, what was decided and what came of it, never changed."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel

from app.models.fact_model import Fact
from app.models.ledger_facts import LedgerFacts
from app.text import session_title, workspace_text
from app.theme import Theme
from app.viewmodels.ledger import LedgerViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.widgets.choice_box import ChoiceBox
from app.widgets.list_page import ListPage
from app.widgets.named_button import named_button
from backend.domain.conversation import SessionSummary
from backend.domain.ledger import LedgerEntry
from backend.ids import ReviewId, SessionId


class LedgerPage(ListPage):
    """All of it, that of one session, or that of one request."""

    def __init__(
        self, view_model: LedgerViewModel, sessions: SessionsViewModel, theme: Theme
    ) -> None:
        super().__init__(theme, "record")
        self._view_model = view_model
        self._sessions = sessions
        self._facts = LedgerFacts(self)
        self._which = ChoiceBox(theme)
        self._which.setObjectName("recordSession")
        theme.changed.connect(self._restyle)
        self._restyle()
        self._one = QLabel()
        self._one.setObjectName("recordRequest")
        self._all = named_button("recordAll")
        self.controls.addWidget(self._which, 1)
        self.controls.addWidget(self._one, 1)
        self.controls.addWidget(self._all)
        self._only = named_button("recordOnly")
        self.panel.add_actions(self._only)
        view_model.changed.connect(self._refresh)
        sessions.changed.connect(self._fill)
        self.older_wanted.connect(view_model.load_older)
        self.list.chosen.connect(self._show_entry)
        self._which.activated.connect(self._choose_session)
        self._all.clicked.connect(self._show_all)
        self._only.clicked.connect(self._show_request)
        self.retranslate()

    def open(self, review_id: ReviewId | None = None) -> None:
        """The newest of everything, or of one request."""
        self.list.forget_choice()
        self._view_model.open(review_id=review_id)

    def refresh_ages(self) -> None:
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._view_model.close()

    def retranslate(self) -> None:
        super().retranslate()
        self.setAccessibleName(self.tr("Record"))
        self.title.setText(self.tr("Record"))
        self.intro.setText(
            self.tr(
                "Every call agents asked for, how it was decided and what came of it. "
                "Lines are added and never changed."
            )
        )
        self.empty.setText(self.tr("Nothing is recorded yet."))
        self.list.setAccessibleName(self.tr("Record"))
        for part in (self._which, self._which.view()):
            part.setAccessibleName(self.tr("Session whose record is shown"))
        self._one.setText(self.tr("Only one request is shown."))
        self._all.setText(self.tr("Show everything"))
        self._only.setText(self.tr("Only this request"))
        self._fill()
        self._refresh()

    def _restyle(self) -> None:
        self._which.setMinimumHeight(self.theme.touch_pixels)

    def _fill(self) -> None:
        """Every session that is known, the newest first."""
        wanted = self._view_model.session_id
        with QSignalBlocker(self._which):
            self._which.clear()
            self._which.addItem(self.tr("All sessions"), None)
            for group in self._sessions.groups():
                for session in group.sessions:
                    title = session_title(session.title, session.agent)
                    words = f"{title} · {workspace_text(session.workspace)}"
                    self._which.addItem(words, session.session_id)
            self._which.setCurrentIndex(max(0, self._which.findData(wanted)))

    def _choose_session(self, row: int) -> None:
        chosen = self._which.itemData(row)
        self.list.forget_choice()
        self._view_model.open(SessionId(chosen) if chosen else None)

    def _refresh(self) -> None:
        model = self._view_model
        now = model.clock.now()
        one = model.review_id is not None
        self._which.setVisible(not one)
        self._one.setVisible(one)
        self._all.setVisible(one)
        if model.session_id is None and self._which.currentIndex() > 0:
            self._which.setCurrentIndex(0)
        facts = [self._facts.fact(each, self._session(each), now) for each in model.entries]
        self.list.show_facts(facts)
        self.show_state(loading=model.loading, more=model.more, any_rows=bool(facts))

    def _session(self, entry: LedgerEntry) -> SessionSummary | None:
        return self._sessions.session(entry.session_id)

    def _entry(self) -> LedgerEntry | None:
        fact = self.list.current
        subject = fact.subject if fact is not None else None
        return subject if isinstance(subject, LedgerEntry) else None

    def _show_entry(self, fact: Fact | None) -> None:
        entry = self._entry()
        if fact is None or entry is None:
            return
        now = self._view_model.clock.now()
        self.panel.show_lines(fact.title, self._facts.lines(entry, self._session(entry), now))
        told = entry.review_id is not None and self._view_model.review_id is None
        self._only.setVisible(told)

    def _show_all(self) -> None:
        self.open()

    def _show_request(self) -> None:
        entry = self._entry()
        if entry is not None and entry.review_id is not None:
            self.open(entry.review_id)
