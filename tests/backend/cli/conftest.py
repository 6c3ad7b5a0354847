"""A home, and desks and shims on it that end with the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.paths import Home
from tests.backend.store.test_upgrade import converge
from tests.helpers.desk_process import DeskProcess
from tests.helpers.shim_process import ShimProcess
from tests.helpers.store import RowMaker


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def start_desk(home: Home) -> Iterator[Callable[..., DeskProcess]]:
    started: list[DeskProcess] = []

    def start(*options: str) -> DeskProcess:
        started.append(DeskProcess(home, *options))
        return started[-1]

    yield start
    for desk in started:
        desk.stop()


@pytest.fixture
def start_shim(home: Home, tmp_path: Path) -> Iterator[Callable[..., ShimProcess]]:
    started: list[ShimProcess] = []

    def start(*options: str) -> ShimProcess:
        started.append(ShimProcess(home, *options, cwd=tmp_path))
        started[-1].initialize()
        return started[-1]

    yield start
    for shim in started:
        shim.stop()
        assert shim.problems == []


@pytest.fixture
def no_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agents of whoever runs the tests are not looked at."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def store(home: Home) -> Path:
    """A complete store with a question and a plain row, no desk running."""
    home.create()
    converge(home.database)
    rows = RowMaker(home.database)
    rows.session()
    rows.turn("turn1")
    rows.message()
    rows.question("p1")
    return home.database
