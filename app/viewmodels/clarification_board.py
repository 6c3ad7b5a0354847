"""The cards on the desk: one per bundle that was looked at, one shown at a time."""

from app.viewmodels.clarification_card import Card, Phase
from app.viewmodels.clarification_pool import BundlePool
from backend.domain.clarification import Bundle
from backend.ids import PendingId, SessionId


class CardBoard:
    """Chooses what a session shows: what the human opened, else its oldest open bundle.

    A bundle that is shown stays until it is closed; going away and coming back finds the same
    card, with its request still in flight if it was.
    """

    def __init__(self) -> None:
        self.pool = BundlePool()
        self.session: SessionId | None = None
        self.current: Card | None = None
        self._cards: dict[PendingId, Card] = {}
        self._shown: dict[SessionId, PendingId] = {}
        self._generations = 0

    def card(self, pending_id: PendingId) -> Card | None:
        return self._cards.get(pending_id)

    def cards(self) -> tuple[Card, ...]:
        """Those of every session, shown or not."""
        return tuple(self._cards.values())

    @property
    def more_waiting(self) -> int:
        """Open bundles of this session besides the one that is shown."""
        if self.session is None or self.current is None:
            return 0
        shown = self.current.pending_id
        return sum(bundle.pending_id != shown for bundle in self.pool.of_session(self.session))

    def open(self, pending_id: PendingId) -> bool:
        """Let the human's own choice be shown; False when it is not open in this session."""
        bundle = self.pool.get(pending_id)
        if bundle is None or bundle.session_id != self.session:
            return False
        self._shown[bundle.session_id] = pending_id
        return True

    def choose(self) -> bool:
        """Settle what is shown now; True when that is another card than before."""
        before = self.current
        self.current = self._choice()
        return self.current is not before

    def renew(self, card: Card, bundle: Bundle) -> Card:
        """A fresh card for the same bundle: what an older request says no longer matters."""
        fresh = self._make(bundle)
        fresh.collapsed = card.collapsed
        if not card.reviewing:
            shown = card.questions[card.step].id
            kept = (i for i, question in enumerate(fresh.questions) if question.id == shown)
            fresh.step = next(kept, 0)
        if card.sheet.touched:
            fresh.sheet.put_in(card.sheet.draft())
        return fresh

    def retire(self, card: Card) -> None:
        card.phase = Phase.RESOLVED if card.phase is not Phase.INACTIVE else card.phase
        if self._cards.get(card.pending_id) is card:
            del self._cards[card.pending_id]
        session = card.bundle.session_id
        if self._shown.get(session) == card.pending_id:
            del self._shown[session]

    def _choice(self) -> Card | None:
        if self.session is None:
            return None
        shown = self._shown.get(self.session)
        if shown is not None:
            kept = self._cards.get(shown)
            if kept is not None:
                return kept
            bundle = self.pool.get(shown)
            if bundle is not None:
                return self._make(bundle)
        waiting = self.pool.of_session(self.session)
        if not waiting:
            return None
        self._shown[self.session] = waiting[0].pending_id
        return self._cards.get(waiting[0].pending_id) or self._make(waiting[0])

    def _make(self, bundle: Bundle) -> Card:
        self._generations += 1
        card = Card(bundle, self._generations)
        self._cards[bundle.pending_id] = card
        return card
