"""The number of this run of the desk: it orders projections and fences out an earlier owner."""

from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.store.database import SqlValue, Transaction
from backend.store.dialect import row_share

DESK_EPOCH: Final = "desk_epoch"
_HIGHEST: Final = 2**53
"""Far more starts than there can be; a number beyond it is no count of them."""


async def begin_epoch(tx: Transaction) -> int:
    """Count one more start and return its number (K2.6).

    Raises:
        StorageFailed: `store_invalid_row`, the stored number is no count of starts.
    """
    row = await tx.fetch_one(
        "INSERT INTO sequences (name, value) VALUES (:name, 1)"
        " ON CONFLICT (name) DO UPDATE SET value = sequences.value + 1"
        " WHERE sequences.value BETWEEN 0 AND :highest RETURNING value",
        {"name": DESK_EPOCH, "highest": _HIGHEST},
    )
    return _checked(0 if row is None else row["value"])


async def next_epoch(tx: Transaction) -> int:
    """What `begin_epoch` will return. Raises as it does."""
    row = await tx.fetch_one("SELECT value FROM sequences WHERE name = :name", {"name": DESK_EPOCH})
    value = 0 if row is None else row["value"]
    return _checked(value + 1 if isinstance(value, int) else 0)


async def touch_epoch(tx: Transaction) -> None:
    """Write what is there already, only to see whether the store can be written."""
    await tx.execute("UPDATE sequences SET value = value WHERE name = :name", {"name": DESK_EPOCH})


async def is_current(tx: Transaction, epoch: int) -> bool:
    """Whether no other start has begun since; where the store is shared, none can until `tx` ends.

    Must be the first statement of the transaction.
    """
    row = await tx.fetch_one(
        f"SELECT value FROM sequences WHERE name = :name{row_share(tx.dialect)}",
        {"name": DESK_EPOCH},
    )
    return row is not None and row["value"] == epoch


def _checked(epoch: SqlValue) -> int:
    if not isinstance(epoch, int) or not 0 < epoch <= _HIGHEST + 1:
        raise StorageFailed(
            ErrorCode.STORE_INVALID_ROW,
            f"the row {DESK_EPOCH!r} of table sequences must be a positive number",
            row=DESK_EPOCH,
        )
    return epoch
