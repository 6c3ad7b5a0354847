"""One session's rows: a sliding window over the store that events keep up to date."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.row_intake import RowIntake
from app.viewmodels.row_order import is_newer
from backend.clock import Nanoseconds
from backend.domain.conversation import Message, MessagePage
from backend.events import BundleRemoved, Event, MessagesChanged
from backend.ids import MessageId, SessionId

PAGE: Final = 100
WINDOW: Final = 2_000
"""Rows kept at most; the far end is let go when a page comes in at the near one."""


class TranscriptViewModel(QObject):
    """Rows oldest first, compared by `row_order.is_newer`.

    `reset` replaces all rows; `inserted(index, rows)`, `changed(index, row)` and
    `removed(index, count)` say what happened to them; `loading_changed` around each read.
    """

    reset = Signal()
    inserted = Signal(int, object)
    changed = Signal(int, object)
    removed = Signal(int, int)
    loading_changed = Signal(bool)
    newer_changed = Signal(bool)

    def __init__(self, client: BackendClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._session: SessionId | None = None
        self._rows: list[Message] = []
        self._known: dict[MessageId, int] | None = None
        self._waiting_events: list[MessagesChanged] | None = None
        self._has_older = False
        self._has_newer = False
        self._loading = False
        self._older_asked = False
        self._generation = 0
        self._intake = RowIntake(self, self._merge)
        client.event_received.connect(self._apply)

    @property
    def session_id(self) -> SessionId | None:
        return self._session

    @property
    def rows(self) -> Sequence[Message]:
        return self._rows

    @property
    def loading(self) -> bool:
        return self._loading

    @property
    def arriving(self) -> bool:
        """Whether rows were told that are not here yet: they come with the next frames."""
        return self._intake.waits

    @property
    def has_older(self) -> bool:
        return self._has_older

    @property
    def has_newer(self) -> bool:
        """Whether the store holds rows after the last one here."""
        return self._has_newer

    def clear(self) -> None:
        self._start(None)

    async def show(self, session_id: SessionId) -> None:
        """Show the end of a session. A later `show` or `clear` makes this one void.

        Raises:
            AppError: the rows cannot be read.
        """
        generation = self._start(session_id)
        self._waiting_events = []
        try:
            page = await self._read(session_id)
        finally:
            if generation == self._generation:
                self._set_loading(loading=False)
        if generation != self._generation:
            return
        self._rows = list(page.messages)
        self._known = None
        self._has_older = page.has_older
        self._set_newer(has_newer=page.has_newer)
        self.reset.emit()
        self._merge_waiting()

    async def refresh(self) -> None:
        """Bring in what happened while nobody told; the reading position stays where it can.

        Raises:
            AppError: the rows cannot be read.
        """
        session_id = self._session
        if session_id is None or self._loading:
            return
        page = await self._page()
        if page is None:
            return
        known = {row.message_id for row in self._rows}
        follows = not page.has_older or any(row.message_id in known for row in page.messages)
        if follows or self._has_newer:
            self._merge(page.messages)
        else:
            await self.show(session_id)
        if self._older_asked:
            await self.load_older()

    async def show_end(self) -> None:
        """Jump to the newest row. Raises `AppError`."""
        if self._session is not None and self._has_newer:
            await self.show(self._session)

    def wants_older(self) -> bool:
        """Whether to call `load_older` now; while other rows are read it follows by itself."""
        self._older_asked = self._has_older and self._loading
        return self._has_older and not self._loading

    async def load_older(self) -> None:
        """Bring in the page before the first row. Raises `AppError`."""
        self._older_asked = False
        if self._session is None or self._loading or not self._has_older or not self._rows:
            return
        first = self._rows[0].message_id
        page = await self._page(before=first)
        if page is None or not self._rows or self._rows[0].message_id != first:
            return
        self._older_asked = False
        self._has_older = page.has_older
        self._insert(0, page.messages)
        if len(self._rows) > WINDOW:
            self._remove(WINDOW, len(self._rows) - WINDOW)
            self._set_newer(has_newer=True)

    async def load_newer(self) -> None:
        """Bring in the page after the last row. Raises `AppError`."""
        if self._session is None or self._loading or not self._has_newer or not self._rows:
            return
        last = self._rows[-1].message_id
        # A row written after the page was read is told before the page is here.
        self._waiting_events = []
        page = await self._page(after=last)
        if page is None:
            return
        if self._rows and self._rows[-1].message_id == last:
            self._set_newer(has_newer=page.has_newer)
            self._insert(len(self._rows), page.messages)
        self._merge_waiting()
        if self._older_asked:
            await self.load_older()

    def _start(self, session_id: SessionId | None) -> int:
        self._generation += 1
        self._waiting_events = None
        self._intake.clear()
        if session_id != self._session or session_id is None:
            self._session = session_id
            self._rows = []
            self._known = None
            self._has_older = False
            self._set_newer(has_newer=False)
            self.reset.emit()
        self._set_loading(loading=session_id is not None)
        return self._generation

    async def _page(
        self, *, before: MessageId | None = None, after: MessageId | None = None
    ) -> MessagePage | None:
        """One page, or None when the window shows something else by the time it is read."""
        session_id, generation = self._session, self._generation
        if session_id is None:
            return None
        self._set_loading(loading=True)
        try:
            page = await self._read(session_id, before=before, after=after)
        finally:
            if generation == self._generation:
                self._set_loading(loading=False)
        return page if generation == self._generation else None

    async def _read(
        self,
        session_id: SessionId,
        *,
        before: MessageId | None = None,
        after: MessageId | None = None,
    ) -> MessagePage:
        return await self._client.call(
            lambda api: api.list_messages(session_id, before=before, after=after, limit=PAGE)
        )

    def _apply(self, happened: Event) -> None:
        match happened:
            case MessagesChanged(session_id, messages) if session_id == self._session:
                if self._waiting_events is not None:
                    self._waiting_events.append(happened)
                else:
                    self._intake.take(messages)
            case BundleRemoved(pending_id, session_id) if session_id == self._session:
                self._intake.withdraw(pending_id)
                for index in reversed(range(len(self._rows))):
                    if self._rows[index].pending_id == pending_id:
                        self._remove(index, 1)
            case _:
                return

    def _merge_waiting(self) -> None:
        missed, self._waiting_events = self._waiting_events or [], None
        for happened in missed:
            self._intake.take(happened.messages)
        self._trim_front()

    def _merge(self, messages: Iterable[Message]) -> None:
        known = self._places()
        fresh: dict[MessageId, Message] = {}
        for message in messages:
            index = known.get(message.message_id)
            if index is None:
                earlier = fresh.get(message.message_id)
                if earlier is None or is_newer(message, earlier):
                    fresh[message.message_id] = message
            elif is_newer(message, self._rows[index]):
                self._rows[index] = message
                self.changed.emit(index, message)
        if fresh and not self._has_newer:
            self._take_in(fresh.values())
        self._trim_front()

    def _take_in(self, fresh: Iterable[Message]) -> None:
        """New rows in their order, those that stand together at once."""
        if self._has_older and self._rows:
            first = self._rows[0].created_at
            fresh = (message for message in fresh if message.created_at >= first)
        runs: dict[int, list[Message]] = {}
        for message in sorted(fresh, key=_created_at):
            place = bisect_right(self._rows, message.created_at, key=_created_at)
            runs.setdefault(place, []).append(message)
        for place, run in reversed(runs.items()):
            self._insert(place, run)

    def _insert(self, index: int, messages: Sequence[Message]) -> None:
        known = self._places()
        new = tuple(message for message in messages if message.message_id not in known)
        if new:
            self._rows[index:index] = new
            self._known = None
            self.inserted.emit(index, new)

    def _remove(self, index: int, count: int) -> None:
        del self._rows[index : index + count]
        self._known = None
        self.removed.emit(index, count)

    def _places(self) -> dict[MessageId, int]:
        """Where each row is; found again only after rows came or left, not for each chunk."""
        if self._known is None:
            self._known = {row.message_id: place for place, row in enumerate(self._rows)}
        return self._known

    def _trim_front(self) -> None:
        excess = len(self._rows) - WINDOW
        if excess > 0:
            self._remove(0, excess)
            self._has_older = True

    def _set_loading(self, *, loading: bool) -> None:
        if loading != self._loading:
            self._loading = loading
            self.loading_changed.emit(loading)

    def _set_newer(self, *, has_newer: bool) -> None:
        if has_newer != self._has_newer:
            self._has_newer = has_newer
            self.newer_changed.emit(has_newer)


def _created_at(message: Message) -> Nanoseconds:
    return message.created_at
