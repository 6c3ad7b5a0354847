"""Named texts that outlive the program."""

from backend.store.database import Transaction


async def get(tx: Transaction, key: str) -> str | None:
    row = await tx.fetch_one("SELECT value FROM settings WHERE key = :key", {"key": key})
    return None if row is None else str(row["value"])


async def put(tx: Transaction, key: str, value: str) -> None:
    await tx.execute(
        "INSERT INTO settings (key, value) VALUES (:key, :value)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        {"key": key, "value": value},
    )
