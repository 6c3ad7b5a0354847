"""`kandesk doctor --repair-cards` and `kandesk serve --no-maintenance` (T3.8)."""

from pathlib import Path

import pytest

from backend.cli import doctor, serve
from backend.clock import SystemClock
from backend.events import Event
from backend.paths import Home
from backend.runtime import Runtime
from tests.helpers.doctor import examine
from tests.helpers.program import KANDESK, running_desk
from tests.helpers.projecting import ASKED, Cards
from tests.helpers.waiting import until

pytestmark = pytest.mark.usefixtures("no_agents")


@pytest.fixture
def cards(store: Path) -> Cards:
    made = Cards(store)
    made.session("s9")
    made.add("r1", "r2", "r3", session="s9")
    return made


def words(cards: Cards) -> list[str]:
    return [cards.word(name) for name in ("r1", "r2", "r3")]


def test_every_card_is_repaired_unless_a_budget_is_given(
    home: Home, cards: Cards, capsys: pytest.CaptureFixture[str]
) -> None:
    """T6.1 31."""
    _, _, done = examine(home, capsys, "--repair-cards", "--budget", "2")
    assert words(cards) == ["executed", "executed", "approved"]
    assert done[0].startswith("looked at 2 card")
    assert "--repair-cards again" in done[1]
    _, _, done = examine(home, capsys, "--repair-cards")
    assert words(cards) == ["executed"] * 3
    assert done == ["looked at 1 card(s) that showed something else"]
    _, _, done = examine(home, capsys, "--repair-cards")
    assert done == ["no card to repair: each shows what became of its permission"]


def test_cards_on_a_server_are_repaired(
    home: Home, postgres_store_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """T6.1 31; also from a machine where no desk has been started yet."""
    assert not home.root.exists()
    cards = Cards(postgres_store_url)
    cards.session("s9")
    cards.add("r1", "r2", "r3", session="s9")
    options = ("--repair-cards", "--database", postgres_store_url)
    _, _, done = examine(home, capsys, *options, "--budget", "2")
    assert words(cards) == ["executed", "executed", "approved"]
    assert done[0].startswith("looked at 2 card")
    _, _, done = examine(home, capsys, *options)
    assert words(cards) == ["executed"] * 3


@pytest.mark.parametrize("budget", ["0", "-1", "x"])
def test_a_budget_is_a_number_of_cards(home: Home, budget: str) -> None:
    with pytest.raises(SystemExit):
        doctor.main(["--home", str(home.root), "--repair-cards", "--budget", budget])


def test_a_budget_alone_is_a_mistake(home: Home) -> None:
    with pytest.raises(SystemExit):
        doctor.main(["--home", str(home.root), "--budget", "1"])


def ignore(_event: Event) -> None:
    """Nobody listens."""


async def test_a_desk_that_is_started_without_maintenance_sweeps_too(
    home: Home, cards: Cards
) -> None:
    """T6.1 30, as a process."""
    async with running_desk(home.root, *KANDESK, "serve", "--no-maintenance"):
        await until(lambda: words(cards) == ["executed"] * 3)


async def test_a_desk_without_maintenance_sweeps_once_at_its_start(
    home: Home, cards: Cards
) -> None:
    """T6.1 30."""
    assert serve._parser().parse_args(["--no-maintenance"]).no_maintenance
    cards.add("open", card=ASKED, decided=False, session="s9")
    runtime = await Runtime.open(
        home, SystemClock(), kind="serve", listener=ignore, maintenance=False
    )
    try:
        await until(lambda: words(cards) == ["executed"] * 3)
    finally:
        await runtime.close(deliberate=True)
    assert cards.word("open") == ""
