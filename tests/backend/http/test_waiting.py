"""`GET /api/v1/clarification/:id/wait` and `POST .../cancel` (K4.1)."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from backend.events import BundleChanged
from backend.ids import PendingId
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import TOKENS, connection
from tests.helpers.http_desk import BASE, HttpDesk
from tests.helpers.store import RowMaker, ask, metadata_of
from tests.helpers.waiting import until

ANSWER = {"answers": [{"question_id": "q1", "selected_options": ["q1_opt1"], "custom_text": "x"}]}
ANSWERED = {"question_id": "q1", "selected_options": ["q1_opt1"], "custom_text": "x"}


async def waiting(desk: HttpDesk, pending_id: str) -> "asyncio.Task[httpx2.Response]":
    """A call that waits, once the desk knows of it."""
    waiters = desk.inner.desk._waiters
    before = waiters.count(PendingId(pending_id))
    call = asyncio.create_task(desk.http.get(f"{BASE}/{pending_id}/wait", timeout=None))
    await until(lambda: waiters.count(PendingId(pending_id)) > before)
    return call


async def test_every_waiting_call_gets_the_same_response(desk: HttpDesk, clock: FakeClock) -> None:
    """K3.3: the durable confirmation runs once, all are told."""
    asked = await ask(desk.inner.database, clock)
    calls = [await waiting(desk, asked.pending_id) for _ in range(3)]
    answered = await desk.respond(asked.pending_id, ANSWER)
    assert answered.json()["delivery"] == "delivered"
    bodies = [(await call).json() for call in calls]
    assert bodies == [answered.json()["response"]] * 3
    assert bodies[0]["answers"] == [ANSWERED]


async def test_a_resolved_bundle_is_told_at_once_and_again(
    desk: HttpDesk, clock: FakeClock
) -> None:
    asked = await ask(desk.inner.database, clock)
    answered = await desk.respond(asked.pending_id, ANSWER)
    assert answered.json()["delivery"] == "waiting_for_agent"
    first = await desk.http.get(f"{BASE}/{asked.pending_id}/wait")
    second = await desk.http.get(f"{BASE}/{asked.pending_id}/wait")
    assert first.json() == second.json() == answered.json()["response"]
    assert (await desk.get(f"{BASE}/{asked.pending_id}"))["delivery"] == "delivered"


async def test_a_refusal_is_a_response_with_its_reason(desk: HttpDesk, clock: FakeClock) -> None:
    asked = await ask(desk.inner.database, clock)
    call = await waiting(desk, asked.pending_id)
    await desk.respond(asked.pending_id, {"rejected": True, "reject_reason": "not now"})
    found = (await call).json()
    assert (found["rejected"], found["reject_reason"], found["answers"]) == (True, "not now", [])


async def test_waiting_has_no_limit(desk: HttpDesk, clock: FakeClock) -> None:
    """clarification.md, Budgets: no 2 h limit."""
    asked = await ask(desk.inner.database, clock)
    call = await waiting(desk, asked.pending_id)
    await until(lambda: any(isinstance(event, BundleChanged) for event in desk.inner.events))
    await until(lambda: clock.pending_timers == 0)
    await clock.advance(3 * 24 * 3_600)
    assert not call.done()
    await desk.respond(asked.pending_id, ANSWER)
    assert (await call).status_code == 200


async def test_a_desk_that_stops_says_so(desk: HttpDesk, clock: FakeClock) -> None:
    asked = await ask(desk.inner.database, clock)
    call = await waiting(desk, asked.pending_id)
    desk.inner.asking.draining.set()
    reply = await call
    assert (reply.status_code, reply.json()) == (
        504,
        {"error": "the desk is stopping; wait again when it runs", "code": "draining"},
    )
    stored = await desk.inner.desk.get_bundle(asked.pending_id)
    assert (stored.answerable, stored.detached) == (True, False)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    "behind", [b"", b"GET /api/v1/desk HTTP/1.1\r\nHost: localhost\r\n\r\n", b"G"]
)
async def test_a_client_that_goes_away_leaves_nothing_behind(
    desk: HttpDesk, clock: FakeClock, behind: bytes, *, late: bool
) -> None:
    """Also one that has sent its next request already: the answer is not given to nobody (P6)."""
    asked = await ask(desk.inner.database, clock)
    waiters = desk.inner.desk._waiters
    port = int(desk.server.address.rsplit(":", 1)[1])
    async with connection(port) as (_, writer):
        writer.write(
            f"GET {BASE}/{asked.pending_id}/wait HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {TOKENS.desk}\r\n\r\n".encode()
            + (b"" if late else behind)
        )
        await until(lambda: waiters.count(asked.pending_id) == 1)
        await until(lambda: any(isinstance(event, BundleChanged) for event in desk.inner.events))
        if late:
            writer.write(behind)
    await until(lambda: waiters.count(asked.pending_id) == 0)
    await until(lambda: not desk.server._listener.server_state.tasks)
    answered = await desk.respond(asked.pending_id, ANSWER)
    assert answered.json()["delivery"] == "waiting_for_agent"


@pytest.mark.parametrize("end", ["cancel", "supersede"])
async def test_a_question_that_ends_without_a_response_ends_the_wait(
    desk: HttpDesk, rows: RowMaker, end: str
) -> None:
    rows.question("p1")
    call = None
    if end == "cancel":
        call = await waiting(desk, "p1")
        assert (await desk.http.post(f"{BASE}/p1/cancel")).json() == {"success": True}
    else:
        rows.turn("turn2")
    reply = await (call or desk.http.get(f"{BASE}/p1/wait"))
    assert (reply.status_code, reply.json()["code"]) == (409, "not_active")


async def test_cancelling_is_a_claim_that_never_overwrites_an_answer(
    desk: HttpDesk, clock: FakeClock, path: Path
) -> None:
    """Improvement 9; K8.4 A9; K9.2 11."""
    asked = await ask(desk.inner.database, clock)
    await desk.respond(asked.pending_id, ANSWER)
    reply = await desk.http.post(f"{BASE}/{asked.pending_id}/cancel")
    assert (reply.status_code, reply.json()) == (
        409,
        {"error": "clarification request is no longer active", "code": "not_active"},
    )
    assert metadata_of(path, asked.pending_id)[0]["status"] == "answered"


async def test_only_the_first_cancel_wins(desk: HttpDesk, clock: FakeClock) -> None:
    """K8.6, 7."""
    asked = await ask(desk.inner.database, clock)
    replies = await asyncio.gather(
        *(desk.http.post(f"{BASE}/{asked.pending_id}/cancel") for _ in range(5))
    )
    assert sorted(reply.status_code for reply in replies) == [200, 409, 409, 409, 409]


async def test_an_answer_and_a_cancel_at_once_have_one_winner(
    desk: HttpDesk, clock: FakeClock
) -> None:
    for _ in range(10):
        asked = await ask(desk.inner.database, clock)
        answered, cancelled = await asyncio.gather(
            desk.respond(asked.pending_id, ANSWER),
            desk.http.post(f"{BASE}/{asked.pending_id}/cancel"),
        )
        assert sorted([answered.status_code, cancelled.status_code]) == [200, 409]
        found: dict[str, Any] = await desk.get(f"{BASE}/{asked.pending_id}")
        won = answered.status_code == 200
        assert found["status"] == ("answered" if won else "cancelled")
