"""Cards that do not show what became of their requests, found and repaired within one workspace.

The request is the authority and its card a projection of it (T3.1). Most are written together: what
is found here was left by a crash, written by an older version, or overwritten since.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.review import ReviewStatus
from backend.ids import MessageId, ReviewId, SessionId
from backend.store import review_outcomes, reviews
from backend.store.database import Params, Transaction
from backend.store.dialect import Dialect, json_members, json_text, row_lock
from backend.store.locks import lock_sessions
from backend.store.metadata import OWN_KEY, as_dict, as_text, decode, encode
from backend.store.review_rows import OUTCOME_UNKNOWN

FIRST: Final = ReviewId("")
"""Before every id."""
_PROJECTED: Final = (
    "r.interaction_id IS NOT NULL AND r.status IN ('executed','failed','expired','cancelled')"
)
"""As in the index, so that it applies."""
_FROM: Final = (
    "FROM tool_action_requests r JOIN tool_invocations i ON i.id = r.invocation_id"
    " JOIN task_session_messages m ON m.id = r.interaction_id"
)
_DECIDED: Final = frozenset({"approved", "rejected", "expired"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A request whose card shows something else."""

    review_id: ReviewId
    workspace_id: str
    session_id: SessionId
    status: str
    """As in T1.2, when it was found."""


async def find_workspaces(tx: Transaction) -> frozenset[str]:
    """Every workspace with a card that shows something else."""
    rows = await tx.fetch_all(
        f"SELECT DISTINCT r.workspace_id {_FROM} WHERE {_PROJECTED} AND {_differs(tx.dialect)}"
    )
    return frozenset(str(row["workspace_id"]) for row in rows)


async def find_candidates(
    tx: Transaction, workspace_id: str, after: ReviewId, limit: int
) -> tuple[Candidate, ...]:
    """A page of them in the order of their ids."""
    rows = await tx.fetch_all(
        f"SELECT r.id, r.session_id, r.status {_FROM} WHERE r.workspace_id = :workspace"
        f" AND r.id > :after AND {_PROJECTED} AND {_differs(tx.dialect)}"
        " ORDER BY r.id LIMIT :limit",
        {"workspace": workspace_id, "after": after, "limit": limit},
    )
    return tuple(
        Candidate(
            review_id=ReviewId(str(row["id"])),
            workspace_id=workspace_id,
            session_id=SessionId(str(row["session_id"])),
            status=str(row["status"]),
        )
        for row in rows
    )


async def reflect(tx: Transaction, found: Candidate, now: Nanoseconds) -> bool:
    """Let the card show what became of its request; False when nothing was written (T3.7).

    So it is where the request or the card is gone, the request has moved on, the card shows it
    already, or nobody can tell that anybody has decided it.
    """
    await lock_sessions(tx, [found.session_id])
    link: Params = {"workspace": found.workspace_id, "id": found.review_id}
    card = await tx.fetch_one(
        "SELECT m.metadata FROM task_session_messages m WHERE m.id = (SELECT r.interaction_id"
        " FROM tool_action_requests r WHERE r.workspace_id = :workspace AND r.id = :id)"
        f"{row_lock(tx.dialect)}",
        link,
    )
    request = await tx.fetch_one(
        "SELECT r.status FROM tool_action_requests r"
        f" WHERE r.workspace_id = :workspace AND r.id = :id{row_lock(tx.dialect)}",
        link,
    )
    if card is None or request is None or request["status"] != found.status:
        return False
    stored = await reviews.find(tx, found.review_id)
    if stored is None or not _is_projectable(stored, decode(card["metadata"])):
        return False
    return await review_outcomes.project(tx, found.review_id, now)


async def hint_linked(tx: Transaction, workspace_id: str, card_ids: Iterable[MessageId]) -> bool:
    """Hint the workspace if one of the cards that are about to be written is that of a request.

    For whoever writes cards alone, whatever their kind and what they say of themselves (T3.3).
    """
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM tool_action_requests WHERE workspace_id = :workspace"
        f" AND {json_members(tx.dialect, 'interaction_id', ':cards')} LIMIT 1",
        {"workspace": workspace_id, "cards": encode(sorted(card_ids))},
    )
    if row is not None:
        tx.hint(workspace_id)
    return row is not None


def _is_projectable(stored: reviews.Stored, card: dict[str, object]) -> bool:
    """Whether it is known how it was decided, by the request itself or by its card (T3.7, 4)."""
    if stored.review.status in {ReviewStatus.CANCELLED, ReviewStatus.EXPIRED}:
        return True
    if stored.review.decided_at is not None:
        return True
    resolution = as_dict(card.get("permission_resolution"))
    return bool(resolution.get("result")) or as_text(card.get("status")) in _DECIDED


def _differs(dialect: Dialect) -> str:
    """What the card says of itself is not what it must say; an unknown end is not a failed one."""
    word = json_text(dialect, "m.metadata", OWN_KEY, "review_status")
    status = json_text(dialect, "m.metadata", "status")
    unknown = f"r.status = 'failed' AND i.error_code = '{OUTCOME_UNKNOWN}'"
    expected = f"CASE WHEN {unknown} THEN '{ReviewStatus.OUTCOME_UNKNOWN}' ELSE r.status END"
    shown = "CASE WHEN r.status IN ('executed','failed') THEN 'approved' ELSE 'expired' END"
    return f"(COALESCE({word},'') <> {expected} OR COALESCE({status},'') <> {shown})"
