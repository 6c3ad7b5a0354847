"""Which settings a desk starts with, and under which number it tells what it reads."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from backend.clock import SystemClock
from backend.conversation.recovery import HostedRecovery
from backend.endpoint import read_endpoint
from backend.errors import InvalidInput
from backend.events import Event, StoreAvailability
from backend.paths import Home
from backend.runtime import Runtime
from backend.services import Services, build_services
from tests.helpers.place import raw
from tests.helpers.postgres_faults import kill_lock
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

NOWHERE = "postgresql://me@127.0.0.1:1/desk"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


def put(home: Home, text: str) -> None:
    home.desk_toml.write_text(text)
    home.desk_toml.chmod(0o600)


def ignore(_event: Event) -> None:
    """Nobody listens."""


async def started(
    home: Home, monkeypatch: pytest.MonkeyPatch, database: str | None
) -> dict[str, Any]:
    """What the services were built with."""
    given: dict[str, Any] = {}

    def note(*arguments: Any, **named: Any) -> Services:
        given.update(named, store=arguments[0].location)
        return build_services(*arguments, **named)

    monkeypatch.setattr("backend.runtime.build_services", note)
    runtime = await Runtime.open(
        home, SystemClock(), kind="serve", database=database, listener=ignore
    )
    await runtime.close(deliberate=True)
    return given


async def test_without_settings_nothing_expires_and_the_store_is_in_the_home(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = await started(home, monkeypatch, None)
    assert given["expire_after"] is None
    assert given["store"] == str(home.database)


async def test_a_store_named_for_one_run_leaves_the_other_settings_in_force(
    home: Home, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    put(home, f"[store]\ndatabase = '{NOWHERE}'\n[questions]\nexpire_after = '10m'")
    given = await started(home, monkeypatch, postgres_url)
    assert given["expire_after"] == 600
    assert given["store"] == postgres_url


async def test_the_demo_uses_nobodys_database_and_no_settings(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`demo` always has its own throw-away store."""
    put(home, f"[store]\ndatabase = '{NOWHERE}'\n[questions]\nexpire_after = '10m'")
    given = await started(home, monkeypatch, "")
    assert given["expire_after"] is None
    assert given["store"] == str(home.database)


async def test_a_bad_setting_stops_the_start_before_anything_is_made(home: Home) -> None:
    put(home, "[questions]\nexpire_after = '1s'")
    with pytest.raises(InvalidInput, match="between 5m and 24h"):
        await Runtime.open(home, SystemClock(), kind="serve", listener=ignore)
    assert sorted(path.name for path in home.root.iterdir()) == ["desk.toml"]


async def test_what_is_read_after_the_store_was_lost_and_regained_has_the_new_epoch(
    home: Home, postgres_url: str
) -> None:
    """K2.6, K4.4: (epoch, sequence) rises, whoever may have owned the store in between."""
    heard: list[Event] = []
    runtime = await Runtime.open(
        home, SystemClock(), kind="serve", database=postgres_url, listener=heard.append
    )
    try:
        RowMaker(postgres_url).session()
        (before,) = await runtime.desk.list_sessions()
        kill_lock(postgres_url)
        await until(lambda: StoreAvailability(available=True, detail="") in heard, seconds=60)
        (after,) = await runtime.desk.list_sessions()
    finally:
        await runtime.close(deliberate=True)
    assert (before.projected.epoch, after.projected.epoch) == (1, 2)
    assert after.projected.sequence > before.projected.sequence
    with raw(postgres_url) as connection:
        row = connection.execute("SELECT value FROM sequences WHERE name = 'desk_epoch'").fetchone()
    assert row["value"] == 2


async def test_the_embedded_store_has_the_number_of_its_start(home: Home) -> None:
    """K2.6: a start that has written anything is followed by a higher one."""
    epochs = []
    for session in ("s1", "s2"):
        runtime = await Runtime.open(home, SystemClock(), kind="serve", listener=ignore)
        RowMaker(home.database).session(session)
        epochs.append({each.projected.epoch for each in await runtime.desk.list_sessions()})
        await runtime.close(deliberate=True)
    assert epochs == [{1}, {2}]


async def test_a_start_that_is_given_up_once_it_listens_leaves_no_address_behind(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quitting in the moment in which the desk has just begun to listen."""
    reached = asyncio.Event()

    async def hangs(self: HostedRecovery) -> None:
        del self
        reached.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(HostedRecovery, "go_on", hangs)
    opening = asyncio.create_task(
        Runtime.open(home, SystemClock(), kind="serve", database="", listener=ignore)
    )
    await reached.wait()
    assert home.endpoint.exists()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert not home.endpoint.exists()


async def test_what_the_last_run_left_is_given_to_agents_only_once_their_tools_can_be_reached(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """agents.md, ACP: the MCP port listens before `session/new` (Codex never asks again)."""
    answered: list[int] = []

    async def go_on(self: HostedRecovery) -> None:
        del self
        endpoint = read_endpoint(home)
        assert endpoint is not None
        async with httpx2.AsyncClient() as http:
            answered.append((await http.post(endpoint.mcp)).status_code)

    monkeypatch.setattr(HostedRecovery, "go_on", go_on)
    runtime = await Runtime.open(home, SystemClock(), kind="serve", database="", listener=ignore)
    await runtime.close(deliberate=True)
    assert answered == [401]
