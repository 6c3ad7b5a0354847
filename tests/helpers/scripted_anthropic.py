"""The scripted model as Anthropic's messages (Claude) speak."""

import json
import uuid
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.helpers.scripted_openai import frame
from tests.helpers.scripted_steps import Call, Json, next_step, text_of


def _turns(body: Json) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            turns.append((message["role"], content))
            continue
        for block in content:
            if block.get("type") == "tool_result":
                turns.append(("tool", text_of(block.get("content"))))
            elif block.get("type") == "text":
                turns.append((message["role"], block["text"]))
    return turns


async def messages(request: Request) -> Response:
    body = await request.json()
    tools = [tool["name"] for tool in body.get("tools") or [] if "input_schema" in tool]
    step = next_step(_turns(body), tools)
    block: Json = {"type": "text", "text": ""}
    if isinstance(step, Call):
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": step.tool}
    stop = "tool_use" if isinstance(step, Call) else "end_turn"
    message: Json = {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if not body.get("stream"):
        whole = {"input": step.arguments} if isinstance(step, Call) else {"text": step.text}
        return JSONResponse({**message, "content": [{**block, **whole}], "stop_reason": stop})

    def event(kind: str, **value: object) -> str:
        return frame({"type": kind, **value}, kind)

    async def stream() -> AsyncIterator[str]:
        yield event("message_start", message=message)
        begun = {**block, "input": {}} if isinstance(step, Call) else block
        yield event("content_block_start", index=0, content_block=begun)
        if isinstance(step, Call):
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
            yield event("content_block_delta", index=0, delta=delta)
        else:
            async for text in step.chunks():
                delta = {"type": "text_delta", "text": text}
                yield event("content_block_delta", index=0, delta=delta)
        yield event("content_block_stop", index=0)
        end = {"stop_reason": stop, "stop_sequence": None}
        yield event("message_delta", delta=end, usage={"output_tokens": 1})
        yield event("message_stop")

    return StreamingResponse(stream(), media_type="text/event-stream")


async def count_tokens(request: Request) -> Response:
    return JSONResponse({"input_tokens": 1})
