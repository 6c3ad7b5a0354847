"""Which settings a desk starts with."""

from pathlib import Path
from typing import Any

import pytest

from backend.clock import SystemClock
from backend.errors import InvalidInput
from backend.events import Event
from backend.paths import Home
from backend.runtime import Runtime
from backend.services import Services, build_services

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
