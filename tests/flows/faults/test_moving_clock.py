"""The clock of a running desk is set back an hour, or forward a day; or the machine slept."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from backend.domain.clarification import BundleStatus, Delivery, ResponseOutcome
from backend.errors import TemporarilyUnavailable
from backend.events import BundleOpened
from backend.ids import PendingId
from tests.flows.faults.test_full_disk import label
from tests.helpers.builders import make_draft
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import HUMAN, TestDesk, make_caller, new_token, open_desk
from tests.helpers.faults import Fault, FaultyDatabase
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.place import Place, raw
from tests.helpers.program import RunningDesk, running_desk
from tests.helpers.store import YES
from tests.helpers.waiting import eventually, until

pytestmark = pytest.mark.faults

HOUR = 3600
DAY = 24 * HOUR
JUMPS = pytest.mark.parametrize("jump", [-HOUR, DAY], ids=["back an hour", "forward a day"])


@dataclass
class Moving:
    """A desk with a clock, its human and an agent."""

    offset: Path
    store: Path
    desk: RunningDesk
    human: Human
    agent: Client

    def jump(self, seconds: int) -> None:
        moving = self.offset.with_suffix(".new")
        moving.write_text(str(seconds))
        moving.replace(self.offset)

    async def open_question(
        self, prompt: str, agent: Client | None = None
    ) -> "tuple[asyncio.Task[dict[str, Any]], dict[str, Any]]":
        before = {bundle["pending_id"] for bundle in await self.human.pending()}
        asked = {"questions": [question(prompt, "yes", "no")]}
        call = asyncio.create_task(ask(agent or self.agent, asked))
        bundles = await self.human.wait_for(len(before) + 1)
        (bundle,) = (each for each in bundles if each["pending_id"] not in before)
        return call, bundle


@asynccontextmanager
async def moving_desk(tmp_path: Path) -> AsyncIterator[Moving]:
    home, offset = tmp_path / "home", tmp_path / "offset"
    entry = (sys.executable, "-m", "tests.flows.faults.desk_with_a_moving_clock", str(offset))
    async with (
        running_desk(home, *entry) as desk,
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as agent,
    ):
        yield Moving(offset, home / "kandesk.db", desk, human, agent)


def transcript(place: Place) -> list[str]:
    """The prompts of all sessions in the order the transcript shows them."""
    with raw(place) as connection:
        rows = connection.execute(
            "SELECT content FROM task_session_messages"
            " WHERE type = 'clarification_request' ORDER BY created_at, id"
        ).fetchall()
    return [str(row["content"]) for row in rows]


async def test_a_running_desk_whose_clock_is_set_back_goes_on_in_order(tmp_path: Path) -> None:
    """K1.8, K3.5: transcript and Inbox in the order asked, no age below zero, all answerable."""
    async with moving_desk(tmp_path) as here:
        calls = []
        for prompt, seconds in (("First?", 0), ("Second?", -HOUR), ("Third?", -HOUR)):
            here.jump(seconds)
            calls.append((await here.open_question(prompt))[0])
        assert transcript(here.store) == ["First?", "Second?", "Third?"]
        bundles = await here.human.pending()
        prompts = [bundle["questions"][0]["prompt"] for bundle in bundles]
        assert prompts == ["First?", "Second?", "Third?"]
        assert all(bundle["active"] for bundle in bundles)
        assert min(bundle["age_seconds"] for bundle in bundles) >= 0
        for place, bundle in enumerate(reversed(bundles)):
            reply = await here.human.answer(bundle, place % 2)
            assert (reply["claimed"], reply["delivery"]) == (True, "delivered")
        assert [label(await asyncio.wait_for(call, 20)) for call in calls] == ["yes", "no", "yes"]


async def answer(desk: TestDesk, pending_id: PendingId) -> ResponseOutcome:
    return await desk.desk.respond(pending_id, YES, client_id=HUMAN, claim_token=new_token())


async def cut(desk: TestDesk, pending_id: PendingId) -> None:
    """Its caller is gone, and that is stored."""
    desk.asking.cut(pending_id)

    async def detached() -> bool:
        return (await desk.desk.get_bundle(pending_id)).detached

    await eventually(detached)


@JUMPS
async def test_questions_asked_after_a_jump_are_newer_and_answerable(
    place: Place, jump: int
) -> None:
    """K1.8: the newest turn owns the session, wherever the clock was set since."""
    clock = FakeClock()
    async with open_desk(place, clock) as desk:
        opened = []
        for number in range(3):
            draft = make_draft(context=f"{number}")
            opened.append((await desk.asking.open(make_caller(), draft)).pending_id)
            clock.set_wall(jump)
        found = await desk.desk.list_open_bundles()
        assert [bundle.pending_id for bundle in found] == opened
        revisions = [bundle.questions[0].revision for bundle in found]
        assert revisions == sorted(revisions)
        page = await desk.desk.list_messages(found[0].session_id)
        assert [message.revision for message in page.messages] == revisions
        for pending_id in opened:
            assert (await answer(desk, pending_id)).claimed


@JUMPS
async def test_a_ticket_gives_its_answer_whatever_the_clock_says(place: Place, jump: int) -> None:
    """When the call is gone, 2: a ticket is valid while its bundle exists."""
    clock = FakeClock()
    async with open_desk(place, clock) as desk:
        opened = await desk.asking.open(make_caller(), make_draft())
        clock.set_wall(jump)
        assert (await answer(desk, opened.pending_id)).claimed
        for _ in range(2):
            clock.set_wall(jump)
            redeemed = await desk.asking.redeem(opened.ticket)
            result = await desk.asking.wait(redeemed.pending_id)
            assert result.answers == YES.answers


@JUMPS
async def test_a_cut_nobody_can_date_joins_no_later_question(place: Place, jump: int) -> None:
    """When the call is gone, 3 and 4: ten minutes; else a new card, pre-filled."""
    clock = FakeClock()
    caller = make_caller(connection="mcp-1")
    async with open_desk(place, clock) as desk:
        opened = await desk.asking.open(caller, make_draft())
        await cut(desk, opened.pending_id)
        assert (await answer(desk, opened.pending_id)).delivery is Delivery.WAITING_FOR_AGENT
        clock.set_wall(jump)
        again = await desk.asking.open(caller, make_draft())
        assert not again.replayed
        fresh = await desk.desk.get_bundle(again.pending_id)
        assert fresh.stored_answer is not None
        assert fresh.stored_answer.pending_id == opened.pending_id


async def test_a_clock_that_is_set_right_by_a_second_keeps_nobody_from_joining(
    place: Place,
) -> None:
    clock = FakeClock()
    caller = make_caller(connection="mcp-1")
    async with open_desk(place, clock) as desk:
        opened = await desk.asking.open(caller, make_draft())
        await cut(desk, opened.pending_id)
        clock.set_wall(-1)
        assert (await desk.asking.open(caller, make_draft())).pending_id == opened.pending_id


@JUMPS
async def test_of_two_equal_questions_the_later_asked_counts_as_the_newer(
    place: Place, jump: int
) -> None:
    """When the call is gone, 4: answering the newer withdraws the older, not the other way."""
    clock = FakeClock()
    async with open_desk(place, clock) as desk:
        older = await desk.asking.open(make_caller(connection="mcp-1"), make_draft())
        clock.set_wall(jump)
        newer = await desk.asking.open(make_caller(connection="mcp-2"), make_draft())
        assert (await desk.desk.get_bundle(older.pending_id)).asked_again_of is None
        found = await desk.desk.get_bundle(newer.pending_id)
        assert found.asked_again_of == older.pending_id
        assert (await answer(desk, newer.pending_id)).claimed
        closed = await desk.desk.get_bundle(older.pending_id)
        assert closed.status is BundleStatus.CANCELLED
        assert closed.replaced_by == newer.pending_id


@JUMPS
async def test_time_to_answer_is_counted_by_the_clock_nobody_sets(place: Place, jump: int) -> None:
    """Improvement 12: a jump neither expires a question nor keeps it open for longer."""
    clock = FakeClock()
    async with open_desk(place, clock, expire_after=600) as desk:
        opened = await desk.asking.open(make_caller(), make_draft())
        await _announced(desk)
        clock.set_wall(jump)
        await clock.advance(590)
        await settle()
        assert (await desk.desk.get_bundle(opened.pending_id)).answerable
        await clock.advance(11)

        async def expired() -> bool:
            bundle = await desk.desk.get_bundle(opened.pending_id)
            return bundle.status is BundleStatus.EXPIRED

        await eventually(expired)


async def _announced(desk: TestDesk) -> None:
    await until(lambda: any(isinstance(event, BundleOpened) for event in desk.events))


async def test_a_machine_that_slept_during_a_claim_makes_it_unknown_and_retry_safe(
    place: Place,
) -> None:
    """Budgets: after a suspend, in-flight budgets end with Retry; nothing was claimed."""
    clock = FakeClock()
    made: list[FaultyDatabase] = []
    async with open_desk(place, clock, wrap=lambda real: _faulty(made, real)) as desk:
        opened = await desk.asking.open(make_caller(), make_draft())
        asleep = Fault("before")
        made[0].plan(asleep)
        token = new_token()
        answering = asyncio.ensure_future(
            desk.desk.respond(opened.pending_id, YES, client_id=HUMAN, claim_token=token)
        )
        await asleep.reached.wait()
        await clock.advance(600)
        with pytest.raises(TemporarilyUnavailable):
            await asyncio.wait_for(answering, 10)
        asleep.go_on.set()
        again = await desk.desk.respond(opened.pending_id, YES, client_id=HUMAN, claim_token=token)
        assert (again.claimed, again.replayed) == (True, False)


async def test_a_machine_that_slept_during_a_delivery_says_so_and_delivers_once(
    place: Place,
) -> None:
    """Budgets: the started confirmation goes on; K5.6, an answer is claimed exactly once."""
    clock = FakeClock()
    made: list[FaultyDatabase] = []
    async with open_desk(place, clock, wrap=lambda real: _faulty(made, real)) as desk:
        opened = await desk.asking.open(make_caller(), make_draft())
        waiting = asyncio.ensure_future(desk.asking.wait(opened.pending_id))
        await _waits(desk.services.asking, opened.pending_id)
        asleep = Fault("before")
        made[0].plan(None, asleep)
        token = new_token()
        answering = asyncio.ensure_future(
            desk.desk.respond(opened.pending_id, YES, client_id=HUMAN, claim_token=token)
        )
        await asleep.reached.wait()
        await clock.advance(600)
        said = await asyncio.wait_for(answering, 10)
        assert said.delivery in {Delivery.PENDING, Delivery.UNKNOWN}
        assert not waiting.done()
        asleep.go_on.set()
        await settle()
        await clock.advance(1)
        result = await asyncio.wait_for(waiting, 10)
        assert result.answers == YES.answers
        again = await desk.desk.respond(opened.pending_id, YES, client_id=HUMAN, claim_token=token)
        assert again.replayed
        assert again.responded_at == said.responded_at


def _faulty(made: list[FaultyDatabase], real: Any) -> FaultyDatabase:
    made.append(FaultyDatabase(real))
    return made[0]


async def _waits(asking: Any, pending_id: PendingId) -> None:
    async def counted() -> bool:
        return bool(asking._waiters.count(pending_id))

    await eventually(counted)
