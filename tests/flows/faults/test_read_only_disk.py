"""A store nobody may write to: from the start on, or all of a sudden."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from mcp import Client

from backend.clock import SystemClock
from backend.errors import ErrorCode, StorageFailed
from backend.ids import new_id
from backend.paths import Home
from backend.runtime import Runtime
from tests.flows.faults.test_full_disk import label, option
from tests.helpers.disk import SmallDisk, read_only, real_disk
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.program import RunningDesk, run_command, running_desk
from tests.helpers.stored import stored_bundle

pytestmark = pytest.mark.faults

ASKED = {"questions": [question("Which database?", "SQLite", "PostgreSQL")]}


async def start(home: Home) -> StorageFailed | None:
    try:
        runtime = await Runtime.open(home, SystemClock(), kind="serve", listener=lambda _: None)
    except StorageFailed as error:
        return error
    await runtime.close(deliberate=False)
    return None


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("existed", [False, True], ids=["new", "existing"])
async def test_a_home_on_a_read_only_disk_is_refused_in_one_line_and_left_as_it_is(
    tmp_path: Path, *, existed: bool
) -> None:
    """Architecture, The store: no desk on a store it cannot write; nothing is changed."""
    home = Home(tmp_path / "home")
    home.create()
    if existed:
        assert await start(home) is None
    before = contents(home.root)
    with read_only(home.root):
        failure = await start(home)
        assert failure is not None
        assert failure.code is ErrorCode.STORE_READ_ONLY, failure.detail
        assert str(home.root) in failure.detail
        code, out, err = await run_command(home.root, "serve")
        assert (code, out) == (1, "")
        (line,) = err.splitlines()
        assert line.startswith("kandesk: ")
        assert "Read-only file system" in line
    assert contents(home.root) == before
    assert await start(home) is None


@pytest.mark.parametrize("name", ["kandesk.db", "kandesk.db.lock"])
async def test_a_single_file_that_is_read_only_is_named(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path / "home")
    assert await start(home) is None
    with read_only_file(home.root / name):
        failure = await start(home)
    assert failure is not None
    assert failure.code is ErrorCode.STORE_READ_ONLY, failure.detail
    assert name in failure.detail
    assert await start(home) is None


@contextmanager
def read_only_file(path: Path) -> Iterator[None]:
    """Mounted over itself: also for root, who may write whatever its mode says."""
    with read_only(path):
        yield


@asynccontextmanager
async def desk_on(disk: SmallDisk) -> AsyncIterator[tuple[RunningDesk, Human, Client]]:
    async with (
        running_desk(disk.root / "home") as desk,
        Human(desk.api, desk.token) as human,
        http_client(desk.mcp, desk.agent_token) as agent,
    ):
        yield desk, human, agent


@contextmanager
def immutable(path: Path) -> Iterator[None]:
    """The system refuses every write, also to whoever has the file open."""
    subprocess.run(["chattr", "+i", str(path)], check=True)
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", str(path)], check=True)


async def test_a_store_that_becomes_read_only_keeps_the_question_open_until_it_is_not(
    tmp_path: Path,
) -> None:
    """P1, P4: one clear error while it lasts, the call waits on, Retry without a restart."""
    with real_disk(tmp_path / "disk") as disk:
        store = disk.root / "home" / "kandesk.db"
        async with desk_on(disk) as (_, human, agent):
            call = asyncio.create_task(ask(agent, ASKED))
            (bundle,) = await human.wait_for()
            body = option(1, bundle, new_id())
            with immutable(Path(f"{store}-wal")):
                for _ in range(2):
                    status, reply = await human.respond(bundle["pending_id"], body)
                    assert status == 500
                    assert reply["code"] in {"store_read_only", "store_unreachable"}
                    assert str(store) in reply["error"]
                refused = await agent.call_tool("ask_user_question", ASKED)
                assert refused.is_error
                assert [item["pending_id"] for item in await human.pending()] == [
                    bundle["pending_id"]
                ]
            assert not call.done()
            assert stored_bundle(store, bundle["pending_id"]).status == "pending"
            status, reply = await human.respond(bundle["pending_id"], body)
            assert (status, reply["claimed"], reply["replayed"]) == (200, True, False)
            assert label(await asyncio.wait_for(call, 20)) == "PostgreSQL"


async def test_a_disk_the_system_gives_up_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    """Read-only under open files, as after an error of the hardware; then another mount."""
    with real_disk(tmp_path / "disk") as disk:
        home = disk.root / "home"
        async with desk_on(disk) as (desk, human, agent):
            call = asyncio.create_task(ask(agent, ASKED))
            (bundle,) = await human.wait_for()
            body = option(0, bundle, new_id())
            disk.fail()
            status, reply = await human.respond(bundle["pending_id"], body)
            assert status == 500, reply
            assert reply["code"] in {"store_read_only", "store_unreachable"}
            assert not call.done()
            assert [item["pending_id"] for item in await human.pending()] == [bundle["pending_id"]]
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            assert await desk.terminate() == 0
        disk.mount_again()
        async with running_desk(home) as again, Human(again.api, again.token) as human:
            (reopened,) = await human.wait_for()
            assert reopened["pending_id"] == bundle["pending_id"]
            status, reply = await human.respond(bundle["pending_id"], body)
            assert (status, reply["claimed"], reply["replayed"]) == (200, True, False)
