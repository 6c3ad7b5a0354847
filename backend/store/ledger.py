"""Pages of what was decided and done, newest first, each row found by an index (T5.6)."""

from dataclasses import dataclass
from typing import Final

from backend.domain.ledger import LedgerEntry, LedgerPage, ReviewPage
from backend.ids import EventId, ReviewId, SessionId
from backend.store import reviews
from backend.store.database import Row, Transaction
from backend.store.metadata import as_text, as_time
from backend.store.review_rows import call_of, to_review

MOST: Final = 500
"""Rows of one page."""
_LATEST: Final = "9999"
"""After any moment."""
_EVENTS: Final = (
    "SELECT e.id, e.event_type, e.created_at, e.session_id, e.actor_type, e.actor_id,"
    " e.tool_name, e.action_request_id, e.decision, e.outcome, e.reason_code, e.door,"
    " r.signed_arguments FROM tool_call_events e"
    " LEFT JOIN tool_action_requests r ON r.id = e.action_request_id"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of which session or request; None for all."""

    session_id: SessionId | None = None
    review_id: ReviewId | None = None


async def page(tx: Transaction, wanted: Wanted, after: EventId | None, limit: int) -> LedgerPage:
    """`after` is the last row of the page before; a row that is gone ends the list."""
    conditions: list[str] = []
    params: dict[str, str | int] = {}
    if wanted.review_id is not None:
        conditions.append("e.action_request_id = :request")
        params["request"] = wanted.review_id
    if wanted.session_id is not None:
        conditions.append("e.session_id = :session")
        params["session"] = wanted.session_id
    rows, more = await _page(
        tx, _EVENTS, "tool_call_events", conditions, params, after, limit, "e."
    )
    entries = tuple(_entry(row) for row in rows)
    return LedgerPage(entries, entries[-1].event_id if more else None)


async def closed_page(tx: Transaction, after: ReviewId | None, limit: int) -> ReviewPage:
    """Requests that are decided, or cannot be decided any more."""
    rows, more = await _page(
        tx,
        reviews.SELECT,
        "tool_action_requests",
        ["r.status <> 'pending'"],
        {},
        after,
        limit,
        "r.",
    )
    found = tuple(to_review(row) for row in rows)
    return ReviewPage(found, found[-1].review_id if more else None)


async def _page(
    tx: Transaction,
    select: str,
    table: str,
    conditions: list[str],
    params: dict[str, str | int],
    after: str | None,
    limit: int,
    prefix: str,
) -> tuple[list[Row], bool]:
    """So many rows, and whether there are more."""
    moment, last = _LATEST, ""
    if after is not None:
        row = await tx.fetch_one(
            f"SELECT created_at FROM {table} WHERE id = :id",
            {"id": after},
        )
        if row is None:
            return [], False
        moment, last = as_text(row["created_at"]), after
    size = max(1, min(limit, MOST))
    # Always a range, and the number of rows as it is: PostgreSQL must see how little is wanted.
    where = " AND ".join([*conditions, f"({prefix}created_at, {prefix}id) < (:moment, :last)"])
    rows = await tx.fetch_all(
        f"{select} WHERE {where}"
        f" ORDER BY {prefix}created_at DESC, {prefix}id DESC LIMIT {size + 1}",
        {**params, "moment": moment, "last": last},
    )
    return list(rows[:size]), len(rows) > size


def _entry(row: Row) -> LedgerEntry:
    request = row["action_request_id"]
    return LedgerEntry(
        event_id=EventId(str(row["id"])),
        event_type=as_text(row["event_type"]),
        at=as_time(row["created_at"]),
        session_id=SessionId(str(row["session_id"])),
        actor=as_text(row["actor_id"]) or as_text(row["actor_type"]),
        tool_name=as_text(row["tool_name"]),
        review_id=None if request is None else ReviewId(str(request)),
        decision=as_text(row["decision"]),
        outcome=as_text(row["outcome"]),
        reason=as_text(row["reason_code"]),
        door=as_text(row["door"]),
        call=call_of(asked) if (asked := as_text(row["signed_arguments"])) else None,
    )
