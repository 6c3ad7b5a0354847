"""Where each answer is on its way to its agent, and how that agent finds it again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from backend.clock import Nanoseconds, format_timestamp, parse_timestamp
from backend.domain.clarification import Delivery
from backend.errors import Conflict, ErrorCode
from backend.ids import IdempotencyKey, PendingId, SessionId
from backend.store.database import Row, Transaction
from backend.store.dialect import json_members
from backend.store.metadata import encode
from backend.store.open_bundles import is_open


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """What is known of a bundle's call when it opens; no session, no `connection_id`."""

    pending_id: PendingId
    session_id: SessionId
    idempotency_key: IdempotencyKey | None
    ticket_hash: str
    question_digest: str
    connection_id: str
    now: Nanoseconds


async def open_delivery(tx: Transaction, new: NewDelivery) -> None:
    """Record the call of a bundle.

    Raises:
        Conflict: `key_reused`, another bundle has this idempotency key or ticket.
    """
    inserted = await tx.execute(
        "INSERT INTO interaction_deliveries (pending_id, session_id, connection_id,"
        " idempotency_key, ticket_hash, question_digest, opened_at, updated_at)"
        " VALUES (:pending_id, :session, :connection, :key, :ticket, :digest, :opened, :now)"
        " ON CONFLICT DO NOTHING",
        {
            "pending_id": new.pending_id,
            "session": new.session_id,
            "connection": new.connection_id,
            "key": new.idempotency_key,
            "ticket": new.ticket_hash or None,
            "digest": new.question_digest,
            "opened": format_timestamp(await _opened_at(tx, new)),
            "now": format_timestamp(new.now),
        },
    )
    if not inserted:
        raise Conflict(ErrorCode.KEY_REUSED, "this call belongs to another question already")


async def _opened_at(tx: Transaction, new: NewDelivery) -> Nanoseconds:
    """Now, but behind every earlier ask of the connection and of these questions, wherever the
    clock was set since.
    """
    behind = [
        await _newest(tx, column, value)
        for column, value in (
            ("connection_id", new.connection_id),
            ("question_digest", new.question_digest),
        )
        if value
    ]
    return Nanoseconds(max((new.now, *(moment + 1 for moment in behind))))


async def _newest(tx: Transaction, column: str, value: str) -> int:
    row = await tx.fetch_one(
        f"SELECT MAX(opened_at) AS opened_at FROM interaction_deliveries WHERE {column} = :value",
        {"value": value},
    )
    newest = row["opened_at"] if row is not None else None
    return parse_timestamp(str(newest)) if newest is not None else 0


async def find_by_key(tx: Transaction, key: IdempotencyKey) -> PendingId | None:
    return await _find(tx, "idempotency_key = :value", key)


async def find_by_ticket(tx: Transaction, ticket_hash: str) -> PendingId | None:
    return await _find(tx, "ticket_hash = :value", ticket_hash)


async def digest_of(tx: Transaction, pending_id: PendingId) -> str | None:
    """The digest of the bundle's questions; None for a bundle no call of ours has opened."""
    row = await tx.fetch_one(
        "SELECT question_digest FROM interaction_deliveries WHERE pending_id = :pending_id",
        {"pending_id": pending_id},
    )
    return None if row is None else str(row["question_digest"])


async def states_of(
    tx: Transaction, pending_ids: Iterable[PendingId]
) -> Mapping[PendingId, Delivery]:
    """Where the answers of these bundles are; a bundle without an answer is not in it."""
    wanted = sorted(set(pending_ids))
    if not wanted:
        return {}
    rows = await tx.fetch_all(
        "SELECT pending_id, state FROM interaction_deliveries"
        f" WHERE state IS NOT NULL AND {json_members(tx.dialect, 'pending_id', ':ids')}",
        {"ids": encode(wanted)},
    )
    known = set(Delivery)
    return {
        PendingId(str(row["pending_id"])): Delivery(row["state"])
        for row in rows
        if row["state"] in known
    }


async def move(
    tx: Transaction,
    pending_id: PendingId,
    *,
    expected: Delivery,
    to: Delivery,
    now: Nanoseconds,
    replaced_by: PendingId | None = None,
) -> bool:
    """Move an answer on if it is where it is `expected` to be, once."""
    moved = await tx.execute(
        "UPDATE interaction_deliveries SET state = :to, settled_at = :now, updated_at = :now,"
        " replaced_by = COALESCE(:replaced_by, replaced_by)"
        " WHERE pending_id = :pending_id AND state = :expected",
        {
            "pending_id": pending_id,
            "expected": expected.value,
            "to": to.value,
            "replaced_by": replaced_by,
            "now": format_timestamp(now),
        },
    )
    return moved > 0


async def rejoinable(
    tx: Transaction,
    *,
    connection_id: str,
    question_digest: str,
    cut_after: Nanoseconds,
    cut_before: Nanoseconds | None = None,
) -> PendingId | None:
    """The bundle an equal re-ask of the same MCP session joins (clarification.md, rule 3).

    It is the session's newest ask, its call was cut between `cut_after` and `cut_before`, and it
    is open or its answer waits, or is about to. One re-ask joins one cut call: the next must be
    cut again.
    """
    if not connection_id:
        return None
    row = await tx.fetch_one(
        "SELECT pending_id, state, question_digest, detached_at FROM interaction_deliveries"
        " WHERE connection_id = :connection ORDER BY opened_at DESC, pending_id DESC LIMIT 1",
        {"connection": connection_id},
    )
    if row is None or row["question_digest"] != question_digest:
        return None
    if row["detached_at"] is None:
        return None
    cut_at = parse_timestamp(str(row["detached_at"]))
    if cut_at < cut_after or (cut_before is not None and cut_at > cut_before):
        return None
    joined = await _joinable(tx, row)
    if joined is not None:
        await tx.execute(
            "UPDATE interaction_deliveries SET detached_at = NULL WHERE pending_id = :pending_id",
            {"pending_id": joined},
        )
    return joined


async def note_cut(tx: Transaction, pending_id: PendingId, now: Nanoseconds) -> None:
    """Remember when the call that waits for this bundle was lost."""
    await tx.execute(
        "UPDATE interaction_deliveries SET detached_at = :now, updated_at = :now"
        " WHERE pending_id = :pending_id",
        {"pending_id": pending_id, "now": format_timestamp(now)},
    )


async def _joinable(tx: Transaction, row: Row) -> PendingId | None:
    pending_id = PendingId(str(row["pending_id"]))
    if row["state"] in (Delivery.WAITING_FOR_AGENT, Delivery.PENDING):
        return pending_id
    if row["state"] is None and await is_open(tx, pending_id):
        return pending_id
    return None


async def _find(tx: Transaction, which: str, value: str) -> PendingId | None:
    row = await tx.fetch_one(
        f"SELECT pending_id FROM interaction_deliveries WHERE {which}",
        {"value": value},
    )
    return None if row is None else PendingId(str(row["pending_id"]))
