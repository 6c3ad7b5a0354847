"""Every question that waits for the human, and every answer its agent has not collected."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.reviews import ReviewsViewModel
from backend.domain.clarification import Bundle, Delivery
from backend.domain.review import Review
from backend.events import BundleChanged, BundleOpened, BundleRemoved, BundleResolved, Event
from backend.ids import PendingId


@dataclass(frozen=True, slots=True)
class InboxContent:
    """Every section, oldest first."""

    open: tuple[Bundle, ...]
    uncollected: tuple[Bundle, ...]
    reviews: tuple[Review, ...] = ()
    """What agents may not do unasked, shown among the questions."""


class InboxViewModel(QObject):
    """Follows the backend.

    `changed` after anything changed, `count_changed` with the number of everything that waits,
    `waiting_changed` with those of the questions and of the permissions in it,
    `arrived` with a bundle that was not open before, `left` with the pending id of one that no
    longer is, `bundle_changed` with the pending id of any that may look different now.
    """

    changed = Signal()
    count_changed = Signal(int)
    waiting_changed = Signal(int, int)
    arrived = Signal(object)
    left = Signal(object)
    bundle_changed = Signal(object)

    def __init__(
        self,
        client: BackendClient,
        parent: QObject | None = None,
        *,
        reviews: ReviewsViewModel | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._reviews = reviews
        if reviews is not None:
            reviews.changed.connect(self._tell)
        self._open: dict[PendingId, Bundle] = {}
        self._uncollected: dict[PendingId, Bundle] = {}
        self._deliveries: dict[PendingId, Delivery] = {}
        self._heard_while_loading: set[PendingId] | None = None
        self._loaded = False
        client.event_received.connect(self._apply)

    @property
    def loaded(self) -> bool:
        return self._loaded

    @property
    def count(self) -> int:
        return len(self._open) + self._permissions

    @property
    def _permissions(self) -> int:
        return self._reviews.count if self._reviews is not None else 0

    @property
    def content(self) -> InboxContent:
        reviews = self._reviews.open if self._reviews is not None else ()
        return InboxContent(_oldest_first(self._open), _oldest_first(self._uncollected), reviews)

    def bundle(self, pending_id: PendingId) -> Bundle | None:
        """A bundle of either section."""
        return self._open.get(pending_id) or self._uncollected.get(pending_id)

    def is_open(self, pending_id: PendingId) -> bool:
        return pending_id in self._open

    def delivery(self, pending_id: PendingId) -> Delivery | None:
        """Where the answer is on its way, as far as this window has heard."""
        return self._deliveries.get(pending_id)

    async def load(self) -> None:
        """Read both sections; an event heard meanwhile is newer than what was read.

        What is in neither any more leaves: another desk may have owned the store meanwhile.
        """
        heard: set[PendingId] = set()
        self._heard_while_loading = heard
        try:
            waiting = await self._client.call(lambda api: api.list_open_bundles())
            stored = await self._client.call(lambda api: api.list_uncollected())
        finally:
            self._heard_while_loading = None
        gone = self._open.keys() | self._uncollected.keys()
        for bundle in (*waiting, *stored):
            gone.discard(bundle.pending_id)
            if bundle.pending_id not in heard:
                self._place(bundle)
        for pending_id in gone - heard:
            self._forget(pending_id)
        self._loaded = True
        self._tell()

    async def close_question(self, pending_id: PendingId) -> None:
        """Withdraw a question without answering it. Raises `AppError`."""
        await self._client.call(lambda api: api.close_question(pending_id))

    async def discard_answer(self, pending_id: PendingId) -> None:
        """Drop an answer nobody has collected. Raises `AppError`."""
        await self._client.call(lambda api: api.discard_stored_answer(pending_id))

    def _apply(self, happened: Event) -> None:
        match happened:
            case BundleOpened(bundle):
                self._hear_of_open(bundle)
            case BundleChanged(bundle) if self._loaded:
                # That it has opened may be told later than that a call waits for it.
                self._hear_of_open(bundle)
            case BundleChanged(bundle) | BundleResolved(bundle, _):
                self._hear(bundle)
            case BundleRemoved(pending_id, _):
                self._forget(pending_id)
            case _:
                return

    def _hear(self, bundle: Bundle) -> None:
        if self._heard_while_loading is not None:
            self._heard_while_loading.add(bundle.pending_id)
        was_open = self.is_open(bundle.pending_id)
        self._place(bundle)
        self._tell(bundle.pending_id)
        if was_open and not self.is_open(bundle.pending_id):
            self.left.emit(bundle.pending_id)

    def _hear_of_open(self, bundle: Bundle) -> None:
        known = self.is_open(bundle.pending_id)
        self._hear(bundle)
        if bundle.answerable and not known:
            self.arrived.emit(bundle)

    def _forget(self, pending_id: PendingId) -> None:
        if self._heard_while_loading is not None:
            self._heard_while_loading.add(pending_id)
        was_open = self._open.pop(pending_id, None) is not None
        self._uncollected.pop(pending_id, None)
        self._deliveries.pop(pending_id, None)
        self._tell(pending_id)
        if was_open:
            self.left.emit(pending_id)

    def _place(self, bundle: Bundle) -> None:
        known = self.bundle(bundle.pending_id)
        if known is not None and revision(bundle) < revision(known):
            return
        self._open.pop(bundle.pending_id, None)
        self._uncollected.pop(bundle.pending_id, None)
        if bundle.delivery is not None:
            self._deliveries[bundle.pending_id] = bundle.delivery
        if bundle.answerable:
            self._open[bundle.pending_id] = bundle
        elif bundle.delivery is Delivery.WAITING_FOR_AGENT:
            self._uncollected[bundle.pending_id] = bundle

    def _tell(self, pending_id: PendingId | None = None) -> None:
        self.changed.emit()
        self.count_changed.emit(self.count)
        self.waiting_changed.emit(len(self._open), self._permissions)
        if pending_id is not None:
            self.bundle_changed.emit(pending_id)


def revision(bundle: Bundle) -> int:
    """The newest revision among the rows of a bundle (clarification.md improvement 10)."""
    return max((row.revision for row in bundle.questions), default=0)


def _oldest_first(bundles: dict[PendingId, Bundle]) -> tuple[Bundle, ...]:
    return tuple(sorted(bundles.values(), key=lambda b: (b.created_at, b.pending_id)))
