"""When cards are looked for, how far a pass goes, and what is left of it (T3.3 to T3.8)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backend.ids import ReviewId
from backend.review.projection import Projection
from backend.review.reflection import Reflection
from backend.work.scoped_worker import Swept
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import Place
from tests.helpers.projecting import ASKED, CardDesk, W, card_desk, shows
from tests.helpers.waiting import until

HOUR = 3_600.0
RIGHT = shows("executed", "approved")


@pytest.fixture
async def cards(place: Place, clock: FakeClock) -> AsyncIterator[CardDesk]:
    async with card_desk(place, clock) as desk:
        yield desk


def names(count: int, prefix: str = "r") -> list[str]:
    return [f"{prefix}{number:04}" for number in range(count)]


class Steps:
    """Lets so many questions of a pass be answered with yes."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> bool:
        self.left -= 1
        return self.left >= 0


def projection(desk: CardDesk) -> Projection:
    async def tell(review_id: ReviewId) -> None:
        desk.told.append(review_id)

    reflection = Reflection(desk.database, desk.clock, tell)
    return Projection(desk.database, desk.clock, desk.supervisor, reflection)


def always() -> bool:
    return True


async def quiet(desk: CardDesk, seconds: float = HOUR) -> None:
    before = desk.database.transactions
    await desk.clock.advance(seconds)
    assert desk.database.transactions == before
    assert desk.clock.pending_timers == 0


async def test_what_waits_for_its_human_costs_nothing(cards: CardDesk) -> None:
    """T6.1 2: configured and idle, and a pending review; no read in an hour."""
    cards.cards.add("r1", status="pending", card=ASKED, decided=False)
    await cards.start()
    await quiet(cards)


async def test_history_that_matches_costs_nothing(cards: CardDesk) -> None:
    """T6.1 3."""
    cards.cards.add(*names(30), card=RIGHT)
    cards.cards.add("x1", status="failed", error="e", card=shows("failed", "approved"))
    cards.cards.add("x2", status="cancelled", card=shows("cancelled", "expired"))
    cards.cards.add("x3", status="expired", card=shows("expired", "expired"))
    await cards.start()
    assert cards.told == []
    await quiet(cards)


async def test_a_hint_is_followed_after_its_commit_and_not_before(cards: CardDesk) -> None:
    """T6.1 8: one sweep."""
    await cards.start()
    await cards.clock.advance(2)
    cards.cards.add("r1")
    async with cards.faults.writing() as tx:
        tx.hint(W)
        await cards.clock.advance(60)
        assert cards.pages() == []
    await cards.clock.advance(1)
    assert cards.cards.word("r1") == "executed"
    assert [(page["workspace"], page["limit"]) for page in cards.pages()] == [(W, 100), (W, 1)]
    await quiet(cards)


async def test_a_hint_of_what_was_taken_back_is_not_followed(cards: CardDesk) -> None:
    """T6.1 9: no sweep, and nothing changes."""
    await cards.start()
    await cards.clock.advance(2)
    cards.cards.add("r1")
    cards.faults.plan(Fault("at commit", unavailable()))
    with pytest.raises(type(unavailable())):
        await cards.hint()
    await quiet(cards)
    assert (cards.pages(), cards.cards.word("r1")) == ([], "approved")


async def test_the_first_write_while_the_store_is_away_is_repaired_when_it_is_back(
    cards: CardDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T6.1 10: by its own hint, also where the look for everything fails at first."""

    async def failing() -> frozenset[str]:
        raise unavailable()

    await cards.start()
    cards.away(available=False)
    cards.cards.add("r1")
    await cards.hint()
    await quiet(cards)
    assert cards.cards.word("r1") == "approved"
    with monkeypatch.context() as broken:
        broken.setattr(cards.repair._worker, "_discover", failing)
        cards.away(available=True)
        await cards.clock.advance(2)
    assert cards.cards.word("r1") == "executed"
    await cards.clock.advance(30)
    await quiet(cards)


async def test_a_repair_that_failed_is_tried_again_after_a_drain(cards: CardDesk) -> None:
    """T6.1 11."""
    await cards.start()
    await cards.clock.advance(2)
    cards.cards.add("r1")
    cards.faults.plan(None, Fault("before", unavailable()))
    await cards.hint()
    cards.away(available=False)
    await cards.clock.advance(20)
    cards.away(available=True)
    await cards.clock.advance(9)
    assert cards.cards.word("r1") == "approved"
    await cards.clock.advance(1)
    assert cards.cards.word("r1") == "executed"


async def test_a_card_that_cannot_be_repaired_does_not_hide_later_pages(cards: CardDesk) -> None:
    """T6.1 13."""
    cards.cards.add("a", card=ASKED, decided=False)
    cards.cards.add(*names(101))
    done = await cards.repair.repair()
    assert (done.attempted, done.left) == (102, True)
    assert cards.told == names(101)


async def test_a_failing_workspace_has_its_own_moment(cards: CardDesk) -> None:
    """T6.1 19."""
    await cards.start()
    await cards.clock.advance(2)
    cards.cards.session("s2", "w2")
    cards.cards.add("bad", readable=False)
    await cards.hint()
    for number in range(12):
        cards.cards.add(f"good{number}", workspace="w2", session="s2")
        await cards.hint("w2")
        await cards.hint(W)
        await cards.clock.advance(2)
        assert cards.cards.word(f"good{number}") == "executed"
    assert len([page for page in cards.pages() if page["workspace"] == W]) == 2
    await cards.clock.advance(6)
    assert len([page for page in cards.pages() if page["workspace"] == W]) == 4


async def test_a_pass_takes_500_cards_and_the_next_one_a_second_later(cards: CardDesk) -> None:
    """T6.1 22: 501 are 500 and 1."""
    cards.cards.add(*names(500, "a"), card=ASKED, decided=False)
    cards.cards.add("z")
    await cards.start()
    await cards.clock.advance(1)
    await cards.rest()
    assert [page["limit"] for page in cards.pages()] == [100] * 5
    assert cards.pages()[-1]["after"] == "a0399"
    await cards.clock.advance(0.9)
    assert cards.cards.word("z") == "approved"
    await cards.clock.advance(0.1)
    assert cards.cards.word("z") == "executed"
    assert [page["after"] for page in cards.pages()[5:]] == ["a0499", ""]


async def test_an_abort_between_two_cards_ends_the_pass_at_once(cards: CardDesk) -> None:
    """T6.1 23: the cursor is kept, and nothing more is asked."""
    cards.cards.add(*names(5))
    sweeping = projection(cards)
    assert await sweeping.sweep(W, Steps(3)) is Swept.INTERRUPTED
    assert (cards.told, cards.database.transactions) == (names(2), 3)
    assert await sweeping.sweep(W, always) is Swept.CLEAN
    assert cards.told == names(5)
    assert cards.pages()[1]["after"] == "r0001"


async def test_a_drain_between_two_cards_goes_on_behind_the_last_one(cards: CardDesk) -> None:
    """T6.1 24."""
    cards.cards.add(*names(4))
    held = Fault("at commit")
    cards.faults.plan(held)
    await cards.start()
    await cards.clock.advance(1)
    cards.away(available=False)
    held.go_on.set()
    await cards.clock.advance(60)
    assert cards.told == names(1)
    cards.away(available=True)
    await cards.clock.advance(3)
    assert cards.told == names(4)
    assert [page["after"] for page in cards.pages()] == ["", "r0000", ""]
    await quiet(cards)


@pytest.mark.parametrize(
    ("readable", "end"), [(True, Swept.UNRESOLVED), (False, Swept.FAILED)], ids=["none", "failing"]
)
async def test_a_page_that_cannot_be_repaired_does_not_hide_the_next(
    cards: CardDesk,
    readable: bool,  # noqa: FBT001
    end: Swept,
) -> None:
    """T6.1 25, T6.1 26: 100 cards nobody can tell the decision of, or that fail."""
    cards.cards.add(*names(100, "a"), card=ASKED, decided=False, readable=readable)
    cards.cards.add(*names(3, "z"))
    sweeping = projection(cards)
    assert await sweeping.sweep(W, always) is end
    assert cards.told == names(3, "z")


async def test_a_page_of_failing_cards_keeps_its_moment_whatever_is_hinted(
    cards: CardDesk,
) -> None:
    """T6.1 26: the failure backoff is kept."""
    cards.cards.add(*names(100, "a"), readable=False)
    cards.cards.add("z")
    await cards.start()
    await cards.clock.advance(1)
    await cards.rest()
    assert cards.told == ["z"]
    looks = len(cards.pages())
    await cards.clock.advance(10)
    await cards.hint()
    await cards.clock.advance(19)
    assert len(cards.pages()) == looks
    await cards.clock.advance(1)
    assert len(cards.pages()) > looks


async def test_a_look_that_finds_nothing_forgets_how_far_a_pass_had_got(cards: CardDesk) -> None:
    """T6.1 27: a new card of an earlier id is repaired by the first pass."""
    cards.cards.add("m1", "m2", "m3")
    sweeping = projection(cards)
    assert await sweeping.sweep(W, Steps(3)) is Swept.INTERRUPTED
    cards.cards.overwrite("m3", RIGHT)
    assert await sweeping.discover() == frozenset()
    cards.cards.add("a")
    assert await sweeping.sweep(W, always) is Swept.CLEAN
    assert cards.told == ["m1", "m2", "a"]


async def test_what_stays_unresolved_is_looked_at_less_and_less_often(cards: CardDesk) -> None:
    """T6.1 28: 30, 60, 120, 240, 300, 300 s; its hint is prompt, and settled it is quiet."""
    cards.cards.add("r1", card=ASKED, decided=False)
    await cards.start()
    await cards.clock.advance(1)
    for delay in (30, 60, 120, 240, 300, 300):
        looks = len(cards.pages())
        await cards.clock.advance(delay - 0.5)
        assert len(cards.pages()) == looks
        await cards.clock.advance(0.5)
        assert len(cards.pages()) == looks + 2
    await cards.clock.advance(10)
    looks = len(cards.pages())
    await cards.hint()
    assert len(cards.pages()) == looks + 2
    await cards.clock.advance(30)
    assert len(cards.pages()) == looks + 4
    cards.cards.decide("r1")
    await cards.hint()
    await cards.clock.advance(1)
    assert cards.cards.word("r1") == "executed"
    await quiet(cards)


async def test_one_hint_beside_matching_history_is_one_query(cards: CardDesk) -> None:
    """T6.1 29, and of an empty direct sweep."""
    cards.cards.add(*names(30), card=RIGHT)
    await cards.start()
    await cards.clock.advance(5)
    del cards.database.statements[:]
    await cards.hint()
    await cards.clock.advance(HOUR)
    assert len(cards.database.statements) == 1
    assert await projection(cards).sweep(W, always) is Swept.CLEAN
    assert len(cards.database.statements) == 2


async def test_without_maintenance_everything_is_swept_once(cards: CardDesk) -> None:
    """T6.1 30: more than 500 cards of two workspaces, and no timer is left."""
    cards.cards.session("s2", "w2")
    cards.cards.add(*names(500, "a"), card=ASKED, decided=False)
    cards.cards.add("z")
    cards.cards.add("other", workspace="w2", session="s2")
    cards.repair.start(maintenance=False)
    await until(lambda: cards.told == ["z", "other"], seconds=30)
    await cards.clock.advance(0)
    assert cards.clock.pending_timers == 0
    cards.cards.add("later")
    await cards.hint()
    await quiet(cards)
    assert cards.cards.word("later") == "approved"


async def test_a_sweep_by_hand_ends_with_its_budget_or_with_the_last_card(cards: CardDesk) -> None:
    """T6.1 31: also more cards than a pass of the worker takes."""
    cards.cards.add(*names(601, "a"), card=ASKED, decided=False)
    cards.cards.session("s2", "w2")
    cards.cards.add("other", workspace="w2", session="s2")
    few = await cards.repair.repair(budget=3)
    assert (few.attempted, few.left, cards.told) == (3, True, [])
    rest = await cards.repair.repair()
    assert (rest.attempted, rest.left, cards.told) == (599, True, ["other"])


async def test_a_stop_waits_for_the_card_that_is_written_and_begins_no_other(
    cards: CardDesk,
) -> None:
    """T6.1 32."""
    cards.cards.add("r1", "r2")
    held = Fault("at commit")
    cards.faults.plan(held)
    await cards.start()
    await cards.clock.advance(1)
    assert held.reached.is_set()
    stopping = asyncio.create_task(cards.repair.stop())
    await cards.clock.advance(0)
    assert not stopping.done()
    held.go_on.set()
    await stopping
    assert (cards.cards.word("r1"), cards.cards.word("r2")) == ("executed", "approved")
    await cards.hint()
    await quiet(cards)


async def test_a_change_during_a_sweep_of_its_workspace_causes_one_more(cards: CardDesk) -> None:
    """T6.1 34: of a card the pass has left behind already."""
    cards.cards.add("b", "c")
    held = Fault("after commit")
    cards.faults.plan(held)
    await cards.start()
    await cards.clock.advance(1)
    cards.cards.add("a", card=ASKED, decided=False)
    cards.cards.decide("a")
    cards.database.hints.tell(W)
    held.go_on.set()
    await cards.clock.advance(2)
    assert cards.told == ["b", "c", "a"]
    await quiet(cards)
