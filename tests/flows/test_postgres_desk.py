"""The program on a PostgreSQL server: asked, answered, excluded, cut off, and whole again."""

import asyncio
import json
import time
from pathlib import Path

import httpx2
import psutil
import psycopg
import pytest

from backend.ids import new_id
from tests.helpers.client_process import client_process
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.place import raw
from tests.helpers.postgres_desk import (
    answer,
    desk_on,
    has_open,
    http_of,
    logged,
    open_bundles,
    read_inbox,
)
from tests.helpers.postgres_faults import kill_lock, private_server
from tests.helpers.program import KANDESK, environment, run_command, running_desk
from tests.helpers.waiting import eventually, until

pytestmark = pytest.mark.faults

GO = {"questions": [question("Go on?", "Yes", "No")]}


async def test_a_question_is_asked_and_answered_and_outlives_the_desk(
    tmp_path: Path, postgres_url: str
) -> None:
    home = tmp_path / "home"
    async with desk_on(home, postgres_url) as desk:
        async with http_of(desk) as http, http_client(desk.mcp, desk.agent_token) as client:
            asked = asyncio.create_task(ask(client, GO))
            await eventually(lambda: has_open(http), seconds=30)
            reply = await answer(http, (await open_bundles(http))[0], new_id())
            assert reply.status_code == 200
            assert (await asked)["answers"]["q1"]["selected"][0]["label"] == "Yes"
            info = (await http.get("/api/v1/desk")).text
        assert await desk.terminate() == 0
    assert not (home / "kandesk.db").exists()
    assert "password" not in info
    async with desk_on(home, postgres_url) as desk, http_of(desk) as http:
        history = await http.get("/api/v1/clarification-inbox/history")
        assert "Go on?" in history.text


async def test_a_second_desk_with_another_home_exits_1_and_names_the_first(
    tmp_path: Path, postgres_url: str
) -> None:
    """architecture.md, The store: exactly one desk owns a store."""
    async with desk_on(tmp_path / "first", postgres_url) as desk:
        code, out, err = await run_command(tmp_path / "second", "serve", "--database", postgres_url)
        assert (code, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert f"in use by process {desk.pid} (serve)" in err
        assert not (tmp_path / "second" / "endpoint.json").exists()
        await desk.terminate()
    async with desk_on(tmp_path / "second", postgres_url):
        pass


async def test_every_command_uses_the_store_that_the_home_names(
    tmp_path: Path, postgres_url: str
) -> None:
    """architecture.md, The store: `serve`, and `pending`, `answer` and `skip` without a desk."""
    home, other = tmp_path / "home", tmp_path / "other"
    for place in (home, other):
        place.mkdir(mode=0o700)
        (place / "desk.toml").write_text(f'[store]\ndatabase = "{postgres_url}"\n')
        (place / "desk.toml").chmod(0o600)
    async with running_desk(home) as desk:
        async with http_client(desk.mcp, desk.agent_token) as client:
            asked = asyncio.create_task(ask(client, GO))
            async with http_of(desk) as http:
                await eventually(lambda: has_open(http), seconds=30)
            code, _, err = await run_command(other, "pending")
            assert (code, err) == (0, "")
            bundle = json.loads((await run_command(other, "pending", "--json"))[1])["bundles"][0]
            code, _, err = await run_command(other, "answer", bundle["pending_id"], "Yes")
            assert code == 1
            assert f"process {desk.pid} (serve)" in err
            asked.cancel()
            await desk.kill()
    assert not (home / "kandesk.db").exists()
    code, _, err = await run_command(other, "answer", bundle["pending_id"], "Yes")
    assert (code, err) == (0, "")
    assert "No open questions" in (await run_command(home, "pending"))[1]
    with raw(postgres_url) as connection:
        row = connection.execute("SELECT state FROM interaction_deliveries").fetchone()
    assert row["state"] == "waiting_for_agent"


async def test_a_call_that_waited_through_the_outage_gets_its_answer(
    tmp_path: Path,
) -> None:
    """Away later: HTTP 503, and afterwards everything as if nothing had been."""
    home = tmp_path / "home"
    with private_server() as server:
        async with desk_on(home, server.url) as desk:
            async with http_of(desk) as http, http_client(desk.mcp, desk.agent_token) as client:
                asked = asyncio.create_task(ask(client, GO))
                await eventually(lambda: has_open(http), seconds=30)
                (bundle,) = await open_bundles(http)
                claim = new_id()
                server.kill()
                await until(lambda: logged(home, "the store is away:"), seconds=30)
                reply = await answer(http, bundle, claim)
                assert reply.status_code == 503
                assert reply.json()["code"] == "temporarily_unavailable"
                assert (await http.get("/api/v1/clarification-inbox")).status_code == 503
                server.start()
                await until(lambda: logged(home, "the store is back"), seconds=60)
                assert not asked.done()
                assert (await answer(http, bundle, claim)).status_code == 200
                result = await asyncio.wait_for(asked, 30)
                assert result["answers"]["q1"]["selected"][0]["label"] == "Yes"
            assert await desk.terminate() == 0


@pytest.mark.parametrize("busy", [False, True])
async def test_it_stops_in_a_few_seconds_although_its_server_hangs(
    tmp_path: Path, *, busy: bool
) -> None:
    """SIGSTOP the server, SIGTERM the desk; busy: also while it reads and claims."""
    home = tmp_path / "home"
    where = ("shim", str(home), str(tmp_path), "claude-code")
    with private_server() as server:
        async with desk_on(home, server.url) as desk, http_of(desk) as http:
            calls: list[asyncio.Task[httpx2.Response]] = []
            async with client_process(*where, home=home) as client:
                client.ask(GO)
                await eventually(lambda: has_open(http), seconds=20)
                (bundle,) = await open_bundles(http)
                server.freeze()
                if busy:
                    calls = [asyncio.create_task(read_inbox(http)) for _ in range(6)]
                    calls.append(asyncio.create_task(answer(http, bundle, new_id())))
                await asyncio.sleep(0.3)
                began = time.monotonic()
                assert await desk.terminate() == 0
                took = time.monotonic() - began
            told = await asyncio.gather(*calls)
        assert [reply.status_code for reply in told] == [503] * len(calls)
        assert {reply.json()["code"] for reply in told} <= {"temporarily_unavailable"}
        assert took < 12
        assert not (home / "endpoint.json").exists()


async def test_a_start_on_a_server_that_hangs_can_be_stopped(tmp_path: Path) -> None:
    with private_server() as server:
        server.freeze()
        process = await _start(tmp_path / "home", server.url)
        await asyncio.sleep(2)
        began = time.monotonic()
        process.terminate()
        await asyncio.wait_for(process.wait(), 12)
        assert time.monotonic() - began < 10


async def _start(home: Path, url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *KANDESK, "serve", "--database", url, env=environment(home)
    )


async def test_a_server_that_is_away_ends_a_start_in_one_line(tmp_path: Path) -> None:
    """architecture.md, The store: server away at start: `serve` exits 1."""
    home = tmp_path / "home"
    code, out, err = await run_command(
        home, "serve", "--database", "postgresql://me@127.0.0.1:1/desk"
    )
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "postgresql://me@127.0.0.1:1/desk cannot be reached" in err


async def test_an_older_store_is_changed_only_by_a_start_that_says_so(
    tmp_path: Path, postgres_url: str
) -> None:
    """architecture.md, The store: confirmation and the pg_dump command."""
    home = tmp_path / "home"
    await _once(home, postgres_url)
    with raw(postgres_url) as connection:
        connection.execute(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 't', 'n', 'n')"
        )
        connection.execute("DROP INDEX idx_messages_metadata_pending_id_lookup_ordered")
    code, _, err = await run_command(home, "serve", "--database", postgres_url)
    assert code == 1
    assert len(err.splitlines()) == 1
    assert "idx_messages_metadata_pending_id_lookup_ordered" in err
    assert "pg_dump " in err
    assert "kandesk serve --migrate" in err
    await _once(home, postgres_url, "--migrate")
    await _once(home, postgres_url)


async def _once(home: Path, url: str, *options: str) -> None:
    async with desk_on(home, url, *options) as desk:
        assert await desk.terminate() == 0


async def test_a_password_is_nowhere_but_in_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """architecture.md, The store: never in argv or logs."""
    private, home = "correct-horse", tmp_path / "home"
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:*:*:guarded:{private}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    with private_server(["host all guarded 127.0.0.1/32 scram-sha-256"]) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{private}'")
            connection.execute("GRANT ALL ON SCHEMA public TO guarded")
        url = server.address("desk", role="guarded")
        async with desk_on(home, url) as desk, http_of(desk) as http:
            kill_lock(server.url)
            await until(lambda: logged(home, "the store is back"), seconds=20)
            assert (await http.get("/api/v1/clarification-inbox")).status_code == 200
            assert private not in (await http.get("/api/v1/desk")).text
            argv = " ".join(psutil.Process(desk.pid).cmdline())
            await desk.terminate()
    assert private not in argv
    for file in home.rglob("*"):
        if file.is_file():
            assert private.encode() not in file.read_bytes(), file
