"""How an agent this desk runs reaches the desk's own tools: one secret for one running agent."""

import hashlib
import secrets
from typing import Final

from backend.conversation.agent_port import InjectedTools
from backend.domain.agents import AgentCommand
from backend.ids import SessionId

SERVER_PREFIX: Final = "kandesk-"


class McpAccesses:
    """Keeps the secrets of running agents, in memory only; a session has one at most.

    `shim` is what an agent starts that speaks to no server over HTTP.
    """

    def __init__(self, shim: AgentCommand) -> None:
        self._url = ""
        self._shim = shim
        self._by_session: dict[SessionId, InjectedTools] = {}
        self._by_digest: dict[bytes, SessionId] = {}

    def listens_at(self, url: str) -> None:
        """Where the agents' endpoint is; known before the first agent starts."""
        self._url = url

    def open(self, session_id: SessionId) -> InjectedTools:
        """A new secret for a session whose agent starts; the one before is worth nothing now."""
        self.close(session_id)
        tools = InjectedTools(
            # A name nobody else can know: a permission for a tool of that server is for ours.
            server_name=f"{SERVER_PREFIX}{secrets.token_hex(4)}",
            url=self._url,
            token=secrets.token_urlsafe(32),
            shim=self._shim,
        )
        self._by_session[session_id] = tools
        self._by_digest[_digest(tools.token.encode())] = session_id
        return tools

    def close(self, session_id: SessionId) -> None:
        """The agent is gone, and its secret with it; nothing when there was none."""
        tools = self._by_session.pop(session_id, None)
        if tools is not None:
            del self._by_digest[_digest(tools.token.encode())]

    def server_name(self, session_id: SessionId) -> str | None:
        """What our server is called in the session's running agent."""
        tools = self._by_session.get(session_id)
        return None if tools is None else tools.server_name

    def session_of(self, token: bytes) -> SessionId | None:
        """Whose secret it is. Only its digest is looked up: no time tells how much was right."""
        return self._by_digest.get(_digest(token))


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()
