"""The number of a start, whatever stands in its row."""

import pytest

from backend.errors import ErrorCode, StorageFailed
from backend.store.database import Database
from backend.store.epoch import DESK_EPOCH, begin_epoch, next_epoch
from tests.helpers.place import Place, raw


def put(place: Place, value: object) -> None:
    with raw(place) as connection:
        connection.execute("INSERT INTO sequences (name, value) VALUES (?, ?)", (DESK_EPOCH, value))


async def test_starts_are_counted_from_one(database: Database) -> None:
    """K2.6."""
    for number in (1, 2, 3):
        async with database.reading() as tx:
            assert await next_epoch(tx) == number
        async with database.writing() as tx:
            assert await begin_epoch(tx) == number


@pytest.mark.parametrize("value", [-7, -1, 2**62, 2**63 - 1])
async def test_a_row_that_counts_no_starts_is_named_and_stays(
    database: Database, place: Place, value: int
) -> None:
    """K2.6: what is not positive is an error that names the row."""
    put(place, value)
    async with database.reading() as tx:
        with pytest.raises(StorageFailed, match=DESK_EPOCH) as caught:
            await next_epoch(tx)
    assert caught.value.code is ErrorCode.STORE_INVALID_ROW
    with pytest.raises(StorageFailed, match=DESK_EPOCH):
        async with database.writing() as tx:
            await begin_epoch(tx)
    with raw(place) as connection:
        found = connection.execute(
            "SELECT value FROM sequences WHERE name = ?", (DESK_EPOCH,)
        ).fetchone()
    assert found["value"] == value
