"""The demo agent's connection to the tools the desk injected into its session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from acp.schema import HttpMcpServer
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation


@asynccontextmanager
async def connect(server: HttpMcpServer, name: str) -> AsyncIterator[Client]:
    """Connect under this name.

    Raises:
        ConnectionError: the desk does not answer, or refuses.
    """
    headers = {header.name: header.value for header in server.headers}
    timeout = httpx2.Timeout(30.0, read=None)
    info = Implementation(name=name, version="1.0")
    try:
        async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
            transport = streamable_http_client(server.url, http_client=http)
            async with Client(transport, client_info=info, mode="legacy") as client:
                yield client
    except* (MCPError, httpx2.HTTPError) as failed:
        raise ConnectionError(str(failed.exceptions[0])) from failed
