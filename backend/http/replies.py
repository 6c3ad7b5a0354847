"""JSON answers of the API, and what each expected failure is over HTTP (K4.1)."""

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Final, NoReturn

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Send

from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    InvalidInput,
    NotFound,
    TemporarilyUnavailable,
)

NOT_FOUND: Final = "clarification request not found"
NOT_ACTIVE: Final = "clarification request is no longer active"
UNAVAILABLE: Final = "clarification response is temporarily unavailable"
QUESTIONS: Final = "/api/v1/clarification/"

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ApiResponse(JSONResponse):
    """JSON in UTF-8; what no UTF-8 can hold, in rows of others, goes out as U+FFFD."""

    def render(self, content: object) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return _LONE_SURROGATE.sub("\ufffd", text).encode()


def json_reply(body: Mapping[str, object], status: int = HTTPStatus.OK) -> Response:
    """A body of one of the types that the document of the API names."""
    return ApiResponse(body, status)


async def send_json(
    send: Send,
    status: int,
    body: object,
    headers: Iterable[tuple[bytes, bytes]] = (),
    *,
    more_body: bool = False,
) -> None:
    """Answer below the router, where there is no response object yet."""
    data = json.dumps(body).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*head, *headers]})
    await send({"type": "http.response.body", "body": data, "more_body": more_body})


def error_reply(error: AppError) -> JSONResponse:
    """The body and the status of an expected failure; the same for known and unknown ids."""
    match error:
        case InvalidInput():
            body: dict[str, object] = {"error": error.detail, "code": error.code.value}
            return ApiResponse(body | error.params, HTTPStatus.BAD_REQUEST)
        case NotFound() if "session_id" in error.params:
            # Named as the caller has named it, whether it exists or not.
            return ApiResponse({"error": error.detail}, HTTPStatus.NOT_FOUND)
        case NotFound():
            return ApiResponse({"error": NOT_FOUND}, HTTPStatus.NOT_FOUND)
        case Conflict() if error.code is ErrorCode.NOT_ACTIVE:
            body = {"error": NOT_ACTIVE, "code": error.code.value}
            return ApiResponse(body, HTTPStatus.CONFLICT)
        case Conflict():
            body = {"error": error.detail, "code": error.code.value}
            return ApiResponse(body, HTTPStatus.CONFLICT)
        case TemporarilyUnavailable():
            body = {"error": UNAVAILABLE, "code": ErrorCode.TEMPORARILY_UNAVAILABLE.value}
            return ApiResponse(body, HTTPStatus.SERVICE_UNAVAILABLE)
        case _:
            body = {"error": error.detail, "code": error.code.value}
            return ApiResponse(body, HTTPStatus.INTERNAL_SERVER_ERROR)


async def on_app_error(_request: Request, error: Exception) -> Response:
    """Exception handler of the router for `AppError`."""
    if not isinstance(error, AppError):
        raise error
    return error_reply(error)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Exception handler of the router for its own 404 and 405."""
    if not isinstance(error, HTTPException):
        raise error
    missing = error.status_code == HTTPStatus.NOT_FOUND
    if missing and request.url.path.startswith(QUESTIONS):
        # An id that no route takes, such as an empty one, is an unknown id.
        return error_reply(NotFound(ErrorCode.NOT_FOUND, "no such question"))
    return ApiResponse({"error": error.detail.lower()}, error.status_code, headers=error.headers)


async def on_bug(_request: Request, _error: Exception) -> Response:
    """Anything unexpected is logged by the server and told without its inside."""
    return ApiResponse({"error": "internal error"}, HTTPStatus.INTERNAL_SERVER_ERROR)


async def read_json(request: Request) -> object:
    """The body as JSON; an empty body is an empty object.

    Raises:
        InvalidInput: it is not UTF-8 JSON, or gives a name twice.
    """
    body = await request.body()
    if not body.strip():
        return {}
    try:
        return json.loads(
            body.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        raise InvalidInput(ErrorCode.INVALID, "invalid payload: not JSON", field="body") from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Two values of one name would let two readers of a body see two different answers."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidInput(
            ErrorCode.INVALID, "invalid payload: a name is given twice", field="body"
        )
    return found


def _no_constant(name: str) -> NoReturn:
    """NaN and the infinities are no JSON, whatever Python's reader takes."""
    raise ValueError(name)
