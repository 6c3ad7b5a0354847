"""The status of a response by its outcome (clarification.md, Budgets; K4.1, K5.6)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import BundleStatus, Delivery, ResponseOutcome
from backend.errors import AgentFailed, ErrorCode
from backend.events import BundleChanged
from backend.ids import PendingId
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import TOKENS, Door, raw_http
from tests.helpers.faults import Fault, FaultyDatabase
from tests.helpers.hosted import ScriptedResumer
from tests.helpers.http_desk import BASE, INBOX, open_http_desk
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

ANSWER = {"answers": [{"question_id": "q1", "selected_options": ["q1_opt1"]}]}


@pytest.mark.parametrize("delivery", list(Delivery))
async def test_an_answer_that_is_durable_is_200_wherever_it_is_on_its_way(
    door: Door, delivery: Delivery
) -> None:
    """Also `pending` and `unknown`, which go on in the background."""

    async def respond(*_: object, **__: object) -> ResponseOutcome:
        return ResponseOutcome(
            PendingId("p1"),
            BundleStatus.ANSWERED,
            claimed=True,
            delivery=delivery,
            responded_at=Nanoseconds(1),
        )

    door.desk.respond = respond  # type: ignore[method-assign]
    async with raw_http(door, token=TOKENS.desk) as http:
        reply = await http.post(f"{BASE}/p1/respond", json=ANSWER)
    assert (reply.status_code, reply.json()["delivery"]) == (200, delivery.value)
    assert reply.json()["success"] is True


@pytest.mark.parametrize(
    "retry", ["nobody is there", "the agent refuses"], ids=["no resumer", "refused"]
)
async def test_an_answer_that_was_taken_back_is_500_with_what_can_be_done(
    path: Path, clock: FakeClock, retry: str
) -> None:
    """K5.6 row 11: the text, the question open again, and a full retry."""
    resumer = ScriptedResumer()
    resumer.error = AgentFailed(ErrorCode.AGENT_FAILED, "no")
    async with open_http_desk(
        path, clock, resumer=resumer if retry == "the agent refuses" else None
    ) as desk:
        rows = RowMaker(path)
        rows.session()
        rows.turn("turn1")
        rows.question("p1")
        reply = await desk.respond("p1", ANSWER)
        assert reply.status_code == 500
        assert reply.json() == {
            "error": "failed to resume clarification; response can be retried",
            "code": "delivery_failed",
        }
        assert (await desk.get(f"{BASE}/p1"))["active"] is True
        assert (await desk.get(INBOX))["count"] == 1
        resumer.error = None
        if retry == "the agent refuses":
            again = await desk.respond("p1", ANSWER)
            assert (again.status_code, again.json()["claimed"]) == (200, True)
            assert len(resumer.requests) == 2


async def test_a_hosted_question_is_delivered_to_a_call_that_waits_over_http(
    path: Path, clock: FakeClock
) -> None:
    """K5.5, live: asked, waited for and answered through this door alone."""
    async with open_http_desk(path, clock) as desk:
        rows = RowMaker(path)
        rows.session()
        rows.turn("turn1")
        asked: dict[str, Any] = {"session_id": "s1", "questions": [{"prompt": "Go on?"}]}
        pending_id = (await desk.http.post(f"{BASE}/request", json=asked)).json()["pending_id"]
        call = asyncio.create_task(desk.http.get(f"{BASE}/{pending_id}/wait"))
        waiters = desk.inner.desk._waiters
        await until(lambda: waiters.count(PendingId(pending_id)) == 1)
        body = {"answers": [{"question_id": "q1", "custom_text": "yes"}]}
        answered = await desk.respond(pending_id, body)
        assert (answered.status_code, answered.json()["delivery"]) == (200, "delivered")
        assert (await call).json() == answered.json()["response"]


@pytest.mark.parametrize("body", [{"rejected": True}, ANSWER], ids=["refusal", "answer"])
async def test_a_call_that_comes_while_the_answer_is_being_settled_is_not_forgotten(
    path: Path, clock: FakeClock, body: dict[str, Any]
) -> None:
    """K5.5, detached: nobody waited when the answer was claimed, somebody does when it ends."""
    found: list[FaultyDatabase] = []

    def wrap(database: Any) -> FaultyDatabase:
        found.append(FaultyDatabase(database))
        return found[0]

    resumer = ScriptedResumer()
    resumer.hang()
    async with open_http_desk(path, clock, wrap=wrap, resumer=resumer) as desk:
        rows = RowMaker(path)
        rows.session()
        rows.turn("turn1")
        rows.question("p1")
        settling = Fault("before")
        if "rejected" in body:
            found[0].plan(None, settling)
        responding = asyncio.create_task(desk.respond("p1", body))
        await (settling.reached if "rejected" in body else resumer.reached).wait()
        call = asyncio.create_task(desk.http.get(f"{BASE}/p1/wait"))
        waiters = desk.inner.desk._waiters
        await until(lambda: waiters.count(PendingId("p1")) == 1)
        await until(lambda: any(isinstance(event, BundleChanged) for event in desk.inner.events))
        settling.go_on.set()
        resumer.answers.set()
        answered = (await responding).json()
        async with asyncio.timeout(5):
            reply = await call
        assert (reply.status_code, reply.json()) == (200, answered["response"])
