"""Keep a call open until its question ends, its client's patience does, or its caller is gone."""

import asyncio
import contextlib
import itertools
import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from mcp.server.session import ServerSession
from mcp_types import ProgressNotification, ProgressNotificationParams, ProgressToken, RequestId

from backend.clarification.ask_result import AskResult
from backend.clarification.asking import OpenAsk
from backend.clock import Clock, sleep
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import Ticket
from backend.mcp import tools
from backend.mcp.asking_door import AskingDoor
from backend.mcp.exchange import Exchange
from backend.mcp.patience import BEAT

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

RESUME_GRACE: Final = 60.0
"""Seconds a client that resumes has to come back before its call is ended."""


AWAY_PAUSES: Final = (1.0, 1.0, 1.0, 5.0)
"""Seconds between looks at a store that does not answer; the last repeats."""

_log = logging.getLogger(__name__)


class CallEnded(Exception):
    """The call ends without a result; nothing may be written for it."""


class Waiting(Protocol[T_co]):
    """What a call is kept open for."""

    async def result(self) -> T_co:
        """Once there is one; may be cancelled, and asked again."""
        ...

    def leave(self) -> None:
        """The caller is gone without a result; at once, nothing is awaited."""
        ...


class Progress:
    """Sends the signs of life of one call; the value rises strictly."""

    message: str = tools.PROGRESS_TEXT

    def __init__(
        self,
        session: ServerSession,
        exchange: Exchange,
        request_id: RequestId | None,
        token: ProgressToken | None,
    ) -> None:
        self._session = session
        self._exchange = exchange
        self._request_id = request_id
        self._token = token
        self._count = 0

    @property
    def has_token(self) -> bool:
        return self._token is not None

    async def beat(self, ticket: Ticket | None = None) -> None:
        """One progress notification; a comment on the stream for callers without a token."""
        if self._token is None:
            await self._exchange.comment()
            return
        self._count += 1
        params = ProgressNotificationParams(
            progress_token=self._token,
            progress=self._count,
            message=self.message,
            _meta={tools.TICKET_META: ticket} if ticket is not None else None,
        )
        await self._session.send_notification(ProgressNotification(params=params), self._request_id)


class LiveCalls:
    """Counts the waiting calls of each connection."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def enter(self, *places: tuple[str, int]) -> Iterator[None]:
        """Hold a place in every (key, limit) for the time of the block.

        Raises:
            Conflict: `too_many_waiting`, one of them is full.
        """
        for key, limit in places:
            if self._open[key] >= limit:
                raise Conflict(
                    ErrorCode.TOO_MANY_WAITING,
                    tools.TOO_MANY_WAITING.format(limit=limit),
                    limit=limit,
                )
        for key, _ in places:
            self._open[key] += 1
        try:
            yield
        finally:
            for key, _ in places:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]

    def count(self, key: str) -> int:
        return self._open[key]


@dataclass(slots=True)
class HeldCall:
    """One waiting call. Times are those of `clock`; limits count from the start of the call."""

    asking: AskingDoor
    clock: Clock
    exchange: Exchange
    progress: Progress
    started_at: float
    limit: float | None
    """When this end gives up."""
    caller_limit: float | None = None
    """When the caller is known to give up by itself."""

    async def hold(self, opened: OpenAsk) -> AskResult | None:
        """The result of a question; as `hold_on`."""
        return await self.hold_on(_OpenQuestion(self, opened))

    async def hold_on(self, waiting: Waiting[T]) -> T | None:
        """The result, or None when the call must end `waiting`.

        The caller's cancellation leaves what it waits for: the scope repeats it at every await, so
        nothing is awaited on the way out.

        Raises:
            CallEnded: the caller is gone, or comes back by itself after the stop.
        """
        answer: asyncio.Future[T] = asyncio.ensure_future(waiting.result())
        try:
            while True:
                if await self._pause(answer, self.exchange.lost):
                    return await answer
                if self.asking.draining.is_set():
                    return await self._drain(answer)
                if self.exchange.lost.is_set():
                    answer = await self._wait_for_return(answer, waiting)
                elif self._patience_left() <= 0:
                    return await _give_up(answer)
                else:
                    await self.progress.beat()
        except asyncio.CancelledError:
            _leave(answer, waiting)
            raise

    def seconds_left(self) -> float | None:
        """Until this call is ended by somebody; None when nobody is known to."""
        known = [limit for limit in (self.limit, self.caller_limit) if limit is not None]
        return self.started_at + min(known) - self.clock.monotonic() if known else None

    async def _pause(self, answer: asyncio.Future[Any], gone: asyncio.Event) -> bool:
        """Sleep until something happens or the next beat is due; whether it was the answer."""
        pause = min(BEAT, max(0.0, self._patience_left()))
        await wait_first(self.clock, pause, self.asking.draining, gone, answer=answer)
        return answer.done()

    async def _drain(self, answer: asyncio.Future[T]) -> T | None:
        result = await _give_up(answer)
        if result is None and self.exchange.shim is not None:
            raise CallEnded
        return result

    async def _wait_for_return(
        self, answer: asyncio.Future[T], waiting: Waiting[T]
    ) -> asyncio.Future[T]:
        """The stream broke: no waiter until the client resumes it, so no answer goes nowhere."""
        if not answer.done():
            _leave(answer, waiting)
        if self.exchange.can_resume:
            await wait_first(
                self.clock, RESUME_GRACE, self.asking.draining, self.exchange.resumed, answer=None
            )
        if not self.exchange.resumed.is_set():
            raise CallEnded
        return asyncio.ensure_future(waiting.result())

    def _patience_left(self) -> float:
        if self.limit is None:
            return BEAT
        return self.started_at + self.limit - self.clock.monotonic()


class _OpenQuestion:
    """A question as what a call waits for."""

    def __init__(self, held: HeldCall, opened: OpenAsk) -> None:
        self._held = held
        self._opened = opened

    async def result(self) -> AskResult:
        """The question is open, or its answer stored, however long the store is away: an error
        would only make the agent ask again.
        """
        pauses = itertools.chain(AWAY_PAUSES, itertools.repeat(AWAY_PAUSES[-1]))
        while True:
            left = self._held.seconds_left()
            try:
                return await self._held.asking.wait(self._opened.pending_id, limit=left)
            except TemporarilyUnavailable as error:
                _log.info("a call goes on waiting: %s", error.detail)
            await sleep(self._held.clock, next(pauses))

    def leave(self) -> None:
        self._held.asking.cut(self._opened.pending_id)


def _leave(answer: asyncio.Future[Any], waiting: Waiting[Any]) -> None:
    answer.cancel()
    waiting.leave()


async def _give_up(answer: asyncio.Future[T]) -> T | None:
    """Stop waiting, but keep a result that was handed over at the last moment."""
    answer.cancel()
    await asyncio.wait({answer})
    return None if answer.cancelled() else answer.result()


async def wait_first(
    clock: Clock, seconds: float, *events: asyncio.Event, answer: asyncio.Future[Any] | None
) -> None:
    """Return when `seconds` have passed, an event is set or `answer` is done."""
    if any(event.is_set() for event in events) or (answer is not None and answer.done()):
        return
    timer = asyncio.Event()
    handle = clock.call_later(seconds, timer.set)
    watching = [asyncio.ensure_future(event.wait()) for event in (timer, *events)]
    awaited: list[asyncio.Future[Any]] = [*watching]
    if answer is not None:
        awaited.append(answer)
    try:
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
    finally:
        handle.cancel()
        for task in watching:
            task.cancel()
