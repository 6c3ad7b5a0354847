"""The number of this run of the desk: it orders projections and fences out an earlier owner."""

from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.store.database import Transaction

DESK_EPOCH: Final = "desk_epoch"


async def begin_epoch(tx: Transaction) -> int:
    """Count one more start and return its number (K2.6).

    Raises:
        StorageFailed: `store_invalid_row`, the stored number is no count of starts.
    """
    row = await tx.fetch_one(
        "INSERT INTO sequences (name, value) VALUES (:name, 1)"
        " ON CONFLICT (name) DO UPDATE SET value = sequences.value + 1 RETURNING value",
        {"name": DESK_EPOCH},
    )
    epoch = int(row["value"] or 0) if row is not None else 0
    if epoch <= 0:
        raise StorageFailed(
            ErrorCode.STORE_INVALID_ROW,
            f"the row {DESK_EPOCH!r} of table sequences must be a positive number",
            row=DESK_EPOCH,
        )
    return epoch
