"""Too few open files, or too little memory, for what is asked of a running desk."""

import asyncio
import resource
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import pytest

from backend.ids import new_id
from tests.flows.faults.test_full_disk import label, option
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.program import RunningDesk, running_desk
from tests.helpers.stored import stored_bundle

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="limits another process"),
]

ASKED = {"questions": [question("Which database?", "SQLite", "PostgreSQL")]}
MIB = 1 << 20


@contextmanager
def limited(pid: int, what: int, limit: int) -> Iterator[None]:
    """The system refuses the process more than `limit`, until the end of the block."""
    before = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (limit, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, what, before)


def open_files(desk: RunningDesk) -> int:
    return len(list(Path(f"/proc/{desk.pid}/fd").iterdir()))


def size_of(path: Path) -> int:
    return path.stat().st_size


@asynccontextmanager
async def crowd(desk: RunningDesk, count: int) -> AsyncIterator[None]:
    """Connections that say nothing, each an open file of the desk."""
    host, port = desk.api.removeprefix("http://").split(":")
    async with AsyncExitStack() as stack:
        for _ in range(count):
            _, writer = await asyncio.open_connection(host, int(port))
            stack.callback(writer.close)
        yield


async def test_a_desk_out_of_open_files_goes_on_once_it_has_some(tmp_path: Path) -> None:
    """P1, P3: who is connected is served; nobody's question is lost; then new ones get in again."""
    home = tmp_path / "home"
    async with (
        running_desk(home) as desk,
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as agent,
    ):
        call = asyncio.create_task(ask(agent, ASKED))
        (bundle,) = await human.wait_for()
        with limited(desk.pid, resource.RLIMIT_NOFILE, open_files(desk)):
            async with crowd(desk, 20):
                async with Human(desk.api, desk.token) as late:
                    with pytest.raises((TimeoutError, httpx2.HTTPError)):
                        await asyncio.wait_for(late.pending(), 1)
                assert [item["pending_id"] for item in await human.pending()] == [
                    bundle["pending_id"]
                ]
                body = option(1, bundle, new_id())
                status, reply = await human.respond(bundle["pending_id"], body)
                assert (status, reply["claimed"], reply["delivery"]) == (200, True, "delivered")
        # The SDK asks once more on a connection of its own before it gives the answer away.
        assert label(await asyncio.wait_for(call, 20)) == "PostgreSQL"
        async with Human(desk.api, desk.token) as late:
            assert await asyncio.wait_for(late.pending(), 20) == []
        assert stored_bundle(home / "kandesk.db", bundle["pending_id"]).settled
        assert await desk.terminate() == 0


async def test_a_desk_whose_files_may_not_grow_changes_nothing_and_retry_works(
    tmp_path: Path,
) -> None:
    """As on a full disk (K5.6, a failed claim), where nobody may mount one: `ulimit -f`."""
    home = tmp_path / "home"
    store = home / "kandesk.db"
    async with (
        running_desk(home) as desk,
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as agent,
    ):
        call = asyncio.create_task(ask(agent, ASKED))
        (bundle,) = await human.wait_for()
        body = option(1, bundle, new_id())
        size = size_of(Path(f"{store}-wal"))
        with limited(desk.pid, resource.RLIMIT_FSIZE, size):
            status, reply = await human.respond(bundle["pending_id"], body)
            assert status == 500
            assert reply["code"] in {"store_full", "store_unreachable"}
            assert str(store) in reply["error"]
            refused = await agent.call_tool("ask_user_question", ASKED)
            assert refused.is_error
            assert len(await human.pending()) == 1
        assert not call.done()
        assert stored_bundle(store, bundle["pending_id"]).status == "pending"
        status, reply = await human.respond(bundle["pending_id"], body)
        assert (status, reply["claimed"], reply["replayed"]) == (200, True, False)
        assert label(await asyncio.wait_for(call, 20)) == "PostgreSQL"
        assert stored_bundle(store, bundle["pending_id"]).settled


async def test_a_desk_short_of_memory_drops_a_request_and_goes_on(tmp_path: Path) -> None:
    """A request there is no memory for ends without a reply or with an error; the rest goes on."""
    home = tmp_path / "home"
    async with (
        running_desk(home) as desk,
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as agent,
    ):
        call = asyncio.create_task(ask(agent, ASKED))
        (bundle,) = await human.wait_for()
        body = option(0, bundle, new_id())
        large = {**body, "client_id": "x" * 900_000}
        told = []
        with limited(desk.pid, resource.RLIMIT_AS, 1 * MIB):
            for _ in range(10):
                try:
                    status, _ = await human.respond(bundle["pending_id"], large)
                except (httpx2.HTTPError, ValueError):
                    status = 0
                told.append(status)
        assert set(told) <= {0, 400, 500, 503}
        assert {0, 500} & set(told), "nothing was short of memory"
        assert stored_bundle(home / "kandesk.db", bundle["pending_id"]).status == "pending"
        status, reply = await human.respond(bundle["pending_id"], body)
        assert (status, reply["claimed"]) == (200, True)
        assert label(await asyncio.wait_for(call, 20)) == "SQLite"
        assert stored_bundle(home / "kandesk.db", bundle["pending_id"]).settled
