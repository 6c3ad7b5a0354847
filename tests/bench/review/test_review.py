"""What the repair of cards costs beside 30,000 requests of one workspace (T7)."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from backend.clock import Deadline, SystemClock
from backend.events import EventBus
from backend.ids import MessageId, ReviewId
from backend.review.repairing import CardRepair
from backend.store import projection_rows
from backend.store.database import Database, Params, Priority
from backend.store.projection_rows import FIRST
from backend.work.scoped_worker import Swept
from backend.work.supervisor import TaskSupervisor
from tests.bench.machine import describe_machine
from tests.bench.review.plans import Cost, postgres_cost, sqlite_cost
from tests.helpers.place import Place, dialect_of, open_store, raw
from tests.helpers.plans import statements_of
from tests.helpers.projecting import Cards, W, shows
from tests.helpers.store import ask, lock_and_claim, make_claim

ROWS: Final = 30_000
LINK: Final = "idx_requests_interaction"
PAGE: Final = "idx_requests_projected"
SAVED: Final = 100
"""How many times less work the index must make it (T7)."""
PASS: Final = 500
ANSWERS: Final = 60

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]


def fill(place: Place, *, right: bool) -> Cards:
    """Requests in the four outcomes in rotation, whose cards are right or stale."""
    cards = Cards(place)
    cards.session()
    outcomes = (
        ("executed", "", shows("executed", "approved")),
        ("failed", "tool_execution_failed", shows("failed", "approved")),
        ("expired", "", shows("expired", "expired")),
        ("cancelled", "", shows("cancelled", "expired")),
    )
    for number, (status, error, card) in enumerate(outcomes):
        names = [f"r{each:06}" for each in range(number, ROWS, len(outcomes))]
        if right:
            cards.add(*names, status=status, error=error, card=card)
        else:
            cards.add(*names, status=status, error=error)
    if isinstance(place, str):
        # A server does it by itself; the embedded store has no statistics.
        with raw(place) as connection:
            connection.execute("ANALYZE")
    return cards


def fill_two(place: Place) -> None:
    """As many of another workspace, whose ids come first."""
    cards = fill(place, right=False)
    cards.session("s2", "other")
    names = [f"a{each:06}" for each in range(ROWS)]
    cards.add(*names, workspace="other", session="s2")


def cost(place: Place, statement: tuple[str, Params], *, without: str = "") -> Cost:
    sql, params = statement
    if isinstance(place, Path):
        return sqlite_cost(place, sql, params, without=without)
    return postgres_cost(place, sql, params, without=without)


def told(name: str, fast: Cost, slow: Cost) -> str:
    return (
        f"  {name:28} {fast.amount:>9,} with, {slow.amount:>9,} without:"
        f" {slow.amount / fast.amount:,.0f} x"
    )


async def open_filled(place: Place, *, right: bool) -> Database:
    database = await open_store(place, SystemClock())
    await asyncio.to_thread(fill, place, right=right)
    return database


async def test_the_link_of_a_card_is_found_by_its_index(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """T6.1 21: a card of no request among 30,000."""
    database = await open_filled(place, right=True)
    try:
        (statement,) = await statements_of(
            database, lambda tx: projection_rows.hint_linked(tx, W, [MessageId("nothing")])
        )
    finally:
        await database.close()
    fast, slow = cost(place, statement), cost(place, statement, without=LINK)
    with capsys.disabled():
        print(f"\n{describe_machine()}\n  {dialect_of(place)}")
        print(told("link of a card", fast, slow))
    assert LINK in fast.plan
    assert slow.amount >= SAVED * fast.amount
    if isinstance(place, str):
        assert f"removed {ROWS}" in slow.plan


async def test_a_page_of_candidates_is_read_in_the_order_of_its_index(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """T7: 30,000 of them, beside as many of another workspace, and no sort."""
    database = await open_store(place, SystemClock())
    try:
        await asyncio.to_thread(fill_two, place)
        (statement,) = await statements_of(
            database, lambda tx: projection_rows.find_candidates(tx, W, FIRST, 100)
        )
    finally:
        await database.close()
    fast, slow = cost(place, statement), cost(place, statement, without=PAGE)
    with capsys.disabled():
        print(f"\n  {dialect_of(place)}")
        print(told("page of 100 candidates", fast, slow))
    assert PAGE in fast.plan
    assert "TEMP B-TREE" not in fast.plan
    assert "Sort" not in fast.plan
    assert "removed 0" in fast.plan or isinstance(place, Path)
    if isinstance(place, Path):
        assert slow.amount >= SAVED * fast.amount
    assert slow.amount > fast.amount


async def test_one_hint_beside_matching_history_is_one_read(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """T7: one look at 30,000 cards that are right; the writer is free meanwhile."""
    clock, supervisor = SystemClock(), TaskSupervisor()
    database = await open_filled(place, right=True)
    repair = CardRepair(database, clock, EventBus(), supervisor, nobody)
    seconds = []
    try:
        async with database.writing():
            for _ in range(5):
                began = time.perf_counter()
                assert await repair._projection.sweep(W, lambda: True) is Swept.CLEAN
                seconds.append(time.perf_counter() - began)
    finally:
        await supervisor.stop(1.0)
        await database.close()
    with capsys.disabled():
        print(
            f"\n  {dialect_of(place)}: one hint over {ROWS:,} cards that are right:"
            f" {1000 * statistics.median(seconds):.0f} ms, on a reader"
        )


async def test_answers_beside_a_pass_wait_for_a_card_at_most(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """T6.3 66: the same claims alone and while cards are repaired, in one run."""
    clock, supervisor = SystemClock(), TaskSupervisor()
    database = await open_store(place, clock)
    try:
        cards = Cards(place)
        cards.session()
        cards.add(*(f"r{number:06}" for number in range(PASS)))
        alone = await claims(database, ANSWERS)
        repair = CardRepair(database, clock, EventBus(), supervisor, nobody)
        questions = [(await ask(database, clock)).pending_id for _ in range(ANSWERS)]
        running = asyncio.create_task(repair.repair())
        beside = []
        for pending in questions:
            if running.done():
                break
            began = time.perf_counter()
            async with database.writing(Deadline(clock, 5.0), priority=Priority.CLAIM) as tx:
                assert await lock_and_claim(tx, make_claim(pending))
            beside.append(time.perf_counter() - began)
            await asyncio.sleep(0)
        await running
    finally:
        await supervisor.stop(1.0)
        await database.close()
    with capsys.disabled():
        print(f"\n  {dialect_of(place)}: {len(beside)} claims during a pass of {PASS} cards")
        print(f"  alone   median {middle(alone):.1f} ms, p99 {p99(alone):.1f} ms")
        print(f"  beside  median {middle(beside):.1f} ms, p99 {p99(beside):.1f} ms")
    assert len(beside) >= ANSWERS // 2
    assert middle(beside) <= 6 * middle(alone)


async def claims(database: Database, count: int) -> list[float]:
    clock, seconds = SystemClock(), []
    for _ in range(count):
        pending = (await ask(database, clock)).pending_id
        began = time.perf_counter()
        async with database.writing(Deadline(clock, 5.0), priority=Priority.CLAIM) as tx:
            assert await lock_and_claim(tx, make_claim(pending))
        seconds.append(time.perf_counter() - began)
    return seconds


def middle(seconds: Sequence[float]) -> float:
    return 1000 * statistics.median(seconds)


def p99(seconds: Sequence[float]) -> float:
    return 1000 * sorted(seconds)[min(len(seconds) - 1, int(0.99 * len(seconds)))]


async def nobody(_review_id: ReviewId) -> None:
    """There is no window."""
