"""One resolver: claims, losers, retries, failures on the way (K5; clarification.md)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.clarification.ask_result import AskStatus
from backend.domain.clarification import (
    Answered,
    BundleStatus,
    Delivery,
    ResponseOutcome,
    Skipped,
    Withdrawn,
)
from backend.errors import (
    Conflict,
    ErrorCode,
    InvalidInput,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import BundleChanged, BundleResolved
from backend.ids import ClientId, PendingId
from backend.store.database import Database
from tests.backend.clarification.test_asking import cut, delivery_of, respond, waiting
from tests.helpers.builders import make_answer, make_draft, make_question
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import HUMAN, TestDesk, make_caller, new_token, open_desk
from tests.helpers.faults import Fault, FaultyDatabase, unavailable
from tests.helpers.waiting import eventually, until

SQLITE = Answered((make_answer("q1", "q1_opt1"),))
POSTGRES = Answered((make_answer("q1", "q1_opt2"),))
OTHER_HUMAN = ClientId("window-2")


@dataclass
class FaultyDesk:
    desk: TestDesk
    faults: FaultyDatabase


@pytest.fixture
async def faulty(store_path: Path, clock: FakeClock) -> AsyncIterator[FaultyDesk]:
    wrapped: list[FaultyDatabase] = []

    def wrap(database: Database) -> Database:
        wrapped.append(FaultyDatabase(database))
        return wrapped[0]

    async with open_desk(store_path, clock, wrap=wrap) as desk:
        yield FaultyDesk(desk, wrapped[0])


async def ask(desk: TestDesk) -> PendingId:
    return (await desk.asking.open(make_caller(), make_draft())).pending_id


async def test_of_two_answers_at_once_exactly_one_wins_and_the_other_sees_it(
    desk: TestDesk,
) -> None:
    """K5.4, K8.4 R1 and R2."""
    pending_id = await ask(desk)
    outcomes = await asyncio.gather(
        desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=new_token()),
        desk.desk.respond(pending_id, POSTGRES, client_id=OTHER_HUMAN, claim_token=new_token()),
    )
    winner = next(outcome for outcome in outcomes if outcome.claimed)
    loser = next(outcome for outcome in outcomes if not outcome.claimed)
    assert loser.answers == winner.answers
    assert loser.responded_at == winner.responded_at
    assert loser.delivery is Delivery.WAITING_FOR_AGENT


async def test_an_exact_retry_is_told_that_it_had_won(desk: TestDesk) -> None:
    """clarification.md, improvement 2."""
    pending_id, token = await ask(desk), new_token()
    first = await desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=token)
    again = await desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=token)
    assert (again.claimed, again.replayed) == (True, True)
    assert again.responded_at == first.responded_at
    changed = await desk.desk.respond(pending_id, POSTGRES, client_id=HUMAN, claim_token=token)
    assert (changed.claimed, changed.replayed) == (False, False)
    assert changed.answers == SQLITE.answers


async def test_a_reject_reason_is_stored_and_replayed(desk: TestDesk) -> None:
    """clarification.md, improvement 3."""
    pending_id = await ask(desk)
    await respond(desk, pending_id, Skipped(" busy "))
    again = await desk.desk.respond(
        pending_id, SQLITE, client_id=OTHER_HUMAN, claim_token=new_token()
    )
    assert (again.status, again.reject_reason) == (BundleStatus.REJECTED, "busy")


async def test_unknown_invalid_and_closed_bundles_are_told_apart(desk: TestDesk) -> None:
    """K8.6 3, 5; K8.4 R2c."""
    with pytest.raises(NotFound):
        await respond(desk, PendingId("nothing"))
    pending_id = await ask(desk)
    with pytest.raises(InvalidInput):
        await respond(desk, pending_id, Answered(()))
    await desk.desk.close_question(pending_id)
    with pytest.raises(Conflict) as caught:
        await respond(desk, pending_id)
    assert caught.value.code is ErrorCode.NOT_ACTIVE


async def test_a_failed_claim_is_retryable_and_delivers_nothing(faulty: FaultyDesk) -> None:
    """K5.6 2."""
    desk = faulty.desk
    pending_id = await ask(desk)
    call = await waiting(desk, pending_id)
    faulty.faults.plan(Fault("before", unavailable()))
    with pytest.raises(TemporarilyUnavailable):
        await respond(desk, pending_id)
    assert not call.done()
    assert (await desk.desk.get_bundle(pending_id)).status is BundleStatus.PENDING
    await respond(desk, pending_id)
    assert (await call).status is AskStatus.ANSWERED


async def test_a_claim_whose_commit_result_is_lost_is_found_by_its_id(faulty: FaultyDesk) -> None:
    """clarification.md, Budgets: reread by claim id."""
    desk = faulty.desk
    pending_id = await ask(desk)
    faulty.faults.plan(Fault("after commit", unavailable()))
    outcome = await desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=new_token())
    assert outcome.claimed
    assert outcome.delivery is Delivery.WAITING_FOR_AGENT


async def test_a_failed_confirmation_keeps_the_answer_and_the_call_still_gets_it(
    faulty: FaultyDesk,
) -> None:
    """K5.6 9, guest form: never back to pending; nothing is lost, nothing comes twice."""
    desk = faulty.desk
    pending_id = await ask(desk)
    call = await waiting(desk, pending_id)
    faulty.faults.plan(None, Fault("before", unavailable()))
    outcome = await desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=new_token())
    assert outcome.delivery in {Delivery.WAITING_FOR_AGENT, Delivery.DELIVERED}
    assert (await call).answers == SQLITE.answers
    assert await delivery_of(desk, pending_id) is Delivery.DELIVERED


@pytest.mark.parametrize(
    "error",
    [unavailable(), StorageFailed(ErrorCode.STORE_FULL, "injected")],
    ids=["busy", "disk full"],
)
async def test_an_answer_that_cannot_be_settled_is_settled_later_without_a_restart(
    faulty: FaultyDesk, clock: FakeClock, error: TemporarilyUnavailable | StorageFailed
) -> None:
    """clarification.md, Resolver: 1, 5, 30, 300 s."""
    desk = faulty.desk
    pending_id = await ask(desk)
    faulty.faults.plan(None, *(Fault("before", error) for _ in range(3)))
    outcome = await desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=new_token())
    assert outcome.claimed
    assert outcome.delivery is Delivery.UNKNOWN
    await clock.advance(1)
    await settle()
    assert await delivery_of(desk, pending_id) is Delivery.PENDING

    async def kept() -> bool:
        await clock.advance(5)
        return await delivery_of(desk, pending_id) is Delivery.WAITING_FOR_AGENT

    await eventually(kept)


async def test_a_retry_joins_the_delivery_that_is_still_open(faulty: FaultyDesk) -> None:
    """clarification.md, improvement 1: success is not reported before the hand-over."""
    desk = faulty.desk
    pending_id, token = await ask(desk), new_token()
    call = await waiting(desk, pending_id)
    held = Fault("before")
    faulty.faults.plan(None, held)

    def again() -> asyncio.Task[ResponseOutcome]:
        return asyncio.create_task(
            desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=token)
        )

    first = again()
    await held.reached.wait()
    second = again()
    await settle(200)
    assert not second.done()
    held.go_on.set()
    assert (await first).delivery is Delivery.DELIVERED
    joined = await second
    assert (joined.delivery, joined.replayed) == (Delivery.DELIVERED, True)
    assert (await call).status is AskStatus.ANSWERED


async def test_a_started_confirmation_outlives_its_call_and_its_responder(
    faulty: FaultyDesk,
) -> None:
    """A started confirmation is shielded from cancellation (clarification.md, Budgets)."""
    desk = faulty.desk
    pending_id = await ask(desk)
    call = await waiting(desk, pending_id)
    held = Fault("before")
    faulty.faults.plan(None, held)
    responder = asyncio.create_task(respond(desk, pending_id))
    await held.reached.wait()
    call.cancel()
    responder.cancel()
    await asyncio.gather(call, responder, return_exceptions=True)
    held.go_on.set()

    async def delivered() -> bool:
        return await delivery_of(desk, pending_id) is Delivery.DELIVERED

    await eventually(delivered)


async def test_a_confirmation_that_outlives_the_budget_is_said_to_be_pending(
    faulty: FaultyDesk, clock: FakeClock
) -> None:
    """clarification.md, Budgets: 30 s; it ends in the background."""
    desk = faulty.desk
    pending_id = await ask(desk)
    call = await waiting(desk, pending_id)
    await until(lambda: any(isinstance(event, BundleChanged) for event in desk.events))
    held = Fault("before")
    faulty.faults.plan(None, held)
    responder = asyncio.create_task(
        desk.desk.respond(pending_id, SQLITE, client_id=HUMAN, claim_token=new_token())
    )
    await held.reached.wait()
    await clock.advance(31)
    outcome = await responder
    assert outcome.delivery is Delivery.PENDING

    def told() -> list[Delivery]:
        ends = [event for event in desk.events if isinstance(event, BundleResolved)]
        return [event.outcome.delivery for event in ends]

    await until(lambda: told() == [Delivery.PENDING])
    held.go_on.set()

    async def returned() -> bool:
        await clock.advance(1)
        return call.done() and told()[-1] is Delivery.DELIVERED

    await eventually(returned)
    assert (await call).status is AskStatus.ANSWERED
    assert await delivery_of(desk, pending_id) is Delivery.DELIVERED


async def test_a_call_that_leaves_before_it_takes_the_offer_leaves_the_answer_for_later(
    desk: TestDesk, clock: FakeClock
) -> None:
    """K8.6 19: cancellation that wins after the lookup means the detached path at once."""
    asked = await desk.asking.open(make_caller(), make_draft())
    session_id = (await desk.desk.get_bundle(asked.pending_id)).session_id
    waiters = desk.services.desk._waiters
    leaving = waiters.add(asked.pending_id, session_id)
    before = clock.monotonic()
    responder = asyncio.create_task(respond(desk, asked.pending_id))
    await until(leaving.wake.done)
    waiters.remove(leaving)
    await responder
    assert clock.monotonic() == before
    assert await delivery_of(desk, asked.pending_id) is Delivery.WAITING_FOR_AGENT
    assert (await desk.asking.wait(asked.pending_id)).answers == SQLITE.answers


async def test_recovery_keeps_the_answer_of_a_run_that_died_before_delivery(
    store_path: Path, clock: FakeClock
) -> None:
    """K5.6 6, guest form; product.md P1."""
    wrapped: list[FaultyDatabase] = []

    def wrap(database: Database) -> Database:
        wrapped.append(FaultyDatabase(database))
        return wrapped[0]

    async with open_desk(store_path, clock, wrap=wrap) as dying:
        opened = await dying.asking.open(make_caller(), make_draft())
        wrapped[0].plan(None, *(Fault("before", unavailable()) for _ in range(3)))
        await respond(dying, opened.pending_id)
        assert await delivery_of(dying, opened.pending_id) is Delivery.PENDING
        for task in asyncio.all_tasks():
            if task.get_name() == "settle answer":
                task.cancel()
    async with open_desk(store_path, clock) as desk:
        assert await delivery_of(desk, opened.pending_id) is Delivery.WAITING_FOR_AGENT
        assert (await desk.asking.wait(opened.pending_id)).answers == SQLITE.answers


async def asked_again(desk: TestDesk) -> tuple[PendingId, PendingId]:
    """An answered question nobody collected, and the same question asked again with new ids."""
    first = await desk.asking.open(make_caller("k1"), make_draft(make_question("q1")))
    await respond(desk, first.pending_id, POSTGRES)
    second = await desk.asking.open(make_caller("k2"), make_draft(make_question("other")))
    return first.pending_id, second.pending_id


async def test_an_equal_question_offers_the_stored_answer_and_one_tap_hands_it_over(
    desk: TestDesk,
) -> None:
    """When the call is gone, 4: pre-filled, one deliberate tap, one transaction."""
    old, new = await asked_again(desk)
    offered = (await desk.desk.get_bundle(new)).stored_answer
    assert offered is not None
    assert offered.pending_id == old
    call = await waiting(desk, new)
    assert not call.done()
    outcome = await desk.desk.hand_over_stored_answer(new, client_id=HUMAN, claim_token=new_token())
    assert outcome.delivery is Delivery.DELIVERED
    (answer,) = (await call).answers
    assert answer == make_answer("other", "other_opt2")
    assert await delivery_of(desk, old) is Delivery.REPLACED
    replaced = await desk.asking.wait(old)
    assert (replaced.status, replaced.replaced_by) == (AskStatus.WITHDRAWN, new)


async def test_an_answer_collected_lately_is_still_offered(desk: TestDesk) -> None:
    """When the call is gone, 4: delivered within 24 h is offered too."""
    old, new = await asked_again(desk)
    await desk.asking.wait(old)
    offered = (await desk.desk.get_bundle(new)).stored_answer
    assert offered is not None
    assert offered.delivery is Delivery.DELIVERED
    await desk.desk.hand_over_stored_answer(new, client_id=HUMAN, claim_token=new_token())
    assert await delivery_of(desk, old) is Delivery.DELIVERED


async def test_a_collection_between_look_and_tap_wins(faulty: FaultyDesk) -> None:
    """When the call is gone, 4: if its ticket was collected meanwhile, the tap does nothing."""
    desk = faulty.desk
    old, new = await asked_again(desk)
    held = Fault("before")
    faulty.faults.plan(held)
    tap = asyncio.create_task(
        desk.desk.hand_over_stored_answer(new, client_id=HUMAN, claim_token=new_token())
    )
    await held.reached.wait()
    assert (await desk.asking.wait(old)).answers == POSTGRES.answers
    held.go_on.set()
    with pytest.raises(Conflict) as caught:
        await tap
    assert caught.value.code is ErrorCode.TICKET_COLLECTED
    assert (await desk.desk.get_bundle(new)).status is BundleStatus.PENDING


async def test_a_fresh_answer_replaces_the_stored_one(desk: TestDesk) -> None:
    old, new = await asked_again(desk)
    await respond(desk, new, Answered((make_answer("other", "other_opt1"),)))
    assert await delivery_of(desk, old) is Delivery.REPLACED


async def test_a_skip_is_never_offered_again(desk: TestDesk) -> None:
    first = await desk.asking.open(make_caller("k1"), make_draft())
    await respond(desk, first.pending_id, Skipped("no"))
    second = await desk.asking.open(make_caller("k2"), make_draft())
    assert (await desk.desk.get_bundle(second.pending_id)).stored_answer is None


async def test_answering_the_newer_of_two_equal_questions_withdraws_the_older(
    desk: TestDesk,
) -> None:
    """When the call is gone, 4: asked again."""
    first = await desk.asking.open(make_caller("k1"), make_draft())
    await cut(desk, first.pending_id, await waiting(desk, first.pending_id))
    second = await desk.asking.open(make_caller("k2"), make_draft())
    bundle = await desk.desk.get_bundle(second.pending_id)
    assert bundle.asked_again_of == first.pending_id
    await respond(desk, second.pending_id)
    old = await desk.asking.wait(first.pending_id)
    assert (old.status, old.replaced_by) == (AskStatus.WITHDRAWN, second.pending_id)
    withdrawn = (await desk.desk.get_bundle(first.pending_id)).withdrawn
    assert withdrawn is Withdrawn.REPLACED


async def test_an_equal_question_whose_call_still_waits_is_another_agents(desk: TestDesk) -> None:
    """Two agents may ask the same thing at once; each gets its own answer."""
    first = await desk.asking.open(make_caller("k1"), make_draft())
    first_call = await waiting(desk, first.pending_id)
    second = await desk.asking.open(make_caller("k2"), make_draft())
    assert (await desk.desk.get_bundle(second.pending_id)).asked_again_of is None
    await respond(desk, second.pending_id)
    assert not first_call.done()
    await respond(desk, first.pending_id, POSTGRES)
    assert (await first_call).answers == POSTGRES.answers


async def test_a_cancel_never_overwrites_an_answer(desk: TestDesk) -> None:
    """clarification.md, improvement 9."""
    pending_id = await ask(desk)
    results = await asyncio.gather(
        respond(desk, pending_id), desk.desk.close_question(pending_id), return_exceptions=True
    )
    status = (await desk.desk.get_bundle(pending_id)).status
    failures = [result for result in results if isinstance(result, BaseException)]
    assert len(failures) == 1
    assert status is (BundleStatus.ANSWERED if results[0] is None else BundleStatus.CANCELLED)


async def test_a_detached_answer_is_kept(desk: TestDesk) -> None:
    pending_id = await ask(desk)
    await cut(desk, pending_id, await waiting(desk, pending_id))
    await respond(desk, pending_id)
    assert await delivery_of(desk, pending_id) is Delivery.WAITING_FOR_AGENT
