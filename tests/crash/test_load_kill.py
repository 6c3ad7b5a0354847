"""kill -9 at random moments under load: agents and humans of every kind, on one store."""

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.crash.books import Books, read_books
from tests.crash.forks import ForkServer, forked_desk
from tests.crash.journal import Journal
from tests.crash.load_account import load_account
from tests.crash.load_actors import (
    Load,
    asking_again_agent,
    hosted_agent,
    hosted_question,
    human,
    keyed_agent,
    shim_agent,
)
from tests.helpers.mcp_clients import shim_client
from tests.helpers.place import Place
from tests.helpers.postgres_faults import private_server
from tests.helpers.program import RunningDesk
from tests.helpers.store import RowMaker
from tests.helpers.waiting import eventually, until

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX"),
]

LONG = os.environ.get("KANDESK_LONG") == "1"
ROUNDS = int(os.environ.get("KANDESK_KILLS", "100")) if LONG else 3
SEED = int(os.environ.get("KANDESK_SEED", "7"))
SERVER_ROUNDS = 5
MOST_WORK = 40 if LONG else 25
"""A desk is killed after at most so many words of humans and agents, and at any in between."""
LONGEST = 6.0
"""Seconds a desk lives at most, on a machine that has other things to do."""
JITTER = 0.05
DRAIN_SECONDS = 60.0
SESSIONS = ("hosted-1", "hosted-2", "hosted-3")


@asynccontextmanager
async def desk_under_load(
    forks: ForkServer, load: Load, home: Path, place: Place
) -> AsyncIterator[RunningDesk]:
    database = place if isinstance(place, str) else ""
    journal = str(load.journal.path)
    async with forked_desk(forks, home, "tests.crash.load_desk:main", database, journal) as desk:
        load.desk = desk
        try:
            yield desk
        finally:
            load.desk = None


@asynccontextmanager
async def everybody(load: Load, home: Path) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """All actors at work; gives what lets every agent finish, on a desk that is left alone."""
    async with shim_client(home, home) as client:
        agents = [
            asyncio.create_task(work)
            for work in (
                shim_agent(load, client),
                *(keyed_agent(load, number) for number in range(5)),
                *(asking_again_agent(load, number) for number in range(2)),
                *(hosted_agent(load, name, waits=name != SESSIONS[0]) for name in SESSIONS),
            )
        ]
        humans = [asyncio.create_task(human(load, number)) for number in range(3)]

        async def finish() -> None:
            load.asking = False
            await asyncio.wait_for(asyncio.gather(*agents), DRAIN_SECONDS)

        try:
            yield finish
        finally:
            for task in (*agents, *humans):
                task.cancel()
            await asyncio.gather(*agents, *humans, return_exceptions=True)


async def run_load(
    start: Callable[[Load], AbstractAsyncContextManager[RunningDesk]],
    place: Place,
    home: Path,
    rounds: int,
    kill: Callable[[RunningDesk], Awaitable[None]],
) -> None:
    """Kill once a round at a random moment; then let everybody finish, and settle the account."""
    load = Load(Journal(home.parent / "journal"), random.Random(SEED))  # noqa: S311
    moments = random.Random(SEED + 1)  # noqa: S311
    print(f"seed {SEED}, {rounds} rounds")
    async with asyncio.timeout(120 + 30 * rounds), AsyncExitStack() as stack:
        async with start(load) as desk:
            seed(place)
            finish = await stack.enter_async_context(everybody(load, home))
            await some_work(load, moments)
            await kill(desk)
        for _ in range(rounds - 1):
            async with start(load) as desk:
                await some_work(load, moments)
                await kill(desk)
        async with start(load) as desk:
            await finish()
            await settled(place)
            await shows_unknown(load, desk, place)
    check(read_books(place), load.journal)


async def some_work(load: Load, moments: random.Random) -> None:
    """Until a random moment, on a fast machine or a slow one."""
    last = load.work + moments.randint(0, MOST_WORK)
    with suppress(AssertionError):
        await until(lambda: load.work >= last, seconds=LONGEST)
    await asyncio.sleep(moments.uniform(0, JITTER))


def seed(place: Place) -> None:
    rows = RowMaker(place)
    for name in SESSIONS:
        rows.session(name)
        rows.turn(f"turn of {name}", name)


def check(books: Books, journal: Journal) -> None:
    found = load_account(books, journal)
    for name, count in sorted(found.figures.items()):
        print(f"{name}: {count}")
    assert (found.lost, found.doubled, found.wrong) == ([], [], [])


async def settled(place: Place) -> None:
    async def nothing_on_its_way() -> bool:
        return not any(entry.on_its_way for entry in read_books(place).entries.values())

    await eventually(nothing_on_its_way, seconds=DRAIN_SECONDS)


async def shows_unknown(load: Load, desk: RunningDesk, place: Place) -> None:
    """K5.6 row 19: `GET /:id` says that the delivery is unknown."""
    async with load.web(desk) as http:
        for entry in read_books(place).entries.values():
            if entry.delivery == "unknown":
                reply = await http.get(f"/api/v1/clarification/{entry.pending_id}")
                assert reply.json()["delivery"] == "unknown"


async def kill_desk(desk: RunningDesk) -> None:
    if desk.process.returncode is None:
        await desk.kill()


@pytest.mark.timeout(7_200)
async def test_a_desk_killed_under_load_loses_and_doubles_nothing(
    place: Place, tmp_path: Path, forks: ForkServer
) -> None:
    """K5.6: every answer delivered once, pending, or unknown and shown so."""
    home = tmp_path / "home"
    if isinstance(place, Path):
        place = home / "kandesk.db"

    def start(load: Load) -> AbstractAsyncContextManager[RunningDesk]:
        return desk_under_load(forks, load, home, place)

    await run_load(start, place, home, ROUNDS, kill_desk)


@pytest.mark.skipif(not LONG, reason="getting a store back takes its seconds: in a long run")
@pytest.mark.timeout(3_600)
async def test_a_server_killed_under_load_loses_and_doubles_nothing(
    tmp_path: Path, forks: ForkServer
) -> None:
    """K5.6, the store's own crash: the desk lives on, owns the store again, and settles."""
    home = tmp_path / "home"
    with private_server((), "fsync=on") as server:

        async def kill_server(desk: RunningDesk) -> None:
            assert desk.process.returncode is None
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)

        async with AsyncExitStack() as stack:
            running: list[RunningDesk] = []

            @asynccontextmanager
            async def same_desk(load: Load) -> AsyncIterator[RunningDesk]:
                if not running:
                    desk = desk_under_load(forks, load, home, server.url)
                    running.append(await stack.enter_async_context(desk))
                else:
                    await takes_writes(load, running[0])
                yield running[0]

            await run_load(same_desk, server.url, home, SERVER_ROUNDS, kill_server)


async def takes_writes(load: Load, desk: RunningDesk) -> None:
    """The desk owns the store again: a question can be put into a session."""
    body = {"session_id": SESSIONS[0], **hosted_question("are you back?")}

    async def accepted() -> bool:
        async with load.web(desk) as http:
            reply = await http.post("/api/v1/clarification/request", json=body)
        return reply.status_code == 200

    await eventually(accepted, seconds=DRAIN_SECONDS)
