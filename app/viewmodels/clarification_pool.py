"""Every open bundle the window knows of, and which one a session shows first."""

from app.viewmodels.clarification_card import is_older, revision, showable
from backend.domain.clarification import Bundle
from backend.ids import PendingId, SessionId


class BundlePool:
    """Answerable bundles by id; anything older than what is known is ignored."""

    def __init__(self) -> None:
        self._bundles: dict[PendingId, Bundle] = {}
        self._closed: dict[PendingId, int] = {}

    def get(self, pending_id: PendingId) -> Bundle | None:
        return self._bundles.get(pending_id)

    def ids(self) -> set[PendingId]:
        return set(self._bundles)

    def put(self, bundle: Bundle) -> bool:
        """Take in what an event says; False when the window knows better already."""
        known = self._bundles.get(bundle.pending_id)
        if known is not None and is_older(bundle, known):
            return False
        closed = self._closed.get(bundle.pending_id)
        if bundle.answerable and closed is not None and revision(bundle) <= closed:
            return False
        if bundle.answerable:
            self._bundles[bundle.pending_id] = bundle
        else:
            self._bundles.pop(bundle.pending_id, None)
        return True

    def close(self, bundle: Bundle) -> None:
        """It was answered here: an event from before that must not open it again."""
        self._bundles.pop(bundle.pending_id, None)
        self._closed[bundle.pending_id] = revision(bundle)

    def remove(self, pending_id: PendingId) -> None:
        self._bundles.pop(pending_id, None)

    def of_session(self, session_id: SessionId) -> list[Bundle]:
        """Oldest first; of equal questions asked again only the newest, which closes the others."""
        own = [
            bundle
            for bundle in self._bundles.values()
            if bundle.session_id == session_id and showable(bundle)
        ]
        asked_again = {bundle.asked_again_of for bundle in own}
        fresh = [bundle for bundle in own if bundle.pending_id not in asked_again]
        return sorted(fresh, key=lambda bundle: (bundle.created_at, bundle.pending_id))
