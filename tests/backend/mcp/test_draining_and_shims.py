"""A stopping desk, and the calls of the stdio shim (agents.md, Shim; product.md, Commands)."""

from typing import Any
from urllib.parse import quote

import pytest

from backend.clarification.ask_result import AskResult
from backend.domain.conversation import Connection, GuestIdentity
from backend.ids import IdempotencyKey, PendingId
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import (
    ONE_QUESTION,
    Door,
    connection,
    legacy_call,
    modern_call,
    open_session,
    post_stream,
    raw_http,
)
from tests.helpers.waiting import until

PATIENCE = "X-Kandesk-Patience"
SHIM = {
    "X-Kandesk-Shim": "instance-1",
    "X-Kandesk-Folder": quote("/home/añn/商店 1", safe=""),
    "X-Kandesk-Git-Root": quote("/home/añn", safe=""),
    "X-Kandesk-Client": f"{quote('claude/code', safe='')}/2.1",
    "Idempotency-Key": "instance-1:7",
}


def _shim_call(**more: Any) -> tuple[dict[str, Any], dict[str, str]]:
    body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="tok", **more)
    return body, {**headers, **SHIM}


async def test_a_shim_is_known_by_what_it_proves(door: Door) -> None:
    async with raw_http(door) as http:
        body, headers = _shim_call(name="something-it-claims")
        async with post_stream(http, body, headers):
            await until(lambda: door.asking.asked)
    caller = door.asking.asked[0].caller
    assert caller.identity == GuestIdentity(
        Connection.SHIM,
        key="instance-1|/home/añn/商店 1",
        client_name="claude/code",
        client_version="2.1",
        folder="/home/añn/商店 1",
        git_root="/home/añn",
    )
    assert caller.idempotency_key == "instance-1:7"
    assert caller.connection_id == "instance-1"


async def test_the_first_event_of_a_shims_ask_carries_the_ticket_and_only_the_first(
    door: Door, clock: FakeClock
) -> None:
    """agents.md, Shim: while the desk is away it keeps the patience itself."""
    async with raw_http(door) as http:
        body, headers = _shim_call()
        async with post_stream(http, body, headers) as stream:
            first = await stream.next()
            await until(lambda: clock.pending_timers)
            await clock.advance(10)
            second = await stream.next()
    assert first is not None
    assert second is not None
    assert first["params"]["_meta"] == {"dev.kandesk/ticket": "ticket-1"}
    assert "_meta" not in second["params"]
    assert second["params"]["progress"] > first["params"]["progress"]


async def test_other_clients_get_no_ticket_in_their_progress(door: Door) -> None:
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers) as stream:
            first = await stream.next()
    assert first is not None
    assert "_meta" not in first["params"]


@pytest.mark.parametrize(
    ("client", "patience", "limit"),
    [
        ("something-new", "38.25", 38.25),
        ("codex-mcp-client", "279.9", 279.9),
        ("claude-code", "none", None),
        ("something-new", "none", None),
        ("something-new", "0", 0.0),
    ],
)
async def test_a_shim_says_how_long_its_client_waits(
    door: Door,
    monkeypatch: pytest.MonkeyPatch,
    client: str,
    patience: str,
    limit: float | None,
) -> None:
    """Whether that client sends progress tokens is known to the shim alone."""
    assert await _limit_told(door, monkeypatch, client, {PATIENCE: patience}) == pytest.approx(
        limit
    )


@pytest.mark.parametrize(
    "patience",
    [
        None,
        "",
        "soon",
        "-1",
        "nan",
        "inf",
        "1e3",
        "1_0",
        "99999999",
        "0." + "1" * 5_000,
        "None",
    ],
)
@pytest.mark.parametrize(("client", "limit"), [("something-new", 40), ("claude-code", 280)])
async def test_a_patience_that_cannot_be_read_counts_as_the_shortest_of_this_client(
    door: Door,
    monkeypatch: pytest.MonkeyPatch,
    patience: str | None,
    client: str,
    limit: float,
) -> None:
    """The card may promise too little, never too much; the call itself is unharmed."""
    given = {} if patience is None else {PATIENCE: patience}
    assert await _limit_told(door, monkeypatch, client, given) == pytest.approx(limit)


async def _limit_told(
    door: Door, monkeypatch: pytest.MonkeyPatch, client: str, given: dict[str, str]
) -> float | None:
    """The limit the asking side learns for one call of a shim, whose answer then arrives."""
    told: list[float | None] = []
    wait = door.asking.wait

    async def note(pending_id: PendingId, *, limit: float | None = None) -> AskResult:
        told.append(limit)
        return await wait(pending_id)

    monkeypatch.setattr(door.asking, "wait", note)
    body, headers = _shim_call()
    async with raw_http(door) as http:
        named = {**headers, "X-Kandesk-Client": f"{client}/1", **given}
        async with post_stream(http, body, named) as stream:
            await until(lambda: told)
            door.asking.answer(1, options=("pg",))
            assert "result" in await stream.result()
    (limit,) = told
    return limit


@pytest.mark.parametrize("key", ["other-instance:7", "instance-1", f"instance-1:{'x' * 4_096}"])
async def test_a_key_of_another_instance_does_not_count(door: Door, key: str) -> None:
    """So that one agent cannot collect the answer of another by its key."""
    async with raw_http(door) as http:
        body, headers = _shim_call()
        async with post_stream(http, body, {**headers, "Idempotency-Key": key}):
            await until(lambda: door.asking.asked)
    assert door.asking.asked[0].caller.idempotency_key is None


async def test_a_key_without_a_shim_does_not_count(door: Door) -> None:
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION)
        async with post_stream(http, body, {**headers, "Idempotency-Key": "x:1"}):
            await until(lambda: door.asking.asked)
    assert door.asking.asked[0].caller.idempotency_key is None


async def test_the_same_key_joins_the_same_question(door: Door) -> None:
    """clarification.md, continue: the agent sees one call that took longer."""
    async with raw_http(door) as http:
        body, headers = _shim_call()
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.asking.asked[0].waiting == 1)
            door.asking.answer(1, options=("pg",))
            assert "result" in await stream.result()
    assert len(door.asking.asked) == 1
    assert door.asking.asked[0].caller.idempotency_key == IdempotencyKey("instance-1:7")


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_stopping_desk_ends_open_http_calls_with_a_ticket(door: Door, era: str) -> None:
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="t")
        if era == "legacy":
            headers = await open_session(http)
            body = legacy_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.asking.asked and door.asking.asked[0].waiting == 1)
            door.asking.draining.set()
            content = (await stream.result())["result"]["structuredContent"]
        assert (content["status"], content["ticket"]) == ("waiting", "ticket-1")
        late = modern_call("ask_user_question", ONE_QUESTION)
        refused = (await http.post("/mcp", json=late[0], headers=late[1])).json()["result"]
    assert refused["isError"]
    assert refused["content"][0]["text"].startswith("Kandesk is closing")
    assert door.asking.cuts == []


async def test_a_stopping_desk_closes_a_shims_stream_without_a_result(door: Door) -> None:
    """The shim comes back to the next desk with the same key."""
    async with raw_http(door) as http:
        body, headers = _shim_call()
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
            await until(lambda: door.asking.asked[0].waiting == 1)
            door.asking.draining.set()
            assert (await stream.next()) is None
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is None
    assert len(door.asking.asked) == 1


async def test_an_answer_at_the_last_moment_is_not_thrown_away_by_the_stop(door: Door) -> None:
    async with raw_http(door) as http:
        body, headers = _shim_call()
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
            await until(lambda: door.asking.asked[0].waiting == 1)
            door.asking.answer(1, options=("pg",))
            door.asking.draining.set()
            result = await stream.result()
    assert result["result"]["structuredContent"]["status"] == "answered"


async def test_stopping_the_server_ends_everything_within_its_time(door: Door) -> None:
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.asking.asked and door.asking.asked[0].waiting == 1)
            await door.server.stop()
            assert "result" in await stream.result()
    with pytest.raises(ConnectionRefusedError):
        async with connection(door.port):
            pass
