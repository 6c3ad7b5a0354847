"""A kept answer on its way to its agent as a prompt, at every step of it (K5.5, K5.7)."""

import asyncio

import pytest

from backend.clarification.ask_result import AskStatus
from backend.clarification.kept import KeptAnswers
from backend.domain.clarification import Delivery, Skipped
from backend.errors import AgentFailed, ErrorCode, TemporarilyUnavailable
from backend.ids import TurnId
from tests.helpers.clock import FakeClock
from tests.helpers.failure_matrix import BROKEN, REFUSED, no_reservation
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import NO, YES, HostedDesk, P, S, hosted_desk
from tests.helpers.place import Place, raw
from tests.helpers.waiting import eventually

TURN = TurnId("turn1")


def kept_by(hosted: HostedDesk) -> KeptAnswers:
    hosted_way = hosted.desk.services.desk._resolver._hosted
    return KeptAnswers(hosted_way._parts, hosted_way._detached)


async def keep(hosted: HostedDesk) -> None:
    """Answer while the turn that asked goes on, and let that turn end."""
    with raw(hosted.place) as connection:
        connection.execute(
            "UPDATE task_sessions SET metadata = ?", ('{"kandesk": {"kind": "hosted"}}',)
        )
    hosted.resumer.working = {TURN}
    assert (await hosted.respond()).delivery is Delivery.WAITING_FOR_AGENT
    hosted.resumer.working = set()


@pytest.fixture
async def kept(hosted: HostedDesk) -> HostedDesk:
    await keep(hosted)
    return hosted


async def stays(hosted: HostedDesk) -> bool:
    return (
        await hosted.delivery() is Delivery.WAITING_FOR_AGENT
        and hosted.turns() == ["turn1"]
        and await no_reservation(hosted)
        and hosted.states()[0] != "RUNNING"
    )


async def crash(dying: HostedDesk, giving: "asyncio.Task[None]") -> None:
    dying.faults.plan(*(Fault("before", BROKEN) for _ in range(9)))
    giving.cancel()
    await asyncio.gather(giving, return_exceptions=True)
    left = [task for task in asyncio.all_tasks() if task.get_name() == "resume agent"]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


async def test_it_is_given_once_whoever_asks_for_that_at_once(kept: HostedDesk) -> None:
    answers = kept_by(kept)
    assert await answers.waiting_sessions() == (S,)
    await asyncio.gather(answers.give_next(S), answers.give_next(S))
    assert len(kept.resumer.requests) == 1
    assert kept.resumer.requests[0].pending_id == P
    assert await kept.delivery() is Delivery.DELIVERED
    assert kept.states()[0] == "RUNNING"
    assert await answers.waiting_sessions() == ()


async def test_a_kept_skip_does_not_exist(hosted: HostedDesk) -> None:
    """K5.5: a refusal nobody waits for is final."""
    hosted.resumer.working = {TURN}
    assert (await hosted.respond(Skipped())).delivery is Delivery.DISCARDED
    await kept_by(hosted).give_next(S)
    assert hosted.resumer.requests == []


async def test_a_crash_before_the_attempt_leaves_it_kept(
    store_path: Place, clock: FakeClock
) -> None:
    """K5.7 step 1; K5.6 row 18 for an answer that was kept: it is not asked for again."""
    async with hosted_desk(store_path, clock) as dying:
        await keep(dying)
        held = Fault("before")
        dying.faults.plan(None, held)
        giving = asyncio.create_task(kept_by(dying).give_next(S))
        await held.reached.wait()
        assert len(dying.turns()) == 2
        await crash(dying, giving)
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        assert hosted.turns() == ["turn1"]
        assert await hosted.delivery() is Delivery.WAITING_FOR_AGENT
        await kept_by(hosted).give_next(S)
        assert len(hosted.resumer.requests) == 1
        assert await hosted.delivery() is Delivery.DELIVERED


@pytest.mark.parametrize("used", [False, True])
async def test_a_crash_after_the_attempt_never_gives_it_again(
    store_path: Place, clock: FakeClock, *, used: bool
) -> None:
    """K5.6 row 19: unknown, unless rows of its agent in the new turn prove that it has it."""
    async with hosted_desk(store_path, clock) as dying:
        await keep(dying)
        dying.resumer.hang()
        giving = asyncio.create_task(kept_by(dying).give_next(S))
        await dying.resumer.reached.wait()
        if used:
            dying.rows.message(turn=dying.turns()[1])
        await crash(dying, giving)
    async with hosted_desk(store_path, clock, ask=False) as hosted:
        expected = Delivery.DELIVERED if used else Delivery.UNKNOWN
        assert await hosted.delivery() is expected
        assert len(hosted.turns()) == 2
        assert await no_reservation(hosted)
        await kept_by(hosted).give_next(S)
        assert hosted.resumer.requests == []


@pytest.mark.parametrize("how", ["refused", "not promptable"])
async def test_one_that_is_not_taken_is_where_it_was(kept: HostedDesk, how: str) -> None:
    """K5.6 row 11: the reservation is gone; an answer that was kept is not given back."""
    kept.resumer.error = REFUSED
    kept.resumer.is_promptable = how == "refused"
    await kept_by(kept).give_next(S)
    assert await kept.delivery() is Delivery.WAITING_FOR_AGENT
    assert kept.turns() == ["turn1"]
    kept.resumer.error, kept.resumer.is_promptable = None, True
    await kept_by(kept).give_next(S)
    assert await kept.delivery() is Delivery.DELIVERED


async def test_a_call_that_comes_before_the_attempt_has_it_and_no_prompt_does(
    kept: HostedDesk,
) -> None:
    """One of both: the same guarded move decides."""
    held = Fault("before")
    kept.faults.plan(None, held)
    giving = asyncio.create_task(kept_by(kept).give_next(S))
    await held.reached.wait()
    result = await kept.desk.asking.wait(P)
    assert (result.status, result.answers) == (AskStatus.ANSWERED, YES.answers)
    held.go_on.set()
    await giving
    assert kept.resumer.requests == []
    assert await kept.delivery() is Delivery.DELIVERED
    assert kept.turns() == ["turn1"]


async def test_a_call_that_comes_after_the_attempt_has_the_same_answer(kept: HostedDesk) -> None:
    """The same ticket always has the same result."""
    kept.resumer.hang()
    giving = asyncio.create_task(kept_by(kept).give_next(S))
    await kept.resumer.reached.wait()
    assert (await kept.desk.asking.wait(P)).answers == YES.answers
    kept.resumer.answers.set()
    await giving
    assert len(kept.resumer.requests) == 1
    assert await kept.delivery() is Delivery.DELIVERED


@pytest.mark.parametrize("write", [1, 2], ids=["reserving", "marking"])
@pytest.mark.parametrize("when", ["before", "at commit", "after commit"])
async def test_a_store_that_fails_before_the_prompt_gives_it_later(
    kept: HostedDesk, write: int, when: str
) -> None:
    """Nothing was sent, whatever became of the COMMIT; who gives answers is told to try again."""
    kept.faults.plan(*[None] * (write - 1), Fault(when, unavailable()))  # type: ignore[arg-type]
    with pytest.raises(TemporarilyUnavailable):
        await kept_by(kept).give_next(S)
    assert kept.resumer.requests == []
    assert await stays(kept)
    await kept_by(kept).give_next(S)
    assert len(kept.resumer.requests) == 1


async def test_a_store_that_fails_after_the_prompt_gives_it_no_more(
    kept: HostedDesk, clock: FakeClock
) -> None:
    """K5.6 rows 14 and 15: what is not stored yet is stored later."""
    kept.faults.plan(None, None, Fault("before", unavailable()))
    await kept_by(kept).give_next(S)
    await kept_by(kept).give_next(S)
    assert len(kept.resumer.requests) == 1

    async def settled() -> bool:
        await clock.advance(1)
        return await kept.delivery() is Delivery.DELIVERED and await no_reservation(kept)

    await eventually(settled)


async def test_an_acknowledgement_that_takes_long_is_told_when_it_comes(
    kept: HostedDesk, clock: FakeClock
) -> None:
    kept.resumer.hang()
    giving = asyncio.create_task(kept_by(kept).give_next(S))
    await kept.resumer.reached.wait()
    await clock.advance(30)
    await giving
    assert await kept.delivery() is Delivery.UNKNOWN
    kept.resumer.answers.set()

    async def delivered() -> bool:
        return await kept.delivery() is Delivery.DELIVERED

    await eventually(delivered)


async def test_a_refusal_that_takes_long_leaves_it_kept(kept: HostedDesk, clock: FakeClock) -> None:
    kept.resumer.hang()
    kept.resumer.error = AgentFailed(ErrorCode.AGENT_FAILED, "no")
    giving = asyncio.create_task(kept_by(kept).give_next(S))
    await kept.resumer.reached.wait()
    await clock.advance(30)
    await giving
    kept.resumer.answers.set()
    await eventually(lambda: stays(kept))


async def test_an_answer_that_is_kept_cannot_be_given_otherwise(kept: HostedDesk) -> None:
    """K5.4: whoever answers again finds the answer that won."""
    again = await kept.respond(NO)
    assert (again.claimed, again.answers) == (False, YES.answers)
    assert again.delivery is Delivery.WAITING_FOR_AGENT
