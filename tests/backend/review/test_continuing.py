"""Outcomes no call was told of: each goes to its agent with one prompt, once (T1.4)."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from backend.clarification.recovery import recover
from backend.domain.clarification import Delivery
from backend.domain.outcome_text import outcome_text
from backend.events import MessagesChanged
from backend.review.continuing import Continuations
from backend.review.repairing import CardRepair
from backend.store import owed_outcomes
from tests.helpers.clock import FakeClock
from tests.helpers.gateway_case import GatewayCase, S, gateway_case
from tests.helpers.place import Place, raw
from tests.helpers.projecting import RecordingDatabase
from tests.helpers.receipts import ScriptedPrompter, continuing, receipts_of, statuses, told
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

HOUR = 3_600.0
LONG = "😀\\\x01" * 4_000


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[GatewayCase]:
    async with gateway_case(place, clock) as made:
        await made.add()
        yield made


@pytest.fixture
def prompter() -> ScriptedPrompter:
    return ScriptedPrompter()


@pytest.fixture
def receipts(case: GatewayCase, prompter: ScriptedPrompter) -> Continuations:
    return continuing(case, prompter)


async def executed(case: GatewayCase, path: str = "a") -> None:
    """One call that its human has approved and that has run; its agent has gone on before."""
    opened = await case.open(path=path)
    await case.decide(opened)
    await case.becomes(opened, "executed")


async def test_a_receipt_tells_where_the_outcome_is_and_nothing_of_what_it_was(
    case: GatewayCase, receipts: Continuations
) -> None:
    """T1.4: owed from the signature on, ids and moments only."""
    opened = await case.open(path="a")
    assert receipts_of(case.place) == [""]
    await case.decide(opened, "decline", reason="not this one")
    assert receipts_of(case.place) == ["waiting_for_agent"]
    with raw(case.place) as connection:
        row = connection.execute("SELECT * FROM interaction_deliveries").fetchone()
    assert (row["pending_id"], row["session_id"], row["kind"]) == (
        opened.review_id,
        S,
        "permission_request",
    )
    for content in ("outcome", "claim_id", "client_id", "payload_digest", "ticket_hash"):
        assert row[content] is None
    assert (row["reject_reason"], row["question_digest"]) == ("", "")
    await receipts.give_next(S)
    assert receipts_of(case.place) == ["delivered"]


async def test_one_decision_is_told_once_when_the_agent_is_free(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """T6.2 51: by two who look at once, and not again by the next run of the desk."""
    prompter.is_free = False
    await executed(case)
    await until(lambda: prompter.looks == [S])
    await receipts.give_next(S)
    assert prompter.given == []
    prompter.is_free = True
    other = continuing(case, prompter)
    await asyncio.gather(receipts.give_next(S), other.give_next(S))
    (text,) = prompter.texts
    assert statuses(text) == ["executed"]
    results = told(text)["untrustedToolResults"]
    assert isinstance(results, list)
    assert [result["result"] for result in results] == ["done"]
    assert receipts_of(case.place) == ["delivered"]
    next_run = continuing(await case.again(), prompter)
    assert await next_run.waiting_sessions() == ()
    await next_run.give_next(S)
    assert len(prompter.given) == 1
    assert len(case.downstream.calls) == 1


async def test_what_the_last_run_owed_is_told_by_the_next(
    case: GatewayCase, prompter: ScriptedPrompter
) -> None:
    """T6.2 51."""
    await executed(case)
    await case.dies()
    next_run = continuing(await case.again(), prompter)
    assert await next_run.waiting_sessions() == (S,)
    await next_run.give_next(S)
    await next_run.give_next(S)
    assert [statuses(text) for text in prompter.texts] == [["executed"]]


async def test_nothing_is_told_before_every_request_of_the_session_has_an_outcome(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """T6.2 52: one prompt with both then."""
    first, second = await case.open(path="a"), await case.open(path="b")
    await case.decide(first)
    await case.becomes(first, "executed")
    await receipts.give_next(S)
    assert prompter.given == []
    await case.decide(second, "decline", reason="only the first")
    await receipts.give_next(S)
    (text,) = prompter.texts
    assert statuses(text) == ["executed", "declined"]
    assert told(text)["count"] == 2
    assert "only the first" in text
    assert receipts_of(case.place) == ["delivered", "delivered"]


async def test_twelve_long_outcomes_are_one_bounded_prompt_and_lose_nothing(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """T6.2 53."""
    for number in range(12):
        opened = await case.open(path=str(number))
        await case.decide(opened, "decline", reason="no")
    case.run("UPDATE tool_action_requests SET decline_reason = ?", LONG.replace("\x01", "\t"))
    await receipts.give_next(S)
    (text,) = prompter.texts
    assert len(text.encode()) < 32_768
    outcomes = told(text)["outcomes"]
    assert isinstance(outcomes, list)
    assert 1 <= len(outcomes) <= 8
    assert told(text)["count"] == 12
    tickets = told(text)["callGetAnswerWithTheseTickets"]
    assert isinstance(tickets, list)
    assert len(tickets) + len(outcomes) == 12
    kept = {str(row["decline_reason"]) for row in case.table("tool_action_requests")}
    assert {len(reason) for reason in kept} == {len(LONG)}
    assert receipts_of(case.place) == ["delivered"] * 12
    assert outcome_text([]).count('"count":0') == 1


@pytest.mark.parametrize("has_words", [False, True])
async def test_a_crash_after_the_prompt_was_begun_sends_no_second_one(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter, *, has_words: bool
) -> None:
    """T6.2 54: every receipt is settled, by what the agent has said in that turn."""
    await executed(case, "a")
    await executed(case, "b")
    prompter.gate = asyncio.Event()
    giving = asyncio.create_task(receipts.give_next(S))
    await until(lambda: len(prompter.given) == 1)
    giving.cancel()
    await case.dies()
    if has_words:
        RowMaker(case.place).message(turn=prompter.given[0][0])
    await recover(case.parts.database, case.clock, lambda _event: None)
    settled = "delivered" if has_words else "unknown"
    assert receipts_of(case.place) == [settled, settled]
    prompter.gate = None
    next_run = continuing(await case.again(), prompter)
    assert await next_run.waiting_sessions() == ()
    await next_run.give_next(S)
    assert len(prompter.given) == 1
    assert await recover(case.parts.database, case.clock, lambda _event: None) == 0


async def test_the_outcomes_of_another_agent_are_told_to_nobody(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """T6.2 55: they are retired, and looked at once."""
    await executed(case)
    own = {"kind": "hosted", "agent": "opencode", "folder": "/home/a/p"}
    case.run("UPDATE task_sessions SET metadata = ?", json.dumps({"kandesk": own}))
    assert await receipts.waiting_sessions() == ()
    assert receipts_of(case.place) == ["discarded"]
    async with case.parts.database.reading() as tx:
        assert await owed_outcomes.list_owed(tx) == ()
    await receipts.give_next(S)
    assert prompter.given == []


@pytest.mark.parametrize(
    "end", ["UPDATE tasks SET archived_at = '2024'", "UPDATE task_sessions SET state = 'COMPLETED'"]
)
async def test_what_has_ended_is_told_nothing(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter, end: str
) -> None:
    """T1.4, retired without delivery."""
    await executed(case)
    case.run(end)
    await receipts.give_next(S)
    assert prompter.given == []
    assert receipts_of(case.place) == ["discarded"]


async def test_a_call_that_comes_for_it_has_it_and_no_prompt_is_sent(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    opened = await case.open(path="a")
    waiting = asyncio.create_task(case.reply(opened))
    await until(lambda: case.gateway.is_heard(opened.review_id))  # type: ignore[arg-type]
    await case.decide(opened)
    await waiting
    assert receipts_of(case.place) == ["delivered"]
    await receipts.give_next(S)
    assert prompter.given == []


async def test_what_a_call_waits_for_is_left_to_it(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    opened = await case.open(path="a")
    waiting = asyncio.create_task(case.reply(opened))
    await until(lambda: case.gateway.is_heard(opened.review_id))  # type: ignore[arg-type]
    await case.approve_unheard(opened)
    case.run("UPDATE tool_action_requests SET status = 'executed'")
    case.run("UPDATE interaction_deliveries SET state = 'waiting_for_agent'")
    await receipts.give_next(S)
    assert prompter.given == []
    waiting.cancel()
    await asyncio.wait({waiting})
    await receipts.give_next(S)
    assert len(prompter.given) == 1


async def test_what_was_told_by_a_prompt_is_still_told_to_a_call_that_asks(
    case: GatewayCase, receipts: Continuations
) -> None:
    """T5.5: the ticket stays good, and a change is not made twice within its hour."""
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.becomes(opened, "executed")
    await receipts.give_next(S)
    assert case.table("tool_invocations")[0]["collected_at"]
    assert (await case.open(path="a")).review_id == opened.review_id
    reply = await case.reply(opened)
    assert reply.result is not None
    assert len(case.downstream.calls) == 1


async def test_an_agent_that_does_not_take_it_is_told_later(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    await executed(case)
    prompter.refuses = True
    await receipts.give_next(S)
    assert receipts_of(case.place) == ["waiting_for_agent"]
    assert len(case.table("task_session_turns")) == 1
    prompter.refuses = False
    await receipts.give_next(S)
    assert len(prompter.given) == 1


async def test_what_nobody_has_decided_wakes_nobody_and_goes_along_with_what_somebody_has(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """An agent whose human is away would ask again each hour, for ever."""
    opened = await case.open(path="a")
    await case.clock.advance(HOUR + 1)
    case.reviews.expiry.start()
    await case.becomes(opened, "expired")
    assert receipts_of(case.place) == ["waiting_for_agent"]
    assert await receipts.waiting_sessions() == ()
    await receipts.give_next(S)
    assert prompter.given == []
    await executed(case, "b")
    await receipts.give_next(S)
    assert [statuses(text) for text in prompter.texts] == [["expired", "executed"]]


async def test_a_turn_its_human_has_stopped_is_not_gone_on_with(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """Stop is the human's last word; the agent still has it when it comes."""
    await executed(case)
    ended = {"kandesk": {"ended": {"outcome": "cancelled"}}}
    case.run("UPDATE task_session_turns SET metadata = ?", json.dumps(ended))
    await receipts.give_next(S)
    assert prompter.given == []
    assert receipts_of(case.place) == ["waiting_for_agent"]


async def test_an_open_question_is_before_it(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """T1.4: nothing is pending. A prompt would supersede what its human is asked."""
    await executed(case)
    RowMaker(case.place).question("p1")
    await receipts.give_next(S)
    assert prompter.given == []


async def test_a_repaired_card_tells_nobody_anything(
    case: GatewayCase, receipts: Continuations, prompter: ScriptedPrompter
) -> None:
    """T6.1 36: the receipt stays owed after the repair, and is settled by its delivery."""
    await executed(case)
    stale = json.dumps({"pending_id": "p", "kandesk": {"review_status": "approved"}})
    case.run("UPDATE task_session_messages SET metadata = ?", stale)
    parts = case.parts
    repair = CardRepair(parts.database, parts.clock, parts.bus, parts.supervisor, case.reviews.tell)
    assert (await repair.repair()).attempted == 1
    assert receipts_of(case.place) == ["waiting_for_agent"]
    assert prompter.given == []
    await receipts.give_next(S)
    assert receipts_of(case.place) == ["delivered"]
    assert len(prompter.given) == 1


async def test_what_is_owed_and_has_to_wait_costs_nothing(
    case: GatewayCase, prompter: ScriptedPrompter
) -> None:
    """Quiet means quiet: no statement in an hour, beside what was told and what is not yet."""
    watched = RecordingDatabase(case.parts.database)
    receipts = Continuations(replace(case.parts, database=watched), prompter, case.gateway.is_heard)
    await executed(case, "a")
    await receipts.give_next(S)
    await executed(case, "b")
    await until(lambda: len(prompter.looks) == 2)
    RowMaker(case.place).question("p1", turn=prompter.given[0][0])
    await receipts.give_next(S)
    assert receipts_of(case.place) == ["delivered", "waiting_for_agent"]
    before = watched.transactions
    assert before > 0
    await case.clock.advance(HOUR)
    assert watched.transactions == before


async def test_the_window_hears_where_an_outcome_is(
    case: GatewayCase, receipts: Continuations
) -> None:
    """Its row is a newer one each time, so that no older state is shown over it."""

    def heard() -> list[tuple[Delivery | None, int]]:
        rows = [event.messages[0] for event in case.events if isinstance(event, MessagesChanged)]
        return [(row.delivery, row.revision) for row in rows]

    await executed(case)
    await until(lambda: heard()[-1][0] is Delivery.WAITING_FOR_AGENT)
    owed = heard()[-1][1]
    await receipts.give_next(S)
    delivery, revision = heard()[-1]
    assert delivery is Delivery.DELIVERED
    assert revision > owed
    opened = await case.open(path="b")
    await case.decide(opened, "decline")
    await case.reply(opened)
    await until(lambda: heard()[-1][0] is Delivery.DELIVERED)
