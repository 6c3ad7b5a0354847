"""What may have changed is told when it is durable, or may be, and never before (T3.3)."""

import asyncio

import pytest

from backend.clock import Deadline
from backend.errors import TemporarilyUnavailable
from backend.store import settings
from backend.store.database import Database, Transaction
from backend.store.transaction import StoreConnection
from tests.helpers.clock import FakeClock
from tests.helpers.faults import unavailable
from tests.helpers.transactions import value
from tests.helpers.waiting import until


@pytest.fixture
def heard(database: Database) -> list[str]:
    told: list[str] = []
    database.hints.subscribe(told.append)
    return told


def writer(database: Database) -> StoreConnection:
    connection: StoreConnection = database._database._writers._all[0]  # type: ignore[attr-defined]
    return connection


async def test_a_commit_tells_each_scope_once_and_nothing_before(
    database: Database, heard: list[str]
) -> None:
    """T6.1 8, T3.3."""
    async with database.writing() as tx:
        for scope in ("w1", "w2", "w1"):
            tx.hint(scope)
        await settings.put(tx, "k", "v")
        assert heard == []
    assert heard == ["w1", "w2"]


async def test_a_hint_given_in_place_belongs_to_the_same_unit_of_work(
    database: Database, heard: list[str]
) -> None:
    """T3.3."""

    async def work(tx: Transaction) -> None:
        tx.hint("w1")
        await settings.put(tx, "k", "v")
        await tx.in_place(inner)

    async def inner(tx: Transaction) -> None:
        tx.hint("w2")

    async with database.writing() as tx:
        await tx.in_place(work)
        assert heard == []
    assert heard == ["w1", "w2"]


async def hint_and_put(
    database: Database, scope: str, text: str, *, deadline: Deadline | None = None
) -> None:
    async with database.writing(deadline) as tx:
        tx.hint(scope)
        await settings.put(tx, "k", text)
        if text == "lost":
            raise ZeroDivisionError


async def hint_too_late(database: Database, clock: FakeClock) -> None:
    async with database.writing(Deadline(clock, 5.0)) as tx:
        tx.hint("w1")
        await clock.advance(6.0)
        await settings.put(tx, "k", "lost")


async def test_a_rollback_tells_nothing(
    database: Database, clock: FakeClock, heard: list[str]
) -> None:
    """T6.1 9, T3.3: also where the deadline took it back."""
    with pytest.raises(ZeroDivisionError):
        await hint_and_put(database, "w1", "lost")
    with pytest.raises(TemporarilyUnavailable):
        await hint_too_late(database, clock)
    async with database.writing() as tx:
        await settings.put(tx, "k", "kept")
    assert await value(database) == "kept"
    assert heard == []


async def test_the_next_unit_of_work_knows_nothing_of_a_hint_that_was_dropped(
    database: Database, heard: list[str]
) -> None:
    """T3.3."""
    with pytest.raises(ZeroDivisionError):
        await hint_and_put(database, "w1", "lost")
    await hint_and_put(database, "w2", "kept")
    assert heard == ["w2"]


async def test_a_commit_that_only_seems_to_have_failed_is_told(
    database: Database, heard: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """T3.3, T8.6: an uncertain commit may have changed something."""
    real = writer(database).commit

    async def commit() -> None:
        await real()
        raise unavailable()

    monkeypatch.setattr(writer(database), "commit", commit)
    with pytest.raises(TemporarilyUnavailable):
        await hint_and_put(database, "w1", "v")
    await until(lambda: heard == ["w1"])
    assert await value(database) == "v"


async def test_a_commit_nobody_waits_for_any_more_is_told_once_it_has_ended(
    database: Database, clock: FakeClock, heard: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """T3.3: told earlier, the look would come before what there is to see."""
    connection = writer(database)
    reached, go_on = asyncio.Event(), asyncio.Event()
    commit, reset = connection.commit, connection.reset
    ended: list[asyncio.Task[None]] = []

    async def slow() -> None:
        async def on_the_thread() -> None:
            await go_on.wait()
            await commit()

        ended.append(asyncio.create_task(on_the_thread()))
        reached.set()
        await asyncio.shield(ended[0])

    async def wait_and_reset() -> None:
        await ended[0]
        await reset()

    monkeypatch.setattr(connection, "commit", slow)
    monkeypatch.setattr(connection, "reset", wait_and_reset)
    task = asyncio.create_task(hint_and_put(database, "w1", "v", deadline=Deadline(clock, 5.0)))
    await reached.wait()
    await clock.advance(7.0)
    with pytest.raises(TemporarilyUnavailable):
        await task
    before = list(heard)
    go_on.set()
    assert before == []
    await until(lambda: heard == ["w1"])
    assert await value(database) == "v"


async def test_a_reader_has_changed_nothing(database: Database, heard: list[str]) -> None:
    async with database.reading() as tx:
        tx.hint("w1")
    assert heard == []
