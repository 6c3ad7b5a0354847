import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import (
    AnswerDraft,
    Bundle,
    BundleStatus,
    Delivery,
    Withdrawn,
)
from backend.domain.conversation import SessionKind
from backend.ids import ClaimId, PendingId
from backend.store import bundles, drafts, intents, withdrawals
from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import SKIP, YES, RowMaker, ask, claim, make_claim, metadata_of

P = PendingId("p1")
CLAIM = ClaimId("claim-1")
LATER = Nanoseconds(9_000)


async def load(database: Database, pending_id: PendingId = P) -> Bundle:
    async with database.reading() as tx:
        bundle = await bundles.load_bundle(tx, pending_id)
    assert bundle is not None
    return bundle


async def finalize(
    database: Database,
    pending_id: PendingId = P,
    delivery: Delivery = Delivery.DELIVERED,
    claim_id: ClaimId | None = CLAIM,
) -> bool:
    async with database.writing() as tx:
        return await intents.finalize(tx, pending_id, claim_id, delivery, LATER)


async def restore(database: Database, claim_id: ClaimId = CLAIM) -> bool:
    async with database.writing() as tx:
        return await intents.restore(tx, P, claim_id, LATER)


async def detach(database: Database, pending_id: PendingId = P) -> bool:
    async with database.writing() as tx:
        return await withdrawals.detach(tx, pending_id, LATER)


async def withdraw(
    database: Database, reason: Withdrawn = Withdrawn.BY_HUMAN, pending_id: PendingId = P
) -> bool:
    async with database.writing() as tx:
        return await withdrawals.withdraw(tx, pending_id, reason, LATER)


async def open_intents(database: Database) -> tuple[intents.Intent, ...]:
    async with database.reading() as tx:
        return await intents.list_intents(tx)


async def test_finalizing_clears_the_intent_and_keeps_the_time_of_the_answer(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K4.1; K8.6 64."""
    rows.question("p1")
    await claim(database, make_claim(P, now=77))
    revision = (await load(database)).questions[0].revision
    assert [intent.pending_id for intent in await open_intents(database)] == ["p1"]
    assert await finalize(database)
    bundle = await load(database)
    assert (bundle.delivery, bundle.updated_at) == (Delivery.DELIVERED, 77)
    assert bundle.questions[0].revision > revision
    assert await open_intents(database) == ()
    assert "response_delivery_pending" not in metadata_of(place, P)[0]


async def test_only_the_claim_that_holds_can_be_finalized_and_once(
    database: Database, rows: RowMaker
) -> None:
    rows.question("p1")
    assert not await finalize(database)
    await claim(database, make_claim(P))
    assert not await finalize(database, claim_id=ClaimId("another"))
    assert not await finalize(database, claim_id=None)
    assert await finalize(database)
    assert not await finalize(database, delivery=Delivery.WAITING_FOR_AGENT)
    assert (await load(database)).delivery is Delivery.DELIVERED


async def test_restoring_makes_it_answerable_again_with_the_answer_as_its_draft(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.6 61, 64; clarification.md, Resolver."""
    rows.question("p1", agent_disconnected=True)
    await claim(database, make_claim(P))
    assert await restore(database)
    bundle = await load(database)
    assert bundle.answerable
    assert bundle.detached
    assert (bundle.delivery, bundle.claim_id, bundle.responded_at) == (None, None, None)
    assert not {"response", "response_delivery_pending"} & set(metadata_of(place, P)[0])
    async with database.reading() as tx:
        assert await drafts.load(tx, P) == AnswerDraft(P, YES.answers)
    assert await claim(database, make_claim(P, SKIP, claim_id="claim-2"))


async def test_a_superseded_claim_is_never_restored(database: Database, rows: RowMaker) -> None:
    """K8.6 61, 64."""
    rows.question("p1")
    await claim(database, make_claim(P))
    rows.turn("turn2")
    assert not await restore(database)
    assert (await load(database)).status is BundleStatus.ANSWERED


async def test_a_claim_of_an_ended_session_is_never_restored(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K1.7."""
    rows.question("p1")
    await claim(database, make_claim(P))
    with raw(place) as connection:
        connection.execute("UPDATE task_sessions SET state = 'COMPLETED'")
    assert not await restore(database)


async def test_a_settled_answer_and_another_claim_are_never_restored(
    database: Database, rows: RowMaker
) -> None:
    rows.question("p1")
    await claim(database, make_claim(P))
    assert not await restore(database, ClaimId("another"))
    await finalize(database)
    assert not await restore(database)


async def test_a_guests_claim_never_returns_to_pending(
    database: Database, clock: FakeClock
) -> None:
    """clarification.md, Resolver: the deliberate deviation for guests."""
    asked = await ask(database, clock)
    await claim(database, make_claim(asked.pending_id))
    async with database.writing() as tx:
        assert not await intents.restore(tx, asked.pending_id, CLAIM, LATER)
        assert await intents.keep_for_agent(tx, asked.pending_id, CLAIM, LATER)
    bundle = await load(database, asked.pending_id)
    assert (bundle.status, bundle.delivery) == (
        BundleStatus.ANSWERED,
        Delivery.WAITING_FOR_AGENT,
    )


async def test_intents_name_the_claim_and_the_kind_of_session_in_order(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    """K5.7 step 2."""
    rows.question("a-hosted")
    await claim(database, make_claim(PendingId("a-hosted"), claim_id="h"))
    rows.turn("turn2")
    rows.question("z-imported", status="answered", response_delivery_pending="1")
    asked = await ask(database, clock)
    await claim(database, make_claim(asked.pending_id, claim_id="g"))
    found = await open_intents(database)
    assert [intent.pending_id for intent in found] == sorted(
        ["a-hosted", "z-imported", asked.pending_id]
    )
    by_id = {intent.pending_id: (intent.claim_id, intent.kind) for intent in found}
    assert by_id == {
        "a-hosted": ("h", SessionKind.HOSTED),
        "z-imported": (None, SessionKind.HOSTED),
        asked.pending_id: ("g", SessionKind.GUEST),
    }


async def test_an_intent_without_a_claim_of_ours_can_be_settled(
    database: Database, rows: RowMaker
) -> None:
    rows.question("p1", status="answered", response_delivery_pending=True)
    assert await finalize(database, claim_id=None)
    assert await open_intents(database) == ()


async def test_detaching_marks_every_pending_row_once(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.6 65, 47, 52."""
    rows.question("p1")
    rows.question("p1", question_id="q2", question_index=1)
    assert await detach(database)
    assert all(metadata["agent_disconnected"] is True for metadata in metadata_of(place, P))
    bundle = await load(database)
    assert (bundle.detached, bundle.answerable) == (True, True)
    assert not await detach(database)


@pytest.mark.parametrize("known", [True, "true", "1", 1])
async def test_what_is_known_to_be_detached_is_not_detached_again(
    database: Database, rows: RowMaker, known: object
) -> None:
    """K8.6 65."""
    rows.question("p1", agent_disconnected=known)
    assert not await detach(database)


async def test_an_answered_or_superseded_bundle_is_not_detached(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.6 53, 65."""
    rows.question("p1")
    await claim(database, make_claim(P))
    assert not await detach(database)
    rows.question("p2")
    rows.turn("turn2")
    assert not await detach(database, PendingId("p2"))
    assert "agent_disconnected" not in metadata_of(place, PendingId("p2"))[0]


async def test_withdrawing_closes_that_bundle_with_its_reason(
    database: Database, rows: RowMaker
) -> None:
    """K8.6 66: exactly that id, pending rows only."""
    rows.question("p1")
    rows.question("p2")
    assert await withdraw(database)
    bundle = await load(database)
    assert (bundle.status, bundle.withdrawn) == (BundleStatus.CANCELLED, Withdrawn.BY_HUMAN)
    assert (await load(database, PendingId("p2"))).answerable
    assert not await withdraw(database)


async def test_a_cancel_never_overwrites_an_answer(database: Database, rows: RowMaker) -> None:
    """clarification.md, improvement 9; K9.2 11."""
    rows.question("p1")
    await claim(database, make_claim(P))
    for reason in Withdrawn:
        assert not await withdraw(database, reason)
    assert (await load(database)).status is BundleStatus.ANSWERED


async def test_a_withdrawn_bundle_cannot_be_answered(database: Database, rows: RowMaker) -> None:
    rows.question("p1")
    await withdraw(database, Withdrawn.BY_AGENT)
    assert not await claim(database, make_claim(P))


async def test_a_superseded_bundle_is_closed_for_that_reason_only(
    database: Database, rows: RowMaker
) -> None:
    rows.question("p1")
    rows.turn("turn2")
    assert not await withdraw(database, Withdrawn.BY_HUMAN)
    assert await withdraw(database, Withdrawn.SUPERSEDED)
    assert (await load(database)).withdrawn is Withdrawn.SUPERSEDED


async def test_withdrawing_a_guests_last_question_lets_its_session_rest(
    database: Database, clock: FakeClock, place: Place
) -> None:
    asked = await ask(database, clock)
    async with database.writing() as tx:
        other = PendingId("newer")
        await withdrawals.withdraw(
            tx, asked.pending_id, Withdrawn.REPLACED, LATER, replaced_by=other
        )
    bundle = await load(database, asked.pending_id)
    assert (bundle.withdrawn, bundle.replaced_by) == (Withdrawn.REPLACED, "newer")
    with raw(place) as connection:
        assert connection.execute("SELECT state FROM task_sessions").fetchone()[0] == "IDLE"
