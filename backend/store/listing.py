"""One page of open or of closed bundles, whatever else the store holds (K3.5, K4.5).

Which bundles there are, their order, the limit and the total are one statement, so that a count
that fails fails the page, and the page never has room left because of what the reader may not see.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import Bundle, BundleStatus
from backend.domain.listing import (
    BundlePage,
    ListedBundle,
    Origin,
    PageQuery,
    Position,
    Unanswerable,
)
from backend.ids import PendingId, SessionId, TurnId
from backend.store import bundles
from backend.store.database import Params, Row, Transaction
from backend.store.dialect import Dialect, after_lookup, is_text, json_members, time_key
from backend.store.eligibility import (
    has_question_ids,
    in_ended_session,
    is_answerable,
    is_question,
    is_well_formed,
    newest_turn,
    pending_id,
)
from backend.store.metadata import OWN_KEY, as_dict, as_text, decode, encode
from backend.store.sessions import agent_called

_ROWS: Final = "task_session_messages"


async def list_open(tx: Transaction, query: PageQuery) -> BundlePage:
    """Answerable bundles, oldest first; `created_at` of a bundle is that of its first row.

    Reads the open questions and nothing of the sessions or messages beside them.
    """
    rows = await tx.fetch_all(_open_page(tx.dialect, query), _params(query))
    return await _page(tx, query, rows, _open)


async def list_closed(tx: Transaction, query: PageQuery) -> BundlePage:
    """Every other bundle, newest first, also those whose rows still say pending."""
    rows = await tx.fetch_all(_closed_page(tx.dialect, query), _params(query))
    return await _page(tx, query, rows, _closed)


async def origins(
    tx: Transaction, session_ids: Collection[SessionId]
) -> Mapping[SessionId, Origin]:
    """Where these sessions belong."""
    if not session_ids:
        return {}
    rows = await tx.fetch_all(
        "SELECT s.id, s.state, s.metadata, s.agent_profile_id, t.title, t.workspace_id"
        " FROM task_sessions s LEFT JOIN tasks t ON t.id = s.task_id"
        f" WHERE {json_members(tx.dialect, 's.id', ':ids')}",
        {"ids": encode(sorted(set(session_ids)))},
    )
    found = (_origin(row) for row in rows)
    return {origin.session_id: origin for origin in found}


def _origin(row: Row) -> Origin:
    own = as_dict(decode(row["metadata"]).get(OWN_KEY))
    return Origin(
        session_id=SessionId(str(row["id"])),
        agent=agent_called(own, row["agent_profile_id"]),
        workspace=as_text(row["workspace_id"]),
        session_state=as_text(row["state"]),
        task_title=as_text(row["title"]),
    )


def _params(query: PageQuery) -> Params:
    params: dict[str, str | int] = {"limit": query.limit + 1}
    if query.workspace:
        params["workspace"] = query.workspace
    params["since"] = "" if query.since is None else _time(query.since)
    if query.after is not None:
        params |= {"after_time": query.after.time, "after_id": query.after.pending_id}
    return params


def _time(moment: Nanoseconds) -> str:
    return format_timestamp(moment).removesuffix("Z")


def _open_page(dialect: Dialect, query: PageQuery) -> str:
    listed = (
        f"SELECT DISTINCT {pending_id(dialect, 'm')} AS pending_id FROM {_ROWS} m"
        f" WHERE {_is_listed(dialect, 'm')}{_in_workspace('m', query)}"
    )
    first = (
        f"SELECT MIN({time_key(dialect, 'o.created_at')}) FROM {_ROWS} o"
        f" WHERE {pending_id(dialect, 'o')} = listed.pending_id"
    )
    after = " WHERE (asked_at, pending_id) > (:after_time, :after_id)" if query.after else ""
    return (
        f"WITH timed AS MATERIALIZED (SELECT pending_id, ({first}) AS asked_at"
        f" FROM ({listed}) listed),"
        f" asked AS MATERIALIZED (SELECT pending_id, asked_at FROM timed WHERE asked_at >= :since)"
        " SELECT counted.total, page.pending_id, page.asked_at"
        " FROM (SELECT COUNT(*) AS total FROM asked) counted"
        f" LEFT JOIN (SELECT pending_id, asked_at FROM asked{after}"
        " ORDER BY asked_at, pending_id LIMIT :limit) page ON TRUE"
        " ORDER BY page.asked_at, page.pending_id"
    )


def _closed_page(dialect: Dialect, query: PageQuery) -> str:
    pending = pending_id(dialect, "r")
    moment = time_key(dialect, "r.created_at")
    where = (
        # The lower bound, also where it excludes nothing, is what leads to the index.
        f"{is_question(dialect, 'r')} AND {moment} >= :since AND {is_text(dialect, pending)}"
        f" AND {pending} NOT IN (SELECT pending_id FROM listed){_in_workspace('r', query)}"
    )
    # By themselves: a database without statistics would go through all of them for each row.
    listed = (
        f"SELECT {pending_id(dialect, 'm')} AS pending_id FROM {_ROWS} m"
        f" WHERE {_is_listed(dialect, 'm')}"
    )
    earlier = (
        f"{is_question(dialect, 'e')}"
        f" AND ({time_key(dialect, 'e.created_at')}, e.id) < ({moment}, r.id)"
    )
    first = (
        f"NOT EXISTS (SELECT 1 FROM {_ROWS} e WHERE {pending_id(dialect, 'e')} = {pending}"
        f" AND {after_lookup(dialect, earlier)})"
    )
    after = f" AND ({moment}, {pending}) < (:after_time, :after_id)" if query.after else ""
    return (
        f"WITH listed AS MATERIALIZED ({listed}) SELECT counted.total, page.* FROM"
        # Not the bare expression: its index would be read from end to end, for its order.
        f" (SELECT COUNT(DISTINCT {pending}||'') AS total FROM {_ROWS} r WHERE {where}) counted"
        f" LEFT JOIN (SELECT {pending} AS pending_id, {moment} AS asked_at,"
        f" CASE WHEN {is_well_formed(dialect, 'r')} AND {has_question_ids(dialect, 'r')}"
        " THEN 1 ELSE 0 END AS is_readable,"
        f" CASE WHEN {in_ended_session('r')} THEN 1 ELSE 0 END AS is_ended,"
        f" {newest_turn(dialect, 'r.task_session_id')} AS newest_turn"
        f" FROM {_ROWS} r WHERE {where} AND {first}{after}"
        f" ORDER BY {moment} DESC, {pending} DESC LIMIT :limit) page ON TRUE"
        " ORDER BY page.asked_at DESC, page.pending_id DESC"
    )


def _is_listed(dialect: Dialect, row: str) -> str:
    """Open, and every one of its questions can be named in an answer (K8.6, 73)."""
    pending = pending_id(dialect, row)
    return (
        f"{is_answerable(dialect, row)} AND {pending} IS NOT NULL AND {is_text(dialect, pending)}"
    )


def _in_workspace(row: str, query: PageQuery) -> str:
    if not query.workspace:
        return ""
    return (
        " AND EXISTS (SELECT 1 FROM task_sessions ws JOIN tasks wt ON wt.id = ws.task_id"
        f" WHERE ws.id = {row}.task_session_id AND wt.workspace_id = :workspace)"
    )


async def _page(
    tx: Transaction,
    query: PageQuery,
    rows: Sequence[Row],
    line: Callable[[Row, Bundle, Origin], ListedBundle],
) -> BundlePage:
    total = int(rows[0]["total"] or 0) if rows else 0
    found = [row for row in rows if row["pending_id"] is not None]
    wanted = found[: query.limit]
    known = {
        bundle.pending_id: bundle
        for bundle in await bundles.load_bundles(
            tx, [PendingId(str(row["pending_id"])) for row in wanted]
        )
    }
    places = await origins(tx, {bundle.session_id for bundle in known.values()})
    listed = [
        line(row, bundle, places.get(bundle.session_id) or Origin(bundle.session_id))
        for row in wanted
        if (bundle := known.get(PendingId(str(row["pending_id"])))) is not None
    ]
    more = len(found) > query.limit
    return BundlePage(tuple(listed), total, _position(wanted[-1]) if more else None)


def _position(row: Row) -> Position:
    return Position(str(row["asked_at"]), PendingId(str(row["pending_id"])))


def _open(row: Row, bundle: Bundle, origin: Origin) -> ListedBundle:  # noqa: ARG001
    return ListedBundle(bundle, origin)


def _closed(row: Row, bundle: Bundle, origin: Origin) -> ListedBundle:
    if bundle.status is not BundleStatus.PENDING:
        return ListedBundle(bundle, origin)
    if not row["is_readable"]:
        return ListedBundle(bundle, origin, Unanswerable.UNREADABLE)
    if row["is_ended"]:
        return ListedBundle(bundle, origin, Unanswerable.SESSION_ENDED)
    newest = row["newest_turn"]
    if newest is None or newest == bundle.turn_id:
        return ListedBundle(bundle, origin, Unanswerable.UNREADABLE)
    return ListedBundle(bundle, origin, Unanswerable.SUPERSEDED, TurnId(str(newest)))
