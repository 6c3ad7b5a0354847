"""What time it is where the rows are: a server's clock need not be ours (T5.1)."""

from backend.clock import Nanoseconds
from backend.store.database import Transaction
from backend.store.dialect import Dialect
from backend.store.metadata import as_time


async def store_now(tx: Transaction) -> Nanoseconds:
    if tx.dialect is Dialect.SQLITE:
        sql = "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS moment"
    else:
        sql = (
            "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',"
            """ 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS moment"""
        )
    row = await tx.fetch_one(sql)
    return as_time(None if row is None else row["moment"])
