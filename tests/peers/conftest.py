import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.scripted_model import scripted_model

ROOT = Path(os.environ.get("AGENTS_ROOT", "~/.cache/kandesk-agents")).expanduser()


def agent_program(package: str, name: str) -> Path:
    program = ROOT / "npm" / package / "node_modules" / ".bin" / name
    if not program.exists():
        pytest.fail(f"{name} is not installed under {ROOT}; see tests/peers/README.md")
    return program


@pytest.fixture
def opencode() -> Path:
    return agent_program("opencode", "opencode")


@pytest.fixture
def codex_acp() -> Path:
    return agent_program("codex-acp", "codex-acp")


@pytest.fixture
def model() -> Iterator[str]:
    with scripted_model() as url:
        yield url


@pytest.fixture
def agent_home(tmp_path: Path) -> Path:
    """The user folder of the agent: it must not see the developer's own settings."""
    home = tmp_path / "user"
    home.mkdir()
    return home
