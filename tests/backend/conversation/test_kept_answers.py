"""Answers to questions whose call has returned while the turn that asked goes on: each is kept,
given to the call that comes for it, and else to the agent as its next prompt, once.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest

from backend.clarification.ask_result import AskStatus
from backend.clock import SystemClock
from backend.domain.agents import StopReason
from backend.domain.clarification import (
    BundleStatus,
    Delivery,
    Skipped,
)
from backend.domain.hosted import AdmissionOutcome, AgentStatus
from backend.errors import AgentFailed, ErrorCode
from tests.helpers.desk import HUMAN, new_token
from tests.helpers.faults import Fault, unavailable
from tests.helpers.kept import LITE, PG, Kept
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import S, hosting
from tests.helpers.waiting import eventually


@pytest.fixture
async def kept(place: Place, tmp_path: Path) -> AsyncIterator[Kept]:
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.start("go")
        await hosted.works()
        yield Kept(hosted)


async def test_an_answer_between_two_calls_is_kept_and_the_next_get_answer_has_it(
    kept: Kept,
) -> None:
    """agents.md, Patience: the call returned `waiting`; When the call is gone, 2."""
    asked = await kept.ask()
    assert (await kept.respond(asked)).delivery is Delivery.WAITING_FOR_AGENT
    assert not (await kept.bundle(asked.pending_id)).answerable
    opened = await kept.hosted.desk.asking.redeem(asked.ticket)
    result = await kept.hosted.desk.asking.wait(opened.pending_id)
    assert (result.status, result.answers) == (AskStatus.ANSWERED, PG.answers)
    await kept.arrives(asked)
    await kept.hosted.done()
    assert kept.given == ["go"]


async def test_its_agent_works_on_and_says_so(kept: Kept) -> None:
    """K1.9: an answered question leaves its session working."""
    asked = await kept.ask()
    await kept.respond(asked)

    async def running() -> bool:
        return await kept.hosted.state() == "RUNNING"

    await eventually(running)
    assert (await kept.hosted.seen()).status is AgentStatus.WORKING


async def test_an_exact_ask_again_after_a_cut_has_it(kept: Kept) -> None:
    """When the call is gone, 3: the client cut its call and asks the same again."""
    asked = await kept.ask()
    kept.hosted.desk.asking.cut(asked.pending_id)

    async def detached() -> bool:
        return (await kept.bundle(asked.pending_id)).detached

    await eventually(detached)
    assert (await kept.respond(asked)).delivery is Delivery.WAITING_FOR_AGENT
    again = await kept.ask()
    assert again.pending_id == asked.pending_id
    result = await kept.hosted.desk.asking.wait(again.pending_id)
    assert result.answers == PG.answers
    await kept.hosted.done()
    assert kept.given == ["go"]


async def test_an_equal_question_that_is_no_exact_ask_again_waits_for_its_human(
    kept: Kept,
) -> None:
    """When the call is gone, 4: one tap hands the kept answer over, and it is given once."""
    first = await kept.ask()
    await kept.respond(first)
    second = await kept.ask()
    assert second.pending_id != first.pending_id
    call = asyncio.create_task(kept.hosted.desk.asking.wait(second.pending_id))
    offered = (await kept.bundle(second.pending_id)).stored_answer
    assert offered is not None
    assert offered.pending_id == first.pending_id
    await kept.hosted.desk.desk.hand_over_stored_answer(
        second.pending_id, client_id=HUMAN, claim_token=new_token()
    )
    assert (await call).answers == PG.answers
    assert (await kept.bundle(first.pending_id)).delivery is Delivery.REPLACED
    await kept.hosted.done()
    assert kept.given == ["go"]


async def test_an_answer_no_call_came_for_is_the_next_prompt_when_the_turn_ends(
    kept: Kept,
) -> None:
    """K5.5 a-e, behind the end of the turn that asked; once."""
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    assert "PostgreSQL" in kept.given[1]
    await kept.arrives(asked)
    await kept.hosted.done()
    assert len(kept.given) == 2
    assert kept.told(asked) == [Delivery.WAITING_FOR_AGENT, Delivery.DELIVERED]
    result = await kept.hosted.desk.asking.wait(asked.pending_id)
    assert result.answers == PG.answers, "the same ticket always has the same result"


async def test_an_answer_is_delivered_when_its_prompt_was_taken_and_not_when_its_turn_ends(
    kept: Kept,
) -> None:
    """K8.6 79, bounded and dispatch-only: the human does not wait for what the agent makes of it;
    K5.5 d.
    """
    asked = await kept.ask()
    kept.hosted.desk.asking.cut(asked.pending_id)
    await kept.hosted.done()
    assert (await kept.respond(asked)).delivery is Delivery.DELIVERED
    await kept.prompted(2)
    assert "PostgreSQL" in kept.given[1]
    await kept.hosted.done()


async def test_it_goes_before_what_is_queued(kept: Kept) -> None:
    """K7.3: a queued prompt does not overtake what the agent asked for."""
    asked = await kept.ask()
    assert await kept.hosted.send("later") is AdmissionOutcome.QUEUED
    await kept.respond(asked)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    assert "PostgreSQL" in kept.given[1]
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(3)
    assert kept.given[2] == "later"


async def test_two_kept_answers_of_a_turn_are_given_one_after_the_other(kept: Kept) -> None:
    first, second = await kept.ask("First?"), await kept.ask("Second?")
    await kept.respond(first, LITE)
    await kept.respond(second, PG)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    assert "First?" in kept.given[1]
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(3)
    assert "Second?" in kept.given[2]
    await kept.hosted.done()
    assert len(kept.given) == 3
    for asked in (first, second):
        await kept.arrives(asked)


async def test_an_open_question_of_the_turn_is_not_overtaken(kept: Kept) -> None:
    """A prompt supersedes what is open: the kept one waits until its human has seen to that."""
    kept_one, other = await kept.ask("First?"), await kept.ask("Second?")
    await kept.respond(kept_one)
    await kept.hosted.done()
    assert (await kept.bundle(other.pending_id)).answerable
    assert kept.given == ["go"]
    await kept.respond(other, Skipped())
    await kept.prompted(2)
    assert "First?" in kept.given[1]


async def test_two_humans_answer_at_once_and_one_answer_is_kept(kept: Kept) -> None:
    """K5.4."""
    asked = await kept.ask()
    outcomes = await asyncio.gather(kept.respond(asked, LITE), kept.respond(asked, PG))
    assert [outcome.claimed for outcome in outcomes].count(True) == 1
    assert {outcome.delivery for outcome in outcomes} == {Delivery.WAITING_FOR_AGENT}
    assert outcomes[0].answers == outcomes[1].answers


async def test_two_calls_for_one_answer_get_the_same(kept: Kept) -> None:
    asked = await kept.ask()
    await kept.respond(asked)
    wait = kept.hosted.desk.asking.wait
    results = await asyncio.gather(wait(asked.pending_id), wait(asked.pending_id))
    assert {result.answers for result in results} == {PG.answers}
    await kept.hosted.done()
    assert kept.given == ["go"]


async def test_a_skip_between_two_calls_is_told_to_the_next_and_resumes_nobody(
    kept: Kept,
) -> None:
    """K5.5: a refusal nobody waits for is final and sends nothing."""
    asked = await kept.ask()
    assert (await kept.respond(asked, Skipped("no"))).delivery is Delivery.DISCARDED
    result = await kept.hosted.desk.asking.wait(asked.pending_id)
    assert (result.status, result.reject_reason) == (AskStatus.SKIPPED, "no")
    await kept.hosted.done()
    assert kept.given == ["go"]


async def test_a_turn_that_its_human_stops_gives_nothing_by_itself(kept: Kept) -> None:
    """Stop is the human's last word: the answer stays where it is seen, and can be discarded."""
    asked = await kept.ask()
    await kept.respond(asked)
    await kept.hosted.desk.desk.conversations.cancel_turn(S)
    kept.hosted.agent.prompts[-1].done(StopReason.CANCELLED)
    await kept.hosted.status(AgentStatus.READY)
    await kept.hosted.send("something else")
    await kept.prompted(2)
    await kept.hosted.done()
    assert kept.given == ["go", "something else"]
    assert [one.pending_id for one in await kept.hosted.desk.desk.list_uncollected()] == [
        asked.pending_id
    ]
    await kept.hosted.desk.desk.discard_stored_answer(asked.pending_id)


async def test_a_question_on_its_way_when_the_turn_was_stopped_is_withdrawn_at_its_end(
    kept: Kept,
) -> None:
    """K8.6 82: it was asked between the stop and the end, and its agent has moved on."""
    await kept.hosted.desk.desk.conversations.cancel_turn(S)
    asked = await kept.ask()
    kept.hosted.agent.prompts[-1].done("cancelled")
    await kept.hosted.status(AgentStatus.READY)
    assert (await kept.bundle(asked.pending_id)).status is BundleStatus.CANCELLED


async def test_a_stop_the_agent_answers_by_being_done_is_one_all_the_same(kept: Kept) -> None:
    asked = await kept.ask()
    await kept.respond(asked)
    await kept.hosted.desk.desk.conversations.cancel_turn(S)
    await kept.hosted.done()
    assert kept.given == ["go"]
    await kept.arrives(asked, Delivery.WAITING_FOR_AGENT)


async def test_one_that_its_human_discards_is_not_given(kept: Kept) -> None:
    asked = await kept.ask()
    await kept.respond(asked)
    await kept.hosted.desk.desk.discard_stored_answer(asked.pending_id)
    await kept.hosted.done()
    assert kept.given == ["go"]
    result = await kept.hosted.desk.asking.wait(asked.pending_id)
    assert result.status is AskStatus.WITHDRAWN


async def test_an_agent_that_dies_is_started_for_it(kept: Kept) -> None:
    """A crashed agent had nothing of it: the next one is given it, once."""
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.agent.die()
    await kept.prompted(2)
    assert len(kept.hosted.launcher.agents) == 2
    assert "PostgreSQL" in kept.given[1]
    await kept.arrives(asked)
    await kept.hosted.done()
    assert len(kept.given) == 2


async def test_an_agent_that_its_human_ended_is_not_started_for_it(kept: Kept) -> None:
    asked = await kept.ask()
    await kept.respond(asked)
    await kept.hosted.desk.desk.conversations.end_session(S)
    await kept.hosted.status(AgentStatus.ABSENT)
    assert kept.given == ["go"]
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.WAITING_FOR_AGENT


async def test_one_whose_agent_does_not_start_stays_and_is_given_by_resume(kept: Kept) -> None:
    """Nothing of it is lost, and nobody answers it again."""
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.launcher.error = AgentFailed(ErrorCode.AGENT_FAILED, "not there")
    kept.hosted.agent.die()
    await kept.hosted.status(AgentStatus.FAILED)
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.WAITING_FOR_AGENT
    kept.hosted.launcher.error = None
    await kept.hosted.desk.desk.conversations.resume(S)
    await kept.prompted(2)
    await kept.arrives(asked)


async def test_one_the_agent_refuses_stays(kept: Kept) -> None:
    """K5.6 row 11, K8.6 79: the reserved turn is gone; the answer is where it was, not given back,
    and its session is not held: Resume gives it.
    """
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.agent.broken = True
    kept.hosted.agent.prompts[-1].done()
    await kept.hosted.status(AgentStatus.FAILED)

    async def stays() -> bool:
        (summary,) = await kept.hosted.desk.desk.list_sessions()
        bundle = await kept.bundle(asked.pending_id)
        return (
            bundle.delivery is Delivery.WAITING_FOR_AGENT
            and summary.waiting_answers == 1
            and summary.state == "IDLE"
        )

    await eventually(stays)
    assert kept.given == ["go"]
    await kept.hosted.desk.desk.conversations.resume(S)
    await kept.prompted(2)
    await kept.arrives(asked)


@pytest.mark.parametrize("moment", ["before", "at commit", "after commit"])
async def test_a_store_that_fails_while_it_is_kept_loses_nothing(
    kept: Kept, moment: Literal["before", "at commit", "after commit"]
) -> None:
    """It is kept as soon as the store is there; a crash before that gives it back (K5.6 row 6)."""
    asked = await kept.ask()
    kept.hosted.faults.plan(None, Fault(moment, unavailable()))
    outcome = await kept.respond(asked)
    assert outcome.delivery in {Delivery.UNKNOWN, Delivery.WAITING_FOR_AGENT}
    await kept.arrives(asked, Delivery.WAITING_FOR_AGENT)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)


async def test_a_session_that_ended_in_the_same_moment_has_its_answer_kept_or_given(
    kept: Kept,
) -> None:
    """The answer and the end of its turn meet; whichever is first, it is given once."""
    asked = await kept.ask()
    response = asyncio.create_task(kept.respond(asked))
    kept.hosted.agent.prompts[-1].done()
    assert (await response).delivery in {Delivery.WAITING_FOR_AGENT, Delivery.DELIVERED}
    await kept.prompted(2)
    await kept.arrives(asked)
    await kept.hosted.done()
    assert len(kept.given) == 2
