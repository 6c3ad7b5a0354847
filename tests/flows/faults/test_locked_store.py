"""Another program holds the store locked for 8 s while an answer is given."""

import asyncio
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from mcp import Client

from backend.ids import new_id
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.place import Place
from tests.helpers.postgres import PostgresServer
from tests.helpers.program import KANDESK, running_desk
from tests.helpers.stored import stored_bundle
from tests.helpers.waiting import until

pytestmark = pytest.mark.faults

HELD = 8.0
BUDGET = 5.0
TOLERANCE = 1.0
HOLD = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
store.execute(sys.argv[2])
store.execute("CREATE TABLE IF NOT EXISTS held_by_another_program (n)")
print("held", flush=True)
sys.stdin.readline()
store.execute("ROLLBACK")
"""
UNAVAILABLE = {
    "error": "clarification response is temporarily unavailable",
    "code": "temporarily_unavailable",
}

Holder = Callable[[], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def held_file(store: Path, begin: str) -> AsyncIterator[None]:
    """A write transaction of another process, with something written."""
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(store), begin, stdin=PIPE, stdout=PIPE
    )
    assert holder.stdout is not None
    try:
        assert await asyncio.wait_for(holder.stdout.readline(), 20) == b"held\n"
        yield
    finally:
        await holder.communicate(b"\n")


@asynccontextmanager
async def held_table(url: str, table: LiteralString) -> AsyncIterator[None]:
    """Nobody else may even read it."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
        await connection.rollback()


@dataclass
class Locked:
    place: Place
    human: Human
    agent: Client
    hold: Holder

    async def play(self) -> None:
        """503 at 5 s and nothing changed; a first answer once the lock is gone."""
        asked = {"questions": [question("Which database?", "SQLite", "PostgreSQL")]}
        call = asyncio.create_task(ask(self.agent, asked))
        (bundle,) = await self.human.wait_for()
        body = answer_of(bundle)
        async with self.hold():
            started = time.monotonic()
            status, reply = await self.human.respond(bundle["pending_id"], body)
            passed = time.monotonic() - started
            await asyncio.sleep(max(0.0, HELD - passed))
        assert (status, reply) == (503, UNAVAILABLE)
        assert abs(passed - BUDGET) <= TOLERANCE
        await self.check_retry(call, bundle["pending_id"], body)

    async def check_retry(
        self, call: "asyncio.Task[dict[str, Any]]", pending_id: str, body: dict[str, Any]
    ) -> None:
        assert not call.done()
        stored = stored_bundle(self.place, pending_id)
        assert stored.status == "pending"
        assert not stored.responses
        status, reply = await self.human.respond(pending_id, body)
        assert status == 200, reply
        assert (reply["claimed"], reply["replayed"]) == (True, False)
        assert reply["delivery"] == "delivered"
        result = await asyncio.wait_for(call, 20)
        assert result["answers"]["q1"]["selected"][0]["label"] == "PostgreSQL"
        assert stored_bundle(self.place, pending_id).settled


def answer_of(bundle: dict[str, Any]) -> dict[str, Any]:
    (asked,) = bundle["questions"]
    chosen = asked["options"][1]["option_id"]
    answers = [{"question_id": asked["question_id"], "selected_options": [chosen]}]
    return {"answers": answers, "client_id": "script", "claim_id": new_id()}


@asynccontextmanager
async def locked_desk(
    home: Path, place: Place, hold: Holder, *command: str
) -> AsyncIterator[Locked]:
    options = () if isinstance(place, Path) else ("--database", place)
    async with (
        running_desk(home, *(command or (*KANDESK, "serve")), *options) as desk,
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as agent,
    ):
        yield Locked(place, human, agent, hold)


async def play_file(home: Path, begin: str) -> None:
    store = home / "kandesk.db"
    async with locked_desk(home, store, lambda: held_file(store, begin)) as locked:
        await locked.play()


async def play_server(home: Path, url: str) -> None:
    hold = partial(held_table, url, "task_session_messages")
    async with locked_desk(home, url, hold) as locked:
        await locked.play()


async def play_begun(home: Path, url: str) -> None:
    """The lock comes when the claim has read its rows; its last statement meets it."""
    folder = home.with_name(f"{home.name}-signals")
    folder.mkdir()
    command = (sys.executable, "-m", "tests.flows.faults.desk_that_pauses", str(folder))
    hold = partial(held_table, url, "answer_drafts")
    async with locked_desk(home, url, hold, *command) as locked:
        asked = {"questions": [question("Which database?", "SQLite", "PostgreSQL")]}
        call = asyncio.create_task(ask(locked.agent, asked))
        (bundle,) = await locked.human.wait_for()
        body = answer_of(bundle)
        started = time.monotonic()
        answering = asyncio.create_task(locked.human.respond(bundle["pending_id"], body))
        await until((folder / "reached").exists)
        async with locked.hold():
            (folder / "go").touch()
            status, reply = await answering
            passed = time.monotonic() - started
        assert (status, reply) == (503, UNAVAILABLE)
        assert abs(passed - BUDGET) <= TOLERANCE
        await locked.check_retry(call, bundle["pending_id"], body)


async def test_an_answer_to_a_locked_store_fails_at_five_seconds_and_changes_nothing(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """K5.1 step 4, K5.2: one deadline for identity and claim, which reaches into a statement.

    Every lock at once, each with a desk of its own, on both dialects.
    """
    with postgres.database() as one, postgres.database() as other:
        await asyncio.gather(
            play_file(tmp_path / "immediate", "BEGIN IMMEDIATE"),
            play_file(tmp_path / "exclusive", "BEGIN EXCLUSIVE"),
            play_server(tmp_path / "server", one),
            play_begun(tmp_path / "begun", other),
        )
