"""Whether what is ours by its name is ours by what it is.

The server says how it spells our definitions only of tables it has made, so the comparison makes
temporary ones. What was found right is remembered, and compared again once anything changed.
"""

import hashlib
import json
from dataclasses import asdict
from typing import Final

from backend.store.database import Transaction
from backend.store.dialect import Dialect
from backend.store.postgres_catalog import Catalog, needed_catalog
from backend.store.postgres_converge import check_definitions
from backend.store.schema import SETTINGS, TABLES, indexes

SHAPE: Final = "store_shape"
"""The setting that names the last catalog found right, by what it, we and the server say."""


async def check_shape(tx: Transaction, catalog: Catalog, *, remember: bool) -> None:
    """Compare every column and index; the tables are hidden for the rest of the transaction.

    Raises:
        StorageFailed: see `check_definitions`.
    """
    if SETTINGS.name not in catalog.columns:
        check_definitions(catalog, await needed_catalog(tx, catalog))
        return
    row = await tx.fetch_one("SELECT current_setting('server_version_num') AS number")
    shape = _digest(catalog, "" if row is None else str(row["number"]))
    known = await tx.fetch_one(
        f"SELECT 1 AS found FROM {SETTINGS.name} WHERE key = :key AND CAST(value AS text) = :value",
        {"key": SHAPE, "value": shape},
    )
    if known is not None:
        return
    check_definitions(catalog, await needed_catalog(tx, catalog))
    if remember:
        await _remember(tx, catalog, shape)


async def _remember(tx: Transaction, catalog: Catalog, shape: str) -> None:
    schema = str(catalog.schema).replace('"', '""')
    table = f'"{schema}".{SETTINGS.name}'
    await tx.execute(f"DELETE FROM {table} WHERE key = :key", {"key": SHAPE})
    await tx.execute(
        f"INSERT INTO {table} (key, value) VALUES (:key, :value)", {"key": SHAPE, "value": shape}
    )


def _digest(catalog: Catalog, server: str) -> str:
    ours = [each.ddl(Dialect.POSTGRESQL) for each in TABLES]
    ours += [each.ddl() for each in indexes(Dialect.POSTGRESQL)]
    said = json.dumps([server, ours, asdict(catalog)], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()
