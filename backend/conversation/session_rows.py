"""The rows of one session that are not stored or not shown as they are now."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from backend.clock import Clock, Nanoseconds, TimerHandle
from backend.conversation.live_rows import LiveRow
from backend.conversation.pace import Pace
from backend.domain.conversation import Message
from backend.events import MessagesChanged
from backend.ids import MessageId, SessionId
from backend.store.metadata import OWN_KEY, as_dict
from backend.store.transcript_rows import RowState

REWRITE_RATE: Final = 4 * 1024 * 1024
"""Characters a second at which a row that grows may be written again as a whole."""

RESTING: Final = 2 * 1024 * 1024
"""About how many characters are kept of rows that are stored and shown, and may be told more of."""

Publish = Callable[[MessagesChanged], None]


class Taken(NamedTuple):
    """A row on its way to the store."""

    row: LiveRow
    version: int
    state: RowState
    streaming: bool


class SessionRows:
    """Shows rows in the order in which they were made: text that streams as it is now, every
    other row once it is stored."""

    def __init__(self, session_id: SessionId, clock: Clock, publish: Publish) -> None:
        self.session_id = session_id
        self._clock = clock
        self._publish = publish
        self._pace = Pace()
        self._rows: dict[MessageId, LiveRow] = {}
        self._resting: OrderedDict[MessageId, tuple[LiveRow, int]] = OrderedDict()
        self._rests = 0
        self._timer: TimerHandle | None = None
        self._wakes_at = 0.0

    def changed(self, row: LiveRow) -> None:
        """Keep a row that is new or has changed, and show it if that may be."""
        if row.standing.given_up:
            return
        self._rows[row.message_id] = row
        self._rests -= self._resting.pop(row.message_id, (row, 0))[1]
        if row.streaming:
            self.show()

    @property
    def unsaved(self) -> int:
        """About how many characters are not stored."""
        return sum(row.weight for row in self._rows.values() if _is_unsaved(row))

    @property
    def all_saved(self) -> bool:
        return not any(_is_unsaved(row) for row in self._rows.values())

    def due_at(self) -> float | None:
        """When the next row may be written, on the monotonic clock; None when all are."""
        earliest: float | None = None
        for row in self._rows.values():
            if _is_unsaved(row):
                due = _due(row)
                if due <= 0.0:
                    # Asked for with every change: thousands may wait behind the first.
                    return due
                earliest = due if earliest is None else min(earliest, due)
        return earliest

    def take(self, now: float, wall: Nanoseconds, *, limit: int, at_once: bool) -> list[Taken]:
        """The rows to be written now, in order, up to about `limit` characters.

        `at_once` takes those too that were written lately.
        """
        taken: list[Taken] = []
        for row in self._in_order():
            if limit <= 0:
                break
            if _is_unsaved(row) and not row.away and (at_once or _due(row) <= now):
                taken.append(Taken(row, row.version, row.state(wall), row.streaming))
                limit -= row.weight
        return taken

    def wanted_back(self, limit: int) -> list[LiveRow]:
        """Rows that have changed after their content was put away; about `limit` characters."""
        wanted: list[LiveRow] = []
        for row in self._rows.values():
            if limit <= 0:
                break
            if row.away:
                wanted.append(row)
                limit -= row.away
        return wanted

    def recall(self, row: LiveRow, stored: Message | None) -> None:
        """Give a row back what the store has of it; one that is no longer there is given up."""
        if stored is None:
            row.standing.given_up = True
            self._rows.pop(row.message_id, None)
        else:
            row.recall(dict(stored.metadata))

    def end_turn(self) -> None:
        """Nothing more is told of the rows that rest."""
        self._resting.clear()
        self._rests = 0

    def unsaved_beside(self, taken: list[Taken]) -> bool:
        """Whether rows are left that are not stored, once these are."""
        ids = {item.row.message_id for item in taken}
        return any(_is_unsaved(row) for row in self._rows.values() if row.message_id not in ids)

    def saved(self, taken: Taken, revision: int, now: float) -> None:
        """The row is stored as it was taken."""
        row, standing = taken.row, taken.row.standing
        standing.saved = max(standing.saved, taken.version)
        standing.revision = revision
        standing.not_before = now + row.weight / REWRITE_RATE
        if not taken.streaming:
            standing.durable = (taken.version, taken.state)
        self._drop_if_done(row)

    def give_up(self, taken: list[Taken]) -> None:
        """These cannot be stored, ever: what comes after them is not held up."""
        for item in taken:
            item.row.standing.given_up = True
            self._rows.pop(item.row.message_id, None)

    def show(self, *, at_once: bool = False) -> None:
        """Publish what may be shown, now or as soon as the pace lets it."""
        ready = self._ready()
        if not ready:
            return
        now = self._clock.monotonic()
        new_row = any(row.standing.shown == 0 for row in ready)
        delay = 0.0 if at_once else self._pace.delay(now, new_row=new_row)
        if delay > 0:
            self._wake_in(delay, now)
            return
        self._stop_timer()
        self._pace.told(now)
        shown = tuple(self._shown(row) for row in ready)
        for row in ready:
            self._drop_if_done(row)
        self._publish(MessagesChanged(self.session_id, shown))

    def _ready(self) -> list[LiveRow]:
        found: list[LiveRow] = []
        for row in self._in_order():
            standing = row.standing
            if row.version > standing.shown if row.streaming else standing.durable is not None:
                found.append(row)
            elif standing.shown == 0:
                # Nothing overtakes a row that nobody has seen.
                break
        return found

    def _shown(self, row: LiveRow) -> Message:
        standing = row.standing
        if not row.streaming and standing.durable is not None:
            version, state = standing.durable
            standing.shown, standing.durable = max(standing.shown, version), None
            return state.as_message(standing.revision)
        standing.shown = row.version
        standing.stream += 1
        message = row.state(self._clock.now()).as_message(standing.revision)
        own = {**as_dict(message.metadata.get(OWN_KEY)), "stream": standing.stream}
        return replace(message, metadata={**message.metadata, OWN_KEY: own})

    def _in_order(self) -> list[LiveRow]:
        return sorted(self._rows.values(), key=lambda row: row.created_at)

    def _drop_if_done(self, row: LiveRow) -> None:
        standing = row.standing
        if not row.streaming and standing.saved == standing.shown == row.version:
            self._rows.pop(row.message_id, None)
            self._let_rest(row)

    def _let_rest(self, row: LiveRow) -> None:
        """What is stored and shown is needed again only when more is told of it."""
        if not row.may_go_on:
            return
        self._resting[row.message_id] = row, row.weight
        self._rests += row.weight
        while self._rests > RESTING:
            resting, weight = self._resting.popitem(last=False)[1]
            self._rests -= weight
            resting.put_away()

    def _wake_in(self, delay: float, now: float) -> None:
        if self._timer is not None and self._wakes_at <= now + delay:
            return
        self._stop_timer()
        self._wakes_at = now + delay
        self._timer = self._clock.call_later(delay, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self.show()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _is_unsaved(row: LiveRow) -> bool:
    return row.version > row.standing.saved


def _due(row: LiveRow) -> float:
    return row.standing.not_before if row.streaming else 0.0
