"""What becomes of a question when its call goes away (clarification.md, When the call is gone)."""

import asyncio

import pytest

from backend.mcp.holding import RESUME_GRACE
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import (
    MODERN,
    ONE_QUESTION,
    Door,
    legacy_call,
    modern_call,
    open_session,
    post_stream,
    raw_http,
    sdk_client,
)
from tests.helpers.waiting import until


async def test_a_cancelled_notification_detaches_and_writes_no_frame(door: Door) -> None:
    """agents.md: a cut call never produces a frame for the dead id."""
    async with raw_http(door) as http:
        headers = await open_session(http)
        body = legacy_call("ask_user_question", ONE_QUESTION, call_id=5, progress="t")
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.asking.asked)
            note = {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 5, "reason": "user"},
            }
            assert (await http.post("/mcp", json=note, headers=headers)).status_code == 202
            frames = []
            while (message := await stream.next()) is not None:
                frames.append(message)
        assert all(frame["method"] == "notifications/progress" for frame in frames)
        await until(lambda: door.asking.cuts == ["p1"])
        await until(lambda: door.asking.asked[0].waiting == 0)


async def test_a_cancelled_notification_for_a_finished_call_changes_nothing(door: Door) -> None:
    """reference/agents.md, trap 4: OpenCode sends one after every call."""
    async with raw_http(door) as http:
        headers = await open_session(http, name="opencode")
        body = legacy_call("ask_user_question", ONE_QUESTION, call_id=1)
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.asking.asked)
            door.asking.answer(1, options=("pg",))
            await stream.result()
        note = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": 1},
        }
        assert (await http.post("/mcp", json=note, headers=headers)).status_code == 202
        async with post_stream(
            http, legacy_call("ask_user_question", ONE_QUESTION, call_id=2), headers
        ) as stream:
            await until(lambda: len(door.asking.asked) == 2)
            door.asking.answer(2, options=("pg",))
            assert (await stream.result())["id"] == 2
    assert door.asking.cuts == []


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_connection_that_breaks_detaches_its_question(door: Door, era: str) -> None:
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="t")
        if era == "legacy":
            headers = await open_session(http)
            body = legacy_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
            await until(lambda: door.asking.asked and door.asking.asked[0].waiting == 1)
        await until(lambda: door.asking.cuts == ["p1"])
        await until(lambda: door.asking.asked[0].waiting == 0)


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_call_cut_while_it_is_being_opened_is_detached_once_it_is_open(
    door: Door, era: str
) -> None:
    """The commit goes on when the caller leaves; its question must not look awaited."""
    door.asking.gate = asyncio.Event()
    async with raw_http(door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="t")
        if era == "legacy":
            headers = await open_session(http)
            body = legacy_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
        await until(lambda: not door.open_requests)
    door.asking.gate.set()
    await until(lambda: door.asking.cuts == ["p1"])
    assert door.asking.asked[0].waiting == 0


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_a_client_that_gives_up_by_the_sdk_detaches_its_question(
    live_door: Door, mode: str
) -> None:
    async with sdk_client(live_door, mode=mode) as client:
        call = asyncio.ensure_future(client.call_tool("ask_user_question", ONE_QUESTION))
        await until(lambda: live_door.asking.asked)
        call.cancel()
        await until(lambda: live_door.asking.cuts == ["p1"])


async def test_deleting_the_session_detaches_every_call_of_it(door: Door) -> None:
    """reference/agents.md, trap 7: Qwen does."""
    async with raw_http(door) as http, raw_http(door) as other:
        headers = await open_session(http)
        kept = await open_session(other)
        first = legacy_call("ask_user_question", ONE_QUESTION, call_id=1, progress="t")
        second = legacy_call("ask_user_question", ONE_QUESTION, call_id=2, progress="t")
        async with (
            post_stream(http, first, headers) as one,
            post_stream(http, second, headers) as two,
            post_stream(other, first, kept) as three,
        ):
            await until(lambda: sum(asked.waiting for asked in door.asking.asked) == 3)
            assert (await http.delete("/mcp", headers=headers)).status_code == 200
            await until(lambda: len(door.asking.cuts) == 2)
            for stream in (one, two):
                while (message := await stream.next()) is not None:
                    assert message.get("method") == "notifications/progress"
            survivor = next(
                number
                for number, asked in enumerate(door.asking.asked, start=1)
                if asked.opened.pending_id not in door.asking.cuts
            )
            door.asking.answer(survivor, options=("pg",))
            assert (await three.result())["result"]["structuredContent"]["status"] == "answered"
        again = await http.post("/mcp", json=first, headers=headers)
    assert again.status_code == 404


async def test_a_client_that_resumes_gets_the_answer_on_its_new_stream(
    door: Door, clock: FakeClock
) -> None:
    """OpenCode and Qwen come back with Last-Event-ID; meanwhile nobody waits, so no answer is
    handed to a dead connection.
    """
    async with raw_http(door) as http:
        headers = await open_session(http, name="opencode")
        body = legacy_call("ask_user_question", ONE_QUESTION, call_id=3, progress="t")
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
            last_id = stream.ids[-1]
            await until(lambda: door.asking.asked and door.asking.asked[0].waiting == 1)
        await until(lambda: door.asking.cuts == ["p1"] and door.asking.asked[0].waiting == 0)
        resume = {**headers, "Last-Event-ID": last_id}
        async with http.stream("GET", "/mcp", headers=resume) as response:
            assert response.status_code == 200
            await until(lambda: door.asking.asked[0].waiting == 1)
            door.asking.answer(1, options=("lite",))
            lines = [line async for line in response.aiter_lines()]
    assert any('"id":3' in line and "lite" in line for line in lines)


async def test_a_result_that_was_written_into_a_broken_stream_is_replayed(door: Door) -> None:
    async with raw_http(door) as http:
        headers = await open_session(http, name="qwen-code-mcp-client")
        body = legacy_call("ask_user_question", ONE_QUESTION, call_id=3, progress="t")
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
            last_id = stream.ids[-1]
            door.asking.answer(1, options=("lite",))
            assert "result" in await stream.result()
        for _ in range(2):
            reply = await http.get("/mcp", headers={**headers, "Last-Event-ID": last_id})
            assert '"id":3' in reply.text


async def test_a_resuming_client_that_stays_away_is_given_up(door: Door, clock: FakeClock) -> None:
    async with raw_http(door) as http:
        headers = await open_session(http, name="opencode")
        body = legacy_call("ask_user_question", ONE_QUESTION, call_id=3, progress="t")
        async with post_stream(http, body, headers) as stream:
            assert (await stream.next()) is not None
            last_id = stream.ids[-1]
            await until(lambda: door.asking.asked and door.asking.asked[0].waiting == 1)
        await until(lambda: door.asking.cuts == ["p1"])
        await until(lambda: clock.pending_timers)
        await clock.advance(RESUME_GRACE)
        reply = await http.get("/mcp", headers={**headers, "Last-Event-ID": last_id})
    assert '"id":3' not in reply.text
    assert door.asking.asked[0].waiting == 0


@pytest.mark.parametrize("name", ["codex-mcp-client", "gemini-cli-mcp-client", "mcp"])
async def test_clients_that_do_not_resume_get_no_event_ids(door: Door, name: str) -> None:
    """reference/agents.md, trap 5."""
    async with raw_http(door) as http:
        headers = await open_session(http, name=name)
        body = legacy_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.asking.asked)
            door.asking.answer(1, options=("pg",))
            await stream.result()
    assert stream.ids == []
