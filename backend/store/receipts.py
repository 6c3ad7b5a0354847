"""Receipts of requests: where the verdict and its outcome are on their way to the agent (T1.4).

A receipt holds ids and moments, never what was decided or came of it: that stays in the request.
It lies beside those of answers, and its states are the same. One that an older store lacks is made
with its next step. The session is held.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import Delivery
from backend.domain.review import Owner, Review
from backend.ids import ReviewId
from backend.store.database import Params, Statement, Transaction
from backend.store.dialect import json_members
from backend.store.metadata import encode
from backend.store.review_schema import on_its_way
from backend.store.revisions import next_revision

PERMISSION_REQUEST: Final = "permission_request"
_UNDECIDED: Final = ""
_ON_ITS_WAY: Final = (_UNDECIDED, Delivery.PENDING)
_UNTOLD: Final = (*_ON_ITS_WAY, Delivery.WAITING_FOR_AGENT, Delivery.UNKNOWN)


def opening(review: Review, now: Nanoseconds) -> Statement:
    """Nothing is decided yet, and so nothing is owed."""
    return _moving(review, None, _ON_ITS_WAY, now)


def deciding(review: Review, *, approved: bool, now: Nanoseconds) -> Statement:
    """An agent that carries it out is being told; of a call of this desk's it is owed the end."""
    ended = review.owner is Owner.GATEWAY and not approved
    to = Delivery.WAITING_FOR_AGENT if ended else Delivery.PENDING
    return _moving(review, to, _ON_ITS_WAY, now)


def telling(review: Review, now: Nanoseconds) -> Statement:
    """The agent that carries it out has the verdict."""
    return _moving(review, Delivery.DELIVERED, _UNTOLD, now)


def doubting(review: Review, now: Nanoseconds) -> Statement:
    """Nobody knows whether it had the verdict; nothing when it is known to."""
    return _moving(review, Delivery.UNKNOWN, _ON_ITS_WAY, now)


def ending(review: Review, now: Nanoseconds) -> tuple[Statement, ...]:
    """It has an outcome its agent was not told of.

    What nobody has decided is owed to nobody, unless this desk had promised to carry it out.
    """
    if review.owner is Owner.AGENT and review.decided_at is None:
        return ()
    return (_moving(review, Delivery.WAITING_FOR_AGENT, _ON_ITS_WAY, now),)


async def owe(tx: Transaction, review_id: ReviewId, now: Nanoseconds) -> bool:
    """Its agent was to be told the verdict and its call has gone before: it is owed."""
    return bool(await _move(tx, [review_id], Delivery.PENDING, Delivery.WAITING_FOR_AGENT, now))


async def leave(tx: Transaction, review_ids: Sequence[ReviewId], now: Nanoseconds) -> int:
    """They go with the next prompt; from now on they count as given, come what may."""
    return await _move(tx, review_ids, Delivery.WAITING_FOR_AGENT, Delivery.UNKNOWN, now)


async def arrive(tx: Transaction, review_ids: Sequence[ReviewId], now: Nanoseconds) -> int:
    """The agent has taken the prompt they went with, and need not come for them any more."""
    arrived = await _move(tx, review_ids, Delivery.UNKNOWN, Delivery.DELIVERED, now)
    await tx.execute(
        "UPDATE tool_invocations SET collected_at = :now WHERE collected_at IS NULL AND id IN"
        " (SELECT r.invocation_id FROM tool_action_requests r"
        f" WHERE {json_members(tx.dialect, 'r.id', ':ids')})",
        _params(review_ids, now),
    )
    return arrived


async def put_back(tx: Transaction, review_ids: Sequence[ReviewId], now: Nanoseconds) -> int:
    """The agent has certainly not taken the prompt they went with."""
    return await _move(tx, review_ids, Delivery.UNKNOWN, Delivery.WAITING_FOR_AGENT, now)


async def retire(tx: Transaction, review_ids: Sequence[ReviewId], now: Nanoseconds) -> int:
    """Whoever asked is not there any more, or nothing is done for it any more."""
    return await _move(tx, review_ids, Delivery.WAITING_FOR_AGENT, Delivery.DISCARDED, now)


async def collect(tx: Transaction, invocation_id: str, now: Nanoseconds) -> None:
    """Its agent has come for the end of this call."""
    moved = await tx.execute(
        f"UPDATE interaction_deliveries SET state = '{Delivery.DELIVERED}', settled_at = :now,"
        f" updated_at = :now WHERE kind = '{PERMISSION_REQUEST}'"
        f" AND COALESCE(state, '') <> '{Delivery.DELIVERED}' AND pending_id IN"
        " (SELECT r.id FROM tool_action_requests r WHERE r.invocation_id = :invocation)",
        {"invocation": invocation_id, "now": format_timestamp(now)},
    )
    if moved:
        await _show(tx, "r.invocation_id = :invocation", {"invocation": invocation_id})


async def take_back(tx: Transaction, invocation_id: str, now: Nanoseconds) -> None:
    """Its agent has left before it was given the end of this call."""
    await tx.execute(
        "UPDATE tool_invocations SET collected_at = NULL WHERE id = :invocation",
        {"invocation": invocation_id},
    )
    await tx.execute(
        f"UPDATE interaction_deliveries SET state = '{Delivery.WAITING_FOR_AGENT}',"
        f" settled_at = :now, updated_at = :now WHERE kind = '{PERMISSION_REQUEST}'"
        f" AND state = '{Delivery.DELIVERED}' AND pending_id IN"
        " (SELECT r.id FROM tool_action_requests r WHERE r.invocation_id = :invocation)",
        {"invocation": invocation_id, "now": format_timestamp(now)},
    )
    await _show(tx, "r.invocation_id = :invocation", {"invocation": invocation_id})


async def list_untold(tx: Transaction) -> tuple[ReviewId, ...]:
    """Verdicts that were on their way to agents which carry them out, and have an outcome."""
    rows = await tx.fetch_all(
        "SELECT d.pending_id FROM interaction_deliveries d"
        " JOIN tool_action_requests r ON r.id = d.pending_id"
        f" WHERE {on_its_way('d')} AND d.state = '{Delivery.PENDING}' AND r.owner = '{Owner.AGENT}'"
        " AND r.status NOT IN ('pending','approved','executing') ORDER BY d.pending_id"
    )
    return tuple(ReviewId(str(row["pending_id"])) for row in rows)


async def doubt(tx: Transaction, review_id: ReviewId, now: Nanoseconds) -> bool:
    """As `doubting`, of what has its outcome already."""
    return bool(await _move(tx, [review_id], Delivery.PENDING, Delivery.UNKNOWN, now))


async def doubt_told(tx: Transaction, review_ids: Sequence[ReviewId], now: Nanoseconds) -> int:
    """Their agent has said nothing since it was told; it is told again only if it comes for it."""
    doubted = await _move(tx, review_ids, Delivery.DELIVERED, Delivery.UNKNOWN, now)
    if doubted:
        await tx.execute(
            "UPDATE tool_invocations SET collected_at = NULL WHERE id IN"
            " (SELECT r.invocation_id FROM tool_action_requests r"
            f" WHERE {json_members(tx.dialect, 'r.id', ':ids')})",
            {"ids": encode(list(review_ids))},
        )
    return doubted


async def _move(
    tx: Transaction,
    review_ids: Sequence[ReviewId],
    expected: Delivery,
    to: Delivery,
    now: Nanoseconds,
) -> int:
    if not review_ids:
        return 0
    moved = await tx.execute(
        f"UPDATE interaction_deliveries SET state = '{to}', updated_at = :now,"
        " claimed_at = COALESCE(claimed_at, :now), settled_at = :now"
        f" WHERE kind = '{PERMISSION_REQUEST}' AND state = '{expected}'"
        f" AND {json_members(tx.dialect, 'pending_id', ':ids')}",
        _params(review_ids, now),
    )
    if moved:
        ids = {"ids": encode(list(review_ids))}
        await _show(tx, json_members(tx.dialect, "r.id", ":ids"), ids)
    return moved


async def _show(tx: Transaction, which: str, params: Params) -> None:
    """Their rows in the transcript tell it: a newer revision of each, with nothing else new."""
    await tx.execute(
        "UPDATE task_session_messages SET revision = :revision WHERE id IN"
        f" (SELECT r.interaction_id FROM tool_action_requests r WHERE {which})",
        {**params, "revision": await next_revision(tx)},
    )


def _params(review_ids: Iterable[ReviewId], now: Nanoseconds) -> Params:
    return {"ids": encode(list(review_ids)), "now": format_timestamp(now)}


def _moving(
    review: Review, to: Delivery | None, expected: tuple[str, ...], now: Nanoseconds
) -> Statement:
    """Make it, or move it on from one of these states."""
    states = ",".join(f"'{state}'" for state in expected)
    known = to is not None and to is not Delivery.PENDING
    return Statement(
        "INSERT INTO interaction_deliveries (pending_id, session_id, kind, state, opened_at,"
        " claimed_at, settled_at, updated_at)"
        f" VALUES (:id, :session, '{PERMISSION_REQUEST}', :state, :opened, :claimed, :settled,"
        " :now) ON CONFLICT (pending_id) DO UPDATE SET state = excluded.state,"
        " claimed_at = COALESCE(interaction_deliveries.claimed_at, excluded.claimed_at),"
        " settled_at = excluded.settled_at, updated_at = excluded.updated_at"
        f" WHERE interaction_deliveries.kind = '{PERMISSION_REQUEST}'"
        f" AND COALESCE(interaction_deliveries.state, '') IN ({states})",
        {
            "id": review.review_id,
            "session": review.session_id,
            "state": None if to is None else to.value,
            "opened": format_timestamp(review.asked_at),
            "claimed": None if to is None else format_timestamp(now),
            "settled": format_timestamp(now) if known else None,
            "now": format_timestamp(now),
        },
    )
