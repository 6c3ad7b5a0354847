"""Who owns a store on a server, how everybody learns it, and what ends it."""

import asyncio
import os
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import psycopg
import pytest

from backend.errors import ErrorCode, StorageFailed
from backend.store.owned import open_for_reading
from backend.store.postgres_owner import PostgresOwner
from backend.store.server_login import SERVICE
from backend.store.store_location import DatabaseServer
from tests.helpers.clock import FakeClock
from tests.helpers.postgres_faults import kill_lock, private_server
from tests.helpers.waiting import until

PRIVATE = "correct-horse"
Own = Callable[..., "asyncio.Future[PostgresOwner]"]


class Owners:
    """Acquires, remembers what was lost, and gives everything back."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self.stack = AsyncExitStack()

    async def own(self, url: str, kind: str = "serve") -> PostgresOwner:
        owner = await PostgresOwner.acquire(
            DatabaseServer(url), kind=kind, on_lost=self.lost.append
        )
        self.stack.push_async_callback(owner.release)
        return owner

    async def refused(self, url: str) -> StorageFailed:
        with pytest.raises(StorageFailed) as caught:
            await self.own(url)
        assert len(caught.value.detail.splitlines()) == 1
        assert PRIVATE not in caught.value.detail
        return caught.value


@pytest.fixture
async def owners() -> AsyncIterator[Owners]:
    found = Owners()
    async with found.stack:
        yield found


async def test_a_second_owner_is_refused_and_told_who_the_first_is(
    owners: Owners, postgres_url: str
) -> None:
    """architecture.md, The store: naming host, pid, since."""
    await owners.own(postgres_url, "window")
    error = await owners.refused(postgres_url)
    assert error.code is ErrorCode.STORE_OWNED
    assert error.params["pid"] == os.getpid()
    assert error.params["kind"] == "window"
    assert str(error.params["host"]) == socket.gethostname()[: len(str(error.params["host"]))]
    assert re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", str(error.params["since"]))
    for word in (str(os.getpid()), "window", str(error.params["host"])):
        assert word in error.detail


async def test_another_role_of_the_database_can_read_who_it_is(
    owners: Owners, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS kandesk_other")
        connection.execute("CREATE ROLE kandesk_other LOGIN")
    await owners.own(postgres_url)
    error = await owners.refused(postgres_url.replace("//postgres@", "//kandesk_other@"))
    assert error.code is ErrorCode.STORE_OWNED
    assert error.params["pid"] == os.getpid()
    assert error.params["kind"] == "serve"


async def test_another_database_of_the_same_server_is_another_store(
    owners: Owners, postgres_url: str
) -> None:
    await owners.own(postgres_url)
    await owners.own(re.sub(r"/[^/]*$", "/postgres", postgres_url))


async def test_it_can_be_owned_again_as_soon_as_it_is_given_back(
    owners: Owners, postgres_url: str
) -> None:
    for _ in range(3):
        owner = await owners.own(postgres_url)
        await owner.release()
    await asyncio.sleep(0)
    assert owners.lost == []


async def test_a_killed_connection_is_told_at_once_with_the_reason(
    owners: Owners, postgres_url: str
) -> None:
    """architecture.md, The store: the lock's PostgreSQL backend killed."""
    await owners.own(postgres_url)
    kill_lock(postgres_url)
    await until(lambda: owners.lost, seconds=5)
    assert owners.lost == ["terminating connection due to administrator command"]
    await owners.own(postgres_url)


async def test_a_quiet_owner_is_asleep(owners: Owners, postgres_url: str) -> None:
    """P10: nothing polls the server, or anything else."""
    await owners.own(postgres_url)
    thread = next(t for t in threading.enumerate() if t.name == "store owner")
    status = Path(f"/proc/self/task/{thread.native_id}/status")

    def switches() -> list[str]:
        return [line for line in status.read_text().splitlines() if "ctxt_switches" in line]

    before: list[str] = []
    while before != (before := switches()):
        # It may still be on its way to its rest.
        await asyncio.sleep(0.2)
    await asyncio.sleep(1.0)
    assert switches() == before


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://nobody@127.0.0.1:1/x", "refused"),
        ("postgresql://nobody@/x?host=/nowhere", "No such file"),
        ("postgresql://nobody@no-such-host.invalid/x", "no-such-host.invalid"),
    ],
)
async def test_a_server_that_is_not_there_is_one_line(owners: Owners, url: str, says: str) -> None:
    error = await owners.refused(url)
    assert error.code is ErrorCode.STORE_UNREACHABLE
    assert says in error.detail


async def test_a_database_that_does_not_exist_is_one_line(
    owners: Owners, postgres_url: str
) -> None:
    error = await owners.refused(f"{postgres_url}_nowhere")
    assert error.code is ErrorCode.STORE_UNREACHABLE
    assert "does not exist" in error.detail


async def test_a_server_that_froze_is_left_behind_and_never_owned_later(owners: Owners) -> None:
    """A start that was given up must not own the store when its server wakes."""
    with private_server() as server:
        server.freeze()
        start = asyncio.ensure_future(owners.own(server.url))
        await asyncio.sleep(0.2)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        server.thaw()
        owner = await owners.own(server.url)
        server.freeze()
        async with asyncio.timeout(6):
            await owner.release()
        server.thaw()
        server.kill()
        assert owners.lost == []


async def test_a_server_that_dies_is_told_at_once_over_a_unix_socket_too(owners: Owners) -> None:
    with private_server() as server:
        await owners.own(server.socket_address())
        server.kill()
        await until(lambda: owners.lost, seconds=5)


class _Keyring(keyring.backend.KeyringBackend):
    """What a desktop's keyring holds."""

    priority = 1  # pyright: ignore[reportAssignmentType]  # as every backend says it

    def __init__(self, secret: str | None, error: Exception | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.asked: list[tuple[str, str]] = []
        self._secret = secret
        self._error = error

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.append((service, username))
        if self._error is not None:
            raise self._error
        return self._secret

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError


async def test_the_password_comes_from_the_password_file_or_the_keyring(
    owners: Owners, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """architecture.md, The store: a password in the keyring or PGPASSFILE."""
    passwords = tmp_path / "pgpass"
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    before = keyring.get_keyring()
    with private_server(["host all guarded 127.0.0.1/32 scram-sha-256"]) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{PRIVATE}'")
        url = server.address("desk", role="guarded")
        try:
            passwords.write_text(f"127.0.0.1:*:*:guarded:{PRIVATE}\n")
            passwords.chmod(0o600)
            never = _Keyring(None)
            keyring.set_keyring(never)
            await (await owners.own(url)).release()
            assert never.asked == []

            passwords.unlink()
            error = await owners.refused(url)
            assert never.asked == [(SERVICE, url)]
            assert "PGPASSFILE" in error.detail
            assert "keyring set kandesk" in error.detail

            keyring.set_keyring(_Keyring(PRIVATE))
            owner = await owners.own(url)
            assert PRIVATE in owner.conninfo
            await owner.release()

            keyring.set_keyring(_Keyring("wrong"))
            assert "authentication failed" in (await owners.refused(url)).detail

            keyring.set_keyring(_Keyring(None, keyring.errors.KeyringLocked("locked")))
            assert "wants a password" in (await owners.refused(url)).detail
        finally:
            keyring.set_keyring(before)


async def test_a_keyring_that_fails_in_its_own_way_has_no_password(
    owners: Owners, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    before = keyring.get_keyring()
    with private_server(["host all guarded 127.0.0.1/32 scram-sha-256"]) as server:
        keyring.set_keyring(_Keyring(None, LookupError("no bus")))
        try:
            url = server.address("desk", role="guarded")
            assert "wants a password" in (await owners.refused(url)).detail
            with pytest.raises(StorageFailed, match="wants a password"):
                await open_for_reading(DatabaseServer(url), FakeClock())
        finally:
            keyring.set_keyring(before)
