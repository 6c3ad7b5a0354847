"""`/api/v1/clarification`: the resolver's and the asking side's door for scripts (K4.1)."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.api import DeskApi
from backend.clock import Clock
from backend.domain.clarification import MAX_ID
from backend.domain.validation import check_text
from backend.errors import ErrorCode, InvalidInput, NotFound
from backend.http.bodies import (
    ErrorOut,
    NotFoundOut,
    PendingIdOut,
    RequestIn,
    RespondedOut,
    SuccessOut,
    UnavailableOut,
)
from backend.http.operations import Operation
from backend.http.replies import json_reply, read_json
from backend.ids import ClaimId, ClientId, PendingId, SessionId, TaskId, new_id
from backend.mcp.bundle_wire import BundleOut, bundle_to_wire, response_to_wire
from backend.mcp.inbox_wire import ResponseIn, outcome_from_wire
from backend.mcp.wire import draft_of, parse

BASE = "/api/v1/clarification"
_CLIENT = "http"


class ClarificationRoutes:
    """Expected failures leave as `AppError` and become K4.1's bodies in `replies`."""

    def __init__(self, desk: DeskApi, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock

    def operations(self) -> list[Operation]:
        unavailable: dict[int, Any] = {503: UnavailableOut}
        missing: dict[int, Any] = {404: NotFoundOut, **unavailable}
        return [
            Operation(
                name="request",
                method="POST",
                path=f"{BASE}/request",
                summary="Ask in an existing session; nobody waits for the answer yet",
                handler=self._request,
                body=RequestIn,
                replies={200: PendingIdOut, 400: ErrorOut, 409: ErrorOut, **missing},
            ),
            Operation(
                name="get",
                method="GET",
                path=f"{BASE}/{{pending_id}}",
                summary="One bundle, whatever became of it",
                handler=self._get,
                replies={200: BundleOut, **missing},
            ),
            Operation(
                name="respond",
                method="POST",
                path=f"{BASE}/{{pending_id}}/respond",
                summary="Answer or skip a bundle; the first one wins",
                handler=self._respond,
                body=ResponseIn,
                replies={200: RespondedOut, 400: ErrorOut, 409: ErrorOut, **missing},
            ),
            Operation(
                name="cancel",
                method="POST",
                path=f"{BASE}/{{pending_id}}/cancel",
                summary="Withdraw an open bundle without answering it",
                handler=self._cancel,
                replies={200: SuccessOut, 409: ErrorOut, **missing},
            ),
        ]

    async def _request(self, request: Request) -> Response:
        asked = _parse_request(await read_json(request))
        pending_id = await self._desk.request_answer(
            SessionId(asked.session_id),
            TaskId(asked.task_id) if asked.task_id else None,
            draft_of(asked),
        )
        return json_reply(PendingIdOut(pending_id=pending_id))

    async def _get(self, request: Request) -> Response:
        bundle = await self._desk.get_bundle(read_pending_id(request))
        places = await self._desk.list_origins([bundle.session_id])
        origin = places.get(bundle.session_id)
        return json_reply(bundle_to_wire(bundle, self._clock.now(), origin))

    async def _respond(self, request: Request) -> Response:
        asked = parse(ResponseIn, await read_json(request))
        check_text("client_id", asked.client_id or "", MAX_ID)
        check_text("claim_id", asked.claim_id or "", MAX_ID)
        outcome = outcome_from_wire(asked)
        result = await self._desk.respond(
            read_pending_id(request),
            outcome,
            client_id=ClientId(asked.client_id or _CLIENT),
            claim_token=ClaimId(asked.claim_id or new_id()),
        )
        body: RespondedOut = {"success": True, **response_to_wire(result)}
        return json_reply(body)

    async def _cancel(self, request: Request) -> Response:
        await self._desk.close_question(read_pending_id(request))
        return json_reply(SuccessOut(success=True))


def _parse_request(body: object) -> RequestIn:
    """Raises `InvalidInput` in K4.1's words: what is wrong with the shape is a payload error."""
    try:
        return parse(RequestIn, body)
    except InvalidInput as error:
        detail = f"invalid payload: {error.detail}"
        raise InvalidInput(error.code, detail, **error.params) from None


def read_pending_id(request: Request) -> PendingId:
    """The id of the path; text no row can hold is an unknown id.

    Raises:
        NotFound: always the same, whether it never existed or cannot exist.
    """
    found: str = request.path_params["pending_id"]
    if "\0" in found or any("\ud800" <= character <= "\udfff" for character in found):
        raise NotFound(ErrorCode.NOT_FOUND, "no such question")
    return PendingId(found)
