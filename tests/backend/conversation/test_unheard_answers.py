"""Answers an agent's call was given, and whose turn is cut before the agent says anything more:
nobody knows whether it got them, and that is what is stored and shown (K5.5, watchdog).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from backend.clarification.asking import OpenAsk
from backend.clock import SystemClock
from backend.domain.agents import TextChunk, ToolCallChange, ToolStatus
from backend.domain.clarification import Answered, BundleStatus, Delivery, Skipped
from backend.domain.conversation import Message
from backend.domain.hosted import AgentStatus, OutgoingMessage
from backend.errors import Conflict
from backend.ids import AdmissionId, TurnId
from backend.store.metadata import as_dict
from tests.helpers.kept import PG, Kept
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.waiting import eventually


@pytest.fixture
async def kept(place: Place, tmp_path: Path) -> AsyncIterator[Kept]:
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.start("go")
        await hosted.works()
        yield Kept(hosted)


async def answered(desk: Kept, outcome: Answered | Skipped = PG) -> OpenAsk:
    """Ask, wait for the answer and get it."""
    asked = await desk.ask()
    call = asyncio.create_task(desk.hosted.desk.asking.wait(asked.pending_id))
    await eventually(lambda: _waits(desk, asked))
    assert (await desk.respond(asked, outcome)).delivery is Delivery.DELIVERED
    await call
    await desk.arrives(asked)
    return asked


async def _waits(desk: Kept, asked: OpenAsk) -> bool:
    return (await desk.bundle(asked.pending_id)).waiting_calls > 0


async def rows(desk: Kept) -> list[Message]:
    return list((await desk.hosted.desk.desk.list_messages(S)).messages)


def notices(found: list[Message]) -> list[object]:
    named = (as_dict(row.metadata.get("kandesk")).get("notice") for row in found)
    return [notice for notice in named if notice]


async def ends(hosted: Hosted, turn: TurnId | None) -> None:
    """That turn; what its agent was not told may have begun the next one by itself."""

    async def ended() -> bool:
        return (await hosted.seen()).turn_id != turn

    await eventually(ended)


async def stop(hosted: Hosted) -> None:
    """The human stops the turn, and the agent ends it."""
    turn = (await hosted.seen()).turn_id
    stopping = asyncio.create_task(hosted.desk.desk.conversations.cancel_turn(S))
    await eventually(lambda: _cancelled(hosted))
    hosted.agent.prompts[-1].done("cancelled")
    await stopping
    await ends(hosted, turn)


async def _cancelled(hosted: Hosted) -> bool:
    return hosted.agent.cancels > 0


async def die(hosted: Hosted) -> None:
    turn = (await hosted.seen()).turn_id
    hosted.agent.die()
    await ends(hosted, turn)


CUTS = {"stopped": stop, "died": die}
Cut = Callable[[Hosted], Awaitable[None]]


@pytest.fixture(params=[pytest.param(cut, id=name) for name, cut in CUTS.items()])
def cut(request: pytest.FixtureRequest) -> Cut:
    chosen: Cut = request.param
    return chosen


async def test_an_answer_nothing_was_heard_after_is_not_confirmed(kept: Kept, cut: Cut) -> None:
    """K8.6 81: bytes on a connection prove nothing of who has read them."""
    asked = await answered(kept)
    await cut(kept.hosted)
    await kept.arrives(asked, Delivery.UNKNOWN)
    bundle = await kept.bundle(asked.pending_id)
    assert (bundle.status, bundle.answerable) == (BundleStatus.ANSWERED, False)
    found = await rows(kept)
    assert notices(found).count("answer_unconfirmed") == 1
    (question,) = [row for row in found if row.pending_id == asked.pending_id]
    assert question.delivery is Delivery.UNKNOWN


async def test_any_word_after_the_answer_confirms_it(kept: Kept, cut: Cut) -> None:
    asked = await answered(kept)
    kept.hosted.agent.listener.updated(TextChunk("PostgreSQL, then."))
    await cut(kept.hosted)
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.DELIVERED
    assert "answer_unconfirmed" not in notices(await rows(kept))


async def test_a_word_before_the_answer_does_not_confirm_it(kept: Kept, cut: Cut) -> None:
    kept.hosted.agent.listener.updated(TextChunk("I have a question."))
    asked = await answered(kept)
    await cut(kept.hosted)
    await kept.arrives(asked, Delivery.UNKNOWN)


async def test_the_next_question_confirms_the_answer_before_it(kept: Kept, cut: Cut) -> None:
    """Its call is a sign of life as good as a word."""
    first = await answered(kept)
    await kept.ask("Which port?")
    await cut(kept.hosted)
    assert (await kept.bundle(first.pending_id)).delivery is Delivery.DELIVERED


async def test_an_agent_that_ends_its_turn_had_the_answer(kept: Kept) -> None:
    asked = await answered(kept)
    await kept.hosted.done()
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.DELIVERED


async def test_a_refusal_is_not_spoken_of(kept: Kept) -> None:
    """There is nothing an agent could act upon, and nothing to send again."""
    asked = await answered(kept, Skipped())
    await stop(kept.hosted)
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.DELIVERED
    assert "answer_unconfirmed" not in notices(await rows(kept))


async def test_an_agent_that_dies_unstopped_is_given_it_again_once(kept: Kept) -> None:
    """K8.6 81: as a message its human sees; that one has its own outcome."""
    asked = await answered(kept)
    kept.hosted.agent.die()
    await kept.prompted(2)
    assert "PostgreSQL" in kept.given[1]
    await die(kept.hosted)
    await kept.hosted.status(AgentStatus.FAILED)
    assert len(kept.given) == 2
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.UNKNOWN


async def test_what_its_human_has_stopped_is_never_given_again_by_itself(kept: Kept) -> None:
    """Also where the agent dies of it."""
    asked = await answered(kept)
    stopping = asyncio.create_task(kept.hosted.desk.desk.conversations.cancel_turn(S))
    await eventually(lambda: _cancelled(kept.hosted))
    await die(kept.hosted)
    await stopping
    await kept.arrives(asked, Delivery.UNKNOWN)
    await kept.hosted.send("say next")
    await kept.prompted(2)
    assert kept.given == ["go", "say next"]


async def test_its_human_can_send_it_again(kept: Kept) -> None:
    """Through ordinary admission: once by its identity, whatever is lost on the way."""
    asked = await answered(kept)
    await stop(kept.hosted)
    again = OutgoingMessage(AdmissionId("late"), S, "PostgreSQL", asked.pending_id)
    await kept.hosted.desk.desk.conversations.send(again)
    await kept.prompted(2)
    replay = await kept.hosted.desk.desk.conversations.send(again)
    assert replay.replayed
    assert kept.given == ["go", "PostgreSQL"]


async def test_an_answer_on_its_way_is_not_sent_beside_it(kept: Kept) -> None:
    """Kept, and given as a prompt whose end is not known yet: nothing to send again so far."""
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.agent.pipe.clear()
    kept.hosted.agent.prompts[-1].done()
    await eventually(lambda: _is(kept, asked, Delivery.UNKNOWN))
    again = OutgoingMessage(AdmissionId("late"), S, "PostgreSQL", asked.pending_id)
    with pytest.raises(Conflict):
        await kept.hosted.desk.desk.conversations.send(again)
    kept.hosted.agent.pipe.set()
    await kept.arrives(asked)
    assert len(kept.given) == 2


async def _is(desk: Kept, asked: OpenAsk, delivery: Delivery) -> bool:
    return (await desk.bundle(asked.pending_id)).delivery is delivery


async def test_the_agent_that_comes_for_it_with_its_ticket_still_gets_it(kept: Kept) -> None:
    """When the call is gone, 2: the same ticket always has the same result."""
    asked = await answered(kept)
    await stop(kept.hosted)
    await kept.arrives(asked, Delivery.UNKNOWN)
    opened = await kept.hosted.desk.asking.redeem(asked.ticket)
    assert (await kept.hosted.desk.asking.wait(opened.pending_id)).answers == PG.answers


async def test_an_equal_question_is_offered_what_is_not_confirmed(kept: Kept) -> None:
    """When the call is gone, 4: the agent that did not get it asks again."""
    asked = await answered(kept)
    await stop(kept.hosted)
    await kept.arrives(asked, Delivery.UNKNOWN)
    await kept.hosted.send("say next")
    await kept.prompted(2)
    again = await kept.ask()
    stored = (await kept.bundle(again.pending_id)).stored_answer
    assert stored is not None
    assert (stored.pending_id, stored.delivery) == (asked.pending_id, Delivery.UNKNOWN)


async def test_an_answer_given_as_a_prompt_is_not_confirmed_when_nothing_follows(
    kept: Kept, cut: Cut
) -> None:
    """K5.5, detached: its turn is cut before the agent says a word in it; never given again."""
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    await kept.arrives(asked)
    await cut(kept.hosted)
    await kept.arrives(asked, Delivery.UNKNOWN)
    assert len(kept.given) == 2


async def test_an_answer_given_as_a_prompt_is_confirmed_by_the_first_word(
    kept: Kept, cut: Cut
) -> None:
    asked = await kept.ask()
    await kept.respond(asked)
    kept.hosted.agent.prompts[-1].done()
    await kept.prompted(2)
    kept.hosted.agent.listener.updated(TextChunk("Thanks."))
    await kept.arrives(asked)
    await cut(kept.hosted)
    assert (await kept.bundle(asked.pending_id)).delivery is Delivery.DELIVERED


async def killed(place: Place, folder: Path, *, as_prompt: bool, says: bool) -> OpenAsk:
    """A desk that is gone with its agent after an answer."""
    async with hosting(place, SystemClock(), folder) as hosted:
        await hosted.start("go")
        await hosted.works()
        desk = Kept(hosted)
        if as_prompt:
            asked = await desk.ask()
            await desk.respond(asked)
            hosted.agent.prompts[-1].done()
            await desk.prompted(2)
            await desk.arrives(asked)
        else:
            hosted.agent.listener.updated(ToolCallChange("c1", started=True, title="Ask"))
            asked = await answered(desk)
        if says:
            said = ToolCallChange("c1", status=ToolStatus.COMPLETED)
            hosted.agent.listener.updated(TextChunk("Fine.") if as_prompt else said)

            async def stored() -> bool:
                found = [row for row in await rows(desk) if row.author == "agent"]
                return any(row.content == "Fine." for row in found) or any(
                    row.metadata.get("status") == "completed" for row in found
                )

            await eventually(stored)
    return asked


@pytest.mark.parametrize("as_prompt", [False, True])
async def test_a_desk_that_was_killed_says_at_its_next_start_what_is_not_confirmed(
    place: Place, tmp_path: Path, *, as_prompt: bool
) -> None:
    """K5.7; agents.md: shown as such, never sent again by itself."""
    asked = await killed(place, tmp_path, as_prompt=as_prompt, says=False)
    for _ in range(2):
        async with hosting(place, SystemClock(), tmp_path) as hosted:
            desk = Kept(hosted)
            assert (await desk.bundle(asked.pending_id)).delivery is Delivery.UNKNOWN
            told = notices(await rows(desk))
            assert told.count("answer_unconfirmed") == 1
            assert told.count("desk_ended") == 1
            assert desk.given == []


@pytest.mark.parametrize("as_prompt", [False, True])
async def test_a_desk_that_was_killed_finds_the_agents_words_after_an_answer(
    place: Place, tmp_path: Path, *, as_prompt: bool
) -> None:
    asked = await killed(place, tmp_path, as_prompt=as_prompt, says=True)
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        desk = Kept(hosted)
        assert (await desk.bundle(asked.pending_id)).delivery is Delivery.DELIVERED
        assert "answer_unconfirmed" not in notices(await rows(desk))
