"""What a request hears when the desk stops before its reply is there."""

import asyncio
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.errors import ErrorCode
from backend.http.replies import UNAVAILABLE, send_json

_BODY: Final = {"error": UNAVAILABLE, "code": ErrorCode.TEMPORARILY_UNAVAILABLE.value}


class ToldWhenCutOff:
    """Answers 503 where the listener ends a request: it was asked and may be asked again.

    The listener cancels only what is still running some seconds after the desk began to stop, such
    as a read of a store that does not answer; by itself it would report a bug, 500.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if begun:
                raise
            await send_json(send, 503, _BODY, [(b"connection", b"close")])
