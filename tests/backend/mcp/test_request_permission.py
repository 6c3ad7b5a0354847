"""Claude Code's permission-prompt tool at the port: every end of a call is an allow or a deny."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from backend.clarification.ask_result import AskStatus
from backend.domain.conversation import Connection
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.mcp import permission_texts as texts
from backend.review.prompt_answer import PromptEnd
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import (
    Door,
    Stream,
    legacy_call,
    modern_call,
    open_session,
    post_stream,
    raw_http,
)
from tests.helpers.waiting import until

BASH: Final[dict[str, Any]] = {
    "tool_name": "Bash",
    "input": {"command": "rm -r build", "description": "Remove the build"},
    "tool_use_id": "toolu_1",
}
QUESTION: Final[dict[str, Any]] = {
    "tool_name": "AskUserQuestion",
    "input": {
        "questions": [
            {
                "question": "Which database?",
                "header": "Database",
                "options": [
                    {"label": "SQLite", "description": "one file"},
                    {"label": "PostgreSQL", "description": "a server"},
                ],
                "multiSelect": False,
            }
        ]
    },
    "tool_use_id": "toolu_2",
}
SHIM: Final = {"X-Kandesk-Shim": "i1", "X-Kandesk-Folder": "/p", "X-Kandesk-Client": "claude/1"}


@asynccontextmanager
async def requested(
    door: Door, arguments: dict[str, Any], *, progress: object = "t", **headers: str
) -> AsyncIterator[Stream]:
    """The stream of one stateless call."""
    body, own = modern_call("request_permission", arguments, progress=progress, name="claude-code")
    # ASCII, as JSON may be: what no UTF-8 text can carry is escaped in it.
    given = {**own, **headers, "Content-Type": "application/json"}
    async with (
        raw_http(door) as http,
        http.stream("POST", "/mcp", content=json.dumps(body), headers=given) as response,
    ):
        yield Stream(response)


async def answered(stream: Stream) -> dict[str, Any]:
    """What is answered at once comes as one document."""
    if stream.response.headers["content-type"].startswith("application/json"):
        document = json.loads(await stream.response.aread())
        assert isinstance(document, dict)
        return document
    return await stream.result()


def reply_in(message: dict[str, Any]) -> dict[str, Any]:
    """What Claude Code reads: one text block, and nothing structured beside it."""
    result = message["result"]
    assert "structuredContent" not in result
    assert not result.get("isError")
    (block,) = result["content"]
    assert block["type"] == "text"
    reply = json.loads(block["text"])
    assert isinstance(reply, dict)
    return reply


async def test_an_allow_brings_the_input_that_was_reviewed(door: Door) -> None:
    """T8.4, Approve & run; T8.1: an allow without updatedInput is not read as one."""
    async with requested(door, BASH) as stream:
        await until(lambda: door.permissions.prompts)
        prompt = door.permissions.prompts[0]
        assert (prompt.prompted.tool_name, prompt.prompted.call_id) == ("Bash", "toolu_1")
        assert prompt.caller.identity.connection is Connection.STATELESS
        door.permissions.answer(PromptEnd.ALLOWED)
        reply = reply_in(await stream.result())
    assert reply == {"behavior": "allow", "updatedInput": BASH["input"]}
    assert prompt.ends == ["told ALLOWED"]


@pytest.mark.parametrize(
    ("end", "reason", "reply"),
    [
        (PromptEnd.DECLINED, "not today", texts.DECLINED_BECAUSE.format(reason="not today")),
        (PromptEnd.DECLINED, "", texts.DECLINED),
        (PromptEnd.RULED_OUT, "", texts.DECLINED_BY_RULE),
        (PromptEnd.UNKNOWN, "", texts.OUTCOME_UNKNOWN),
    ],
)
async def test_what_is_not_allowed_is_a_deny_that_says_why(
    door: Door, end: PromptEnd, reason: str, reply: str
) -> None:
    """T8.4, Decline (reason)."""
    async with requested(door, BASH) as stream:
        await until(lambda: door.permissions.prompts)
        door.permissions.answer(end, reason=reason)
        told = reply_in(await stream.result())
    assert told == {"behavior": "deny", "message": reply}


async def test_a_stopped_session_interrupts_its_agent(door: Door) -> None:
    """T8.4, stop turn / close session."""
    async with requested(door, BASH) as stream:
        await until(lambda: door.permissions.prompts)
        door.permissions.answer(PromptEnd.STOPPED)
        told = reply_in(await stream.result())
    assert (told["behavior"], told["interrupt"]) == ("deny", True)


async def test_at_its_clients_limit_a_call_is_not_decided_and_expires(
    door: Door, clock: FakeClock
) -> None:
    """tool-review.md, owner = agent: nobody said no, and nobody can decide it any more."""
    async with requested(door, BASH, progress=None) as stream:
        await until(lambda: door.permissions.prompts)
        await clock.advance(290)
        told = reply_in(await stream.result())
    assert told["behavior"] == "deny"
    assert told["message"].startswith("NOT DECIDED (nobody said no): ask again")
    assert texts.NOBODY_DECIDED_IN_TIME in told["message"]
    assert door.permissions.prompts[0].ends == ["expired"]


async def test_a_shim_is_answered_before_it_ends_the_call_itself(
    door: Door, clock: FakeClock
) -> None:
    """What its agent is told must be true of the card as well."""
    async with requested(door, BASH, **SHIM, **{"X-Kandesk-Patience": "60.000"}) as stream:
        await until(lambda: door.permissions.prompts)
        for _ in range(5):
            await clock.advance(10)
        assert door.permissions.prompts[0].ends == []
        await clock.advance(9)
        told = reply_in(await stream.result())
    assert texts.NOBODY_DECIDED_IN_TIME in told["message"]


async def test_a_cancelled_call_leaves_its_request(door: Door) -> None:
    """T8.3, requester gone before answer."""
    async with raw_http(door) as http:
        headers = await open_session(http, name="claude-code")
        body = legacy_call("request_permission", BASH, call_id=5, progress="t")
        async with post_stream(http, body, headers) as stream:
            await until(lambda: door.permissions.prompts)
            note = {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 5},
            }
            assert (await http.post("/mcp", json=note, headers=headers)).status_code == 202
            while await stream.next() is not None:
                pass
    await until(lambda: door.permissions.prompts[0].ends == ["left"])


async def test_a_call_whose_connection_breaks_leaves_its_request(door: Door) -> None:
    async with requested(door, BASH):
        await until(lambda: door.permissions.prompts)
    await until(lambda: "left" in door.permissions.prompts[0].ends)


async def test_a_call_that_is_gone_before_its_request_is_open_leaves_it_at_once(door: Door) -> None:
    door.permissions.gate = asyncio.Event()
    async with requested(door, BASH) as stream:
        await stream.next()
    await until(lambda: door.open_requests == 0)
    door.permissions.gate.set()
    await until(lambda: door.permissions.prompts)
    await until(lambda: door.permissions.prompts[0].ends == ["left"])


async def test_a_desk_that_closes_decides_nothing(door: Door) -> None:
    async with requested(door, BASH) as stream:
        await until(lambda: door.permissions.prompts)
        door.asking.draining.set()
        told = reply_in(await stream.result())
    assert told["behavior"] == "deny"
    assert told["message"].startswith("NOT DECIDED")
    assert door.permissions.prompts[0].ends == ["left"]


async def test_a_shim_comes_back_to_the_next_desk(door: Door) -> None:
    """Nothing is written for a call the shim sends again."""
    async with requested(door, BASH, **SHIM) as stream:
        await until(lambda: door.permissions.prompts)
        door.asking.draining.set()
        while (message := await stream.next()) is not None:
            assert message["method"] == "notifications/progress"
    assert door.permissions.prompts[0].ends[0] == "left"


async def test_the_key_of_a_shims_call_comes_with_it(door: Door) -> None:
    async with requested(door, BASH, **SHIM, **{"Idempotency-Key": "i1:7"}):
        await until(lambda: door.permissions.prompts)
        caller = door.permissions.prompts[0].caller
    assert (caller.idempotency_key, caller.identity.folder) == ("i1:7", "/p")


async def test_a_store_that_does_not_answer_is_never_an_allow(door: Door) -> None:
    door.permissions.fail = TemporarilyUnavailable(ErrorCode.STORE_BUSY, "the store is busy")
    async with requested(door, BASH) as stream:
        told = reply_in(await stream.result())
    assert told["behavior"] == "deny"
    assert told["message"].startswith("NOT DECIDED")
    assert "the store is busy" in told["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"tool_name": "Bash"},
        {"tool_name": "Bash", "input": "rm"},
        {"tool_name": 3, "input": {}},
        {"tool_name": " ", "input": {}},
        {"tool_name": "Ba\0sh", "input": {}},
    ],
)
async def test_arguments_of_another_shape_are_a_deny_too(
    door: Door, arguments: dict[str, Any]
) -> None:
    async with requested(door, arguments) as stream:
        told = reply_in(await answered(stream))
    assert told["behavior"] == "deny"
    assert door.permissions.prompts == []


async def test_what_later_versions_tell_besides_is_no_error(door: Door) -> None:
    async with requested(door, {**BASH, "permission_suggestions": [{"type": "addRules"}]}):
        await until(lambda: door.permissions.prompts)
        assert dict(door.permissions.prompts[0].prompted.arguments) == BASH["input"]


async def test_input_that_no_text_may_hold_is_kept_as_it_is(door: Door) -> None:
    """Bad input: arguments with NUL and lone surrogates come back byte for byte."""
    odd = {"command": "printf 'a\0b' \ud800", "n": [1, 2.5, None, True]}
    async with requested(door, {**BASH, "input": odd}) as stream:
        await until(lambda: door.permissions.prompts)
        door.permissions.answer(PromptEnd.ALLOWED)
        reply = reply_in(await stream.result())
    assert reply == {"behavior": "allow", "updatedInput": odd}


async def test_a_question_is_a_question_card_and_its_answer_the_allow(door: Door) -> None:
    """agents.md: AskUserQuestion is never shown as Allow/Deny; Claude reads the answers by the
    words of the questions.
    """
    async with requested(door, QUESTION) as stream:
        await until(lambda: door.asking.asked)
        assert door.permissions.prompts == []
        (asked,) = door.asking.asked
        assert asked.draft.questions[0].prompt == "Which database?"
        door.asking.answer(options=("q1_opt2",), text="with replicas")
        reply = reply_in(await stream.result())
    assert reply["behavior"] == "allow"
    assert reply["updatedInput"] == {
        **QUESTION["input"],
        "answers": {"Which database?": "PostgreSQL, with replicas"},
    }


@pytest.mark.parametrize(
    ("status", "reason", "message"),
    [
        (AskStatus.SKIPPED, "", texts.QUESTION_SKIPPED),
        (AskStatus.SKIPPED, "later", texts.QUESTION_SKIPPED_BECAUSE.format(reason="later")),
        (AskStatus.WITHDRAWN, "", texts.NOT_DECIDED.format(why=texts.QUESTION_CLOSED)),
        (AskStatus.UNANSWERED, "", texts.NOT_DECIDED.format(why=texts.QUESTION_CLOSED)),
    ],
)
async def test_a_question_without_answers_is_a_deny(
    door: Door, status: AskStatus, reason: str, message: str
) -> None:
    async with requested(door, QUESTION) as stream:
        await until(lambda: door.asking.asked)
        door.asking.end(1, status, reject_reason=reason)
        reply = reply_in(await stream.result())
    assert reply == {"behavior": "deny", "message": message}


async def test_a_question_stays_open_at_its_clients_limit(door: Door, clock: FakeClock) -> None:
    """Nothing is lost: its answer can be had by the ticket."""
    async with requested(door, QUESTION, progress=None) as stream:
        await until(lambda: door.asking.asked)
        await clock.advance(290)
        reply = reply_in(await stream.result())
    assert reply["behavior"] == "deny"
    assert "ticket-1" in reply["message"]
    assert door.asking.cuts == []


async def test_a_malformed_question_is_a_deny_that_names_the_field(door: Door) -> None:
    broken = {**QUESTION, "input": {"questions": [{"header": "x"}]}}
    async with requested(door, broken) as stream:
        reply = reply_in(await answered(stream))
    assert reply["behavior"] == "deny"
    assert "questions[0].prompt" in reply["message"]
