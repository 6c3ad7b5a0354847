"""How far a message is on its way to its agent, whenever the desk dies (K5.5, K5.7; K8.6, 85)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from backend.clarification.recovery import recover
from backend.domain.conversation import SessionState
from backend.domain.hosted import PromptOutcome
from backend.ids import AdmissionId, MessageId, PendingId, TaskId, TurnId
from backend.store import admissions, prompts, reservations, turns
from backend.store.locks import lock_sessions
from backend.store.prompts import ReservedPrompt
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.sending import S, Sending

ADMISSION = AdmissionId("m")


@asynccontextmanager
async def started(place: Place, clock: FakeClock) -> AsyncIterator[Sending]:
    """A run of the desk from its recovery to a death at the end of the block."""
    database = await open_store(place, clock)
    try:
        await recover(database, clock, lambda _: None)
        yield Sending(database, clock, place)
    finally:
        await database.close()


async def admitted(sending: Sending) -> ReservedPrompt:
    sending.session(SessionState.IDLE)
    await sending.send("Go on", identity="m")
    (prompt,) = await sending.undispatched()
    return prompt


async def stored_outcome(sending: Sending) -> PromptOutcome | None:
    async with sending.database.reading() as tx:
        found = await admissions.find(tx, ADMISSION)
    assert found is not None
    return found.dispatch


async def test_a_prompt_nobody_attempted_is_there_after_a_crash(
    place: Place, clock: FakeClock
) -> None:
    """K8.6 86; K5.7: reserved, not attempted: never lost; K5.6 row 18 for a message."""
    async with started(place, clock) as desk:
        before = await admitted(desk)
    async with started(place, clock) as desk:
        assert await desk.undispatched() == (before,)
        assert await desk.attempted() == ()
        assert desk.user_rows() == [("m", "Go on")]
        assert await desk.attempt(before)


async def test_a_prompt_that_was_attempted_is_never_taken_for_one_to_send(
    place: Place, clock: FakeClock
) -> None:
    """K8.6 86; K5.6 row 19; agents.md: after a crash an attempted dispatch is `outcome unknown`."""
    async with started(place, clock) as desk:
        prompt = await admitted(desk)
        assert await desk.attempt(prompt)
    async with started(place, clock) as desk:
        assert await desk.undispatched() == ()
        (found,) = await desk.attempted()
        assert found.attempted
        assert not await desk.attempt(found)
        await desk.settle(found, PromptOutcome.UNKNOWN)
        assert await stored_outcome(desk) is PromptOutcome.UNKNOWN
    async with started(place, clock) as desk:
        assert (await desk.undispatched(), await desk.attempted()) == ((), ())


@pytest.mark.parametrize("outcome", list(PromptOutcome))
async def test_a_prompt_that_is_settled_stays_so(
    place: Place, clock: FakeClock, outcome: PromptOutcome
) -> None:
    """K5.5 e: the marks are gone, the turn is one like any other, other keys stay (K8.6, 85)."""
    async with started(place, clock) as desk:
        prompt = await admitted(desk)
        with raw(place) as connection:
            found = connection.execute(
                "SELECT metadata FROM task_session_turns WHERE id = ?", (prompt.turn_id,)
            ).fetchone()
            kept = {**json.loads(found[0]), "other": 1}
            connection.execute(
                "UPDATE task_session_turns SET metadata = ? WHERE id = ?",
                (json.dumps(kept), prompt.turn_id),
            )
        assert await desk.attempt(prompt)
        await desk.settle(prompt, outcome)
    async with started(place, clock) as desk:
        assert (await desk.undispatched(), await desk.attempted()) == ((), ())
        assert await stored_outcome(desk) is outcome
        with raw(place) as connection:
            row = connection.execute(
                "SELECT metadata FROM task_session_turns WHERE id = ?", (prompt.turn_id,)
            ).fetchone()
        left = json.loads(row[0])
        assert left["other"] == 1
        assert not {key for key in left if key.startswith("prompt_dispatch")}


async def test_the_message_itself_says_what_its_agent_did_not_get(sending: Sending) -> None:
    """agents.md: outcome unknown is shown as such; a higher revision tells the window."""
    prompt = await admitted(sending)
    before = sending.dispatcher.told[0].message
    async with sending.database.writing() as tx:
        await lock_sessions(tx, [S])
        await prompts.mark_attempted(tx, prompt, sending.clock.now())
        changed = await prompts.settle(tx, prompt, PromptOutcome.UNKNOWN, sending.clock.now())
        assert changed is not None
        assert changed.metadata == {"kandesk": {"dispatch": "unknown"}}
        assert changed.revision > before.revision
        again = await prompts.settle(tx, prompt, PromptOutcome.SENT, sending.clock.now())
        assert again is None
    assert await stored_outcome(sending) is PromptOutcome.UNKNOWN


async def test_a_late_answer_keeps_what_it_answers_when_it_is_unknown(sending: Sending) -> None:
    """LC.9."""
    sending.session(SessionState.IDLE)
    sending.rows.question("p1", turn="turn-s1", status="expired")
    await sending.send("Yes", identity="m", answers="p1")
    (prompt,) = await sending.undispatched()
    async with sending.database.writing() as tx:
        await lock_sessions(tx, [S])
        changed = await prompts.settle(tx, prompt, PromptOutcome.FAILED, sending.clock.now())
    assert changed is not None
    assert changed.metadata == {"kandesk": {"answers": "p1", "dispatch": "failed"}}


async def test_an_attempt_that_certainly_did_not_arrive_is_put_back(sending: Sending) -> None:
    """K5.6 rows 11 and 13 for a message: it waits for the next attempt."""
    prompt = await admitted(sending)
    assert await sending.attempt(prompt)
    async with sending.database.writing() as tx:
        await lock_sessions(tx, [S])
        assert await prompts.put_back(tx, prompt, sending.clock.now())
    assert await sending.undispatched() == (prompt,)
    assert await sending.attempt(prompt)
    await sending.settle(prompt, PromptOutcome.SENT)
    async with sending.database.writing() as tx:
        await lock_sessions(tx, [S])
        assert not await prompts.put_back(tx, prompt, sending.clock.now())
    assert await sending.undispatched() == ()


async def test_of_many_attempts_at_once_one_may_dispatch(sending: Sending) -> None:
    """K8.6 85; agents.md: dispatch is at most once."""
    prompt = await admitted(sending)
    results = await asyncio.gather(*(sending.attempt(prompt) for _ in range(6)))
    assert sorted(results) == [False] * 5 + [True]


async def test_the_attempt_lets_the_session_run(sending: Sending) -> None:
    """K5.5 a."""
    prompt = await admitted(sending)
    assert await sending.attempt(prompt)
    with raw(sending.place) as connection:
        row = connection.execute("SELECT state FROM task_sessions WHERE id = 's1'").fetchone()
    assert row[0] == "RUNNING"


async def test_the_turn_is_shown_with_its_message_from_the_admission_on(sending: Sending) -> None:
    """K8.6 85; K1.8: a row makes a turn both own its session and be seen."""
    prompt = await admitted(sending)
    async with sending.database.reading() as tx:
        assert await turns.current_turn(tx, S) == prompt.turn_id
        assert prompt.turn_id in await turns.published_turns(tx, S)


async def test_a_turn_reserved_for_an_answer_is_not_a_message(sending: Sending) -> None:
    """K8.6 86; settled by who made it: K5.7 step 1 keeps to answers, dispatch to messages."""
    prompt = await admitted(sending)
    answer = TurnId("answer-turn")
    async with sending.database.writing() as tx:
        await lock_sessions(tx, [S])
        await reservations.reserve(
            tx,
            answer,
            S,
            TaskId("task-s1"),
            reservations.ClaimedRows(PendingId("p"), TurnId("turn-s1"), (MessageId("r"),)),
            sending.clock.now(),
        )
        assert await reservations.list_reserved(tx) == (answer,)
        assert await prompts.load(tx, answer) is None
        assert await prompts.list_undispatched(tx) == (prompt,)
        assert await prompts.list_undispatched(tx, S) == (prompt,)


async def test_prompts_of_all_sessions_are_listed_oldest_first(
    sending: Sending, clock: FakeClock
) -> None:
    """What a start sends: in the order they were admitted."""
    for name in ("s3", "s1", "s2"):
        session = sending.session(SessionState.IDLE, name)
        await sending.send(name, session=session)
        await clock.advance(1)
    assert [prompt.text for prompt in await sending.undispatched()] == ["s3", "s1", "s2"]
