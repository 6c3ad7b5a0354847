"""The record of what agents wanted, what was decided and what came of it, page by page."""

from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.timing import Background, WindowClock
from backend.domain.ledger import LedgerEntry
from backend.events import Event, ReviewChanged, ReviewOpened, RuleChanged
from backend.ids import EventId, ReviewId, SessionId

PAGE: Final = 100


class LedgerViewModel(QObject):
    """While it is shown, what happens is added at its top. `changed` after anything changed."""

    changed = Signal()

    def __init__(
        self,
        client: BackendClient,
        *,
        clock: WindowClock,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.clock = clock
        self._client = client
        self._background = background
        self._after: EventId | None = None
        self._shown = False
        self._again = False
        self._run = 0
        self.entries: tuple[LedgerEntry, ...] = ()
        self.session_id: SessionId | None = None
        self.review_id: ReviewId | None = None
        self.loading = False
        client.event_received.connect(self._apply)

    @property
    def more(self) -> bool:
        return self._after is not None

    def open(self, session_id: SessionId | None = None, review_id: ReviewId | None = None) -> None:
        """Show the newest of everything, of a session, or of one request."""
        self.session_id, self.review_id = session_id, review_id
        self._shown, self._after, self.entries = True, None, ()
        self._start()

    def close(self) -> None:
        """Nobody looks at it: nothing is read any more."""
        self._shown = False

    def load_older(self) -> None:
        if self.more and not self.loading:
            self._start(self._after)

    def _start(self, after: EventId | None = None) -> None:
        self._run += 1
        self.loading = True
        self._background.start(self._load(self._run, after), name="read the record")
        self.changed.emit()

    async def _load(self, run: int, after: EventId | None) -> None:
        """A page; what was read for something else meanwhile is thrown away."""
        session_id, review_id = self.session_id, self.review_id
        try:
            page = await self._client.call(
                lambda api: api.rules.ledger(
                    session_id=session_id, review_id=review_id, after=after, limit=PAGE
                )
            )
            if run == self._run:
                known = {entry.event_id for entry in self.entries}
                new = tuple(entry for entry in page.entries if entry.event_id not in known)
                if after is None and self.entries:
                    self.entries = new + self.entries
                else:
                    self.entries, self._after = self.entries + new, page.after
        finally:
            if run == self._run:
                self.loading = False
                self.changed.emit()
                self._follow()

    def _apply(self, happened: Event) -> None:
        if self._shown and isinstance(happened, ReviewOpened | ReviewChanged | RuleChanged):
            self._again = True
            self._follow()

    def _follow(self) -> None:
        if self._again and not self.loading:
            self._again = False
            self._start()
