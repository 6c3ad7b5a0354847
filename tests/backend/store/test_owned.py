"""Owning a store from start to end: loss, regain, and what everybody hears of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.events import Event, StoreAvailability
from backend.paths import Home
from backend.store import settings
from backend.store.database import Database
from backend.store.owned import OwnedStore, open_for_reading, open_store
from backend.store.owner_lock import OwnerLock
from backend.store.postgres_owner import PostgresOwner
from backend.store.store_location import DatabaseServer, EmbeddedFile
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.postgres_faults import kill_lock, private_server
from tests.helpers.waiting import eventually, until

BACK = StoreAvailability(available=True, detail="")


class Run:
    """A store in use, as the runtime uses it."""

    def __init__(self, store: OwnedStore) -> None:
        self.store = store
        self.events: list[StoreAvailability] = []
        self.recoveries: list[int] = []
        self.recovery_fails: list[Exception] = []
        self.keeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.store.start(self.recover)
        self.keeping = asyncio.create_task(self.store.keep(self._hear))

    async def recover(self, database: Database) -> None:
        assert not await self.may_write()
        async with database.writing() as tx:
            await settings.put(tx, "recovered", str(len(self.recoveries)))
        if self.recovery_fails:
            raise self.recovery_fails.pop(0)
        self.recoveries.append(self.store.epoch)

    def _hear(self, event: Event) -> None:
        assert isinstance(event, StoreAvailability)
        self.events.append(event)

    async def may_write(self) -> bool:
        try:
            async with self.store.database.writing() as tx:
                await settings.put(tx, "value", "x")
        except TemporarilyUnavailable:
            return False
        return True

    async def away(self) -> None:
        await until(lambda: self.events and not self.events[-1].available, seconds=30)
        assert not await self.may_write()

    async def back(self) -> None:
        await until(lambda: self.events and self.events[-1] == BACK, seconds=30)
        assert await self.may_write()

    async def stop(self) -> None:
        if self.keeping is not None:
            self.keeping.cancel()
            await asyncio.wait({self.keeping})
        await self.store.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


@asynccontextmanager
async def running(home: Home, url: str, clock: FakeClock) -> AsyncIterator[Run]:
    store = await open_store(home, DatabaseServer(url), clock, kind="serve")
    run = Run(store)
    try:
        await run.start()
        yield run
    finally:
        await run.stop()


@pytest.fixture
async def run(home: Home, postgres_url: str, clock: FakeClock) -> AsyncIterator[Run]:
    async with running(home, postgres_url, clock) as opened:
        yield opened


def _heard(run: Run, count: int) -> bool:
    return len(run.events) == count


async def waits(clock: FakeClock) -> None:
    """The keeper waits for its next try."""
    await until(lambda: clock.pending_timers == 1, seconds=30)


async def test_recovery_runs_before_anybody_writes_and_under_a_new_epoch(run: Run) -> None:
    """K5.7; K2.6."""
    assert run.recoveries == [run.store.epoch] == [1]
    assert await run.may_write()


async def test_a_lost_lock_stops_writes_until_it_is_back_and_recovery_has_run(
    run: Run, clock: FakeClock, postgres_url: str
) -> None:
    """architecture.md, The store."""
    kill_lock(postgres_url)
    await run.away()
    assert "administrator" in run.events[-1].detail
    await waits(clock)
    await clock.advance(0.5)
    assert not await run.may_write()
    await clock.advance(0.5)
    await run.back()
    assert run.recoveries == [1, 2]
    assert [event.available for event in run.events] == [False, True]


async def test_it_can_be_lost_and_got_back_again_and_again(
    run: Run, clock: FakeClock, postgres_url: str
) -> None:
    for count in range(1, 5):
        kill_lock(postgres_url)
        await until(partial(_heard, run, 2 * count - 1))
        await waits(clock)
        await clock.advance(1)
        await run.back()
    assert run.recoveries == [1, 2, 3, 4, 5]


async def test_another_desk_that_owns_it_by_now_is_named_and_waited_for(
    run: Run, clock: FakeClock, postgres_url: str
) -> None:
    """Tries after 1, 5, 30, 30 seconds."""
    kill_lock(postgres_url)
    lost: list[str] = []
    other = await PostgresOwner.acquire(
        DatabaseServer(postgres_url), kind="window", on_lost=lost.append
    )
    await run.away()
    for seconds in (1, 5, 30, 30):
        await waits(clock)
        await clock.advance(seconds - 0.5)
        assert clock.pending_timers == 1
        await clock.advance(0.5)
        await waits(clock)
        assert "(window)" in run.events[-1].detail
        assert not await run.may_write()
    assert len([event for event in run.events if "(window)" in event.detail]) == 1
    await other.release()
    await clock.advance(30)
    await run.back()


async def test_a_recovery_that_fails_keeps_everybody_out_and_is_tried_again(
    run: Run, clock: FakeClock, postgres_url: str
) -> None:
    run.recovery_fails.append(StorageFailed(ErrorCode.STORE_INVALID_ROW, "row x is bad"))
    kill_lock(postgres_url)
    await run.away()
    await waits(clock)
    await clock.advance(1)
    await until(lambda: run.events[-1].detail == "row x is bad")
    assert not await run.may_write()
    await waits(clock)
    await clock.advance(5)
    await run.back()
    assert run.recoveries == [1, 3]


async def test_a_loss_while_recovery_runs_starts_all_over(
    run: Run, clock: FakeClock, postgres_url: str
) -> None:
    """No write of a recovery that lost its lock counts as recovered."""
    kill_lock(postgres_url)
    await run.away()
    entered, go_on = asyncio.Event(), asyncio.Event()
    plain = run.recover

    async def slow(database: Database) -> None:
        entered.set()
        await go_on.wait()
        await plain(database)

    run.store._recover = slow  # type: ignore[attr-defined]
    await waits(clock)
    await clock.advance(1)
    await asyncio.wait_for(entered.wait(), 5)
    kill_lock(postgres_url)
    await asyncio.sleep(0.2)
    go_on.set()
    await waits(clock)
    assert not await run.may_write()
    await clock.advance(5)
    await run.back()


async def test_a_store_that_a_newer_program_changed_meanwhile_is_left_alone(
    run: Run, clock: FakeClock, postgres_url: str
) -> None:
    """architecture.md, The store: written by a newer major version: refused, clearly."""
    kill_lock(postgres_url)
    await run.away()
    with raw(postgres_url) as connection:
        connection.execute("UPDATE settings SET value = '99' WHERE key = 'store_format'")
    await waits(clock)
    await clock.advance(1)
    await until(lambda: "newer Kandesk" in run.events[-1].detail, seconds=30)
    assert not await run.may_write()
    assert run.recoveries == [1]
    with raw(postgres_url) as connection:
        connection.execute("UPDATE settings SET value = '1' WHERE key = 'store_format'")
    await waits(clock)
    await clock.advance(5)
    await run.back()


async def test_a_start_whose_recovery_fails_gives_everything_back(
    home: Home, postgres_url: str, clock: FakeClock
) -> None:
    """K5.7: a failure stops the start."""
    store = await open_store(home, DatabaseServer(postgres_url), clock, kind="serve")
    run = Run(store)
    run.recovery_fails.append(StorageFailed(ErrorCode.STORE_INVALID_ROW, "row x is bad"))
    with pytest.raises(StorageFailed, match="row x is bad"):
        await run.start()
    assert not await run.may_write()
    await store.close()
    async with running(home, postgres_url, clock):
        pass


async def test_two_homes_on_one_database_exclude_each_other(
    run: Run, tmp_path: Path, postgres_url: str, clock: FakeClock
) -> None:
    """architecture.md, The store: two desks on one database with different homes."""
    other = Home(tmp_path / "other")
    other.create()
    with pytest.raises(StorageFailed) as caught:
        await open_store(other, DatabaseServer(postgres_url), clock, kind="command")
    assert caught.value.code is ErrorCode.STORE_OWNED
    assert OwnerLock.holder(other.database) is None


async def test_two_desks_of_one_home_exclude_each_other_wherever_the_rows_are(
    run: Run, home: Home, clock: FakeClock
) -> None:
    with pytest.raises(StorageFailed) as caught:
        await open_store(home, EmbeddedFile(home.database), clock, kind="window")
    assert caught.value.code is ErrorCode.STORE_OWNED
    assert not home.database.exists()


async def test_an_older_store_with_rows_is_changed_only_when_somebody_agreed(
    home: Home, postgres_url: str, clock: FakeClock
) -> None:
    """architecture.md, The store: a migrating start asks for confirmation."""
    server = DatabaseServer(postgres_url)
    async with running(home, postgres_url, clock):
        pass
    with raw(postgres_url) as connection:
        connection.execute(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 't', 'n', 'n')"
        )
        connection.execute("DROP INDEX idx_messages_metadata_pending_id_lookup_ordered")
    with pytest.raises(StorageFailed) as caught:
        await open_store(home, server, clock, kind="serve")
    assert caught.value.code is ErrorCode.STORE_MIGRATION_UNCONFIRMED
    assert "pg_dump" in caught.value.detail
    assert OwnerLock.holder(home.database) is None
    store = await open_store(home, server, clock, kind="serve", allow_migration=True)
    await store.close()
    async with running(home, postgres_url, clock) as run:
        assert await run.may_write()


async def test_a_store_on_a_server_is_read_beside_its_owner(
    run: Run, postgres_url: str, clock: FakeClock
) -> None:
    assert await run.may_write()
    database = await open_for_reading(DatabaseServer(postgres_url), clock)
    try:
        async with database.reading() as tx:
            assert await settings.get(tx, "value") == "x"
        with pytest.raises(StorageFailed):
            async with database.writing():
                pass
    finally:
        await database.close()


async def test_a_server_that_died_is_waited_for_and_used_again(
    home: Home, clock: FakeClock
) -> None:
    """Server away later: nothing is lost but the connection."""
    with private_server() as server:
        async with running(home, server.url, clock) as run:
            assert await run.may_write()
            server.kill()
            await run.away()
            for seconds in (1, 5):
                await waits(clock)
                await clock.advance(seconds)
            await until(lambda: "refused" in run.events[-1].detail, seconds=30)
            server.start()
            await waits(clock)
            await clock.advance(30)
            await run.back()


async def test_a_server_that_froze_keeps_nobody_from_closing(home: Home, clock: FakeClock) -> None:
    """architecture.md, The store: everything is released although nothing answers."""
    with private_server() as server:
        store = await open_store(home, DatabaseServer(server.url), clock, kind="serve")
        run = Run(store)
        await run.start()
        server.freeze()
        async with asyncio.timeout(15):
            await run.stop()
        assert OwnerLock.holder(home.database) is None
        server.thaw()

        async def free() -> bool:
            try:
                again = await open_store(home, DatabaseServer(server.url), clock, kind="serve")
            except StorageFailed:
                return False
            await again.close()
            return True

        await eventually(free, seconds=30)


def _delete_lock(home: Home) -> None:
    Path(f"{home.database}.lock").unlink()


async def test_a_desk_whose_lock_another_one_could_take_saves_nothing_more(
    home: Home, clock: FakeClock
) -> None:
    store = await open_store(home, EmbeddedFile(home.database), clock, kind="serve")
    _delete_lock(home)
    other = OwnerLock.acquire(home.database, kind="window")
    try:
        with pytest.raises(StorageFailed) as caught:
            async with store.database.writing() as tx:
                await settings.put(tx, "value", "x")
        assert caught.value.code is ErrorCode.STORE_OWNED
        async with store.database.reading() as tx:
            assert await settings.get(tx, "value") is None
        _delete_lock(home)
        async with store.database.writing() as tx:
            await settings.put(tx, "value", "x")
    finally:
        other.release()
        await store.close()


async def test_a_file_with_two_names_is_refused_under_both(home: Home, clock: FakeClock) -> None:
    """Each name has a lock and a log of its own: two desks would damage it."""
    store = await open_store(home, EmbeddedFile(home.database), clock, kind="serve")
    await store.close()
    second = Home(home.root.with_name("second"))
    second.create()
    second.database.hardlink_to(home.database)
    for one in (home, second):
        with pytest.raises(StorageFailed, match="hard link"):
            await open_store(one, EmbeddedFile(one.database), clock, kind="serve")
    second.database.unlink()
    await (await open_store(home, EmbeddedFile(home.database), clock, kind="serve")).close()
