"""The scripted model as Gemini's generateContent speaks."""

import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.helpers.scripted_openai import frame
from tests.helpers.scripted_steps import Call, Json, next_step

_ON_THE_SIDE = json.dumps({"reasoning": "-", "next_speaker": "user", "model_choice": "flash"})


def _turns(body: Json) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for message in body.get("contents") or []:
        for part in message.get("parts") or []:
            if "functionResponse" in part:
                turns.append(("tool", json.dumps(part["functionResponse"].get("response"))))
            elif "text" in part:
                turns.append((message.get("role", "user"), part["text"]))
    return turns


def _tools(body: Json) -> list[str]:
    return [
        declared["name"]
        for tool in body.get("tools") or []
        for declared in tool.get("functionDeclarations") or []
    ]


def _reply(part: Json, finish: str = "") -> Json:
    candidate: Json = {"content": {"role": "model", "parts": [part]}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


async def generate(request: Request) -> Response:
    """Every method of a model: they are told apart by the end of the path."""
    body = await request.json()
    method = request.path_params["call"]
    if method.endswith(":countTokens"):
        return JSONResponse({"totalTokens": 1})
    step = next_step(_turns(body), _tools(body))
    if not method.endswith(":streamGenerateContent"):
        wanted = body.get("generationConfig") or {}
        # Gemini CLI has a model decide who speaks next, in a form of its own.
        text = (
            '{"reasoning": "-", "next_speaker": "user"}' if "responseJsonSchema" in wanted else ""
        )
        return JSONResponse(_reply({"text": text or "a title"}, "STOP"))

    async def stream() -> AsyncIterator[str]:
        if isinstance(step, Call):
            part = {"functionCall": {"name": step.tool, "args": step.arguments}}
            yield frame(_reply(part, "STOP"))
            return
        async for text in step.chunks():
            yield frame(_reply({"text": text}))
        yield frame(_reply({"text": ""}, "STOP"))

    return StreamingResponse(stream(), media_type="text/event-stream")
