"""Every question and every permission that is closed, newest first, page by page."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.history_items import (
    HistoryItem,
    HistoryItems,
    item_of_bundle,
    item_of_review,
)
from app.viewmodels.timing import Background, WindowClock
from backend.domain.ledger import ReviewPage
from backend.domain.listing import BundlePage, PageQuery, Position
from backend.domain.review import ReviewStatus
from backend.events import (
    BundleChanged,
    BundleRemoved,
    BundleResolved,
    Event,
    ReviewChanged,
    SessionRemoved,
)
from backend.ids import ReviewId

PAGE: Final = 50
FOUND: Final = 30
"""So many finds are looked for before the human asks for more."""


class HistoryViewModel(QObject):
    """Reads from the first time it is shown. `changed` after anything changed."""

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
        self._items = HistoryItems()
        self._bundles_after: Position | None = None
        self._reviews_after: ReviewId | None = None
        self._bundle_floor: int | None = None
        self._review_floor: int | None = None
        self._shown = False
        self._again = False
        self.filter = ""
        self.loading = False
        client.event_received.connect(self._apply)

    @property
    def items(self) -> tuple[HistoryItem, ...]:
        """What is read without a gap, newest first; of it what has the filter's words."""
        return self._items.found(max(self._bundle_floor or 0, self._review_floor or 0))

    @property
    def more(self) -> bool:
        return self._bundle_floor is not None or self._review_floor is not None

    def open(self) -> None:
        """Show the newest."""
        self._shown = True
        if not self.loading:
            self._start(anew=True)

    def close(self) -> None:
        """Nobody looks at it: nothing is read any more."""
        self._shown = False

    def load_older(self) -> None:
        if self.more and not self.loading:
            self._start()

    def set_filter(self, text: str) -> None:
        """Show what has all these words, and look for more of it further back."""
        self.filter = text
        self._items.look_for(text)
        self.changed.emit()
        self._search()

    def _start(self, *, anew: bool = False) -> None:
        self.loading = True
        self._background.start(self._load(anew=anew), name="read the history")
        self.changed.emit()

    async def _load(self, *, anew: bool) -> None:
        try:
            await (self._begin() if anew else self._read_on())
        finally:
            self.loading = False
            self.changed.emit()
        if self._again and self._shown:
            self._again = False
            self._start(anew=True)
        else:
            self._search()

    def _search(self) -> None:
        if self.filter.strip() and len(self.items) < FOUND and self._shown:
            self.load_older()

    async def _begin(self) -> None:
        """The newest; what was read further back stays where there is no gap before it."""
        bundles = await self._bundle_page(None)
        reviews = await self._review_page(None)
        newest = [item_of_bundle(each) for each in bundles.bundles]
        newest += [item_of_review(each) for each in reviews.reviews]
        known = [item for item in newest if item.key in self._items]
        if len(self._items) and (known or not newest):
            for item in newest:
                self._items.put(item)
            return
        self._items.clear()
        self._take_bundles(bundles)
        self._take_reviews(reviews)

    async def _read_on(self) -> None:
        """Read of the kind whose oldest is the newer one: the other has been read further."""
        bundle, review = self._bundle_floor, self._review_floor
        if bundle is not None and (review is None or bundle >= review):
            self._take_bundles(await self._bundle_page(self._bundles_after))
        else:
            self._take_reviews(await self._review_page(self._reviews_after))

    async def _bundle_page(self, after: Position | None) -> BundlePage:
        query = PageQuery(after=after, limit=PAGE)
        return await self._client.call(lambda api: api.list_closed_page(query))

    async def _review_page(self, after: ReviewId | None) -> ReviewPage:
        return await self._client.call(
            lambda api: api.reviews.list_closed_reviews(after=after, limit=PAGE)
        )

    def _take_bundles(self, page: BundlePage) -> None:
        for listed in page.bundles:
            self._items.put(item_of_bundle(listed))
        self._bundles_after = page.after
        last = page.bundles[-1].bundle.created_at if page.bundles else None
        self._bundle_floor = last if page.after is not None else None

    def _take_reviews(self, page: ReviewPage) -> None:
        for review in page.reviews:
            self._items.put(item_of_review(review))
        self._reviews_after = page.after
        last = page.reviews[-1].asked_at if page.reviews else None
        self._review_floor = last if page.after is not None else None

    def _apply(self, happened: Event) -> None:
        if not self._shown:
            return
        match happened:
            case ReviewChanged(review) if review.status is not ReviewStatus.PENDING:
                self._items.put(item_of_review(review))
                self.changed.emit()
            case BundleChanged(bundle) | BundleResolved(bundle, _) if not bundle.answerable:
                self._follow()
            case BundleRemoved(pending_id, _):
                self._drop(lambda item: item.key == pending_id)
            case SessionRemoved(session_id):
                self._drop(lambda item: item.session_id == session_id)
            case _:
                pass

    def _drop(self, gone: Callable[[HistoryItem], bool]) -> None:
        self._items.drop(gone)
        self.changed.emit()

    def _follow(self) -> None:
        """Where a question comes from is told by the page only."""
        if self.loading:
            self._again = True
        else:
            self._start(anew=True)
