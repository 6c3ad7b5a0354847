"""`/api/v1/clarification/{id}/wait`: a call that lasts until there is an answer (K4.1)."""

import asyncio
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.api import DeskApi
from backend.clarification.announcer import outcome_for
from backend.clarification.ask_result import AskResult, AskStatus
from backend.domain.clarification import BundleStatus
from backend.errors import Conflict, ErrorCode
from backend.http.bodies import ErrorOut, NotFoundOut, UnavailableOut
from backend.http.clarification_routes import BASE, read_pending_id
from backend.http.operations import Operation
from backend.http.replies import json_reply
from backend.ids import PendingId
from backend.mcp.asking_door import AskingDoor
from backend.mcp.bundle_wire import ResponseOut, response_to_wire

DRAINING = "the desk is stopping; wait again when it runs"


class WaitingRoutes:
    """Waits on the asking side, so that an answer is handed over durably and once.

    Any number of calls may wait for one bundle; each gets the same response. No limit: 504 says
    that the desk stops, never that too much time has passed.
    """

    def __init__(self, desk: DeskApi, asking: AskingDoor) -> None:
        self._desk = desk
        self._asking = asking

    def operations(self) -> list[Operation]:
        replies = {
            200: ResponseOut,
            404: NotFoundOut,
            409: ErrorOut,
            503: UnavailableOut,
            504: ErrorOut,
        }
        return [
            Operation(
                name="wait",
                method="GET",
                path=f"{BASE}/{{pending_id}}/wait",
                summary="Wait for the response to a bundle, at once when there is one",
                handler=self._wait,
                replies=replies,
            )
        ]

    async def _wait(self, request: Request) -> Response:
        pending_id = read_pending_id(request)
        answer = asyncio.ensure_future(self._asking.wait(pending_id))
        gone = asyncio.ensure_future(_disconnected(request))
        stopping = asyncio.ensure_future(self._asking.draining.wait())
        watched: list[asyncio.Future[Any]] = [answer, gone, stopping]
        try:
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                # A result that was handed over at the last moment must not be thrown away.
                answer.cancel()
                await asyncio.wait({answer})
        finally:
            for future in watched:
                future.cancel()
        if answer.cancelled():
            body = ErrorOut(error=DRAINING, code=ErrorCode.DRAINING.value)
            return json_reply(body, HTTPStatus.GATEWAY_TIMEOUT)
        return json_reply(await self._response(pending_id, answer.result()))

    async def _response(self, pending_id: PendingId, result: AskResult) -> ResponseOut:
        bundle = await self._desk.get_bundle(pending_id)
        given = result.status in {AskStatus.ANSWERED, AskStatus.SKIPPED}
        # A refusal that no agent was told of is still the response to this question.
        if not given and bundle.status is not BundleStatus.REJECTED:
            raise Conflict(ErrorCode.NOT_ACTIVE, "this question ended without a response")
        return response_to_wire(outcome_for(bundle, claimed=False))["response"]


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
