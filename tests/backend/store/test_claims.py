import asyncio

import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import (
    Answer,
    Answered,
    Bundle,
    BundleStatus,
    Delivery,
    Skipped,
    Withdrawn,
)
from backend.errors import ErrorCode, StorageFailed
from backend.ids import ClaimId, OptionId, PendingId, QuestionId
from backend.store import bundles
from backend.store.database import Database
from tests.helpers.builders import make_answer, make_draft, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.store import SKIP, RowMaker, ask, claim, make_claim, metadata_of

P = PendingId("p1")
CLAIM = ClaimId("claim-1")
LATER = Nanoseconds(9_000)


async def load(database: Database, pending_id: PendingId = P) -> Bundle:
    async with database.reading() as tx:
        bundle = await bundles.load_bundle(tx, pending_id)
    assert bundle is not None
    return bundle


async def test_a_claim_answers_every_row_and_records_who_and_what(
    database: Database, clock: FakeClock, place: Place
) -> None:
    """K5.3; K8.6 63, 64: it uses the given time and stores the intent."""
    asked = await ask(database, clock, make_draft(make_question("q1"), make_question("q2")))
    outcome = Answered((make_answer("q1", "q1_opt2"), make_answer("q2", text="直接写 🙂")))
    before = await load(database, asked.pending_id)
    assert await claim(database, make_claim(asked.pending_id, outcome, now=77))
    bundle = await load(database, asked.pending_id)
    assert bundle.status is BundleStatus.ANSWERED
    assert tuple(item.answer for item in bundle.questions) == outcome.answers
    assert (bundle.delivery, bundle.claim_id) == (Delivery.PENDING, "claim-1")
    assert (bundle.responded_at, bundle.updated_at) == (77, 77)
    assert bundle.questions[0].revision > before.questions[1].revision
    for metadata in metadata_of(place, asked.pending_id):
        assert metadata["response_delivery_pending"] is True
        assert metadata["kandesk"]["claim_id"] == "claim-1"  # type: ignore[index]


async def test_the_winner_of_concurrent_claims_is_one(
    database: Database, clock: FakeClock, place: Place
) -> None:
    """K8.6 57: two connections as two programs would have them."""
    other = await open_store(place, clock)
    try:
        for number in range(10):
            asked = await ask(database, clock, guest=None)
            results = await asyncio.gather(
                claim(database, make_claim(asked.pending_id, claim_id=f"a{number}")),
                claim(other, make_claim(asked.pending_id, SKIP, claim_id=f"b{number}")),
            )
            assert sorted(results) == [False, True]
            bundle = await load(database, asked.pending_id)
            winner = "a" if results[0] else "b"
            assert bundle.claim_id == f"{winner}{number}"
            assert bundle.status is (BundleStatus.ANSWERED if results[0] else BundleStatus.REJECTED)
            assert bundle.reject_reason == ("" if results[0] else "not now")
    finally:
        await other.close()


async def test_a_skip_keeps_its_reason_and_stores_no_response(
    database: Database, clock: FakeClock, place: Place
) -> None:
    """clarification.md, improvement 3; K8.6 93."""
    asked = await ask(database, clock)
    assert await claim(database, make_claim(asked.pending_id, SKIP))
    bundle = await load(database, asked.pending_id)
    assert (bundle.status, bundle.reject_reason) == (BundleStatus.REJECTED, "not now")
    assert "response" not in metadata_of(place, asked.pending_id)[0]


async def test_a_row_without_a_status_can_be_claimed_in_the_current_turn(
    database: Database, rows: RowMaker
) -> None:
    """K8.6 55."""
    rows.question("p1", drop=("status",))
    assert await claim(database, make_claim(P))


async def test_a_row_without_a_durable_turn_cannot_be_claimed(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.6 55."""
    rows.question("p1")
    with raw(place) as connection:
        connection.execute("DELETE FROM task_session_turns")
    assert not await claim(database, make_claim(P))


async def test_a_newer_turn_takes_the_question_away(database: Database, rows: RowMaker) -> None:
    """K8.6 54, 58."""
    rows.question("p1")
    rows.turn("turn2")
    assert not await claim(database, make_claim(P))
    bundle = await load(database)
    assert (bundle.status, bundle.superseded) == (BundleStatus.PENDING, True)
    assert (bundle.answerable, bundle.withdrawn) == (False, Withdrawn.SUPERSEDED)


@pytest.mark.parametrize("flag", [True, "true", 1, "1"])
async def test_a_successor_that_only_waits_to_be_sent_takes_nothing_away(
    database: Database, rows: RowMaker, flag: object
) -> None:
    """K8.6 54, 68."""
    rows.question("p1")
    rows.turn("turn2", prompt_dispatch_pending=flag)
    assert await claim(database, make_claim(P))


@pytest.mark.parametrize("flag", [True, "true", 1, "1"])
async def test_a_successor_that_was_sent_supersedes(
    database: Database, rows: RowMaker, flag: object
) -> None:
    """K8.6 54, 68."""
    rows.question("p1")
    rows.turn("turn2", prompt_dispatch_pending=True, prompt_dispatch_attempted=flag)
    assert not await claim(database, make_claim(P))


async def test_a_successor_with_a_message_supersedes_even_unsent(
    database: Database, rows: RowMaker
) -> None:
    """K1.8."""
    rows.question("p1")
    rows.turn("turn2", prompt_dispatch_pending=True)
    rows.message(turn="turn2")
    assert not await claim(database, make_claim(P))


@pytest.mark.parametrize("state", ["COMPLETED", "FAILED", "CANCELLED"])
async def test_a_session_that_has_ended_takes_no_answer(
    database: Database, rows: RowMaker, state: str
) -> None:
    """K8.6 58."""
    rows.session("ended", state=state)
    rows.turn("turn-ended", "ended")
    rows.question("p1", turn="turn-ended", session="ended")
    assert not await claim(database, make_claim(P))
    assert (await load(database)).withdrawn is Withdrawn.SESSION_ENDED


async def test_a_detached_question_can_be_claimed(database: Database, rows: RowMaker) -> None:
    """K8.6 58."""
    rows.question("p1", agent_disconnected=True)
    assert await claim(database, make_claim(P))
    assert (await load(database)).detached


@pytest.mark.parametrize("spoiler", ["type", "session", "turn"])
async def test_one_row_of_another_kind_spoils_the_whole_bundle(
    database: Database, rows: RowMaker, spoiler: str
) -> None:
    """K5.3, malformed bundle."""
    rows.session("s2")
    rows.turn("turn-other", "s2")
    rows.turn("turn0")
    rows.turn("turn9")
    rows.question("p1", turn="turn9")
    if spoiler == "type":
        rows.question("p1", turn="turn9", kind="permission_request")
    elif spoiler == "session":
        rows.question("p1", turn="turn-other", session="s2")
    else:
        rows.question("p1", turn="turn0")
    assert not await claim(database, make_claim(P))
    assert not (await load(database)).answerable


@pytest.mark.parametrize("status", ["expired", "cancelled", "answered", "rejected", "odd"])
async def test_a_row_that_is_not_pending_is_not_claimed(
    database: Database, rows: RowMaker, status: str
) -> None:
    """K1.5."""
    rows.question("p1", status=status)
    assert not await claim(database, make_claim(P))


async def test_a_parent_question_is_not_ours(database: Database, rows: RowMaker) -> None:
    """K1.1, K5.1."""
    rows.question("p1", parent_question=True)
    assert not await claim(database, make_claim(P))
    async with database.reading() as tx:
        assert await bundles.load_bundle(tx, P) is None


async def test_only_the_pending_rows_of_a_mixed_bundle_are_claimed(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K5.3; clarification.md, improvement 4."""
    done = {"question_id": "q1", "custom_text": "before"}
    rows.question("p1", status="answered", response=done, question_index=0)
    rows.question("p1", question_id="q2", question_index=1)
    outcome = Answered((make_answer("q2", "q2_opt1"),))
    assert await claim(database, make_claim(P, outcome))
    first, second = metadata_of(place, P)
    assert first["response"] == done
    assert "response_delivery_pending" not in first
    assert second["response"] == {"question_id": "q2", "selected_options": ["q2_opt1"]}


async def test_a_question_id_that_is_only_nested_is_readable_and_claimable(
    database: Database, rows: RowMaker
) -> None:
    """clarification.md, improvement 5."""
    rows.question("p1", drop=("question_id",))
    assert (await load(database)).questions[0].question.id == "q1"
    assert await claim(database, make_claim(P))


async def test_a_row_without_any_question_id_leaves_everything_as_it_was(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K5.6 3."""
    rows.question("p1", question_index=0)
    rows.question("p1", drop=("question_id", "question"), question_index=1)
    before = metadata_of(place, P)
    with pytest.raises(StorageFailed) as caught:
        await claim(database, make_claim(P))
    assert caught.value.code is ErrorCode.STORE_INVALID_ROW
    assert metadata_of(place, P) == before
    assert (await load(database)).delivery is None


async def test_unknown_metadata_survives_a_claim(
    database: Database, rows: RowMaker, place: Place
) -> None:
    rows.question("p1", later_key={"deep": [1, 2.5, "é🖐"]}, kandesk={"multi_select": True})
    assert await claim(database, make_claim(P))
    (metadata,) = metadata_of(place, P)
    assert metadata["later_key"] == {"deep": [1, 2.5, "é🖐"]}
    assert metadata["kandesk"]["multi_select"] is True  # type: ignore[index]


async def test_several_options_and_text_are_kept_together(
    database: Database, clock: FakeClock
) -> None:
    """clarification.md, improvement 8."""
    question = make_question("q1", labels=("a", "b", "c"), multi_select=True)
    asked = await ask(database, clock, make_draft(question))
    answer = Answer(QuestionId("q1"), (OptionId("q1_opt1"), OptionId("q1_opt3")), "and more")
    assert await claim(database, make_claim(asked.pending_id, Answered((answer,))))
    assert (await load(database, asked.pending_id)).questions[0].answer == answer


async def test_rows_written_by_a_claim_carry_nine_digit_times(
    database: Database, rows: RowMaker, place: Place
) -> None:
    rows.question("p1")
    await claim(database, make_claim(P, Skipped(""), now=1_500_000_000_000_000_001))
    with raw(place) as connection:
        row = connection.execute("SELECT updated_at FROM task_session_messages").fetchone()
    assert row[0] == format_timestamp(Nanoseconds(1_500_000_000_000_000_001))
    assert row[0].endswith(".000000001Z")
