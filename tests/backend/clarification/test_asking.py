"""Asking, waiting, being cut, coming back (clarification.md, When the call is gone)."""

import asyncio
import uuid
from pathlib import Path

import pytest

from backend.clarification.ask_result import AskResult, AskStatus
from backend.domain.clarification import (
    Answered,
    BundleStatus,
    Delivery,
    QuestionBundleDraft,
    Skipped,
)
from backend.domain.conversation import SessionState
from backend.errors import AppError, Conflict, ErrorCode, InvalidInput, NotFound, StorageFailed
from backend.events import BundleChanged, BundleOpened, BundleResolved
from backend.ids import PendingId, Ticket
from backend.store.database import Database
from tests.helpers.builders import make_answer, make_draft, make_question
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import HUMAN, TestDesk, make_caller, new_token, open_desk
from tests.helpers.faults import Fault, FaultyDatabase, unavailable
from tests.helpers.waiting import eventually, until

SQLITE = Answered((make_answer("q1", "q1_opt1"),))


async def waiting(desk: TestDesk, pending_id: PendingId) -> asyncio.Task[AskResult]:
    """A call that waits and is known to the desk."""
    before = (await desk.desk.get_bundle(pending_id)).waiting_calls
    task = asyncio.create_task(desk.asking.wait(pending_id))

    async def registered() -> bool:
        return (await desk.desk.get_bundle(pending_id)).waiting_calls > before

    await eventually(registered)
    return task


async def respond(
    desk: TestDesk, pending_id: PendingId, outcome: Answered | Skipped = SQLITE
) -> None:
    await desk.desk.respond(pending_id, outcome, client_id=HUMAN, claim_token=new_token())


async def cut(desk: TestDesk, pending_id: PendingId, task: asyncio.Task[AskResult]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    desk.asking.cut(pending_id)
    await eventually_detached(desk, pending_id)


async def eventually_detached(desk: TestDesk, pending_id: PendingId) -> None:
    async def detached() -> bool:
        return (await desk.desk.get_bundle(pending_id)).detached

    await eventually(detached)


async def delivery_of(desk: TestDesk, pending_id: PendingId) -> Delivery | None:
    return (await desk.desk.get_bundle(pending_id)).delivery


async def test_a_waiting_call_gets_the_answer_and_the_hand_over_is_durable(desk: TestDesk) -> None:
    """K8.6 15: the waiter confirms durable delivery before it returns."""
    ask = await desk.asking.open(make_caller(), make_draft())
    call = await waiting(desk, ask.pending_id)
    outcome = await desk.desk.respond(
        ask.pending_id, SQLITE, client_id=HUMAN, claim_token=new_token()
    )
    result = await call
    assert result.status is AskStatus.ANSWERED
    assert result.answers == SQLITE.answers
    assert outcome.claimed
    assert outcome.delivery is Delivery.DELIVERED
    assert await delivery_of(desk, ask.pending_id) is Delivery.DELIVERED


async def test_the_window_hears_of_a_bundle_that_opens_and_of_its_end(desk: TestDesk) -> None:
    ask = await desk.asking.open(make_caller(), make_draft())
    call = await waiting(desk, ask.pending_id)
    await respond(desk, ask.pending_id)
    await call
    opened = [event for event in desk.events if isinstance(event, BundleOpened)]
    ended = [event for event in desk.events if isinstance(event, BundleResolved)]
    assert [event.bundle.pending_id for event in opened] == [ask.pending_id]
    assert opened[0].bundle.waiting_calls == 1
    assert [event.outcome.delivery for event in ended] == [Delivery.DELIVERED]


async def test_a_skip_reaches_the_agent_with_its_reason(desk: TestDesk) -> None:
    ask = await desk.asking.open(make_caller(), make_draft())
    call = await waiting(desk, ask.pending_id)
    await respond(desk, ask.pending_id, Skipped("not today"))
    result = await call
    assert (result.status, result.reject_reason) == (AskStatus.SKIPPED, "not today")
    assert result.answers == ()


@pytest.mark.parametrize("outcome", [SQLITE, Skipped("no")], ids=["answer", "skip"])
async def test_what_a_live_call_gets_is_what_its_ticket_gives_later(
    desk: TestDesk, outcome: Answered | Skipped
) -> None:
    ask = await desk.asking.open(make_caller(), make_draft())
    call = await waiting(desk, ask.pending_id)
    await respond(desk, ask.pending_id, outcome)
    assert await call == await desk.asking.wait(ask.pending_id)


async def test_every_call_of_one_bundle_gets_the_same_answer(desk: TestDesk) -> None:
    """K3.3; K8.6 4: several waiters, one confirmation."""
    ask = await desk.asking.open(make_caller(), make_draft())
    calls = [await waiting(desk, ask.pending_id) for _ in range(3)]
    await respond(desk, ask.pending_id)
    assert len(set(await asyncio.gather(*calls))) == 1


async def test_without_a_waiting_call_the_answer_is_kept_at_once(
    desk: TestDesk, clock: FakeClock
) -> None:
    """clarification.md, improvement 6: no 35 s wait."""
    ask = await desk.asking.open(make_caller(), make_draft())
    before = clock.monotonic()
    outcome = await desk.desk.respond(
        ask.pending_id, SQLITE, client_id=HUMAN, claim_token=new_token()
    )
    assert outcome.delivery is Delivery.WAITING_FOR_AGENT
    assert clock.monotonic() == before


async def test_a_call_waits_as_long_as_it_wants(desk: TestDesk, clock: FakeClock) -> None:
    """K8.6 1: deviates on purpose, there is no limit of two hours on the answering side."""
    ask = await desk.asking.open(make_caller(), make_draft())
    call = await waiting(desk, ask.pending_id)
    await eventually_told(desk)
    await clock.advance(3 * 3600)
    assert not call.done()
    await respond(desk, ask.pending_id)
    assert (await call).status is AskStatus.ANSWERED


async def eventually_told(desk: TestDesk) -> None:
    """The call has looked at the store and sleeps: only then the window is told of it."""
    await until(lambda: any(isinstance(event, BundleChanged) for event in desk.events))


async def test_every_bundle_gets_an_id_of_its_own(desk: TestDesk) -> None:
    """K8.6 2, 3."""
    first, second = [
        (await desk.asking.open(make_caller(), make_draft())).pending_id for _ in range(2)
    ]
    assert uuid.UUID(first) != uuid.UUID(second)
    assert (await desk.desk.get_bundle(first)).pending_id == first
    with pytest.raises(NotFound):
        await desk.asking.wait(PendingId("nothing"))


async def test_a_cut_call_detaches_its_question_which_stays_open(desk: TestDesk) -> None:
    """K8.6 80; K1.7 live to detached; K8.6 4: the shared entry is kept."""
    ask = await desk.asking.open(make_caller(), make_draft())
    await cut(desk, ask.pending_id, await waiting(desk, ask.pending_id))
    bundle = await desk.desk.get_bundle(ask.pending_id)
    assert bundle.detached
    assert bundle.answerable
    assert bundle.waiting_calls == 0


@pytest.mark.parametrize(
    "error", [unavailable(), StorageFailed(ErrorCode.STORE_FULL, "injected")], ids=["busy", "full"]
)
async def test_a_cut_is_stored_late_when_the_store_is_busy_or_full(
    store_path: Path, clock: FakeClock, error: AppError
) -> None:
    """K8.6 80; P8: the card must not show an agent that waits when none does."""
    faults: list[FaultyDatabase] = []

    def wrap(database: Database) -> Database:
        faults.append(FaultyDatabase(database))
        return faults[0]

    async with open_desk(store_path, clock, wrap=wrap) as desk:
        ask = await desk.asking.open(make_caller(connection="m1"), make_draft())
        call = await waiting(desk, ask.pending_id)
        failures = [Fault("before", error) for _ in range(2)]
        faults[0].plan(*failures)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        desk.asking.cut(ask.pending_id)
        for failure, pause in zip(failures, (1.0, 5.0), strict=True):
            async with asyncio.timeout(5):
                await failure.reached.wait()
            await settle()
            assert not (await desk.desk.get_bundle(ask.pending_id)).detached
            await clock.advance(pause)
        await eventually_detached(desk, ask.pending_id)
        again = await desk.asking.open(make_caller(connection="m1"), make_draft())
        assert again.pending_id == ask.pending_id


async def test_one_cut_call_of_two_does_not_detach(desk: TestDesk) -> None:
    """K8.6 80."""
    ask = await desk.asking.open(make_caller(), make_draft())
    first, second = [await waiting(desk, ask.pending_id) for _ in range(2)]
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    desk.asking.cut(ask.pending_id)
    await respond(desk, ask.pending_id)
    assert (await second).status is AskStatus.ANSWERED
    assert not (await desk.desk.get_bundle(ask.pending_id)).detached


async def test_the_same_idempotency_key_finds_its_bundle_and_its_stored_result(
    desk: TestDesk,
) -> None:
    """When the call is gone, 1: continue; also after the answer was handed over."""
    caller = make_caller(idempotency_key="shim:1", connection="shim")
    first = await desk.asking.open(caller, make_draft())
    again = await desk.asking.open(caller, make_draft())
    assert again.replayed
    assert (again.pending_id, again.ticket) == (first.pending_id, first.ticket)
    await respond(desk, first.pending_id)
    results = [await desk.asking.wait(first.pending_id) for _ in range(2)]
    assert results[0] == results[1]
    assert await delivery_of(desk, first.pending_id) is Delivery.DELIVERED
    assert len(await desk.desk.list_sessions()) == 1


async def test_a_key_of_other_questions_is_a_conflict(desk: TestDesk) -> None:
    caller = make_caller(idempotency_key="shim:1")
    await desk.asking.open(caller, make_draft())
    with pytest.raises(Conflict) as caught:
        await desk.asking.open(caller, make_draft(make_question(prompt="Other?")))
    assert caught.value.code is ErrorCode.KEY_REUSED


async def test_a_ticket_gives_the_same_result_every_time(desk: TestDesk) -> None:
    """When the call is gone, 2."""
    ask = await desk.asking.open(make_caller(), make_draft())
    await respond(desk, ask.pending_id)
    results = []
    for _ in range(2):
        redeemed = await desk.asking.redeem(ask.ticket)
        results.append(await desk.asking.wait(redeemed.pending_id))
    assert results[0] == results[1]
    assert results[0].answers == SQLITE.answers


async def test_an_unknown_ticket_is_not_found(desk: TestDesk) -> None:
    await desk.asking.open(make_caller(), make_draft())
    for ticket in ("", "x" * 22, "Ä\ud800"):
        with pytest.raises(NotFound):
            await desk.asking.redeem(Ticket(ticket))


async def test_a_ticket_survives_a_restart(store_path: Path, clock: FakeClock) -> None:
    async with open_desk(store_path, clock) as first:
        ask = await first.asking.open(make_caller(), make_draft())
    async with open_desk(store_path, clock) as second:
        redeemed = await second.asking.redeem(ask.ticket)
        assert redeemed.pending_id == ask.pending_id
        call = await waiting(second, ask.pending_id)
        await respond(second, ask.pending_id)
        assert (await call).status is AskStatus.ANSWERED


async def test_an_equal_question_of_the_same_connection_joins_its_cut_bundle(
    desk: TestDesk,
) -> None:
    """When the call is gone, 3: joins the open bundle; K8.6 9."""
    caller = make_caller(connection="mcp-session")
    ask = await desk.asking.open(caller, make_draft())
    await cut(desk, ask.pending_id, await waiting(desk, ask.pending_id))
    again = await desk.asking.open(caller, make_draft())
    assert again.pending_id == ask.pending_id


async def test_an_equal_question_of_the_same_connection_consumes_the_stored_answer(
    desk: TestDesk,
) -> None:
    """When the call is gone, 3: waiting_for_agent becomes delivered."""
    caller = make_caller(connection="mcp-session")
    ask = await desk.asking.open(caller, make_draft())
    await cut(desk, ask.pending_id, await waiting(desk, ask.pending_id))
    await respond(desk, ask.pending_id)
    again = await desk.asking.open(caller, make_draft())
    assert (await desk.asking.wait(again.pending_id)).answers == SQLITE.answers
    assert await delivery_of(desk, ask.pending_id) is Delivery.DELIVERED


@pytest.mark.parametrize("case", ["late", "other ask between", "other text", "other connection"])
async def test_other_equal_questions_open_a_new_card(
    desk: TestDesk, clock: FakeClock, case: str
) -> None:
    """When the call is gone, 3 and 4: an answer reaches only the question it was given for;
    K8.6 9: different questions do not join (K9.2 9).
    """
    caller = make_caller(connection="mcp-session")
    ask = await desk.asking.open(caller, make_draft())
    await cut(desk, ask.pending_id, await waiting(desk, ask.pending_id))
    draft: QuestionBundleDraft = make_draft()
    if case == "late":
        await clock.advance(601)
    elif case == "other ask between":
        await desk.asking.open(caller, make_draft(make_question(prompt="Something else?")))
    elif case == "other text":
        draft = make_draft(context="now with context")
    else:
        caller = make_caller(connection="another-session")
    again = await desk.asking.open(caller, draft)
    assert again.pending_id != ask.pending_id
    assert not again.replayed


async def test_an_invalid_question_writes_nothing(desk: TestDesk) -> None:
    with pytest.raises(InvalidInput):
        await desk.asking.open(make_caller(), make_draft(make_question(prompt="")))
    assert await desk.desk.list_sessions() == ()


async def test_a_session_waits_for_input_while_a_question_is_open(desk: TestDesk) -> None:
    ask = await desk.asking.open(make_caller(), make_draft())
    assert (await desk.desk.list_sessions())[0].state is SessionState.WAITING_FOR_INPUT
    await respond(desk, ask.pending_id)
    assert (await desk.desk.list_sessions())[0].state is SessionState.IDLE


async def test_a_note_becomes_a_row_of_the_transcript(desk: TestDesk) -> None:
    await desk.asking.note(make_caller(), "all **done** ✅")
    (session,) = await desk.desk.list_sessions()
    page = await desk.desk.list_messages(session.session_id)
    assert [message.content for message in page.messages] == ["all **done** ✅"]
    with pytest.raises(InvalidInput):
        await desk.asking.note(make_caller(), "a\0b")


async def test_a_bundle_the_human_closes_is_withdrawn_for_its_caller(desk: TestDesk) -> None:
    ask = await desk.asking.open(make_caller(), make_draft())
    call = await waiting(desk, ask.pending_id)
    await desk.desk.close_question(ask.pending_id)
    result = await call
    assert (result.status, result.reason) == (AskStatus.WITHDRAWN, "by_human")
    with pytest.raises(Conflict):
        await desk.desk.close_question(ask.pending_id)
    assert (await desk.desk.get_bundle(ask.pending_id)).status is BundleStatus.CANCELLED


async def test_a_discarded_answer_is_withdrawn_for_its_ticket(desk: TestDesk) -> None:
    ask = await desk.asking.open(make_caller(), make_draft())
    await respond(desk, ask.pending_id)
    assert [item.pending_id for item in await desk.desk.list_uncollected()] == [ask.pending_id]
    await desk.desk.discard_stored_answer(ask.pending_id)
    result = await desk.asking.wait(ask.pending_id)
    assert result.status is AskStatus.WITHDRAWN
    assert await desk.desk.list_uncollected() == ()
    with pytest.raises(Conflict):
        await desk.desk.discard_stored_answer(ask.pending_id)


async def test_the_human_is_told_how_long_the_calls_will_wait(
    desk: TestDesk, clock: FakeClock
) -> None:
    """agents.md, Patience: the overlay says which of these is true for this agent."""
    ask = await desk.asking.open(make_caller(), make_draft())
    limited = asyncio.create_task(desk.asking.wait(ask.pending_id, limit=280))

    async def told() -> bool:
        end = (await desk.desk.get_bundle(ask.pending_id)).calls_end_at
        return end is not None and 279e9 < end - clock.now() <= 280e9

    await eventually(told)
    unlimited = await waiting(desk, ask.pending_id)
    assert (await desk.desk.get_bundle(ask.pending_id)).calls_end_at is None
    await respond(desk, ask.pending_id)
    assert await limited == await unlimited


async def test_the_window_hears_when_a_stored_answer_is_collected(desk: TestDesk) -> None:
    """events.BundleResolved: also when the delivery moves on, whoever made it move."""
    ask = await desk.asking.open(make_caller(), make_draft())
    await respond(desk, ask.pending_id)
    await desk.asking.wait(ask.pending_id)

    def heard() -> list[Delivery]:
        ends = [event for event in desk.events if isinstance(event, BundleResolved)]
        return [event.outcome.delivery for event in ends]

    await until(lambda: heard() == [Delivery.WAITING_FOR_AGENT, Delivery.DELIVERED])
