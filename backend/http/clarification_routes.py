"""`/api/v1/clarification` and the inbox (K4.1, K4.5): the resolver's door for scripts."""

from collections.abc import Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backend.api import DeskApi
from backend.clock import Clock
from backend.domain.clarification import MAX_ID, Bundle, Outcome
from backend.domain.validation import check_text
from backend.errors import ErrorCode, NotFound
from backend.http.replies import read_json
from backend.ids import ClaimId, ClientId, PendingId, new_id
from backend.mcp.bundle_wire import bundle_to_wire, response_to_wire
from backend.mcp.inbox_wire import ResponseIn, outcome_from_wire
from backend.mcp.wire import parse

_CLIENT = "http"


class ClarificationRoutes:
    """Expected failures leave as `AppError` and become K4.1's bodies in `replies`."""

    def __init__(self, desk: DeskApi, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock

    def routes(self) -> list[Route]:
        base = "/api/v1/clarification"
        return [
            Route("/api/v1/clarification-inbox", self._inbox, methods=["GET"]),
            Route("/api/v1/clarification-uncollected", self._uncollected, methods=["GET"]),
            Route(base + "/{pending_id}", self._get, methods=["GET"]),
            Route(base + "/{pending_id}/respond", self._respond, methods=["POST"]),
            Route(base + "/{pending_id}/cancel", self._cancel, methods=["POST"]),
        ]

    async def _inbox(self, _request: Request) -> Response:
        return await self._listing(await self._desk.list_open_bundles())

    async def _uncollected(self, _request: Request) -> Response:
        return await self._listing(await self._desk.list_uncollected())

    async def _listing(self, found: Sequence[Bundle]) -> Response:
        now = self._clock.now()
        sessions = {item.session_id: item for item in await self._desk.list_sessions()}
        bundles = [bundle_to_wire(item, now, sessions.get(item.session_id)) for item in found]
        return JSONResponse({"bundles": bundles, "count": len(bundles)})

    async def _get(self, request: Request) -> Response:
        bundle = await self._desk.get_bundle(_pending_id(request))
        return JSONResponse(bundle_to_wire(bundle, self._clock.now()))

    async def _respond(self, request: Request) -> Response:
        pending_id = _pending_id(request)
        asked = parse(ResponseIn, await read_json(request))
        check_text("client_id", asked.client_id or "", MAX_ID)
        check_text("claim_id", asked.claim_id or "", MAX_ID)
        outcome: Outcome = outcome_from_wire(asked)
        result = await self._desk.respond(
            pending_id,
            outcome,
            client_id=ClientId(asked.client_id or _CLIENT),
            claim_token=ClaimId(asked.claim_id or new_id()),
        )
        return JSONResponse({"success": True, **response_to_wire(result)})

    async def _cancel(self, request: Request) -> Response:
        await self._desk.close_question(_pending_id(request))
        return JSONResponse({"success": True}, HTTPStatus.OK)


def _pending_id(request: Request) -> PendingId:
    """The id of the path; text no row can hold is an unknown id.

    Raises:
        NotFound: always the same, whether it never existed or cannot exist.
    """
    found: str = request.path_params["pending_id"]
    if "\0" in found or any("\ud800" <= character <= "\udfff" for character in found):
        raise NotFound(ErrorCode.NOT_FOUND, "no such question")
    return PendingId(found)
