"""Closed questions of a fake desk, page by page."""

from collections.abc import Iterable, Mapping

from backend.clock import format_timestamp
from backend.domain.clarification import Bundle
from backend.domain.conversation import SessionSummary
from backend.domain.listing import BundlePage, ListedBundle, Origin, PageQuery, Position
from backend.ids import SessionId


def closed_page(
    bundles: Iterable[Bundle], sessions: Mapping[SessionId, SessionSummary], query: PageQuery
) -> BundlePage:
    """As `DeskApi.list_closed_page`: newest first."""
    closed = sorted(
        (bundle for bundle in bundles if not bundle.answerable),
        key=lambda bundle: (bundle.created_at, bundle.pending_id),
        reverse=True,
    )
    ids = [bundle.pending_id for bundle in closed]
    start = 0 if query.after is None else ids.index(query.after.pending_id) + 1
    page = closed[start : start + query.limit]
    more = len(closed) > start + query.limit
    after = Position(format_timestamp(page[-1].created_at), page[-1].pending_id) if more else None
    listed = tuple(ListedBundle(bundle, _origin(bundle, sessions)) for bundle in page)
    return BundlePage(listed, len(closed), after)


def _origin(bundle: Bundle, sessions: Mapping[SessionId, SessionSummary]) -> Origin:
    session = sessions.get(bundle.session_id)
    if session is None:
        return Origin(bundle.session_id)
    return Origin(bundle.session_id, session.agent, session.workspace, session.state.value)
