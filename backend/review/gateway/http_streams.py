"""A downstream server over streamable HTTP, no answer of which is read beyond the limit."""

import contextlib
from collections.abc import AsyncIterator, Mapping

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from backend.review.gateway.results import CONNECT_TIMEOUT, RESULT_LIMIT

_SILENCE = 330.0
"""Seconds without a byte; the limit of a call is shorter unless its human is asked."""


class Overflow:
    """Whether an answer was too large, which the SDK only tells as a failure of the stream."""

    def __init__(self) -> None:
        self.happened = False


@contextlib.asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], overflow: Overflow
) -> AsyncIterator[TransportStreams]:
    client = httpx2.AsyncClient(
        headers=dict(headers),
        timeout=httpx2.Timeout(CONNECT_TIMEOUT, read=_SILENCE),
        event_hooks={"response": [_Limit(overflow)]},
    )
    async with (
        client,
        streamable_http_client(url, http_client=client, max_sse_event_size=None) as streams,
    ):
        yield streams


class _Limit:
    """Puts a counting stream before the body of each answer."""

    def __init__(self, overflow: Overflow) -> None:
        self._overflow = overflow

    async def __call__(self, response: httpx2.Response) -> None:
        if response.request.method == "POST" and isinstance(
            response.stream, httpx2.AsyncByteStream
        ):
            response.stream = _Counted(response.stream, self._overflow)


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, overflow: Overflow) -> None:
        self._inner = inner
        self._overflow = overflow

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > RESULT_LIMIT:
                self._overflow.happened = True
                # What the SDK takes for a failure of this one answer.
                raise httpx2.StreamError("the answer is too large")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
