"""Signs of life and the end of a client's patience (agents.md, Patience)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.door_client import (
    ONE_QUESTION,
    Door,
    Stream,
    legacy_call,
    modern_call,
    open_session,
    post_stream,
    raw_http,
)
from tests.helpers.waiting import until


@contextlib.asynccontextmanager
async def _call(
    door: Door, era: str, *, progress: object = None, name: str = "x"
) -> AsyncIterator[Stream]:
    """One raw ask in either era."""
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress=progress, name=name)
        if era == "legacy":
            headers = await open_session(http, name=name)
            body = legacy_call("ask_user_question", ONE_QUESTION, progress=progress)
        async with post_stream(http, body, headers) as stream:
            yield stream


ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


@ERAS
@pytest.mark.parametrize("token", ["my-token", 7, None])
async def test_headers_and_a_first_sign_come_within_a_second_even_from_a_slow_store(
    door: Door, era: str, token: object
) -> None:
    door.asking.gate = asyncio.Event()
    started = asyncio.get_running_loop().time()
    async with _call(door, era, progress=token) as stream:
        assert stream.response.status_code == 200
        assert stream.response.headers["content-type"] == "text/event-stream"
        if token is not None:
            progress = await stream.next()
            assert progress is not None
            assert progress["params"]["progressToken"] == token
        assert asyncio.get_running_loop().time() - started < 1
        assert not door.asking.asked
        door.asking.gate.set()
        await until(lambda: door.asking.asked)
        door.asking.answer(1, options=("pg",))
        result = await stream.result()
    assert result["result"]["structuredContent"]["status"] == "answered"


async def _pass(clock: FakeClock, seconds: float) -> None:
    """Let time pass once the call has armed its timer."""
    await until(lambda: clock.pending_timers)
    await clock.advance(seconds)


@ERAS
async def test_progress_comes_every_ten_seconds_and_rises_strictly(
    door: Door, clock: FakeClock, era: str
) -> None:
    async with _call(door, era, progress="t", name="opencode") as stream:
        values = []
        for _ in range(6):
            message = await stream.next()
            assert message is not None
            assert message["method"] == "notifications/progress"
            assert message["params"]["progressToken"] == "t"
            values.append(message["params"]["progress"])
            await _pass(clock, 10)
        assert values == [1, 2, 3, 4, 5, 6]
        assert (await stream.next()) is not None
        await _pass(clock, 9.9)
        door.asking.answer(1, options=("pg",))
        message = await stream.next()
    assert message is not None
    assert message["id"] == 1, "no progress before its time"


@ERAS
async def test_a_caller_without_a_token_gets_comments_instead(
    door: Door, clock: FakeClock, era: str
) -> None:
    """A body time-out is kept away although no progress can be sent."""
    async with _call(door, era, name="claude-code") as stream:
        await until(lambda: door.asking.asked)
        for _ in range(3):
            await _pass(clock, 10)
        await until(lambda: clock.pending_timers)
        door.asking.answer(1, options=("pg",))
        assert (await stream.result())["id"] == 1
    assert stream.comments >= 3


@ERAS
@pytest.mark.parametrize(
    ("name", "token", "seconds"),
    [
        ("codex-mcp-client", "t", 280),
        ("unknown-client", None, 40),
        ("claude-code", "t", 330),
        ("gemini-cli-mcp-client", "t", 580),
    ],
)
async def test_a_client_with_a_limit_gets_a_ticket_before_it(
    door: Door, clock: FakeClock, era: str, name: str, token: object, seconds: float
) -> None:
    """The card stays and nothing is lost: the call ends, the question does not."""
    async with _call(door, era, progress=token, name=name) as stream:
        await until(lambda: door.asking.asked)
        for _ in range(int(seconds / 10) - 1):
            await _pass(clock, 10)
        await until(lambda: clock.pending_timers)
        assert door.asking.asked[0].waiting == 1
        await _pass(clock, 10)
        result = (await stream.result())["result"]
    content = result["structuredContent"]
    assert (content["status"], content["ticket"]) == ("waiting", "ticket-1")
    assert "get_answer" in content["message"]
    assert not result.get("isError")
    assert "answers" not in content
    await until(lambda: door.asking.asked[0].waiting == 0)
    assert door.asking.cuts == []


@ERAS
async def test_a_client_whose_clock_progress_resets_may_wait_for_ever(
    door: Door, clock: FakeClock, era: str
) -> None:
    async with _call(door, era, progress="t", name="opencode") as stream:
        await until(lambda: door.asking.asked)
        for _ in range(200):
            await _pass(clock, 10)
        await until(lambda: clock.pending_timers)
        assert door.asking.asked[0].waiting == 1
        door.asking.answer(1, options=("lite",))
        assert (await stream.result())["result"]["structuredContent"]["status"] == "answered"


async def test_a_quiet_desk_has_no_timer(door: Door, clock: FakeClock) -> None:
    """product.md P10: after the last call nothing is scheduled."""
    async with _call(door, "legacy", progress="t") as stream:
        await until(lambda: clock.pending_timers)
        door.asking.answer(1, options=("pg",))
        await stream.result()
    await until(lambda: not clock.pending_timers)
