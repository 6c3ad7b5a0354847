"""What can be seen of the desk's work without learning what was asked (clarification.md)."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from backend.clarification.claimed import PRE_CLAIM_BUDGET
from backend.metrics import RESPONSE_TIMEOUTS
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, FaultyDatabase
from tests.helpers.http_desk import BASE, HttpDesk, open_http_desk
from tests.helpers.store import ask
from tests.helpers.waiting import until

SKIP: dict[str, Any] = {"rejected": True}


async def test_counters_are_told_only_where_developers_asked_for_them(
    path: Path, clock: FakeClock
) -> None:
    """clarification.md, Observability."""
    async with open_http_desk(path, clock) as desk:
        reply = await desk.http.get("/debug/vars")
        unknown = await desk.http.get("/debug/other")
        assert (reply.status_code, reply.content) == (404, unknown.content)
    async with open_http_desk(path, clock, debug=True) as desk:
        desk.inner.services.metrics.count_response_timeout("claim")
        found = await desk.get("/debug/vars")
        assert found["counters"] == {RESPONSE_TIMEOUTS: {"claim": 1}}
        assert all(isinstance(value, int | float) for value in found["process"].values())
        assert (await desk.get("/api/v1/desk"))["counters"] == found["counters"]
        assert (await desk.agent.get("/debug/vars")).status_code == 403


async def test_a_claim_that_takes_too_long_is_counted_once_and_logged_once(
    path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """RR.2; K5.6 row 2; K5.8; K8.6, 30: one phase, one record, the id in the log and no label."""
    caplog.set_level(logging.INFO, logger="clarification.response")
    found: list[FaultyDatabase] = []

    def wrap(database: Any) -> FaultyDatabase:
        found.append(FaultyDatabase(database))
        return found[0]

    async with open_http_desk(path, clock, wrap=wrap) as desk:
        asked = await ask(desk.inner.database, clock)
        fault = Fault("before")
        found[0].plan(fault)
        call = asyncio.create_task(desk.respond(asked.pending_id, SKIP))
        await fault.reached.wait()
        await clock.advance(PRE_CLAIM_BUDGET)
        fault.go_on.set()
        reply = await call
        assert (reply.status_code, reply.json()["code"]) == (503, "temporarily_unavailable")
        counters = (await desk.get("/api/v1/desk"))["counters"]
        assert counters == {RESPONSE_TIMEOUTS: {"claim": 1}}
        assert asked.pending_id not in str(counters)
        assert (await desk.get(f"{BASE}/{asked.pending_id}"))["active"] is True
    records = [record for record in caplog.records if getattr(record, "phase", "") == "claim"]
    (record,) = records
    assert record.getMessage() == "clarification.response.phase"
    told = record.__dict__
    assert (told["pending_id"], told["driver"]) == (asked.pending_id, "sqlite")
    assert told["outcome"] not in {"ok", ""}
    assert told["duration_ms"] >= 0


async def busy(desk: HttpDesk) -> list[Any]:
    """Hold every reader of the store, so that no lookup gets through."""
    held = []
    for _ in range(4):
        reading = desk.inner.database.reading()
        await reading.__aenter__()
        held.append(reading)
    return held


async def test_a_blocked_store_tells_the_same_for_known_and_unknown_ids(
    desk: HttpDesk, clock: FakeClock
) -> None:
    """K5.6 row 1; K8.6, 29; clarification.md, Budgets: the 503 has the same body."""
    asked = await ask(desk.inner.database, clock)
    held = await busy(desk)
    try:
        calls = [
            asyncio.create_task(desk.respond(name, SKIP)) for name in (asked.pending_id, "unknown")
        ]
        await until(lambda: clock.pending_timers >= 2)
        await clock.advance(PRE_CLAIM_BUDGET)
        known, unknown = await asyncio.gather(*calls)
    finally:
        for reading in held:
            await reading.__aexit__(None, None, None)
    assert (known.status_code, known.content) == (503, unknown.content)
    assert sorted(known.headers.items()) == sorted(unknown.headers.items())
    assert known.json() == {
        "error": "clarification response is temporarily unavailable",
        "code": "temporarily_unavailable",
    }
    refused = await desk.agent.post(f"{BASE}/{asked.pending_id}/respond", json=SKIP)
    assert refused.status_code == 403
    counters = desk.inner.services.metrics.snapshot()
    assert counters == {RESPONSE_TIMEOUTS: {"identity": 2}}
    assert (await desk.respond(asked.pending_id, SKIP)).json()["claimed"] is True
