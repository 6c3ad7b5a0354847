"""The disk of the database server is full while the desk runs."""

import asyncio
import os
import pwd
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from backend.ids import new_id
from tests.flows.faults.test_full_disk import NO_ROOM, Fullness, label, option
from tests.helpers.disk import SmallDisk, memory_disk
from tests.helpers.human import Human
from tests.helpers.mcp_clients import http_client
from tests.helpers.postgres import PostgresServer
from tests.helpers.program import KANDESK, running_desk
from tests.helpers.stored import stored_bundle

pytestmark = pytest.mark.faults


@contextmanager
def database_on(server: PostgresServer, disk: SmallDisk) -> Iterator[str]:
    """A database whose tables are on the disk; the server's own log is not."""
    folder = disk.root / "tables"
    folder.mkdir()
    with psycopg.connect(server.url, autocommit=True) as connection:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        connection.execute(f"CREATE TABLESPACE small LOCATION '{folder}'".encode())
        connection.execute("CREATE DATABASE on_small TABLESPACE small")
        try:
            yield server.url.rsplit("/", 1)[0] + "/on_small"
        finally:
            disk.make_room()
            connection.execute("DROP DATABASE on_small WITH (FORCE)")
            connection.execute("DROP TABLESPACE small")


def readable(folder: Path) -> Path:
    """The server runs under an account of its own."""
    folder.chmod(0o755)
    return folder


async def test_an_answer_a_full_server_refuses_changes_nothing_and_retry_delivers_it(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """K5.6, a failed claim, on PostgreSQL: 500 `store_full`, rolled back, Retry is a first try."""
    if postgres.process is None:
        pytest.skip("the named server runs elsewhere: its disk is not ours to fill")
    with (
        tempfile.TemporaryDirectory(prefix="kandesk-disk-") as folder,
        memory_disk(readable(Path(folder)) / "disk", mib=24) as disk,
        database_on(postgres, disk) as url,
    ):
        async with (
            running_desk(tmp_path / "home", *KANDESK, "serve", "--database", url) as desk,
            Human(desk.api, desk.token) as human,
            http_client(desk.mcp, desk.agent_token) as agent,
        ):
            here = Fullness(disk, tmp_path, human, agent, desk)
            call, pending_id = await here.open_question("Which database?")
            (bundle,) = await human.pending()
            await here.fill()
            body = option(1, bundle, new_id())
            status, reply = await human.respond(pending_id, body)
            assert (status, reply["code"]) == (500, "store_full")
            assert reply["error"].startswith(NO_ROOM)
            stored = stored_bundle(url, pending_id)
            assert stored.status == "pending"
            assert not stored.responses
            assert not call.done()
            disk.make_room()
            status, reply = await human.respond(pending_id, body)
            assert (status, reply["claimed"], reply["replayed"]) == (200, True, False)
            assert label(await asyncio.wait_for(call, 20)) == "PostgreSQL"
            assert stored_bundle(url, pending_id).settled
