"""`/api/v1/desk`: what runs here, and the second start of the program."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backend.http.replies import read_json
from backend.mcp.wire import WireModel, parse


@dataclass(frozen=True, slots=True)
class DeskProcess:
    """The process that owns the store."""

    version: str
    pid: int
    kind: Literal["window", "serve"]


class ShowIn(WireModel):
    activation_token: str | None = None


class DeskRoutes:
    """`address` gives the API's URL once the port is bound.

    `on_hand_over` is None where the process never gives the store away: a window.
    """

    def __init__(
        self,
        info: DeskProcess,
        *,
        address: Callable[[], str],
        on_show: Callable[[str], None],
        on_hand_over: Callable[[], None] | None,
    ) -> None:
        self._info = info
        self._address = address
        self._on_show = on_show
        self._on_hand_over = on_hand_over

    def routes(self) -> list[Route]:
        return [
            Route("/api/v1/desk", self._get, methods=["GET"]),
            Route("/api/v1/desk/show", self._show, methods=["POST"]),
            Route("/api/v1/desk/hand-over", self._hand_over, methods=["POST"]),
        ]

    async def _get(self, _request: Request) -> Response:
        api = self._address()
        return JSONResponse(
            {
                "version": self._info.version,
                "pid": self._info.pid,
                "kind": self._info.kind,
                "api": api,
                "mcp": f"{api}/mcp",
            }
        )

    async def _show(self, request: Request) -> Response:
        asked = parse(ShowIn, await read_json(request))
        self._on_show(asked.activation_token or "")
        return JSONResponse({"success": True})

    async def _hand_over(self, _request: Request) -> Response:
        if self._info.kind != "serve" or self._on_hand_over is None:
            body = {"error": "this desk has a window and does not hand over"}
            return JSONResponse(body, HTTPStatus.CONFLICT)
        self._on_hand_over()
        return JSONResponse({"success": True, "pid": self._info.pid}, HTTPStatus.OK)
