"""How an agent this desk runs reaches the desk's own tools: one secret for one running agent."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from backend.ids import SessionId

SERVER_PREFIX: Final = "kandesk-"


@dataclass(frozen=True, slots=True)
class McpAccess:
    """What is injected into one session of an agent (agents.md, Security).

    `server` is a name nobody else can know: a permission for a tool of that server is for ours.
    """

    session_id: SessionId
    server: str
    url: str
    token: str = field(repr=False)


class McpAccesses:
    """Keeps the secrets of running agents, in memory only; a session has one at most.

    `url` tells where the agents' endpoint listens; it is asked when an agent starts.
    """

    def __init__(self, url: Callable[[], str]) -> None:
        self._url = url
        self._by_session: dict[SessionId, McpAccess] = {}
        self._by_digest: dict[bytes, SessionId] = {}

    def open(self, session_id: SessionId) -> McpAccess:
        """A new secret for a session whose agent starts; the one before is worth nothing now."""
        self.close(session_id)
        access = McpAccess(
            session_id=session_id,
            server=f"{SERVER_PREFIX}{secrets.token_hex(4)}",
            url=self._url(),
            token=secrets.token_urlsafe(32),
        )
        self._by_session[session_id] = access
        self._by_digest[_digest(access.token.encode())] = session_id
        return access

    def close(self, session_id: SessionId) -> None:
        """The agent is gone, and its secret with it; nothing when there was none."""
        access = self._by_session.pop(session_id, None)
        if access is not None:
            del self._by_digest[_digest(access.token.encode())]

    def find(self, session_id: SessionId) -> McpAccess | None:
        """What the session's running agent was given."""
        return self._by_session.get(session_id)

    def session_of(self, token: bytes) -> SessionId | None:
        """Whose secret it is. Only its digest is looked up: no time tells how much was right."""
        return self._by_digest.get(_digest(token))


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()
