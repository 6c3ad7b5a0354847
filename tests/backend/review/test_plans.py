"""No statement about permissions reads the history of others (T2, T7)."""

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.conversation import SessionState
from backend.domain.policy import CallFacts, PolicyDecision, Risk, Rule, RuleScope
from backend.domain.review import Owner
from backend.ids import AgentKey, ClaimId, ClientId, EventId, ReviewId, RuleId, TaskId, TurnId
from backend.review.ruling import ask_always, count_hit, rule_call
from backend.review.siblings import covered_by
from backend.store import (
    gateway_calls,
    input_facts,
    ledger,
    policies,
    review_outcomes,
    reviews,
    ruled_calls,
    sessions,
)
from backend.store.database import Params, Transaction
from backend.store.review_schema import PROJECTED
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.plans import accesses, statements_of
from tests.helpers.reviewing import ReviewDesk, S, review_desk

HISTORY = 2_000
TURNS = 100
NOW = Nanoseconds(9_000)
PLACE = reviews.Place("w", TaskId("task-s1"))
FACTS = CallFacts("w", AgentKey("codex"), "/p", "ask", Risk.WRITE, "digest")
RULE = Rule(
    RuleId("rule"),
    "w",
    PolicyDecision.ALLOW,
    RuleScope.THIS_CALL,
    AgentKey("codex"),
    "Codex",
    "/p",
    "ask",
    "",
    NOW,
    "digest",
)
BIG = {"tool_invocations", "tool_action_requests", "tool_call_events", "task_session_messages"}
UNSETTLED = "idx_requests_unsettled"
"""It holds open requests only: all of it is what is looked for."""
FEW = {
    UNSETTLED,
    "idx_invocations_executing",
    "idx_requests_expiring",
    "idx_messages_clarification_open",
    "idx_messages_delivery_intent",
}
"""Indexes that hold the few rows that matter: read whole, they are quick."""


async def find_card(tx: Transaction, review_id: ReviewId) -> object:
    return await reviews.find_card(tx, (await stored(tx, review_id)).review)


async def rule(tx: Transaction, _: ReviewId) -> object:
    """Look for a rule, use it, and write down what it has decided."""
    made = await policies.keep(tx, RULE, ClientId("w"))
    ruled = await rule_call(tx, FACTS, ask_always, NOW)
    assert ruled.rule == made
    await count_hit(tx, made, NOW)
    call = reviews.NewCall(
        "ruled", S, TurnId("turn1"), Owner.AGENT, "call-2", PLACE, FACTS, "", NOW, ruled.ruling
    )
    await reviews.record_ruled(tx, call)
    assert await reviews.find_ruling(tx, "ruled") == ruled.ruling
    await policies.revoke(tx, made, "", NOW)
    await tx.execute("DELETE FROM tool_policies")
    return await tx.execute("DELETE FROM tool_invocations WHERE id = 'ruled'")


async def decide(tx: Transaction, review_id: ReviewId) -> object:
    decision = review_outcomes.Decision(
        review_id, "once", "approved", ClaimId("c"), ClientId("w"), "window", NOW
    )
    assert await review_outcomes.decide(tx, await stored(tx, review_id), decision)
    assert await review_outcomes.mark_told(tx, await stored(tx, review_id), NOW)
    end = review_outcomes.AgentEnd("succeeded")
    return await review_outcomes.mark_executed(tx, await stored(tx, review_id), end, NOW)


async def cancel(tx: Transaction, review_id: ReviewId) -> object:
    return await review_outcomes.cancel(
        tx, await stored(tx, review_id), review_outcomes.DESK_ENDED, NOW
    )


async def lose(tx: Transaction, review_id: ReviewId) -> object:
    """Its end is not known."""
    decision = review_outcomes.Decision(
        review_id, "once", "approved", ClaimId("c"), ClientId("w"), "window", NOW
    )
    assert await review_outcomes.decide(tx, await stored(tx, review_id), decision)
    return await review_outcomes.mark_unknown(tx, await stored(tx, review_id), NOW)


async def stored(tx: Transaction, review_id: ReviewId) -> reviews.Stored:
    found = await reviews.find(tx, review_id)
    assert found is not None
    return found


CALLS: dict[str, Callable[[Transaction, ReviewId], Awaitable[object]]] = {
    "find": reviews.find,
    "pending": lambda tx, _: reviews.list_pending(tx),
    "unsettled": lambda tx, _: reviews.list_unsettled(tx),
    "next expiry": lambda tx, _: reviews.next_expiry(tx, NOW),
    "expired": lambda tx, _: reviews.list_expired(tx, NOW),
    "covered by a rule": lambda tx, _: covered_by(tx, RULE, NOW, lambda _: True),
    "calls of the gateway that run": lambda tx, _: gateway_calls.list_running(tx),
    "what the gateway left": lambda tx, _: gateway_calls.list_unsettled(tx),
    "calls a rule allowed that run": lambda tx, _: ruled_calls.list_under_way(tx),
    "asker": lambda tx, _: reviews.find_asker(tx, S, TurnId("turn1")),
    "card": find_card,
    "rule": rule,
    "an equal call": lambda tx, _: reviews.find_by_key(tx, "w", "key"),
    "summary": lambda tx, _: sessions.get_summary(tx, S),
    "what holds a message back": lambda tx, _: input_facts.load(tx, S),
    "decide": decide,
    "cancel": cancel,
    "lose": lose,
}
PAGES: dict[str, Callable[[Transaction, ReviewId], Awaitable[object]]] = {
    "ledger": lambda tx, _: ledger.page(tx, ledger.Wanted(), EventId("e1"), 50),
    "ledger of a session": lambda tx, _: ledger.page(tx, ledger.Wanted(S), EventId("e1"), 50),
    "ledger of a request": lambda tx, key: ledger.page(tx, ledger.Wanted(None, key), None, 50),
    "closed": lambda tx, _: ledger.closed_page(tx, ReviewId("r1"), 50),
}
"""PostgreSQL rightly reads a table of a few pages whole before it has statistics."""


@pytest.mark.parametrize("known", [False, True], ids=["new", "with statistics"])
async def test_every_statement_finds_its_rows_by_an_index(place: Place, *, known: bool) -> None:
    """T2, T7; RR.5 for permissions: on both dialects, as sent and for any value."""
    bad: list[str] = []
    seen: set[str] = set()
    async with review_desk(place, FakeClock()) as desk:
        _, review = await desk.ask_one()
        add_history(desk)
        if known:
            with raw(place) as connection:
                connection.execute("ANALYZE")
        for call in [*CALLS.values(), *(PAGES.values() if known else ())]:
            run = await statements_of(desk.faults, lambda tx, call=call: call(tx, review.review_id))  # type: ignore[misc]
            for sql, params in run:
                if sql not in seen:
                    seen.add(sql)
                    bad += scans(place, sql, params)
        await desk.reviews.permissions.nobody_waits(S)
    assert len(seen) > len(CALLS)
    assert not bad, "\n".join(bad)


async def test_the_queries_of_a_later_projection_have_their_indexes(place: Place) -> None:
    """T2: the card's link and the outcomes that a card must show, each within one workspace."""
    async with review_desk(place, FakeClock()) as desk:
        await desk.ask_one()
        add_history(desk)
    link = indexes_of(
        place,
        "SELECT 1 FROM tool_action_requests"
        " WHERE workspace_id = 'w' AND interaction_id = 'm' LIMIT 1",
    )
    page = indexes_of(
        place,
        "SELECT id FROM tool_action_requests"  # noqa: S608
        f" WHERE workspace_id = 'w' AND id > 'x' AND {PROJECTED} ORDER BY id LIMIT 100",
    )
    assert "idx_requests_interaction" in link
    assert "idx_requests_projected" in page
    assert "TEMP B-TREE" not in page


def add_history(desk: ReviewDesk) -> None:
    """Closed requests of another session, each with its call, its card and its ledger."""
    desk.rows.session("other", state=SessionState.IDLE.value)
    moment = format_timestamp(Nanoseconds(1_600_000_000_000_000_000))
    with raw(desk.place) as connection:
        connection.executemany(
            "INSERT INTO task_session_turns (id, task_session_id, task_id, started_at, metadata,"
            " created_at, updated_at) VALUES (?, 'other', 'task-other', ?, '{}', ?, ?)",
            ((f"t{number}", moment, moment, moment) for number in range(TURNS)),
        )
        connection.executemany(
            "INSERT INTO tool_invocations (id, owner, session_id, arguments_hash, created_at,"
            " updated_at) VALUES (?, 'agent', 'other', '', ?, ?)",
            ((f"i{number}", moment, moment) for number in range(HISTORY)),
        )
        connection.executemany(
            "INSERT INTO tool_action_requests (id, owner, invocation_id, session_id, status,"
            " interaction_id, canonical_arguments_hash, signed_arguments, created_at, updated_at)"
            " VALUES (?, 'agent', ?, 'other', 'executed', ?, '', '{}', ?, ?)",
            ((f"r{n}", f"i{n}", f"m{n}", moment, moment) for n in range(HISTORY)),
        )
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, type, content,"
            " metadata, created_at, updated_at)"
            " VALUES (?, 'other', ?, 'permission_request', '', '{}', ?, ?)",
            ((f"m{n}", f"t{n * TURNS // HISTORY}", moment, moment) for n in range(HISTORY)),
        )
        connection.executemany(
            "INSERT INTO tool_call_events (id, event_type, session_id, invocation_id, created_at)"
            " VALUES (?, 'call_completed', 'other', ?, ?)",
            ((f"e{n}", f"i{n}", moment) for n in range(HISTORY)),
        )


def scans(place: Place, sql: str, params: Params) -> list[str]:
    """Where the plan of one statement reads all of a table that grows."""
    if isinstance(place, Path):
        lines = sqlite_plan(place, sql, params)
        tables = ("SCAN r", "SCAN m", "SCAN tool_", "SCAN task_session_messages")
        found = [line for line in lines if line.startswith(tables)]
        return [f"{line} of {sql}" for line in found if not any(index in line for index in FEW)]
    return [
        f"{access} of {sql}"
        for generic in (False, True)
        for access in accesses(place, sql, params, generic=generic)
        if access.table in BIG and not access.condition and access.by not in FEW
    ]


def indexes_of(place: Place, sql: str) -> str:
    if isinstance(place, Path):
        return "\n".join(sqlite_plan(place, sql, {}))
    return "\n".join(access.by for access in accesses(place, sql, {}, generic=False))


def sqlite_plan(path: Path, sql: str, params: Params) -> list[str]:
    connection = sqlite3.connect(path)
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(params))]
    connection.close()
    return plan
