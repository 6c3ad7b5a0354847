"""Which turn owns a session, who may see it, and how a prompt reserves one (K1.4, K1.8)."""

import json

import pytest

from backend.clock import Nanoseconds
from backend.ids import MessageId, PendingId, SessionId, TaskId, TurnId
from backend.store import bundles, messages, reservations, turns
from backend.store.database import Database
from backend.store.messages import NewBundle
from tests.helpers.builders import make_draft, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker

S, TASK = SessionId("s1"), TaskId("task-s1")
EARLY = Nanoseconds(1_000_000_000_000_000_000)
"""Long before every row of the tests."""
CLAIMED = reservations.ClaimedRows(PendingId("p1"), TurnId("turn1"), (MessageId("m1"),))


async def current(database: Database) -> str | None:
    async with database.reading() as tx:
        return await turns.current_turn(tx, S)


async def published(database: Database) -> list[str]:
    async with database.reading() as tx:
        return list(await turns.published_turns(tx, S))


async def test_a_reserved_turn_owns_nothing_and_is_not_shown(
    database: Database, rows: RowMaker
) -> None:
    """K8.6 85; K1.8; K8.6 54: an empty unpublished successor is ignored."""
    rows.turn("turn2", prompt_dispatch_pending=True)
    assert await current(database) == "turn1"
    assert await published(database) == ["turn1"]


@pytest.mark.parametrize("attempted", [True, "true", 1, "1"])
async def test_an_attempted_turn_owns_the_session_before_it_is_shown(
    database: Database, rows: RowMaker, attempted: object
) -> None:
    """K1.8, authority against history; K8.5 27; K8.6 54, 68."""
    rows.turn("turn2", prompt_dispatch_pending="true", prompt_dispatch_attempted=attempted)
    assert await current(database) == "turn2"
    assert await published(database) == ["turn1"]


async def test_a_turn_with_rows_owns_the_session_and_is_shown(
    database: Database, rows: RowMaker
) -> None:
    """K1.8."""
    rows.turn("turn2", prompt_dispatch_pending=True)
    rows.message(turn="turn2")
    assert await current(database) == "turn2"
    assert await published(database) == ["turn1", "turn2"]


@pytest.mark.parametrize("flag", [False, "false", 0, "0", "yes", None])
async def test_what_is_not_true_reserves_nothing(
    database: Database, rows: RowMaker, flag: object
) -> None:
    """K8.6 68."""
    rows.turn("turn2", prompt_dispatch_pending=flag)
    assert await current(database) == "turn2"
    assert await published(database) == ["turn1", "turn2"]


async def reserve(database: Database, clock: FakeClock, name: str = "turn2") -> TurnId:
    turn_id = TurnId(name)
    async with database.writing() as tx:
        await reservations.reserve(tx, turn_id, S, TASK, CLAIMED, clock.now())
    return turn_id


async def test_a_reservation_names_what_it_carries_and_is_marked_once_tried(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    """K1.4; K5.5 b and c."""
    del rows
    turn_id = await reserve(database, clock)
    async with database.writing() as tx:
        found = await reservations.load(tx, turn_id)
        assert found == reservations.Reservation(turn_id, S, CLAIMED, False, False)
        assert await reservations.owns_answer(tx, CLAIMED.pending_id)
        assert not await reservations.owns_answer(tx, PendingId("another"))
        assert await reservations.mark_attempted(tx, turn_id, clock.now())
        marked = await reservations.load(tx, turn_id)
        assert marked is not None
        assert (marked.started, marked.referenced) == (True, False)
    assert await current(database) == turn_id


async def test_a_cleared_turn_keeps_every_other_key(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place
) -> None:
    """K8.6 85: metadata updates preserve concurrent fields."""
    rows.turn("turn2", workflow_step_id_at_start="w1", prompt_dispatch_pending=True)
    async with database.writing() as tx:
        await reservations.clear(tx, TurnId("turn2"), clock.now(), outbox=True)
        assert [turn.turn_id for turn in await reservations.list_unpublished(tx)] == ["turn2"]
        await reservations.mark_published(tx, TurnId("turn2"), clock.now())
        assert await reservations.list_unpublished(tx) == ()
        assert not await reservations.mark_attempted(tx, TurnId("turn2"), clock.now())
    with raw(place) as connection:
        row = connection.execute(
            "SELECT metadata FROM task_session_turns WHERE id = 'turn2'"
        ).fetchone()
    assert json.loads(row[0]) == {"workflow_step_id_at_start": "w1"}


async def test_a_reserved_turn_is_deleted_unless_a_row_refers_to_it(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    """K8.6 71, 85: a published turn cannot be rolled back."""
    free, used = await reserve(database, clock), await reserve(database, clock, "turn3")
    rows.message(turn=used)
    async with database.writing() as tx:
        assert await reservations.release(tx, free)
        assert await reservations.release(tx, free)
        assert not await reservations.release(tx, used)
        assert not await reservations.release(tx, TurnId("turn1"))
    assert await current(database) == used


async def test_a_clock_that_was_set_back_opens_no_turn_older_than_the_last(
    database: Database, rows: RowMaker
) -> None:
    """Clock jumping back: the new turn owns the session all the same."""
    del rows
    async with database.writing() as tx:
        opened = await turns.open_turn(tx, S, TASK, EARLY)
    assert await current(database) == opened
    async with database.writing() as tx:
        later = await turns.open_turn(tx, S, TASK, EARLY)
    assert await current(database) == later


async def test_a_clock_that_was_set_back_writes_no_row_before_an_older_one(
    database: Database, rows: RowMaker
) -> None:
    """Clock jumping back: rows are shown in the order they were written."""
    first = rows.question("p1")
    draft = make_draft(make_question("q1"), make_question("q2"))
    async with database.writing() as tx:
        await messages.insert_bundle(
            tx, NewBundle(PendingId("p2"), S, TASK, TurnId("turn1"), draft, EARLY)
        )
        note = await messages.insert_message(
            tx,
            session_id=S,
            task_id=TASK,
            turn_id=TurnId("turn1"),
            kind="message",
            author="agent",
            content="later",
            metadata={},
            now=EARLY,
        )
    async with database.reading() as tx:
        shown = (await messages.page(tx, S)).messages
        asked = await bundles.require_bundle(tx, PendingId("p2"))
    ids = [message.message_id for message in shown]
    assert ids == [first, *(item.message_id for item in asked.questions), note.message_id]
    assert len({message.created_at for message in shown}) == 4
    assert [message.created_at for message in shown][-1] == note.created_at
