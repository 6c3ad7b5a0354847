"""A card shows what became of its request, whoever left it behind (T3.1, T3.7)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backend.errors import TemporarilyUnavailable
from backend.ids import MessageId, ReviewId, SessionId
from backend.review.reflection import Reflection
from backend.store import projection_rows, review_outcomes
from backend.store.projection_rows import Candidate
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import Place, raw
from tests.helpers.projecting import ASKED, STALE, UNKNOWN, CardDesk, W, card_desk, shows


@pytest.fixture
async def cards(place: Place, clock: FakeClock) -> AsyncIterator[CardDesk]:
    async with card_desk(place, clock) as desk:
        yield desk


def candidate(name: str, status: str = "executed") -> Candidate:
    return Candidate(ReviewId(name), W, SessionId("s1"), status)


def reflection(desk: CardDesk) -> Reflection:
    async def tell(review_id: ReviewId) -> None:
        desk.told.append(review_id)

    return Reflection(desk.database, desk.clock, tell)


@pytest.mark.parametrize(
    ("status", "error", "word", "card_status"),
    [
        ("executed", "", "executed", "approved"),
        ("failed", "tool_execution_failed", "failed", "approved"),
        ("failed", UNKNOWN, "outcome_unknown", "approved"),
        ("expired", "", "expired", "expired"),
        ("cancelled", "agent_gone", "cancelled", "expired"),
    ],
)
async def test_a_start_repairs_the_stale_card_of_every_outcome(
    cards: CardDesk, status: str, error: str, word: str, card_status: str
) -> None:
    """T6.1 4, 5, 6, 7: a cancelled one displays `expired` in the words both desks know."""
    cards.cards.add("r1", status=status, error=error, decided=status in {"executed", "failed"})
    await cards.start()
    await cards.clock.advance(2)
    assert cards.cards.word("r1") == word
    assert cards.cards.card("r1")["status"] == card_status
    assert cards.told == ["r1"]
    assert cards.clock.pending_timers == 0


async def test_a_repair_keeps_what_else_the_card_says(cards: CardDesk) -> None:
    """T3.7, 6: merged."""
    cards.cards.add("r1")
    await cards.repair.repair()
    card = cards.cards.card("r1")
    assert card["permission_resolution"]["reason"] == "kept"  # type: ignore[index]
    assert card["permission_resolution"]["result"] == "accepted"  # type: ignore[index]
    assert card["kandesk"]["folder"] == "/home/ann/shop"  # type: ignore[index]


async def test_a_card_that_shows_nothing_at_all_is_repaired(cards: CardDesk) -> None:
    """T6.1 15: a missing projection is no null access, and never "equal"."""
    cards.cards.add("r1", card={})
    cards.cards.add("r2", card={"kandesk": {"review_status": None}, "status": None})
    cards.cards.add("r3", card={"kandesk": "text", "permission_resolution": "text"})
    done = await cards.repair.repair()
    assert [cards.cards.word(name) for name in ("r1", "r2", "r3")] == ["executed"] * 3
    assert (done.attempted, done.left) == (3, False)


async def test_other_details_are_written_again_and_the_same_ones_are_not(cards: CardDesk) -> None:
    """T6.1 16."""
    cards.cards.add("r1", status="failed", error="tool_execution_failed")
    await cards.repair.repair()
    before = cards.cards.revision("r1")

    assert not await reflection(cards).reflect(candidate("r1", "failed"))
    assert cards.cards.revision("r1") == before

    cards.cards.fail("r1", "another_failure")
    assert await reflection(cards).reflect(candidate("r1", "failed"))
    assert cards.cards.card("r1")["kandesk"]["error"] == "another_failure"  # type: ignore[index]
    assert cards.cards.revision("r1") > before


async def test_the_one_who_settles_and_the_worker_write_and_tell_a_card_once(
    cards: CardDesk,
) -> None:
    """T6.1 12: two reflections of one card at once."""
    cards.cards.add("r1")
    both = [reflection(cards).reflect(candidate("r1")) for _ in range(2)]
    assert sorted(await asyncio.gather(*both)) == [False, True]
    assert cards.told == ["r1"]
    revision = cards.cards.revision("r1")
    async with cards.faults.writing() as tx:
        assert not await review_outcomes.project(tx, ReviewId("r1"), cards.clock.now())
    assert cards.cards.revision("r1") == revision


async def test_a_request_that_has_moved_on_is_left_to_whoever_moved_it(cards: CardDesk) -> None:
    """T3.7, 3."""
    cards.cards.add("r1", status="failed", error=UNKNOWN)
    assert not await reflection(cards).reflect(candidate("r1", "executed"))
    assert cards.cards.word("r1") == "approved"


async def test_a_card_nobody_can_tell_the_decision_of_is_left_as_it_is(cards: CardDesk) -> None:
    """T3.7, 4: still pending, with a request that says it was carried out."""
    cards.cards.add("r1", card=ASKED, decided=False)
    done = await cards.repair.repair()
    assert (done.attempted, done.left) == (1, True)
    assert (cards.cards.word("r1"), cards.told) == ("", [])
    cards.cards.decide("r1")
    assert not (await cards.repair.repair()).left
    assert cards.cards.word("r1") == "executed"


async def test_a_card_that_was_not_committed_is_not_told(cards: CardDesk) -> None:
    """T3.7, 7: after the transaction."""
    cards.cards.add("r1")
    cards.faults.plan(Fault("at commit", unavailable()))
    with pytest.raises(TemporarilyUnavailable):
        await reflection(cards).reflect(candidate("r1"))
    assert (cards.told, cards.cards.word("r1")) == ([], "approved")


async def test_a_card_overwritten_by_hand_is_repaired_with_its_hint(cards: CardDesk) -> None:
    """T6.1 14."""
    cards.cards.add("r1")
    await cards.start()
    await cards.clock.advance(5)
    cards.told.clear()
    assert await cards.administer("r1", {**STALE, "kandesk": {"review_status": "executing"}})
    await cards.clock.advance(2)
    assert (cards.cards.word("r1"), cards.told) == ("executed", ["r1"])
    assert cards.clock.pending_timers == 0


async def test_a_card_that_says_nothing_of_itself_is_known_by_its_link(cards: CardDesk) -> None:
    """T6.1 20: of before there were such cards."""
    cards.cards.add("r1", card=shows("executed", "approved"))
    await cards.start()
    with raw(cards.cards.place) as connection:
        connection.execute("UPDATE task_session_messages SET type = 'message'")
    assert await cards.administer("r1", {})
    await cards.clock.advance(2)
    assert cards.cards.word("r1") == "executed"


async def test_a_card_of_no_request_and_one_of_another_workspace_hint_nothing(
    cards: CardDesk,
) -> None:
    """T6.1 18, T3.3: neither kind nor what a card says of itself signals."""
    cards.cards.session("s2", "w2")
    cards.cards.add("r2", workspace="w2", session="s2")
    await cards.start()
    await cards.clock.advance(5)
    heard: list[str] = []
    cards.faults.hints.subscribe(heard.append)
    assert not await cards.administer("nothing", STALE)
    assert not await cards.administer("r2", STALE, workspace=W)
    async with cards.faults.writing() as tx:
        assert not await projection_rows.hint_linked(tx, W, [])
        assert await projection_rows.hint_linked(
            tx, "w2", [MessageId("other"), MessageId("card of r2")]
        )
    assert heard == ["w2"]


async def test_a_repair_does_nothing_but_write_cards(cards: CardDesk) -> None:
    """T6.1 33, T6.1 36: no call is made again, no request moves, and no delivery is settled."""
    cards.cards.add("r1", status="failed", error=UNKNOWN)
    cards.cards.add("r2", status="cancelled", decided=False, card=ASKED)
    with raw(cards.cards.place) as connection:
        connection.execute(
            "INSERT INTO interaction_deliveries (pending_id, session_id, opened_at, updated_at)"
            " VALUES ('r1', 's1', '2023', '2023')"
        )
    tables = (
        "tool_invocations",
        "tool_action_requests",
        "tool_call_events",
        "interaction_deliveries",
    )
    before = [cards.cards.table(name) for name in tables]
    await cards.start()
    await cards.clock.advance(2)
    assert cards.told == ["r1", "r2"]
    assert [cards.cards.table(name) for name in tables] == before


async def test_every_statement_of_a_repair_names_its_workspace(cards: CardDesk) -> None:
    """T6.1 17: no write of one workspace leads to a scan of the history of another."""
    cards.cards.session("s2", "w2")
    cards.cards.add("r1", "r2")
    cards.cards.add("other", workspace="w2", session="s2")
    cards.repair.start(maintenance=True)
    cards.away(available=False)
    await cards.clock.advance(0)
    del cards.database.statements[:]
    assert (await cards.repair._projection.sweep(W, lambda: True)).name == "CLEAN"
    seen = [
        (sql, params)
        for sql, params in cards.database.statements
        if "tool_action_requests" in sql and "WHERE r.id = :id" not in sql
    ]
    assert len(seen) >= 4
    assert all(":workspace" in sql and params["workspace"] == W for sql, params in seen)
    assert cards.cards.word("other") == "approved"
