"""kill -9 of the whole program at the worst moments (product.md P1; K5.6 6)."""

import asyncio
import os
import signal
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.crash.forks import ForkServer, forked_desk
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question, shim_client
from tests.helpers.place import Place
from tests.helpers.program import RunningDesk, running_desk

pytestmark = pytest.mark.crash

ROUNDS = 20 if os.environ.get("KANDESK_LONG") == "1" else 1
POINTS = ["question open", "in claim", "before delivery", "before reply"]
LABELS = ("SQLite", "PostgreSQL")


@dataclass(frozen=True)
class Desks:
    """Starts desks on one store."""

    forks: ForkServer
    home: Path

    def start(self, point: str = "") -> AbstractAsyncContextManager[RunningDesk]:
        """A desk that dies at the point, if it is one of its own."""
        at = point if point in POINTS[1:] else ""
        return forked_desk(self.forks, self.home, "tests.crash.desk_that_dies:serve", at)


@pytest.fixture
def desks(forks: ForkServer, tmp_path: Path, place: Place) -> Desks:
    home = tmp_path / "home"
    home.mkdir()
    if isinstance(place, str):
        (home / "desk.toml").write_text(f'[store]\ndatabase = "{place}"\n')
    return Desks(forks, home)


async def press_submit(desk: RunningDesk, bundle: dict[str, Any], place: int) -> None:
    """Answer; the desk may die before it replies."""
    try:
        async with Human(desk.api, desk.token) as human:
            await human.answer(bundle, place)
    except httpx2.HTTPError:
        pass


async def open_question(desk: RunningDesk) -> dict[str, Any]:
    async with Human(desk.api, desk.token) as human:
        (bundle,) = await human.wait_for()
    return bundle


async def uncollected(desk: RunningDesk) -> int:
    headers = {"Authorization": f"Bearer {desk.token}"}
    async with httpx2.AsyncClient(base_url=desk.api, headers=headers) as http:
        reply = await http.get("/api/v1/clarification-uncollected")
        return int(reply.json()["count"])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("point", POINTS)
async def test_over_the_shim_the_original_call_returns_the_answer_after_the_desk_is_back(
    desks: Desks, tmp_path: Path, point: str
) -> None:
    """When the call is gone, 1: the agent sees one call that took longer (K5.6 row 6, guests)."""
    for number in range(ROUNDS):
        place = number % 2
        async with desks.start(point) as desk:
            async with shim_client(desks.home, tmp_path) as client:
                prompt = f"Which database, {number}?"
                call = asyncio.create_task(ask(client, {"questions": [question(prompt, *LABELS)]}))
                bundle = await open_question(desk)
                if point == "question open":
                    await desk.kill()
                else:
                    await press_submit(desk, bundle, place)
                    await desk.process.wait()
                async with desks.start() as again:
                    if point in {"question open", "in claim"}:
                        assert not call.done()
                        reopened = await open_question(again)
                        assert reopened["pending_id"] == bundle["pending_id"]
                        await press_submit(again, reopened, place)
                    result = await asyncio.wait_for(call, 30)
                    async with Human(again.api, again.token) as human:
                        assert await human.pending() == []
                    assert await uncollected(again) == 0
        assert result["status"] == "answered"
        (answer,) = result["answers"].values()
        assert [item["label"] for item in answer["selected"]] == [LABELS[place]]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("point", POINTS)
async def test_over_http_nothing_is_handed_over_without_a_tap_or_a_ticket(
    desks: Desks, point: str
) -> None:
    """When the call is gone, 4: the card is there again, or pre-filled with the stored answer."""
    for number in range(ROUNDS):
        arguments = {"questions": [question(f"Proceed, {number}?", "yes", "no")]}
        async with desks.start(point) as desk:
            call = asyncio.create_task(ask_until_cut(desk, arguments))
            bundle = await open_question(desk)
            if point == "question open":
                await desk.kill()
            else:
                await press_submit(desk, bundle, 0)
                await desk.process.wait()
            assert await call is None
        async with desks.start() as again:
            await check_restarted(again, arguments, bundle, point)


async def ask_until_cut(desk: RunningDesk, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The result, or None when the connection broke."""
    try:
        async with http_client(desk.mcp, desk.agent_token) as client:
            return await ask(client, arguments)
    except Exception:  # noqa: BLE001 - whatever the SDK makes of a broken connection
        return None
    except BaseExceptionGroup:
        return None


async def check_restarted(
    desk: RunningDesk, arguments: dict[str, Any], bundle: dict[str, Any], point: str
) -> None:
    stored = point in {"before delivery", "before reply"}
    async with (
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as client,
    ):
        before = await human.pending()
        expected = [] if stored else [bundle["pending_id"]]
        assert [item["pending_id"] for item in before] == expected
        call = asyncio.create_task(ask(client, arguments))
        open_now = await human.wait_for(len(before) + 1)
        newest = next(item for item in open_now if item["pending_id"] != bundle["pending_id"])
        assert not call.done()
        offered = newest.get("stored_answer")
        assert (offered is not None) == stored
        if stored:
            assert offered is not None
            assert offered["pending_id"] == bundle["pending_id"]
        await human.answer(newest, 1)
        result = await asyncio.wait_for(call, 20)
        (answer,) = result["answers"].values()
        assert [item["label"] for item in answer["selected"]] == ["no"]
        assert await human.pending() == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("number", range(max(1, ROUNDS // 4)))
async def test_submit_in_a_window_that_dies_reaches_the_shims_call(
    tmp_path: Path, number: int
) -> None:
    """The human pressed Submit, the whole program died, the agent gets what was pressed."""
    home = tmp_path / "home"
    prompt = f"Which database, window {number}?"
    window = (sys.executable, "-m", "tests.crash.window_that_dies", str(home), prompt)
    async with running_desk(home, *window) as desk, shim_client(home, tmp_path) as client:
        call = asyncio.create_task(ask(client, {"questions": [question(prompt, *LABELS)]}))
        assert await asyncio.wait_for(desk.process.wait(), 60) == -signal.SIGKILL
        async with running_desk(home) as again:
            result = await asyncio.wait_for(call, 30)
            assert await uncollected(again) == 0
    (answer,) = result["answers"].values()
    assert [item["label"] for item in answer["selected"]] == ["PostgreSQL"]
