"""`/api/v1/desk`: what runs here, and the second start of the program."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from backend.domain.validation import check_text
from backend.http.bodies import MAX_TOKEN, DeskOut, ErrorOut, HandedOverOut, ShowIn, SuccessOut
from backend.http.operations import Operation
from backend.http.replies import json_reply, read_json
from backend.mcp.wire import parse
from backend.metrics import Metrics


@dataclass(frozen=True, slots=True)
class DeskProcess:
    """The process that owns the store."""

    version: str
    pid: int
    kind: Literal["window", "serve"]


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
        metrics: Metrics,
    ) -> None:
        self._info = info
        self._metrics = metrics
        self._address = address
        self._on_show = on_show
        self._on_hand_over = on_hand_over

    def operations(self) -> list[Operation]:
        return [
            Operation(
                name="desk",
                method="GET",
                path="/api/v1/desk",
                summary="What runs here, where it listens and what it has counted",
                handler=self._get,
                replies={200: DeskOut},
            ),
            Operation(
                name="show",
                method="POST",
                path="/api/v1/desk/show",
                summary="Bring the window to the front",
                handler=self._show,
                body=ShowIn,
                body_required=False,
                replies={200: SuccessOut, 400: ErrorOut},
            ),
            Operation(
                name="handOver",
                method="POST",
                path="/api/v1/desk/hand-over",
                summary="End a desk without a window, so that one with a window takes its place",
                handler=self._hand_over,
                replies={200: HandedOverOut, 409: ErrorOut},
            ),
        ]

    async def _get(self, _request: Request) -> Response:
        api = self._address()
        body: DeskOut = {
            "version": self._info.version,
            "pid": self._info.pid,
            "kind": self._info.kind,
            "api": api,
            "mcp": f"{api}/mcp",
            "counters": {name: dict(phases) for name, phases in self._metrics.snapshot().items()},
        }
        return json_reply(body)

    async def _show(self, request: Request) -> Response:
        asked = parse(ShowIn, await read_json(request))
        check_text("activation_token", asked.activation_token or "", MAX_TOKEN)
        self._on_show(asked.activation_token or "")
        return json_reply(SuccessOut(success=True))

    async def _hand_over(self, _request: Request) -> Response:
        if self._info.kind != "serve" or self._on_hand_over is None:
            body = ErrorOut(error="this desk has a window and does not hand over")
            return json_reply(body, HTTPStatus.CONFLICT)
        self._on_hand_over()
        return json_reply(HandedOverOut(success=True, pid=self._info.pid))
