"""What was compared with our definitions is compared again only when something has changed."""

import pytest

from backend.errors import ErrorCode, StorageFailed
from backend.store import postgres_shape
from backend.store.database import Transaction
from backend.store.postgres import PostgresDatabase
from backend.store.postgres_catalog import Catalog, needed_catalog
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The schema of every comparison made from now on."""
    seen: list[str] = []

    async def watched(tx: Transaction, catalog: Catalog) -> Catalog:
        seen.append(str(catalog.schema))
        return await needed_catalog(tx, catalog)

    monkeypatch.setattr(postgres_shape, "needed_catalog", watched)
    return seen


async def opened(url: str) -> None:
    await (await PostgresDatabase.open(url, FakeClock(), allow_migration=True)).close()


def run(url: str, *statements: str) -> None:
    with raw(url) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


async def test_a_store_found_right_is_opened_without_temporary_tables(
    postgres_url: str, compared: list[str]
) -> None:
    await opened(postgres_url)
    assert compared
    compared.clear()
    await opened(postgres_url)
    reading = await PostgresDatabase.open_read_only(postgres_url, FakeClock())
    await reading.close()
    assert compared == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE tasks ADD COLUMN theirs TEXT",
        "CREATE TABLE theirs (id TEXT)",
        "CREATE INDEX theirs ON tasks (id)",
    ],
)
async def test_anything_that_changed_is_compared_once_more(
    postgres_store_url: str, compared: list[str], change: str
) -> None:
    run(postgres_store_url, change)
    await opened(postgres_store_url)
    await opened(postgres_store_url)
    assert compared == ["public"]


async def test_a_column_that_changed_its_kind_is_found_in_a_store_found_right_before(
    postgres_store_url: str,
) -> None:
    await opened(postgres_store_url)
    run(postgres_store_url, 'ALTER TABLE tasks ALTER COLUMN id TYPE TEXT COLLATE "default"')
    for _ in range(2):
        with pytest.raises(StorageFailed) as refused:
            await opened(postgres_store_url)
        assert refused.value.code is ErrorCode.STORE_CORRUPT


async def test_a_store_opened_for_reading_is_compared_and_left_as_it_is(
    postgres_store_url: str, compared: list[str]
) -> None:
    run(postgres_store_url, "DELETE FROM settings WHERE key = 'store_shape'")
    for _ in range(2):
        reading = await PostgresDatabase.open_read_only(postgres_store_url, FakeClock())
        await reading.close()
    assert compared == ["public", "public"]
