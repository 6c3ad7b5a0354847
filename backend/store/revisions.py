"""The store-wide sequence by which changed message rows are told apart."""

from backend.store.database import Transaction
from backend.store.schema import MESSAGE_REVISION


async def next_revision(tx: Transaction) -> int:
    """A number higher than any a message row has had; rows changed together may share it."""
    row = await tx.fetch_one(
        "UPDATE sequences SET value = value + 1 WHERE name = :name RETURNING value",
        {"name": MESSAGE_REVISION},
    )
    if row is None:
        message = "the message revision sequence is missing"
        raise LookupError(message)
    return int(row["value"] or 0)
