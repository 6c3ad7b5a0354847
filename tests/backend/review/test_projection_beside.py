"""The repair of cards beside everything else a desk does (T6.1, T6.3)."""

import asyncio

from backend.clock import Deadline, SystemClock
from backend.domain.agents import ToolStatus
from backend.domain.clarification import Withdrawn
from backend.events import EventBus
from backend.ids import ReviewId
from backend.review.repairing import CardRepair
from backend.store import withdrawals
from backend.store.database import Priority
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.projecting import Cards, RecordingDatabase
from tests.helpers.reviewing import review_desk
from tests.helpers.store import ask, claim, lock_and_claim, make_claim

INDEXES = ("idx_requests_interaction", "idx_requests_projected")


async def test_an_approved_call_is_answered_once_and_then_all_is_quiet(
    place: Place, clock: FakeClock
) -> None:
    """T6.1 1: one answer, the card says executed, and no read in an hour."""
    async with review_desk(place, clock) as desk:
        database = RecordingDatabase(desk.faults)
        repair = CardRepair(database, clock, EventBus(), desk.supervisor, desk.reviews.tell)
        repair.start(maintenance=True)
        await clock.advance(2)
        waiting, review = await desk.ask_one()
        await desk.decide(review)
        assert await waiting == "once"
        await desk.becomes("executing")
        desk.tool_ended(ToolStatus.COMPLETED)
        await desk.becomes("executed")
        await clock.advance(10)
        assert desk.cards()[0]["kandesk"]["review_status"] == "executed"  # type: ignore[index]
        assert [row[0] for row in desk.ledger()].count("call_started") == 1
        before = database.transactions
        await clock.advance(3_600)
        assert (database.transactions, clock.pending_timers) == (before, 0)


async def test_questions_are_asked_answered_and_withdrawn_without_a_hint(
    place: Place, clock: FakeClock
) -> None:
    """T6.1 18: what is no permission wakes no repair, and still completes."""
    database = await open_store(place, clock)
    heard: list[str] = []
    database.hints.subscribe(heard.append)
    try:
        answered = await ask(database, clock)
        assert await claim(database, make_claim(answered.pending_id))
        for reason in (Withdrawn.SUPERSEDED, Withdrawn.SESSION_ENDED):
            asked = await ask(database, clock)
            async with database.writing() as tx:
                assert await withdrawals.withdraw(tx, asked.pending_id, reason, clock.now())
        asked = await ask(database, clock)
        async with database.writing() as tx:
            assert await withdrawals.expire(tx, asked.pending_id, clock.now())
    finally:
        await database.close()
    assert heard == []


async def test_the_indexes_of_the_repair_are_there_in_new_and_in_older_stores(
    place: Place, clock: FakeClock
) -> None:
    """T6.1 35: and opening again changes nothing."""
    seen = [await index_names(place, clock)]
    with raw(place) as connection:
        for name in INDEXES:
            connection.execute(f"DROP INDEX {name}")
    seen += [await index_names(place, clock), await index_names(place, clock)]
    assert all(set(INDEXES) <= names for names in seen)
    assert seen[0] == seen[1] == seen[2]


async def index_names(place: Place, clock: FakeClock) -> set[str]:
    """Those on requests, once the store was opened."""
    await (await open_store(place, clock)).close()
    catalog = ("sqlite_schema", "name", "tbl_name")
    if isinstance(place, str):
        catalog = ("pg_indexes", "indexname", "tablename")
    table, name, of = catalog
    with raw(place) as connection:
        rows = connection.execute(
            f"SELECT {name} FROM {table} WHERE {of} = 'tool_action_requests'"  # noqa: S608
        ).fetchall()
    return {str(row[0]) for row in rows}


async def test_a_human_answers_within_the_budget_while_500_cards_are_repaired(
    place: Place,
) -> None:
    """T6.3 66: each claim has 5 s, and none waits for the pass."""
    clock, supervisor = SystemClock(), TaskSupervisor()
    database = await open_store(place, clock)
    told: list[ReviewId] = []

    async def tell(review_id: ReviewId) -> None:
        told.append(review_id)

    try:
        cards = Cards(place)
        cards.session()
        cards.add(*(f"r{number:04}" for number in range(500)))
        asked = [(await ask(database, clock)).pending_id for _ in range(5)]
        repair = CardRepair(database, clock, EventBus(), supervisor, tell)
        running = asyncio.create_task(repair.repair())
        for number, pending in enumerate(asked):
            while len(told) < 20 * (number + 1):
                await asyncio.sleep(0)
            async with database.writing(Deadline(clock, 5.0), priority=Priority.CLAIM) as tx:
                assert await lock_and_claim(tx, make_claim(pending))
            assert not running.done()
        await running
    finally:
        await supervisor.stop(1.0)
        await database.close()
    assert len(told) == 500
