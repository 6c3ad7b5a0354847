"""Answers nobody delivers any more, in a desk that runs for weeks (K5.7 step 2)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backend.clarification.settling import Unsettled
from backend.domain.clarification import BundleStatus, Delivery, Skipped
from backend.errors import AgentFailed, ErrorCode, StorageFailed
from backend.ids import ClaimId, PendingId
from backend.store import bundles, intents
from backend.store.database import Database
from backend.work.deadline_worker import RETRY_DELAYS
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault
from tests.helpers.hosted import HostedDesk, P, hosted_desk
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker, claim, make_claim, metadata_of
from tests.helpers.waiting import eventually, until

BROKEN = StorageFailed(ErrorCode.STORE_FULL, "injected")


@pytest.fixture
async def hosted(store_path: Place, clock: FakeClock) -> AsyncIterator[HostedDesk]:
    async with hosted_desk(store_path, clock, has_resumer=False) as running:
        yield running


async def stuck(hosted: HostedDesk, *tries: Fault) -> None:
    """An answer that could not be taken back, and how the tries to do it later will go."""
    hosted.faults.plan(None, Fault("before", BROKEN), *tries)
    with pytest.raises(AgentFailed):
        await hosted.respond()


async def test_it_is_tried_after_1_5_30_and_then_every_300_seconds(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """clarification.md, Resolver: on the shared deadline worker."""
    tries = [Fault("before", BROKEN) for _ in range(5)]
    await stuck(hosted, *tries)
    for delay, attempt in zip((*RETRY_DELAYS, RETRY_DELAYS[-1]), tries, strict=True):
        await until(lambda: clock.pending_timers == 1)
        await clock.advance(delay - 0.5)
        assert not attempt.reached.is_set()
        await clock.advance(0.5)
        await until(attempt.reached.is_set)
    assert (await hosted.bundle()).status is BundleStatus.ANSWERED
    await until(lambda: clock.pending_timers == 1)
    await clock.advance(RETRY_DELAYS[-1])

    async def restored() -> bool:
        return (await hosted.bundle()).answerable

    await eventually(restored)
    await until(lambda: clock.pending_timers == 0)


async def test_an_answer_somebody_has_settled_meanwhile_is_left_alone(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """K8.6 64: another claim holds by now, or the rows are settled."""
    await stuck(hosted)
    claim_id = (await hosted.bundle()).claim_id
    async with hosted.desk.database.writing() as tx:
        assert await intents.finalize(tx, P, claim_id, Delivery.DELIVERED, clock.now())
    await clock.advance(1)
    await until(lambda: clock.pending_timers == 0)
    assert await hosted.delivery() is Delivery.DELIVERED


async def test_an_answer_that_is_being_delivered_is_left_to_whoever_does_it(
    hosted: HostedDesk, clock: FakeClock
) -> None:
    """clarification.md, Resolver: only intents without an owner in this process."""
    await _claimed(hosted.desk.database)
    resolver = hosted.desk.services.desk._resolver
    owner = asyncio.ensure_future(asyncio.Event().wait())
    resolver._in_flight[P] = owner  # type: ignore[assignment]
    resolver._settler.hint(Unsettled(P, ClaimId("claim-1")))
    for _ in range(2):
        await clock.advance(1)
        await until(lambda: clock.pending_timers == 1)
        assert await hosted.delivery() is Delivery.PENDING
    del resolver._in_flight[P]
    owner.cancel()
    await clock.advance(1)

    async def restored() -> bool:
        return (await hosted.bundle()).answerable

    await eventually(restored)


async def test_a_restore_leaves_answered_siblings_as_they_are(
    hosted: HostedDesk, store_path: Place, clock: FakeClock
) -> None:
    """K8.5 19, 20; improvement 4: only the rows that were claimed come back."""
    done = {"question_id": "q2", "custom_text": "long ago"}
    hosted.rows.question(P, question_id="q2", question_index=1, status="answered", response=done)
    with pytest.raises(AgentFailed):
        await hosted.respond()
    first, second = metadata_of(store_path, P)
    assert (first["status"], second["status"]) == ("pending", "answered")
    assert second["response"] == done
    await until(lambda: clock.pending_timers == 0)


async def test_an_answer_is_restored_whole_or_not_at_all(
    hosted: HostedDesk, store_path: Place, clock: FakeClock
) -> None:
    """K5.7 step 2: every row restorable, else none."""
    hosted.rows.question(P, question_id="q2", question_index=1)
    async with hosted.desk.database.writing() as tx:
        bundle = await bundles.require_bundle(tx, P)
    assert len(bundle.questions) == 2
    await _claimed(hosted.desk.database)
    hosted.rows.turn("turn2")
    with raw(store_path) as connection:
        connection.execute(
            "UPDATE task_session_messages SET turn_id = 'turn2' WHERE id = ?",
            (bundle.questions[1].message_id,),
        )
    async with hosted.desk.database.writing() as tx:
        intent = await intents.find(tx, P)
        assert intent is not None
        assert not await intents.restore(tx, P, intent.claim_id, clock.now())
    assert [item["status"] for item in metadata_of(store_path, P)] == ["rejected", "rejected"]


async def _claimed(database: Database) -> None:
    assert await claim(database, make_claim(P, Skipped("")))


async def test_a_skipped_newer_question_does_not_bring_the_older_one_back(
    hosted: HostedDesk,
) -> None:
    """K8.5 7: neither reappears, and no later end of the turn does it."""
    rows: RowMaker = hosted.rows
    rows.turn("turn2")
    rows.question("p2", turn="turn2")
    newer = PendingId("p2")
    assert (await hosted.respond(Skipped(""), pending_id=newer)).claimed
    assert await hosted.desk.desk.list_open_bundles() == ()
    await hosted.desk.services.lifecycle.detach_session((await hosted.bundle()).session_id)
    assert await hosted.desk.desk.list_open_bundles() == ()
