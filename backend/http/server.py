"""The port: the API and the MCP endpoints behind one guard, for the life of the desk."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

from backend.api import DeskApi
from backend.clock import Clock
from backend.errors import AppError
from backend.http.auth import MCP_PATH, OPERATOR_PATH, Tokens
from backend.http.clarification_routes import ClarificationRoutes
from backend.http.cut_off import ToldWhenCutOff
from backend.http.debug_routes import DebugRoutes
from backend.http.desk_routes import DeskProcess, DeskRoutes
from backend.http.guard import Guard
from backend.http.listener import HOST, Listener, bind
from backend.http.listing_routes import ListingRoutes
from backend.http.mcp_doors import McpDoors
from backend.http.openapi import DocumentRoute
from backend.http.operations import Operation, to_routes
from backend.http.replies import on_app_error, on_bug, on_http_error
from backend.http.waiting_routes import WaitingRoutes
from backend.mcp.asking_door import AskingDoor
from backend.mcp.gateway_door import GatewaySide
from backend.metrics import Metrics
from backend.review.prompt_door import PermissionDoor
from backend.work.supervisor import TaskSupervisor

_STOP_SECONDS: Final = 3
"""Time for running requests to end once they were told that the desk drains."""


class HttpServer:
    """Listens on loopback only. Built once, started once, stopped once.

    `debug` adds `/debug/vars`; without it that path is as unknown as any other.
    """

    def __init__(
        self,
        *,
        desk: DeskApi,
        asking: AskingDoor,
        permissions: PermissionDoor,
        supervisor: TaskSupervisor,
        tokens: Tokens,
        clock: Clock,
        info: DeskProcess,
        on_show: Callable[[str], None],
        on_hand_over: Callable[[], None] | None,
        metrics: Metrics,
        gateway: GatewaySide | None = None,
        on_request: Callable[[], None] | None = None,
        debug: bool = False,
    ) -> None:
        self._asking = asking
        self._supervisor = supervisor
        self._port = 0
        self._mcp = McpDoors(
            desk=desk,
            asking=asking,
            permissions=permissions,
            gateway=gateway,
            clock=clock,
            version=info.version,
        )
        document = DocumentRoute(info.version)
        routes = DeskRoutes(
            info,
            address=lambda: self.address,
            on_show=on_show,
            on_hand_over=on_hand_over,
            metrics=metrics,
        )
        operations = (
            *routes.operations(),
            *_of_questions(desk, asking, clock),
            *(DebugRoutes(metrics).operations() if debug else ()),
            document.operation(),
        )
        document.describe(operations)
        app = _application(operations, self._mcp)
        guarded = ToldWhenCutOff(Guard(app, tokens, lambda: self._port, on_request))
        self._listener = Listener(guarded, stop_seconds=_STOP_SECONDS)
        self._serving: asyncio.Task[None] | None = None
        self._speaking: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """`http://127.0.0.1:PORT` without a path."""
        return f"http://{HOST}:{self._port}"

    async def start(self, port: int) -> int:
        """Listen on `port`, or on any free one when it is 0 or taken; return the bound port.

        Raises:
            OSError: nothing can be bound.
        """
        listener = bind(port)
        self._port = listener.getsockname()[1]
        self._serving = self._supervisor.start(self._listener.serve([listener]), name="http")
        listening = asyncio.ensure_future(self._listener.listening.wait())
        await asyncio.wait({listening, self._serving}, return_when=asyncio.FIRST_COMPLETED)
        if self._serving.done():
            listening.cancel()
            await self._serving
        self._speaking = self._supervisor.start(self._mcp.run(), name="mcp")
        return self._port

    async def stop(self) -> None:
        """End every waiting call as `asking.draining` says, then close the port."""
        self._asking.draining.set()
        self._listener.stop()
        if self._serving is not None:
            await asyncio.wait({self._serving})
        self._mcp.stop()
        if self._speaking is not None:
            await asyncio.wait({self._speaking})


def _of_questions(desk: DeskApi, asking: AskingDoor, clock: Clock) -> Iterable[Operation]:
    return (
        *ListingRoutes(desk, clock).operations(),
        *ClarificationRoutes(desk, clock).operations(),
        *WaitingRoutes(desk, asking).operations(),
    )


def _application(operations: Iterable[Operation], mcp: McpDoors) -> ASGIApp:
    app = Starlette(
        routes=[
            *to_routes(operations),
            Route(MCP_PATH, mcp.agents),
            Route(OPERATOR_PATH, mcp.operators),
        ],
        exception_handlers={
            AppError: on_app_error,
            HTTPException: on_http_error,
            500: on_bug,
        },
    )
    app.router.redirect_slashes = False
    return app
