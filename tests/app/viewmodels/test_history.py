"""Tens of thousands of closed requests: found, and the window is never kept from its work."""

import time
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject

from app.timers import WindowTimer
from app.viewmodels.history_items import HistoryItems, item_of_review
from backend.domain.ledger import ReviewPage
from backend.domain.review import Review, ReviewStatus
from backend.ids import ReviewId
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_reviews import make_review
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

MANY: Final = 30_000
STALL: Final = 0.25
"""Seconds; far below what the earlier way took on any machine, far above a busy one's pauses."""


@dataclass
class _Closed:
    """So many requests, the newest first, made when they are asked for."""

    needle: int

    def review(self, number: int) -> Review:
        command = "find the needle" if number == self.needle else f"npm run build-{number}"
        made = make_review(command=command, status=ReviewStatus.EXECUTED)
        return Review(
            **{
                **{name: getattr(made, name) for name in made.__slots__},
                "review_id": ReviewId(f"r{number:06}"),
                "asked_at": 1_790_000_000_000_000_000 - number,
            }
        )

    async def page(self, *, after: ReviewId | None = None, limit: int = 100) -> ReviewPage:
        start = 0 if after is None else int(after[1:]) + 1
        reviews = tuple(self.review(n) for n in range(start, min(MANY, start + limit)))
        more = start + limit < MANY
        return ReviewPage(reviews, reviews[-1].review_id if more else None)


class _Ticks:
    """The longest time the window did not come to its timers."""

    def __init__(self, owner: QObject) -> None:
        self.worst = 0.0
        self._last = time.monotonic()
        self._timer = WindowTimer(owner, self._tick, milliseconds=5, repeat=True)
        self._timer.start()

    def _tick(self) -> None:
        now = time.monotonic()
        self.worst = max(self.worst, now - self._last)
        self._last = now

    def stop(self) -> None:
        self._timer.stop()


async def test_the_oldest_of_very_many_is_found_and_the_window_goes_on(
    backend: FakeBackend,
) -> None:
    backend.desk.put_session(make_session())
    closed = _Closed(needle=MANY - 1)
    backend.desk.reviews.list_closed_reviews = closed.page  # type: ignore[method-assign]
    async with shown_window(backend) as shown:
        shown.view.show_history()
        history = shown.desk.history
        await until(lambda: history.items and not history.loading)
        ticks = _Ticks(shown.window)
        history.set_filter("needle")
        await until(lambda: len(history.items) == 1 and not history.more, seconds=60)
        ticks.stop()
        assert shown.view.pages.history.list.model().rowCount() == 1
        assert ticks.worst < STALL, ticks.worst


def test_what_is_put_in_any_order_stands_newest_first_and_once() -> None:
    items, closed = HistoryItems(), _Closed(needle=2)
    for number in (3, 1, 2, 1):
        items.put(item_of_review(closed.review(number)))
    assert [item.key for item in items.found(0)] == ["r000001", "r000002", "r000003"]
    items.look_for("NEEDLE")
    assert [item.key for item in items.found(0)] == ["r000002"]
    items.drop(lambda item: item.key == "r000002")
    assert items.found(0) == ()
    items.look_for("")
    assert len(items.found(0)) == len(items) == 2
