"""Short answers of the MCP endpoint that are not streams."""

import json

from starlette.types import Send

Headers = tuple[tuple[bytes, bytes], ...]


async def reply_json(send: Send, status: int, body: object, headers: Headers = ()) -> None:
    """Answer with one JSON document, or without a body when it is None."""
    data = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*head, *headers]})
    await send({"type": "http.response.body", "body": data, "more_body": False})


async def reply_error(
    send: Send,
    status: int,
    code: int,
    message: str,
    *,
    request_id: object = None,
    headers: Headers = (),
) -> None:
    """Answer with a JSON-RPC error; `request_id` stays null where none could be read."""
    usable = request_id if isinstance(request_id, str | int) else None
    error = {"jsonrpc": "2.0", "id": usable, "error": {"code": code, "message": message}}
    await reply_json(send, status, error, headers)


def accepts(accept: str, *media_types: str) -> bool:
    """Whether an Accept header admits every one of `media_types`."""
    found = {part.split(";")[0].strip().lower() for part in accept.split(",")}
    return "*/*" in found or all(
        kind in found or f"{kind.split('/')[0]}/*" in found for kind in media_types
    )
