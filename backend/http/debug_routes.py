"""`/debug/vars`: what this process has counted, for whoever develops it (clarification.md)."""

import asyncio
import gc
import threading
import time
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from backend.http.bodies import DebugVarsOut
from backend.http.operations import Operation
from backend.http.replies import json_reply
from backend.metrics import Metrics

PATH: Final = "/debug/vars"


class DebugRoutes:
    """Numbers only: nothing here names a question, a session or a person."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._started = time.monotonic()

    def operations(self) -> list[Operation]:
        return [
            Operation(
                name="debugVars",
                method="GET",
                path=PATH,
                summary="Counters and facts of the process",
                handler=self._get,
                replies={200: DebugVarsOut},
            )
        ]

    async def _get(self, _request: Request) -> Response:
        body: DebugVarsOut = {
            "counters": {name: dict(found) for name, found in self._metrics.snapshot().items()},
            "process": {
                "uptime_seconds": round(time.monotonic() - self._started, 3),
                "cpu_seconds": round(time.process_time(), 3),
                "threads": threading.active_count(),
                "tasks": len(asyncio.all_tasks()),
                "objects": len(gc.get_objects()),
            },
        }
        return json_reply(body)
