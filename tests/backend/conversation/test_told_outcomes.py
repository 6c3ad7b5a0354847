"""Outcomes of requests as prompts of a desk's own agents: after their turns, once (T1.4, K7.3)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.clock import SystemClock
from backend.domain.hosted import AgentStatus
from backend.events import ReviewChanged
from backend.ids import ReviewId
from tests.helpers.kept import Kept
from tests.helpers.place import Place, raw
from tests.helpers.receipts import receipts_of, statuses
from tests.helpers.scripted_hosting import hosting
from tests.helpers.waiting import until

MOMENT = "2026-01-01T00:00:00.000000000Z"
CALL = (
    "INSERT INTO tool_invocations (id, owner, session_id, arguments_hash, status, created_at,"
    " updated_at) VALUES ('i1', 'gateway', 's1', '', 'succeeded', ?, ?)"
)
REQUEST = (
    "INSERT INTO tool_action_requests (id, owner, invocation_id, session_id, turn_id, status,"
    " requested_by_agent, tool_name, decided_at, canonical_arguments_hash, signed_arguments,"
    " created_at, updated_at) VALUES ('r1', 'gateway', 'i1', 's1', ?, 'executed', 'scripted',"
    " 'files__write', ?, '', '{\"call_id\":\"c\"}', ?, ?)"
)
RECEIPT = (
    "INSERT INTO interaction_deliveries (pending_id, session_id, kind, state, opened_at,"
    " updated_at) VALUES ('r1', 's1', 'permission_request', 'waiting_for_agent', ?, ?)"
)


@pytest.fixture
async def kept(place: Place, tmp_path: Path) -> AsyncIterator[Kept]:
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.start("go")
        await hosted.works()
        yield Kept(hosted)


def owe(place: Place) -> None:
    """A call that was approved and has run, and whose agent was not told."""
    with raw(place) as connection:
        (turn,) = connection.execute("SELECT id FROM task_session_turns").fetchall()
        connection.execute(CALL, (MOMENT, MOMENT))
        connection.execute(REQUEST, (turn["id"], MOMENT, MOMENT, MOMENT))
        connection.execute(RECEIPT, (MOMENT, MOMENT))
        connection.commit()


async def test_it_is_the_next_prompt_when_the_turn_ends(kept: Kept, place: Place) -> None:
    """T6.2 51: the run yields, and is told once."""
    await asyncio.to_thread(owe, place)
    assert kept.given == ["go"]
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    assert statuses(kept.given[1]) == ["executed"]
    await until(lambda: receipts_of(place) == ["delivered"])
    await kept.hosted.done()
    assert len(kept.given) == 2


async def test_an_agent_that_has_long_been_done_is_told_when_its_call_has_run(
    kept: Kept, place: Place
) -> None:
    """T1.4: the outcome itself wakes it, no turn has to end."""
    await kept.hosted.done()
    await asyncio.to_thread(owe, place)
    review = await kept.hosted.desk.desk.reviews.get_review(ReviewId("r1"))
    kept.hosted.desk.services.bus.publish(ReviewChanged(review))
    kept.hosted.desk.services.bus.publish(ReviewChanged(review))
    await kept.prompted(2)
    assert statuses(kept.given[1]) == ["executed"]
    await kept.hosted.done()
    assert len(kept.given) == 2


async def test_an_agent_that_dies_without_a_word_leaves_it_not_confirmed_and_is_not_told_again(
    kept: Kept, place: Place
) -> None:
    """As with an answer: that it was given is known, that it was read is not."""
    await asyncio.to_thread(owe, place)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    await until(lambda: receipts_of(place) == ["delivered"])
    kept.hosted.agent.die()
    await until(lambda: receipts_of(place) == ["unknown"])
    await kept.hosted.status(AgentStatus.FAILED)
    assert len(kept.given) == 2


async def test_an_answer_goes_first_and_what_is_queued_last(kept: Kept, place: Place) -> None:
    """K7.3: one after the other, each in a turn of its own."""
    asked = await kept.ask()
    await kept.hosted.send("later")
    await kept.respond(asked)
    await asyncio.to_thread(owe, place)
    for prompts in (2, 3, 4):
        kept.hosted.agent.prompts[-1].done()
        await kept.prompted(prompts)
    assert "PostgreSQL" in kept.given[1]
    assert statuses(kept.given[2]) == ["executed"]
    assert kept.given[3] == "later"


async def test_the_next_run_starts_its_agent_for_it(place: Place, tmp_path: Path) -> None:
    """T6.2 51, across a restart of the desk."""
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.start("go")
        await hosted.works()
        await hosted.done()
        await asyncio.to_thread(owe, place)
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await until(lambda: len(hosted.launcher.given) == 1)
        assert statuses(hosted.launcher.given[0]) == ["executed"]
        await until(lambda: receipts_of(place) == ["delivered"])
        await hosted.done()
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.desk.desk.list_sessions()
        assert hosted.launcher.given == []
