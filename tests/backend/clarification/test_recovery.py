"""What a start does with what the last run left on its way (K5.7)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from backend.clarification.recovery import recover
from backend.domain.clarification import AnswerDraft, Bundle, BundleStatus, Delivery
from backend.errors import ErrorCode, StorageFailed
from backend.events import Event, TurnCompleted, TurnStarted
from backend.ids import PendingId
from backend.store import bundles, drafts, reservations
from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.store import SKIP, YES, RowMaker, ask, claim, lock_and_claim, make_claim

P, Q = PendingId("p1"), PendingId("p2")


@dataclass
class Start:
    """A store before a start, and what the start makes of it."""

    database: Database
    clock: FakeClock
    rows: RowMaker
    place: Place
    events: list[Event] = field(default_factory=list)

    async def recover(self) -> int:
        return await recover(self.database, self.clock, self.events.append)

    async def fails(self) -> StorageFailed:
        with pytest.raises(StorageFailed) as caught:
            await self.recover()
        assert caught.value.code is ErrorCode.STORE_INVALID_ROW
        return caught.value

    async def bundle(self, pending_id: PendingId = P) -> Bundle:
        async with self.database.reading() as tx:
            return await bundles.require_bundle(tx, pending_id)

    async def draft(self, pending_id: PendingId = P) -> AnswerDraft | None:
        async with self.database.reading() as tx:
            return await drafts.load(tx, pending_id)

    async def reserved(self) -> list[str]:
        async with self.database.reading() as tx:
            return [str(turn) for turn in await reservations.list_reserved(tx)]

    def turns(self) -> list[str]:
        with raw(self.place) as connection:
            found = connection.execute("SELECT id FROM task_session_turns ORDER BY started_at")
            return [str(row[0]) for row in found.fetchall()]

    def reserve(self, name: str, ids: object, *, pending: str = "p1", **more: object) -> None:
        """A reserved turn whose dispatch carries the rows `ids` of the bundle."""
        keys: dict[str, object] = {
            "prompt_dispatch_pending": True,
            "prompt_dispatch_clarification_pending_id": pending,
            "prompt_dispatch_clarification_turn_id": "turn1",
            "prompt_dispatch_clarification_message_ids": ids,
            **more,
        }
        self.rows.turn(
            name, "s1", **{key: value for key, value in keys.items() if value is not None}
        )

    def metadata_of_turn(self, name: str) -> dict[str, object]:
        with raw(self.place) as connection:
            row = connection.execute(
                "SELECT metadata FROM task_session_turns WHERE id = ?", (name,)
            ).fetchone()
        return dict(json.loads(row[0]))


@pytest.fixture
async def start(store_path: Place, clock: FakeClock) -> AsyncIterator[Start]:
    database = await open_store(store_path, clock)
    rows = RowMaker(store_path)
    rows.session()
    rows.turn("turn1")
    yield Start(database, clock, rows, store_path)
    await database.close()


async def answered(start: Start, pending_id: PendingId = P) -> str:
    """A claimed answer whose delivery nothing is known of; returns its row."""
    row = start.rows.question(pending_id)
    assert await claim(start.database, make_claim(pending_id, claim_id=f"of {pending_id}"))
    return row


async def test_nothing_to_settle_writes_nothing(start: Start) -> None:
    start.rows.question(P)
    assert await start.recover() == 0
    assert start.events == []


async def test_a_reservation_without_an_attempt_gives_its_exact_rows_back(start: Start) -> None:
    """K5.7 step 1; K5.6 row 18; K8.6 69, 86."""
    row = await answered(start)
    start.reserve("turn2", [row])
    assert await start.recover() == 1
    assert start.turns() == ["turn1"]
    assert (await start.bundle()).answerable
    assert await start.draft() == AnswerDraft(P, YES.answers)
    assert start.events == []


@pytest.mark.parametrize("attempted", [True, "true", 1, "1"])
async def test_an_attempted_reservation_is_kept_and_told_once(
    start: Start, attempted: object
) -> None:
    """K5.7 steps 1 and 3; K5.6 row 19; K8.6 68, 70; K8.5 36."""
    row = await answered(start)
    start.reserve("turn2", [row], prompt_dispatch_attempted=attempted, kept="as it is")
    assert await start.recover() == 0
    bundle = await start.bundle()
    assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.UNKNOWN)
    assert start.metadata_of_turn("turn2") == {"kept": "as it is"}
    assert start.events == [TurnStarted(bundle.session_id, type(bundle.turn_id)("turn2"))]
    start.events.clear()
    await start.recover()
    assert start.events == []


async def test_a_reservation_with_rows_of_its_own_was_delivered(start: Start) -> None:
    """K5.7 step 1; K8.6 70: message-backed."""
    row = await answered(start)
    start.reserve("turn2", [row])
    start.rows.message(turn="turn2")
    await start.recover()
    assert (await start.bundle()).delivery is Delivery.DELIVERED
    assert start.turns() == ["turn1", "turn2"]
    assert len(start.events) == 1


async def test_a_turn_that_has_ended_is_told_with_its_end(start: Start) -> None:
    """K5.7 step 3."""
    start.rows.turn("turn2", prompt_dispatch_start_event_pending=True)
    with raw(start.place) as connection:
        connection.execute("UPDATE task_session_turns SET completed_at = started_at")
    await start.recover()
    assert [type(event) for event in start.events] == [TurnStarted, TurnCompleted]


async def test_a_reservation_without_an_answer_is_settled_too(start: Start) -> None:
    """K5.7 step 1: an ordinary prompt."""
    start.rows.turn("turn2", prompt_dispatch_pending=True)
    start.rows.turn("turn3", prompt_dispatch_pending=True, prompt_dispatch_attempted=True)
    await start.recover()
    assert start.turns() == ["turn1", "turn3"]
    assert await start.reserved() == []


@pytest.mark.parametrize("ids", [None, [], "not a list", [1], [""], ["row", 7]], ids=repr)
async def test_a_malformed_list_of_rows_stops_the_start_and_changes_nothing_of_it(
    start: Start, ids: object
) -> None:
    """K5.6 row 21; K8.6 69: the others are settled all the same."""
    await answered(start)
    await answered(start, Q)
    start.reserve("turn2", ids)
    error = await start.fails()
    assert error.params["row"] == "turn2"
    assert "prompt_dispatch_" in error.detail
    assert await start.reserved() == ["turn2"]
    assert (await start.bundle()).delivery is Delivery.PENDING
    assert (await start.bundle(Q)).answerable


async def test_rows_of_another_question_stop_the_start(start: Start) -> None:
    """K8.6 28, 69."""
    await answered(start)
    other = start.rows.question(Q)
    start.reserve("turn2", [other])
    assert (await start.fails()).params["row"] == "turn2"
    assert (await start.bundle(Q)).answerable


async def test_rows_of_two_turns_stop_the_start(start: Start) -> None:
    """K8.6 28: no answer is given back into a turn it was not claimed in."""
    first = start.rows.question(P)
    second = start.rows.question(P, question_id="q2", question_index=1)
    assert await claim(start.database, make_claim(P, SKIP))
    start.rows.turn("turn0")
    with raw(start.place) as connection:
        connection.execute(
            "UPDATE task_session_messages SET turn_id = 'turn0' WHERE id = ?", (second,)
        )
    start.reserve("turn2", [first, second])
    assert (await start.fails()).params["row"] == "turn2"
    assert (await start.bundle()).delivery is Delivery.PENDING
    assert await start.reserved() == ["turn2"]


async def test_a_part_of_the_claimed_rows_stops_the_start(start: Start) -> None:
    """K8.6 70: rejects a partial intent set."""
    first = start.rows.question(P)
    start.rows.question(P, question_id="q2", question_index=1)
    assert await claim(start.database, make_claim(P, SKIP))
    start.reserve("turn2", [first])
    assert (await start.fails()).params["row"] == "turn2"
    assert (await start.bundle()).delivery is Delivery.PENDING


async def test_one_bad_reservation_does_not_keep_the_others_from_being_settled(
    start: Start,
) -> None:
    """K5.7 step 1; K8.6 69: also the answers of step 2."""
    await answered(start)
    row = await answered(start, Q)
    start.reserve("turn2", ["nothing"])
    start.reserve("turn3", [row], pending=Q)
    assert (await start.fails()).params["row"] == "turn2"
    assert await start.reserved() == ["turn2"]
    assert (await start.bundle(Q)).answerable


async def test_an_intent_of_a_hosted_session_is_restored_with_its_draft(start: Start) -> None:
    """K5.7 step 2; K8.6 64; clarification.md: every restore keeps the answer as a draft."""
    await answered(start)
    assert await start.recover() == 1
    assert (await start.bundle()).answerable
    assert await start.draft() == AnswerDraft(P, YES.answers)


async def test_a_superseded_intent_is_cleared_and_stays_answered(start: Start) -> None:
    """K5.7 step 2; K1.7; K8.6 61, 64."""
    await answered(start)
    start.rows.turn("turn2")
    assert await start.recover() == 0
    bundle = await start.bundle()
    assert (bundle.status, bundle.delivery) == (BundleStatus.ANSWERED, Delivery.UNKNOWN)


async def test_an_intent_of_an_ended_session_is_cleared_and_stays_answered(start: Start) -> None:
    """K5.7 step 2; K1.7."""
    await answered(start)
    with raw(start.place) as connection:
        connection.execute("UPDATE task_sessions SET state = 'FAILED'")
    await start.recover()
    assert (await start.bundle()).status is BundleStatus.ANSWERED


async def test_an_intent_that_no_claim_of_ours_has_made_is_restored(start: Start) -> None:
    """K5.7 step 2: rows of an importer."""
    start.rows.question(P, status="answered", response_delivery_pending="1")
    assert await start.recover() == 1
    assert (await start.bundle()).answerable


async def test_an_intent_of_a_guest_is_kept_for_its_agent(start: Start, clock: FakeClock) -> None:
    """K5.6 rows 6 and 11, guest form."""
    asked = await ask(start.database, clock)
    assert await claim(start.database, make_claim(asked.pending_id))
    assert await start.recover() == 1
    bundle = await start.bundle(asked.pending_id)
    assert bundle.delivery is Delivery.WAITING_FOR_AGENT
    assert bundle.status is BundleStatus.ANSWERED


@pytest.mark.parametrize("second", ["rejected", "pending", "responding", "what is this"])
async def test_rows_that_contradict_each_other_stop_the_start(start: Start, second: str) -> None:
    """K5.7 step 2: mixed or invalid statuses; the message names the question and what to do."""
    start.rows.question(P, status="answered", response_delivery_pending=True)
    start.rows.question(P, question_id="q2", status=second, response_delivery_pending=True)
    await answered(start, Q)
    error = await start.fails()
    assert error.params["row"] == P
    assert "restore a backup" in error.detail
    assert (await start.bundle(Q)).answerable


async def test_recovery_is_the_same_however_often_it_runs(start: Start) -> None:
    """K5.7: a start that was interrupted is simply repeated."""
    row = await answered(start)
    start.reserve("turn2", [row])
    await start.recover()
    restored = await start.bundle()
    assert await start.recover() == 0
    assert await start.bundle() == restored
    async with start.database.writing() as tx:
        assert await lock_and_claim(tx, make_claim(P, claim_id="next"))
