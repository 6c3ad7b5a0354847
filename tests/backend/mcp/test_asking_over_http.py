"""An ask from call to result, with the SDK's client in both eras (agents.md, MCP endpoint)."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest

from backend.clarification.ask_result import AskStatus
from backend.domain.conversation import Connection
from backend.errors import ErrorCode, TemporarilyUnavailable
from tests.helpers.door_client import MODERN, ONE_QUESTION, TOKENS, Door, sdk_client, text_of
from tests.helpers.waiting import until

ERAS = pytest.mark.parametrize("mode", ["legacy", MODERN])


async def _ask(door: Door, client: Any, tool: str = "ask_user_question", **more: Any) -> Any:
    before = len(door.asking.asked)
    call = asyncio.ensure_future(client.call_tool(tool, {**ONE_QUESTION, **more}))
    await until(lambda: len(door.asking.asked) > before or call.done())
    return call


@ERAS
async def test_the_answer_arrives_with_ids_labels_and_text_intact(
    live_door: Door, mode: str
) -> None:
    """clarification.md, improvement 7: Chinese, Arabic and emoji."""
    async with sdk_client(live_door, mode=mode) as client:
        call = await _ask(live_door, client, context="前提 مقدمة 🧭")
        assert live_door.asking.asked[0].draft.context == "前提 مقدمة 🧭"
        live_door.asking.answer(1, options=("pg",), text="理由 سبب 🐘")
        result = await call
    assert result.structured_content == {
        "status": "answered",
        "answers": {
            "q1": {
                "selected": [{"id": "pg", "label": "PostgreSQL"}],
                "selected_option": "pg",
                "custom_text": "理由 سبب 🐘",
            }
        },
    }
    assert json.loads(text_of(result)) == result.structured_content
    assert not result.is_error


@ERAS
async def test_a_skip_is_a_result_and_no_error(live_door: Door, mode: str) -> None:
    async with sdk_client(live_door, mode=mode) as client:
        call = await _ask(live_door, client)
        live_door.asking.end(1, AskStatus.SKIPPED, reject_reason="not now")
        result = await call
    assert result.structured_content == {"status": "skipped", "reject_reason": "not now"}


@ERAS
async def test_the_alias_answers_in_kandevs_keys(live_door: Door, mode: str) -> None:
    async with sdk_client(live_door, mode=mode) as client:
        call = await _ask(live_door, client, "ask_user_question_kandev")
        live_door.asking.answer(1, options=("lite",))
        result = await call
        closed = await _ask(live_door, client, "ask_user_question_kandev")
        live_door.asking.end(2, AskStatus.WITHDRAWN, reason="by_human")
        withdrawn = await closed
    assert result.structured_content["q1"] == {"selected_option": "lite"}
    assert withdrawn.is_error
    assert text_of(withdrawn) == "Clarification request timed out or was cancelled"


@ERAS
async def test_get_answer_waits_and_repeats_its_result(live_door: Door, mode: str) -> None:
    """clarification.md, ticket: the same ticket always gets the same result."""
    async with sdk_client(live_door, mode=mode) as client:
        call = await _ask(live_door, client)
        again = asyncio.ensure_future(client.call_tool("get_answer", {"ticket": "ticket-1"}))
        await until(lambda: live_door.asking.asked[0].waiting == 2)
        live_door.asking.answer(1, options=("pg",))
        first, second = await call, await again
        third = await client.call_tool("get_answer", {"ticket": "ticket-1"})
        unknown = await client.call_tool("get_answer", {"ticket": "nope"})
    assert first.structured_content == second.structured_content == third.structured_content
    assert unknown.is_error
    assert text_of(unknown) == "no question belongs to this ticket"


@ERAS
async def test_a_note_returns_at_once(live_door: Door, mode: str) -> None:
    async with sdk_client(live_door, mode=mode) as client:
        sent = await client.call_tool("send_note", {"text": "Migration done ✅"})
        empty = await client.call_tool("send_note", {"text": "  "})
    assert not sent.is_error
    assert [text for _, text in live_door.asking.notes] == ["Migration done ✅"]
    assert empty.is_error
    assert text_of(empty).startswith("text must not be empty")


@ERAS
async def test_bad_arguments_are_a_tool_error_and_ask_nothing(live_door: Door, mode: str) -> None:
    """issue, Bad input."""
    bad = {"questions": [{"prompt": "?", "options": [{"label": "A"}, {"label": "x" * 201}]}]}
    async with sdk_client(live_door, mode=mode) as client:
        result = await client.call_tool("ask_user_question", bad)
        missing = await client.call_tool("ask_user_question", {})
        unknown = await client.call_tool("answer_question", {"pending_id": "p1"})
    assert result.is_error
    assert "questions[0].options[1].label" in text_of(result)
    assert "200" in text_of(result)
    assert text_of(missing) == "questions is required"
    assert text_of(unknown) == "There is no tool named 'answer_question' here."
    assert not live_door.asking.asked


@ERAS
async def test_a_store_that_does_not_answer_is_a_tool_error(live_door: Door, mode: str) -> None:
    live_door.asking.fail = TemporarilyUnavailable(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "the store is busy; ask again"
    )
    async with sdk_client(live_door, mode=mode) as client:
        result = await client.call_tool("ask_user_question", ONE_QUESTION)
    assert (result.is_error, text_of(result)) == (True, "the store is busy; ask again")


async def test_a_session_and_a_stateless_client_are_told_apart(live_door: Door) -> None:
    """agents.md, Identity; both eras at once."""
    async with (
        sdk_client(live_door, mode="legacy") as first,
        sdk_client(live_door, mode=MODERN) as second,
    ):
        calls = [await _ask(live_door, first), await _ask(live_door, second)]
        callers = [asked.caller for asked in live_door.asking.asked]
        live_door.asking.answer(1, options=("pg",))
        live_door.asking.answer(2, options=("lite",))
        results = [await call for call in calls]
    assert [caller.identity.connection for caller in callers] == [
        Connection.HTTP_SESSION,
        Connection.STATELESS,
    ]
    assert callers[0].connection_id == callers[0].identity.key
    assert callers[1].connection_id == ""
    assert callers[1].identity.key == "agent|mcp"
    assert [
        result.structured_content["answers"]["q1"]["selected_option"] for result in results
    ] == [
        "pg",
        "lite",
    ]


async def test_every_client_gets_its_own_answer_once(live_door: Door) -> None:
    """Concurrent clients, answered out of order."""

    async def run(number: int) -> tuple[str, str]:
        mode = "legacy" if number % 2 else MODERN
        async with sdk_client(live_door, mode=mode) as client:
            result = await client.call_tool(
                "ask_user_question", {"questions": [{"prompt": f"question {number}"}]}
            )
        return f"question {number}", result.structured_content["answers"]["q1"]["custom_text"]

    clients = [asyncio.ensure_future(run(number)) for number in range(12)]
    await until(lambda: len(live_door.asking.asked) == 12)
    for number in (7, 1, 12, 3, 9, 2, 11, 5, 4, 10, 6, 8):
        prompt = live_door.asking.asked[number - 1].draft.questions[0].prompt
        live_door.asking.answer(number, text=f"to {prompt}")
    pairs = await asyncio.gather(*clients)
    assert all(got == f"to {asked}" for asked, got in pairs)
    assert Counter(asked for asked, _ in pairs) == Counter(f"question {n}" for n in range(12))


@ERAS
async def test_operator_tools_stand_at_their_own_path(live_door: Door, mode: str) -> None:
    """agents.md, Security."""
    async with sdk_client(
        live_door, mode=mode, path="/mcp/operator", token=TOKENS.desk
    ) as operator:
        names = [tool.name for tool in (await operator.list_tools()).tools]
        listed = await operator.call_tool("list_pending_questions", {})
        missing = await operator.call_tool("answer_question", {"pending_id": "nope"})
    assert names == ["list_pending_questions", "answer_question"]
    assert listed.structured_content == {
        "bundles": [],
        "count": 0,
        "total": 0,
        "next_cursor": "",
    }
    assert missing.is_error


@ERAS
async def test_the_desk_token_may_use_the_agents_tools(live_door: Door, mode: str) -> None:
    async with sdk_client(live_door, mode=mode, token=TOKENS.desk) as client:
        listed = await client.list_tools()
    assert listed.tools[0].name == "ask_user_question"
    assert listed.tools[0].meta == {"anthropic/requiresUserInteraction": True}
