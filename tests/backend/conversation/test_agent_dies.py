"""The agent alone dies, wherever its session is: what waits for its human says so and loses nothing
(agents.md, ACP: a crashed agent).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import SystemClock
from backend.domain.clarification import Bundle, Delivery, Withdrawn
from backend.domain.conversation import SessionState
from backend.domain.hosted import AdmissionOutcome, AgentProblem, AgentStatus, OutgoingMessage
from backend.domain.input_mode import InputMode
from backend.domain.review import ReviewStatus
from backend.errors import Conflict
from backend.ids import AdmissionId, ClaimId
from backend.store.metadata import as_dict
from tests.helpers.clock import settle
from tests.helpers.desk import HUMAN
from tests.helpers.kept import PG, Kept
from tests.helpers.place import Place, raw
from tests.helpers.reviewing import make_asked
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.waiting import eventually


@pytest.fixture
async def hosted(place: Place, tmp_path: Path) -> AsyncIterator[Hosted]:
    async with hosting(place, SystemClock(), tmp_path) as running:
        yield running


async def died(hosted: Hosted) -> None:
    """The agent dies, and the composer says so and offers what can be done."""
    hosted.agent.die()
    await hosted.status(AgentStatus.FAILED)
    await eventually(lambda: _rests(hosted))
    trouble = (await hosted.seen()).trouble
    assert trouble is not None
    assert trouble.problem is AgentProblem.EXITED


async def _rests(hosted: Hosted) -> bool:
    return (await hosted.seen()).turn_id is None


async def told(hosted: Hosted) -> list[object]:
    rows = (await hosted.desk.desk.list_messages(S)).messages
    found = (as_dict(row.metadata.get("kandesk")).get("notice") for row in rows)
    return [notice for notice in found if notice]


async def taking_over(hosted: Hosted) -> None:
    """A prompt is on its way into the pipe, which takes nothing."""
    hosted.agent.pipe.clear()
    await hosted.send("go")
    await hosted.handing_over()
    hosted.agent.broken = True
    hosted.agent.pipe.set()
    await hosted.status(AgentStatus.FAILED)


async def not_attempted(hosted: Hosted) -> None:
    hosted.agent.broken = True
    await hosted.send("go")
    await hosted.status(AgentStatus.FAILED)


async def taken(hosted: Hosted) -> None:
    await hosted.send("go")
    await hosted.works()


async def finished(hosted: Hosted) -> None:
    await taken(hosted)
    await hosted.done()


POINTS: dict[str, tuple[Callable[[Hosted], Awaitable[None]], list[str], list[object]]] = {
    "not attempted": (not_attempted, ["go"], []),
    "in the pipe": (taking_over, ["go"], []),
    "taken": (taken, [], ["agent_ended"]),
    "finished": (finished, [], []),
}
"""How it comes there; what the next start is given by itself; what the conversation tells."""


@pytest.mark.parametrize("point", POINTS)
async def test_a_prompt_is_where_it_must_be_wherever_its_agent_dies(
    hosted: Hosted, point: str
) -> None:
    """K8.6 79; K5.6 row 11: what it has not taken waits, and what it has taken is not repeated."""
    come, again, notices = POINTS[point]
    await hosted.start()
    await hosted.status(AgentStatus.READY)
    await come(hosted)
    before = list(hosted.launcher.given)
    hosted.agent.die()
    await hosted.status(AgentStatus.FAILED)
    await eventually(lambda: _rests(hosted))
    assert await told(hosted) == notices
    await hosted.desk.desk.conversations.resume(S)
    if again:
        await hosted.works(len(before) + 1)
    else:
        await hosted.status(AgentStatus.READY)
        await settle()
    assert hosted.launcher.given == before + again


async def test_a_question_that_waits_is_detached_and_can_be_answered(hosted: Hosted) -> None:
    """K1.7: it stays in the Inbox; the session waits for its human and not for the agent."""
    await hosted.start("go")
    await hosted.works()
    desk = Kept(hosted)
    asked = await desk.ask()
    call = asyncio.create_task(hosted.desk.asking.wait(asked.pending_id))
    await eventually(lambda: _waits(desk.bundle(asked.pending_id)))
    await died(hosted)
    call.cancel()
    (left,) = await hosted.desk.desk.list_open_bundles()
    assert (left.pending_id, left.detached, left.answerable) == (asked.pending_id, True, True)
    assert await hosted.state() is SessionState.WAITING_FOR_INPUT
    assert await told(hosted) == ["agent_ended"]
    assert (await desk.respond(asked, PG)).delivery is Delivery.DELIVERED
    assert len(hosted.launcher.given) == 2
    assert (await hosted.seen()).trouble is None


async def _waits(bundle: Awaitable[Bundle]) -> bool:
    return (await bundle).waiting_calls > 0


async def test_a_permission_that_waits_is_closed_with_the_reason(
    hosted: Hosted, place: Place
) -> None:
    """T1: nobody decides for an agent that is gone; its card leaves the Inbox and says why."""
    await hosted.start("go")
    await hosted.works()
    reviews = hosted.desk.desk.reviews
    asking = asyncio.create_task(hosted.agent.listener.permission_asked(make_asked()))

    async def opened() -> bool:
        return bool(await reviews.list_open_reviews())

    await eventually(opened)
    (review,) = await reviews.list_open_reviews()
    await died(hosted)
    assert await asking is None
    assert await reviews.list_open_reviews() == ()
    assert (await reviews.get_review(review.review_id)).status is ReviewStatus.CANCELLED
    with raw(place) as connection:
        (stored,) = connection.execute("SELECT error_code FROM tool_invocations").fetchall()
    assert stored["error_code"] == "agent_gone"
    rows = (await hosted.desk.desk.list_messages(S)).messages
    (card,) = [row for row in rows if row.message_id == review.message_id]
    assert card.metadata["status"] == "expired"
    with pytest.raises(Conflict):
        await reviews.decide(
            review.review_id, "once", client_id=HUMAN, claim_token=ClaimId("too late")
        )
    assert await hosted.state() is SessionState.IDLE


async def test_a_late_answer_in_the_queue_stays_there_and_goes_once(hosted: Hosted) -> None:
    """LC.5; K7.3: what runs by itself does not start an agent that has died."""
    await hosted.start("go")
    await hosted.works()
    desk = Kept(hosted)
    asked = await desk.ask()
    await hosted.desk.desk.close_question(asked.pending_id)
    late = OutgoingMessage(AdmissionId("late"), S, "PostgreSQL after all", asked.pending_id)
    api = hosted.desk.desk.conversations
    assert (await api.send(late)).outcome is AdmissionOutcome.QUEUED
    await hosted.send("and then")
    await died(hosted)
    seen = await hosted.seen()
    assert [entry.text for entry in seen.queue] == ["PostgreSQL after all", "and then"]
    assert seen.auto_run
    assert seen.input is InputMode.DIRECT
    bundle = await desk.bundle(asked.pending_id)
    assert (bundle.withdrawn, bundle.answerable) == (Withdrawn.BY_HUMAN, False)
    await api.resume(S)
    await hosted.works(2)
    assert (await api.send(late)).replayed
    await died(hosted)
    assert hosted.launcher.given == ["go", "PostgreSQL after all"]
    assert [entry.text for entry in (await hosted.seen()).queue] == ["and then"]


async def test_a_kept_answer_goes_before_the_queue_and_neither_goes_twice(hosted: Hosted) -> None:
    """K5.5, K7.3: the human has answered, so the next start is for that; the queue follows it."""
    await hosted.start("go")
    await hosted.works()
    desk = Kept(hosted)
    asked = await desk.ask()
    await desk.respond(asked)
    await hosted.send("queued")
    hosted.agent.die()
    await hosted.works(2)
    assert "PostgreSQL" in hosted.launcher.given[1]
    await desk.arrives(asked)
    await hosted.status(AgentStatus.WORKING)
    hosted.agent.prompts[-1].done()
    await hosted.works(3)
    assert hosted.launcher.given[0::2] == ["go", "queued"]


async def test_an_open_question_holds_the_queue_of_an_agent_that_has_died(hosted: Hosted) -> None:
    """K7.3; agents.md: a queued prompt does not bypass an open question, and nothing is started."""
    await hosted.start("go")
    await hosted.works()
    desk = Kept(hosted)
    asked = await desk.ask()
    await hosted.send("queued")
    await died(hosted)
    await settle()
    assert len(hosted.launcher.agents) == 1
    assert (await desk.respond(asked)).delivery is Delivery.DELIVERED
    await hosted.works(2)
    hosted.agent.prompts[-1].done()
    await hosted.works(3)
    assert [text for text in hosted.launcher.given if text == "queued"] == ["queued"]
