"""What is told when the store fails at the wrong moment: nothing is lost (P1, P3, P8)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import OpenAsk
from backend.domain.clarification import Bundle, BundleStatus, Delivery, Withdrawn
from backend.errors import AgentFailed, Conflict, TemporarilyUnavailable
from backend.events import BundleChanged, BundleOpened, BundleResolved
from backend.ids import PendingId, TaskId
from backend.store.database import Database
from tests.backend.clarification.test_asking import respond, waiting
from tests.helpers.builders import make_draft
from tests.helpers.clock import FakeClock
from tests.helpers.desk import HUMAN, TestDesk, make_caller, new_token, open_desk
from tests.helpers.faults import Fault, FaultyDatabase, unavailable
from tests.helpers.hosted import YES, S, hosted_desk
from tests.helpers.place import Place
from tests.helpers.waiting import eventually, until


class Faulty:
    """A desk, and the store between its services and the rows."""

    def __init__(self, desk: TestDesk, faults: FaultyDatabase) -> None:
        self.desk = desk
        self.faults = faults

    async def ask(self) -> OpenAsk:
        return await self.desk.asking.open(make_caller(connection="c1"), make_draft())

    def shown(self, pending_id: PendingId) -> Bundle | None:
        """The question as a window has heard of it last."""
        told = (
            event.bundle
            for event in reversed(self.desk.events)
            if isinstance(event, BundleOpened | BundleChanged | BundleResolved)
        )
        return next((bundle for bundle in told if bundle.pending_id == pending_id), None)

    def shows(self, pending_id: PendingId, status: BundleStatus) -> bool:
        bundle = self.shown(pending_id)
        return bundle is not None and bundle.status is status

    @contextmanager
    def unreadable(self) -> Iterator[Fault]:
        self.faults.reads = Fault("before", unavailable())
        yield self.faults.reads
        self.faults.reads = None

    def lose_commit(self) -> Fault:
        """The next write is stored, and whoever made it is told that it failed."""
        lost = Fault("after commit", unavailable())
        self.faults.plan(lost)
        return lost


@asynccontextmanager
async def faulty_desk(
    place: Place, clock: FakeClock, *, expire_after: float | None = None
) -> AsyncIterator[Faulty]:
    wrapped: list[FaultyDatabase] = []

    def wrap(database: Database) -> Database:
        wrapped.append(FaultyDatabase(database))
        return wrapped[0]

    async with open_desk(place, clock, wrap=wrap, expire_after=expire_after) as desk:
        yield Faulty(desk, wrapped[0])
        wrapped[0].reads = None


@pytest.fixture
async def faulty(store_path: Place, clock: FakeClock) -> AsyncIterator[Faulty]:
    async with faulty_desk(store_path, clock) as running:
        yield running


async def passes(clock: FakeClock, condition: Callable[[], bool]) -> None:
    """Let time pass until something is so."""

    async def reached() -> bool:
        await clock.advance(0.5)
        return condition()

    await eventually(reached)


async def sleeping_call(faulty: Faulty, pending_id: PendingId) -> "asyncio.Task[AskResult]":
    """A call that has looked at the store and waits."""
    call = await waiting(faulty.desk, pending_id)
    await until(lambda: any(isinstance(event, BundleChanged) for event in faulty.desk.events))
    return call


async def test_a_question_whose_reading_fails_is_shown_as_soon_as_it_can_be_read(
    faulty: Faulty, clock: FakeClock
) -> None:
    """P8: every open question is visible; K8.6: a lost event is no lost question."""
    with faulty.unreadable() as failing:
        asked = await faulty.ask()
        await until(failing.reached.is_set)
        failing.reached.clear()
        await passes(clock, failing.reached.is_set)
        assert faulty.shown(asked.pending_id) is None
    await passes(clock, lambda: faulty.shows(asked.pending_id, BundleStatus.PENDING))
    await until(lambda: clock.pending_timers == 0)


async def test_a_close_that_seemed_to_fail_wakes_the_call_and_takes_the_card_away(
    faulty: Faulty, clock: FakeClock
) -> None:
    """Improvement 9; a retry of the human finds it closed and changes nothing."""
    asked = await faulty.ask()
    call = await sleeping_call(faulty, asked.pending_id)
    faulty.lose_commit()
    with pytest.raises(TemporarilyUnavailable):
        await faulty.desk.desk.close_question(asked.pending_id)
    with pytest.raises(Conflict):
        await faulty.desk.desk.close_question(asked.pending_id)
    await passes(clock, call.done)
    result = await call
    assert (result.status, result.reason) == (AskStatus.WITHDRAWN, Withdrawn.BY_HUMAN)
    await until(lambda: faulty.shows(asked.pending_id, BundleStatus.CANCELLED))


async def test_an_expiry_that_seemed_to_fail_wakes_the_call_and_takes_the_card_away(
    store_path: Place, clock: FakeClock
) -> None:
    """Improvement 12."""
    async with faulty_desk(store_path, clock, expire_after=600) as faulty:
        asked = await faulty.ask()
        call = await sleeping_call(faulty, asked.pending_id)
        await until(lambda: clock.pending_timers == 1)
        lost = faulty.lose_commit()
        await clock.advance(600)
        await until(lost.reached.is_set)
        await passes(clock, call.done)
        assert (await call).status is AskStatus.UNANSWERED
        await until(lambda: faulty.shows(asked.pending_id, BundleStatus.EXPIRED))


async def test_a_turn_that_seemed_not_to_open_takes_the_older_cards_away(
    store_path: Place, clock: FakeClock
) -> None:
    """K1.7, superseded."""
    async with hosted_desk(store_path, clock) as hosted:
        call = await hosted.waiting_call()
        hosted.faults.plan(Fault("after commit", unavailable()))
        with pytest.raises(TemporarilyUnavailable):
            await hosted.desk.services.lifecycle.open_turn(S, TaskId("task-s1"))
        await passes(clock, call.done)
        assert (await call).reason == Withdrawn.SUPERSEDED


async def test_an_ask_that_seemed_to_fail_is_shown_and_joined_by_its_equal_retry(
    faulty: Faulty,
) -> None:
    """Rule 3: its call counts as cut."""
    faulty.lose_commit()
    with pytest.raises(TemporarilyUnavailable):
        await faulty.ask()
    await until(lambda: any(isinstance(event, BundleChanged) for event in faulty.desk.events))
    (shown,) = await faulty.desk.desk.list_open_bundles()
    assert (shown.detached, shown.waiting_calls) == (True, 0)
    again = await faulty.ask()
    assert (again.pending_id, again.replayed) == (shown.pending_id, True)


async def test_a_stored_answer_is_collected_by_a_call_that_has_it(faulty: Faulty) -> None:
    """P1, P6: what is read or told after the hand-over cannot take the answer from its call."""
    asked = await faulty.ask()
    await respond(faulty.desk, asked.pending_id)
    slow = Fault("after commit")
    faulty.faults.plan(slow)
    call = await waiting(faulty.desk, asked.pending_id)
    await slow.reached.wait()
    with faulty.unreadable():
        slow.go_on.set()
        assert (await call).status is AskStatus.ANSWERED


async def test_a_hand_over_that_seemed_to_fail_still_gives_the_call_its_answer(
    faulty: Faulty, clock: FakeClock
) -> None:
    """P1: delivered means that somebody has got it."""
    asked = await faulty.ask()
    await respond(faulty.desk, asked.pending_id)
    faulty.lose_commit()
    result = await faulty.desk.asking.wait(asked.pending_id)
    assert result.status is AskStatus.ANSWERED
    bundle = await faulty.desk.desk.get_bundle(asked.pending_id)
    assert bundle.delivery is Delivery.DELIVERED


async def test_a_call_that_left_collects_nothing(faulty: Faulty) -> None:
    """P6: the answer goes on waiting for the agent's next contact."""
    asked = await faulty.ask()
    await respond(faulty.desk, asked.pending_id)
    slow = Fault("before")
    faulty.faults.plan(slow)
    call = await waiting(faulty.desk, asked.pending_id)
    await slow.reached.wait()
    call.cancel()
    await asyncio.wait({call})
    slow.go_on.set()
    await until(lambda: not faulty.desk.supervisor._tasks)
    bundle = await faulty.desk.desk.get_bundle(asked.pending_id)
    assert bundle.delivery is Delivery.WAITING_FOR_AGENT


async def test_a_confirmation_that_seemed_to_fail_is_reported_as_delivered(
    faulty: Faulty,
) -> None:
    """Improvement 1: the outcome says where the answer is."""
    asked = await faulty.ask()
    call = await sleeping_call(faulty, asked.pending_id)
    faulty.faults.plan(None, Fault("after commit", unavailable()))
    outcome = await faulty.desk.desk.respond(
        asked.pending_id, YES, client_id=HUMAN, claim_token=new_token()
    )
    assert (await call).status is AskStatus.ANSWERED
    assert outcome.delivery is Delivery.DELIVERED


async def test_a_claim_that_seemed_to_fail_tells_what_it_has_withdrawn(
    faulty: Faulty, clock: FakeClock
) -> None:
    """Rule 4: answering the newer of two equal questions withdraws the older."""
    older = await faulty.ask()
    await faulty.desk.asking.open(make_caller("k2"), make_draft())
    newer = next(
        bundle for bundle in await faulty.desk.desk.list_open_bundles() if bundle.asked_again_of
    )
    slow = Fault("after commit", unavailable())
    faulty.faults.plan(slow)
    answering = asyncio.ensure_future(respond(faulty.desk, newer.pending_id))
    await slow.reached.wait()
    with faulty.unreadable(), pytest.raises(TemporarilyUnavailable):
        await answering
    await passes(clock, lambda: faulty.shows(older.pending_id, BundleStatus.CANCELLED))


async def test_a_discard_that_seemed_to_fail_is_told(faulty: Faulty, clock: FakeClock) -> None:
    """Rule 4: the stored answer is gone from every list."""
    asked = await faulty.ask()
    await respond(faulty.desk, asked.pending_id)
    faulty.lose_commit()
    with pytest.raises(TemporarilyUnavailable):
        await faulty.desk.desk.discard_stored_answer(asked.pending_id)

    def told() -> bool:
        bundle = faulty.shown(asked.pending_id)
        return bundle is not None and bundle.delivery is Delivery.DISCARDED

    await passes(clock, told)


async def test_a_turn_that_seemed_not_to_be_freed_keeps_its_session_in_no_quarantine(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.6 row 20 is for a turn that is there."""
    async with hosted_desk(store_path, clock) as hosted:
        # Claim, reservation and a marker that fails; then the restore, which only seems to.
        lost = Fault("after commit", unavailable())
        hosted.faults.plan(None, None, Fault("before", unavailable()), lost)
        with pytest.raises(AgentFailed):
            await hosted.respond()
        outcome = await hosted.respond()
        assert outcome.delivery is Delivery.DELIVERED


async def test_asking_again_and_again_does_not_put_off_the_settling(
    store_path: Place, clock: FakeClock
) -> None:
    """P4: a client that retries twice a second sees the end of it."""
    async with hosted_desk(store_path, clock, has_resumer=False) as hosted:
        hosted.faults.plan(None, Fault("before", unavailable()))
        token = new_token()
        with pytest.raises(AgentFailed):
            await hosted.respond(token=token)
        await hosted.respond(token=token)
        await clock.advance(0.6)
        await hosted.respond(token=token)
        await clock.advance(0.6)

        def restored() -> bool:
            return any(isinstance(event, BundleOpened) for event in hosted.events)

        await until(restored)
