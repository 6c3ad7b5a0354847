"""The scripted model as OpenAI's chat completions (OpenCode) and responses (Codex) speak."""

import json
import uuid
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.helpers.scripted_steps import NAMESPACE, Call, Json, Step, next_step, text_of


def frame(value: Json | str, event: str = "") -> str:
    """One server-sent event."""
    data = value if isinstance(value, str) else json.dumps(value)
    return f"{f'event: {event}' + chr(10) if event else ''}data: {data}\n\n"


def _tool_calls(step: Call) -> Json:
    call = {"name": step.tool, "arguments": json.dumps(step.arguments)}
    entry = {"index": 0, "id": f"call_{uuid.uuid4().hex}", "type": "function", "function": call}
    return {"tool_calls": [entry]}


async def chat(request: Request) -> Response:
    body = await request.json()
    turns = [(message["role"], text_of(message.get("content"))) for message in body["messages"]]
    step = next_step(turns, [tool["function"]["name"] for tool in body.get("tools") or []])
    base = {"id": f"chat-{uuid.uuid4().hex}", "created": 1, "model": "scripted"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    finish = "tool_calls" if isinstance(step, Call) else "stop"
    if not body.get("stream"):
        said = _tool_calls(step) if isinstance(step, Call) else {"content": step.text}
        message = {"role": "assistant", "content": None, **said}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return JSONResponse(
            {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        )

    def chunk(part: Json, end: str | None = None) -> str:
        choice = {"index": 0, "delta": part, "finish_reason": end}
        return frame({**base, "object": "chat.completion.chunk", "choices": [choice]})

    async def stream() -> AsyncIterator[str]:
        yield chunk({"role": "assistant", "content": ""})
        if isinstance(step, Call):
            yield chunk(_tool_calls(step))
        else:
            async for text in step.chunks():
                yield chunk({"content": text})
        yield chunk({}, finish)
        yield frame({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield frame("[DONE]")

    return StreamingResponse(stream(), media_type="text/event-stream")


def _response_turns(body: Json) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for item in body.get("input") or []:
        kind = item.get("type", "message")
        if kind == "message":
            turns.append((item.get("role", "user"), text_of(item.get("content"))))
        elif kind.endswith("_output"):
            turns.append(("tool", text_of(item.get("output"))))
    return turns


def _response_tools(body: Json) -> list[str]:
    names = []
    for tool in body.get("tools") or []:
        if tool.get("type") == "function":
            names.append(tool["name"])
        elif tool.get("type") == "namespace":
            names.extend(f"{tool['name']}{NAMESPACE}{inner['name']}" for inner in tool["tools"])
    return names


def _response_item(step: Step) -> Json:
    if not isinstance(step, Call):
        part = {"type": "output_text", "text": step.text, "annotations": []}
        return {
            "type": "message",
            "id": f"msg_{uuid.uuid4().hex}",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    namespace, _, name = step.tool.rpartition(NAMESPACE)
    item: Json = {
        "type": "function_call",
        "id": f"fc_{uuid.uuid4().hex}",
        "call_id": f"call_{uuid.uuid4().hex}",
        "name": name,
        "arguments": json.dumps(step.arguments),
        "status": "completed",
    }
    return {**item, "namespace": namespace} if namespace else item


_USAGE = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 1,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 2,
}


async def responses(request: Request) -> Response:
    body = await request.json()
    step = next_step(_response_turns(body), _response_tools(body))
    item = _response_item(step)
    base: Json = {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": 1,
        "model": "scripted",
        "output": [],
    }
    done = {**base, "status": "completed", "output": [item], "usage": _USAGE}
    if not body.get("stream"):
        return JSONResponse(done)
    begun = item if isinstance(step, Call) else {**item, "content": [], "status": "in_progress"}

    async def events() -> AsyncIterator[tuple[str, Json]]:
        yield "response.created", {"response": {**base, "status": "in_progress"}}
        yield "response.output_item.added", {"output_index": 0, "item": begun}
        if not isinstance(step, Call):
            place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            async for text in step.chunks():
                yield "response.output_text.delta", {**place, "delta": text}
        yield "response.output_item.done", {"output_index": 0, "item": item}
        yield "response.completed", {"response": done}

    async def stream() -> AsyncIterator[str]:
        number = 0
        async for kind, value in events():
            yield frame({"type": kind, "sequence_number": number, **value}, kind)
            number += 1

    return StreamingResponse(stream(), media_type="text/event-stream")


async def models(request: Request) -> Response:
    return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
