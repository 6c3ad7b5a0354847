"""What the gateway needs of the machine and of other features; handed in where all is built."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from backend.domain.agents import AgentCommand, ElicitationReply, Elicited
from backend.domain.gateway import ServerSettings
from backend.ids import ReviewId, SessionId
from backend.keyring_secrets import SecretStore
from backend.review.gateway.results import CallEnd


class ChildProcess(Protocol):
    """A server's process: a group of its own, a clean environment, the end of what it complains."""

    input: asyncio.StreamWriter
    output: asyncio.StreamReader

    @property
    def complaints(self) -> str: ...

    async def stop(self) -> None: ...


StartProcess = Callable[[AgentCommand, str], Awaitable[ChildProcess]]
"""Start a program in a folder, and note that it runs. Raises `AgentFailed`."""
Elicit = Callable[[SessionId, Elicited], Awaitable[ElicitationReply]]
"""Ask the human of a session to fill in a form."""


Tell = Callable[[ReviewId], Coroutine[Any, Any, None]]
"""Tell the window where a request stands."""


class OpenConnection(Protocol):
    """One live connection to a downstream server."""

    @property
    def tools(self) -> Sequence[Mapping[str, object]]:
        """As the server tells them, in the protocol's own form."""
        ...

    @property
    def closed(self) -> bool: ...

    async def read_tools(self) -> Sequence[Mapping[str, object]]:
        """Read them again. Raises `ServerGone`."""
        ...

    async def call(
        self, session_id: SessionId, tool: str, arguments: Mapping[str, object], seconds: float
    ) -> CallEnd:
        """Exactly one `tools/call`; it always has one end."""
        ...

    async def close(self) -> None: ...


class Connect(Protocol):
    async def __call__(
        self,
        settings: ServerSettings,
        secrets: Mapping[str, str],
        *,
        on_tools_changed: Callable[[], None],
        on_closed: Callable[[str], None],
    ) -> OpenConnection:
        """Reach the server and read its tools.

        Raises:
            ServerGone: it cannot be reached, or does not speak MCP.
        """
        ...


@dataclass(frozen=True, slots=True)
class GatewayMeans:
    """What reaching servers needs of the machine."""

    start: StartProcess
    secrets: SecretStore
