"""A scripted model for real agents: it reads its next step out of the prompt and keeps no state.

A user message holding `<<call NAME {json}>>` makes it call the offered tool whose name ends in
NAME; after the tool's result it says `TOOL_RESULT: ` and that result. It speaks OpenAI's chat
completions (OpenCode) and responses (Codex), streaming.
"""

import json
import re
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.helpers.ports import free_port

_STEP = re.compile(r"<<call\s+(\S+)\s+(\{.*?\})>>", re.DOTALL)
_NAMESPACE = "\0"
Json = dict[str, Any]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return next(
            (_text(content[key]) for key in ("text", "content", "output") if content.get(key)), ""
        )
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    return ""


def _decide(turns: list[tuple[str, str]], tools: list[str]) -> tuple[str, Json] | str:
    """The tool to call with its arguments, or the text to say."""
    if not tools:
        return "a title"
    start = next(
        (
            place
            for place, (role, text) in enumerate(turns)
            if role == "user" and _STEP.search(text)
        ),
        None,
    )
    if start is None:
        return "nothing to do"
    results = [text for role, text in turns[start + 1 :] if role == "tool"]
    if results:
        return f"TOOL_RESULT: {results[-1]}"
    found = _STEP.search(turns[start][1])
    assert found is not None
    name, arguments = found.groups()
    offered = next(
        (tool for tool in tools if re.search(rf"[_.\0/-]{re.escape(name)}$", tool)), None
    )
    if offered is None:
        return f"NO_SUCH_TOOL {name}; offered: {sorted(tools)}"
    # Some command lines pass the prompt on with its quotes escaped.
    return offered, json.loads(arguments.replace('\\"', '"'))


def _frame(value: Json | str, event: str = "") -> str:
    data = value if isinstance(value, str) else json.dumps(value)
    return f"{f'event: {event}' + chr(10) if event else ''}data: {data}\n\n"


async def _chat(request: Request) -> Response:
    body = await request.json()
    turns = [(message["role"], _text(message.get("content"))) for message in body["messages"]]
    tools = [tool["function"]["name"] for tool in body.get("tools") or []]
    step = _decide(turns, tools)
    base = {"id": f"chat-{uuid.uuid4().hex}", "created": 1, "model": "scripted"}
    if isinstance(step, str):
        delta: Json = {"content": step}
        finish = "stop"
    else:
        call = {"name": step[0], "arguments": json.dumps(step[1])}
        entry = {"index": 0, "id": f"call_{uuid.uuid4().hex}", "type": "function", "function": call}
        delta = {"tool_calls": [entry]}
        finish = "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not body.get("stream"):
        message = {"role": "assistant", "content": None, **delta}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return JSONResponse(
            {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        )

    async def stream() -> AsyncIterator[str]:
        def chunk(part: Json, end: str | None = None) -> str:
            choice = {"index": 0, "delta": part, "finish_reason": end}
            return _frame({**base, "object": "chat.completion.chunk", "choices": [choice]})

        yield chunk({"role": "assistant", "content": ""})
        yield chunk(delta)
        yield chunk({}, finish)
        yield _frame({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield _frame("[DONE]")

    return StreamingResponse(stream(), media_type="text/event-stream")


def _response_turns(body: Json) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for item in body.get("input") or []:
        kind = item.get("type", "message")
        if kind == "message":
            turns.append((item.get("role", "user"), _text(item.get("content"))))
        elif kind.endswith("_output"):
            turns.append(("tool", _text(item.get("output"))))
    return turns


def _response_tools(body: Json) -> list[str]:
    names = []
    for tool in body.get("tools") or []:
        if tool.get("type") == "function":
            names.append(tool["name"])
        elif tool.get("type") == "namespace":
            names.extend(f"{tool['name']}{_NAMESPACE}{inner['name']}" for inner in tool["tools"])
    return names


def _response_item(step: tuple[str, Json] | str) -> Json:
    if isinstance(step, str):
        part = {"type": "output_text", "text": step, "annotations": []}
        return {
            "type": "message",
            "id": f"msg_{uuid.uuid4().hex}",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    namespace, _, name = step[0].rpartition(_NAMESPACE)
    item: Json = {
        "type": "function_call",
        "id": f"fc_{uuid.uuid4().hex}",
        "call_id": f"call_{uuid.uuid4().hex}",
        "name": name,
        "arguments": json.dumps(step[1]),
        "status": "completed",
    }
    return {**item, "namespace": namespace} if namespace else item


async def _responses(request: Request) -> Response:
    body = await request.json()
    item = _response_item(_decide(_response_turns(body), _response_tools(body)))
    base: Json = {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": 1,
        "model": "scripted",
        "output": [],
    }
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    done = {**base, "status": "completed", "output": [item], "usage": usage}

    async def stream() -> AsyncIterator[str]:
        events: list[tuple[str, Json]] = [
            ("response.created", {"response": {**base, "status": "in_progress"}}),
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": done}),
        ]
        for number, (kind, value) in enumerate(events):
            yield _frame({"type": kind, "sequence_number": number, **value}, kind)

    if not body.get("stream"):
        return JSONResponse(done)
    return StreamingResponse(stream(), media_type="text/event-stream")


async def _models(request: Request) -> Response:
    return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})


@contextmanager
def scripted_model() -> Iterator[str]:
    """Serve the model on loopback; yields its base URL, which ends in `/v1`."""
    routes = [
        Route("/v1/chat/completions", _chat, methods=["POST"]),
        Route("/v1/responses", _responses, methods=["POST"]),
        Route("/v1/models", _models),
    ]
    port = free_port()
    config = uvicorn.Config(
        Starlette(routes=routes), host="127.0.0.1", port=port, log_level="critical"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join(10)
