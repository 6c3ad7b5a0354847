"""The disk of a running desk is full: one clear error, nothing half-written, Retry afterwards."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from backend.ids import new_id
from tests.helpers.disk import SmallDisk, memory_disk
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.program import RunningDesk, running_desk
from tests.helpers.stored import count_rows, stored_bundle
from tests.helpers.waiting import eventually

pytestmark = pytest.mark.faults

LABELS = ("SQLite", "PostgreSQL")
NO_ROOM = "there is no room left for the store"


@dataclass
class Fullness:
    """A desk on a small disk, an agent and a human."""

    disk: SmallDisk
    store: Path
    human: Human
    agent: Client
    desk: RunningDesk

    async def open_question(self, prompt: str) -> "tuple[asyncio.Task[dict[str, Any]], str]":
        before = {bundle["pending_id"] for bundle in await self.human.pending()}
        call = asyncio.create_task(ask(self.agent, {"questions": [question(prompt, *LABELS)]}))
        bundles = await self.human.wait_for(len(before) + 1)
        (pending_id,) = {bundle["pending_id"] for bundle in bundles} - before
        return call, pending_id

    async def note(self, text: str) -> str:
        """What the agent is told; empty when the note is stored."""
        result = await self.agent.call_tool("send_note", {"text": text})
        return str(result.content[0]) if result.is_error else ""

    async def detached(self) -> bool:
        """Whether the one open question is known to be left by its agent."""
        (bundle,) = await self.human.pending()
        return bool(bundle["detached"])

    async def fill(self) -> None:
        """Also the room that the log of the store has taken and does not use."""
        self.disk.fill()
        for size in (20_000, 1_000, 1):
            while not await self.note("x" * size):
                pass


@asynccontextmanager
async def full_desk(tmp_path: Path, *command: str) -> AsyncIterator[Fullness]:
    with memory_disk(tmp_path / "disk") as disk:
        home = disk.root / "home"
        async with (
            running_desk(home, *command) as desk,
            Human(desk.api, desk.token) as human,
            http_client(desk.mcp, desk.agent_token) as agent,
        ):
            yield Fullness(disk, home / "kandesk.db", human, agent, desk)


def option(bundle_place: int, pending: dict[str, Any], claim_id: str) -> dict[str, Any]:
    (asked,) = pending["questions"]
    chosen = asked["options"][bundle_place]["option_id"]
    answers = [{"question_id": asked["question_id"], "selected_options": [chosen]}]
    return {"answers": answers, "client_id": "script", "claim_id": claim_id}


def label(result: dict[str, Any]) -> str:
    (answer,) = result["answers"].values()
    return str(answer["selected"][0]["label"])


async def test_an_answer_that_finds_no_room_changes_nothing_and_retry_delivers_it_once(
    tmp_path: Path,
) -> None:
    """K5.6, a failed claim; P1, P4: 500 `store_full`, the call waits on, Retry is a first try."""
    async with full_desk(tmp_path) as here:
        call, pending_id = await here.open_question("Which database?")
        (bundle,) = await here.human.pending()
        await here.fill()
        body = option(1, bundle, new_id())
        for _ in range(3):
            status, reply = await here.human.respond(pending_id, body)
            assert (status, reply["code"]) == (500, "store_full")
            assert reply["error"].startswith(NO_ROOM)
        assert stored_bundle(here.store, pending_id).status == "pending"
        assert not call.done()
        here.disk.make_room()
        status, reply = await here.human.respond(pending_id, body)
        assert (status, reply["claimed"], reply["replayed"]) == (200, True, False)
        assert reply["delivery"] == "delivered"
        assert label(await asyncio.wait_for(call, 20)) == "PostgreSQL"
        stored = stored_bundle(here.store, pending_id)
        assert stored.settled
        assert stored.status == "answered"
        status, again = await here.human.respond(pending_id, body)
        assert (status, again["claimed"], again["replayed"]) == (200, True, True)
        assert again["response"] == reply["response"]


async def test_a_question_that_finds_no_room_is_a_clear_error_and_leaves_no_row(
    tmp_path: Path,
) -> None:
    """K1.1: all rows of a bundle or none; the agent is told and may ask again."""
    async with full_desk(tmp_path) as here:
        call, pending_id = await here.open_question("First?")
        await here.fill()
        tables = ("task_session_messages", "interaction_deliveries", "task_session_turns")
        before = {table: count_rows(here.store, table) for table in tables}
        asked = {"questions": [question("Second?", *LABELS), question("Third?", *LABELS)]}
        result = await here.agent.call_tool("ask_user_question", asked)
        assert result.is_error
        assert NO_ROOM in str(result.content[0])
        assert {table: count_rows(here.store, table) for table in tables} == before
        assert [item["pending_id"] for item in await here.human.pending()] == [pending_id]
        here.disk.make_room()
        second = asyncio.create_task(ask(here.agent, asked))
        bundles = await here.human.wait_for(2)
        assert [len(item["questions"]) for item in bundles] == [1, 2]
        for item in bundles:
            await here.human.answer(item)
        assert (await asyncio.wait_for(second, 20))["status"] == "answered"
        assert label(await asyncio.wait_for(call, 20)) == "SQLite"


async def test_an_agent_that_leaves_while_the_disk_is_full_is_seen_to_have_left(
    tmp_path: Path,
) -> None:
    """K1.7, detach: stored as soon as there is room, by itself."""
    async with full_desk(tmp_path) as here:
        call, pending_id = await here.open_question("Still there?")
        await here.fill()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert not await here.detached()
        here.disk.make_room()
        await eventually(here.detached, seconds=10)
        (bundle,) = await here.human.pending()
        assert bundle["pending_id"] == pending_id
        assert (await here.human.answer(bundle))["delivery"] == "waiting_for_agent"


def filling_at(moment: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "tests.flows.faults.desk_that_fills_its_disk", moment)


async def test_an_answer_whose_confirmation_finds_no_room_arrives_once_there_is_some(
    tmp_path: Path,
) -> None:
    """K5.6 row 9 for guests: claimed, not known to be delivered, and said so; the call waits on."""
    async with full_desk(tmp_path, *filling_at("confirmation")) as here:
        call, pending_id = await here.open_question("Which database?")
        (bundle,) = await here.human.pending()
        body = option(0, bundle, new_id())
        status, reply = await here.human.respond(pending_id, body)
        assert (status, reply["claimed"], reply["delivery"]) == (200, True, "unknown")
        assert not call.done()
        assert stored_bundle(here.store, pending_id).status == "answered"
        status, again = await here.human.respond(pending_id, body)
        assert (status, again["claimed"], again["replayed"]) == (200, True, True)
        assert again["delivery"] != "delivered"
        assert not call.done()
        here.disk.make_room()
        assert label(await asyncio.wait_for(call, 20)) == "SQLite"
        await check_delivered(here, pending_id, body, reply)


async def test_an_answer_that_cannot_be_kept_for_its_agent_is_kept_once_there_is_room(
    tmp_path: Path,
) -> None:
    """K5.6 row 6 for guests; When the call is gone, 3: its agent collects it by asking again."""
    async with full_desk(tmp_path, *filling_at("keeping")) as here:
        call, pending_id = await here.open_question("Which database?")
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await eventually(here.detached)
        (bundle,) = await here.human.pending()
        body = option(0, bundle, new_id())
        status, reply = await here.human.respond(pending_id, body)
        assert (status, reply["claimed"], reply["delivery"]) == (200, True, "unknown")
        here.disk.make_room()
        asked = {"questions": [question("Which database?", *LABELS)]}
        assert label(await asyncio.wait_for(ask(here.agent, asked), 20)) == "SQLite"
        await check_delivered(here, pending_id, body, reply)
        assert await here.human.pending() == []


async def check_delivered(
    here: Fullness, pending_id: str, body: dict[str, Any], first: dict[str, Any]
) -> None:
    status, last = await here.human.respond(pending_id, body)
    assert (status, last["replayed"], last["delivery"]) == (200, True, "delivered")
    assert last["response"] == first["response"]
    assert stored_bundle(here.store, pending_id).settled
