"""A call is told how it ended: noted before, and taken back when nobody is there to be told."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from backend.review.continuing import Continuations
from backend.store import gateway_calls
from tests.helpers.clock import FakeClock
from tests.helpers.gateway_case import GatewayCase, S, gateway_case
from tests.helpers.place import Place
from tests.helpers.receipts import ScriptedPrompter, continuing, receipts_of
from tests.helpers.waiting import until


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


class Held:
    """The note that a call is being told waits in its transaction."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.goes_on = threading.Event(), threading.Event()
        real = gateway_calls.mark_collected

        async def hold(*arguments: Any) -> bool:
            self.reached.set()
            assert self.goes_on.wait(10)
            return await real(*arguments)

        monkeypatch.setattr(gateway_calls, "mark_collected", hold)


async def test_a_call_that_leaves_while_it_is_told_is_owed_it_again(
    case: GatewayCase,
    receipts: Continuations,
    prompter: ScriptedPrompter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """T1.4: what was noted is taken back, and meanwhile nobody else tells it."""
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.becomes(opened, "executed")
    held = Held(monkeypatch)
    leaving = asyncio.create_task(case.gateway.calls.reply(opened))
    assert await asyncio.to_thread(held.reached.wait, 10)
    leaving.cancel()
    await asyncio.wait({leaving})
    assert case.gateway.is_heard(opened.review_id)  # type: ignore[arg-type]
    held.goes_on.set()
    await until(lambda: not case.gateway.is_heard(opened.review_id))  # type: ignore[arg-type]
    assert receipts_of(case.place) == ["waiting_for_agent"]
    assert case.table("tool_invocations")[0]["collected_at"] is None
    await receipts.give_next(S)
    assert len(prompter.given) == 1


async def test_two_calls_that_come_at_once_are_both_told_and_one_that_leaves_takes_nothing_back(
    case: GatewayCase,
    receipts: Continuations,
    prompter: ScriptedPrompter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.becomes(opened, "executed")
    held = Held(monkeypatch)
    staying = asyncio.create_task(case.reply(opened))
    leaving = asyncio.create_task(case.reply(opened))
    assert await asyncio.to_thread(held.reached.wait, 10)
    leaving.cancel()
    held.goes_on.set()
    await asyncio.wait({leaving, staying})
    assert staying.result().result is not None
    await until(lambda: not case.gateway.is_heard(opened.review_id))  # type: ignore[arg-type]
    assert receipts_of(case.place) == ["delivered"]
    await receipts.give_next(S)
    assert prompter.given == []
