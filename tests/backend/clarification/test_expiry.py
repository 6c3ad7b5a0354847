"""Questions nobody answers in time (clarification.md, improvement 12)."""

import asyncio
from pathlib import Path

import pytest

from backend.clarification.ask_result import AskStatus
from backend.domain.clarification import AnswerDraft, Answered, BundleStatus
from backend.errors import Conflict
from backend.events import BundleChanged, BundleOpened
from backend.ids import PendingId
from tests.backend.clarification.test_asking import respond, waiting
from tests.helpers.builders import make_answer, make_draft
from tests.helpers.clock import FakeClock
from tests.helpers.desk import TestDesk, make_caller, open_desk
from tests.helpers.place import Place
from tests.helpers.store import metadata_of
from tests.helpers.waiting import eventually, until

AFTER = 600.0
ANSWER = Answered((make_answer("q1", "q1_opt1"),))


async def status_is(desk: TestDesk, pending_id: str, status: BundleStatus) -> None:
    async def reached() -> bool:
        return (await desk.desk.get_bundle(pending_id)).status is status  # type: ignore[arg-type]

    await eventually(reached)


async def watched(desk: TestDesk, clock: FakeClock, pending_id: PendingId) -> None:
    """Wait until the question is announced, and its clock is all that runs."""

    def announced() -> bool:
        return any(
            isinstance(event, BundleOpened) and event.bundle.pending_id == pending_id
            for event in desk.events
        )

    await until(lambda: announced() and clock.pending_timers == 1)


async def test_it_is_off_by_default(store_path: Place, clock: FakeClock) -> None:
    """Improvement 12."""
    async with open_desk(store_path, clock) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
        await until(lambda: any(isinstance(event, BundleOpened) for event in desk.events))
        await until(lambda: clock.pending_timers == 0)
        await clock.advance(10 * 24 * 3600)
        assert (await desk.desk.get_bundle(asked.pending_id)).answerable


async def test_a_question_nobody_answers_expires_and_its_agent_is_told(
    store_path: Place, clock: FakeClock
) -> None:
    """Improvement 12: `unanswered` with no answers, never a choice; the row says expired."""
    async with open_desk(store_path, clock, expire_after=AFTER) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
        call = await waiting(desk, asked.pending_id)
        # Told once the call has looked at the store and sleeps.
        await until(lambda: any(isinstance(event, BundleChanged) for event in desk.events))
        await watched(desk, clock, asked.pending_id)
        await clock.advance(AFTER - 1)
        assert not call.done()
        await clock.advance(1)
        result = await call
        assert (result.status, result.answers) == (AskStatus.UNANSWERED, ())
        assert metadata_of(store_path, asked.pending_id)[0]["status"] == "expired"
        await until(lambda: clock.pending_timers == 0)
        await until(
            lambda: any(
                isinstance(event, BundleChanged) and event.bundle.status is BundleStatus.EXPIRED
                for event in desk.events
            )
        )
        with pytest.raises(Conflict):
            await respond(desk, asked.pending_id)


async def test_typing_stops_the_clock(store_path: Place, clock: FakeClock) -> None:
    """Improvement 12: a stored draft stops it; an emptied one lets it run again."""
    async with open_desk(store_path, clock, expire_after=AFTER) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
        worker = desk.services.expiry._parts.worker
        key = f"expire question {asked.pending_id}"
        await until(lambda: key in worker)
        draft = AnswerDraft(asked.pending_id, ANSWER.answers)
        await desk.desk.save_draft(draft)
        for _ in range(3):
            await clock.advance(AFTER)
            await until(lambda: key in worker)
            assert (await desk.desk.get_bundle(asked.pending_id)).answerable
        await desk.desk.save_draft(AnswerDraft(asked.pending_id))
        await clock.advance(AFTER)
        await status_is(desk, asked.pending_id, BundleStatus.EXPIRED)


async def test_the_time_survives_a_restart(store_path: Place, clock: FakeClock) -> None:
    """Improvement 12."""
    async with open_desk(store_path, clock, expire_after=AFTER) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
        await clock.advance(AFTER - 100)
    async with open_desk(store_path, clock, expire_after=AFTER) as later:
        await later.services.expiry.start()
        await clock.advance(99)
        assert (await later.desk.get_bundle(asked.pending_id)).answerable
        await clock.advance(1)
        await status_is(later, asked.pending_id, BundleStatus.EXPIRED)


async def test_what_became_due_while_no_desk_ran_expires_at_once(
    store_path: Place, clock: FakeClock
) -> None:
    """Improvement 12."""
    async with open_desk(store_path, clock) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
    await clock.advance(AFTER * 2)
    async with open_desk(store_path, clock, expire_after=AFTER) as later:
        await later.services.expiry.start()
        await clock.advance(0)
        await status_is(later, asked.pending_id, BundleStatus.EXPIRED)


async def test_a_clock_that_was_set_back_makes_nobody_wait_longer(
    tmp_path: Path, clock: FakeClock
) -> None:
    """Improvement 12; a jump of the wall clock."""
    store = tmp_path / "kandesk.db"
    async with open_desk(store, clock) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
    clock._now -= 3_600_000_000_000
    async with open_desk(store, clock, expire_after=AFTER) as later:
        await later.services.expiry.start()
        await clock.advance(AFTER)
        await status_is(later, asked.pending_id, BundleStatus.EXPIRED)


async def test_of_an_answer_and_the_expiry_exactly_one_wins(
    store_path: Place, clock: FakeClock
) -> None:
    """Improvement 12; R1."""
    async with open_desk(store_path, clock, expire_after=AFTER) as desk:
        for number in range(5):
            asked = await desk.asking.open(make_caller(f"k{number}"), make_draft())
            await watched(desk, clock, asked.pending_id)
            answering = asyncio.create_task(respond(desk, asked.pending_id))
            await clock.advance(AFTER)
            failed = isinstance(
                (await asyncio.gather(answering, return_exceptions=True))[0], BaseException
            )
            bundle = await desk.desk.get_bundle(asked.pending_id)
            expected = BundleStatus.EXPIRED if failed else BundleStatus.ANSWERED
            await status_is(desk, asked.pending_id, expected)
            assert (bundle.delivery is None) is failed


async def test_an_answered_question_leaves_nothing_to_wait_for(
    store_path: Place, clock: FakeClock
) -> None:
    """clarification.md, Resolver: idle, the desk has no timers."""
    async with open_desk(store_path, clock, expire_after=AFTER) as desk:
        asked = await desk.asking.open(make_caller(), make_draft())
        await watched(desk, clock, asked.pending_id)
        await respond(desk, asked.pending_id)
        await until(lambda: clock.pending_timers == 0)


async def test_the_time_the_machine_slept_counts(store_path: Place, clock: FakeClock) -> None:
    """agents.md, ACP: after a suspend deadlines are looked at again."""
    async with open_desk(store_path, clock, expire_after=AFTER) as desk:
        await desk.services.expiry.start()
        asked = await desk.asking.open(make_caller(), make_draft())
        await watched(desk, clock, asked.pending_id)
        clock.sleep_machine(AFTER)
        assert (await desk.desk.get_bundle(asked.pending_id)).answerable
        desk.services.wake.look()
        for _ in range(100):
            await clock.advance(0.01)
            if not (await desk.desk.get_bundle(asked.pending_id)).answerable:
                break
        await status_is(desk, asked.pending_id, BundleStatus.EXPIRED)
