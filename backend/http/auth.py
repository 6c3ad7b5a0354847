"""Who may call what: two tokens and those of running agents, none told by its timing."""

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.ids import SessionId
from backend.mcp.exchange import Role

MCP_PATH: Final = "/mcp"
OPERATOR_PATH: Final = "/mcp/operator"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a token belongs to; `hosted` is the session of an agent this desk runs."""

    role: Role
    hosted: SessionId | None = None


def _nobody(_token: bytes) -> SessionId | None:
    return None


@dataclass(frozen=True, slots=True)
class Tokens:
    """The bare tokens of one home (agents.md, Security).

    Raises:
        StorageFailed: both are the same, so that an agent could answer itself.
    """

    desk: str = field(repr=False)
    agent: str = field(repr=False)
    hosted: Callable[[bytes], SessionId | None] = field(default=_nobody, repr=False)
    """Whose secret this is, of the agents that run now."""

    def __post_init__(self) -> None:
        if self.desk and self.desk == self.agent:
            raise StorageFailed(
                ErrorCode.FILE_UNSAFE,
                "token and agent-token hold the same secret; delete both to get new ones",
            )

    def caller_of(self, authorizations: Iterable[bytes]) -> Caller | None:
        """Who sent the one `Authorization` header; both tokens are always compared."""
        values = list(authorizations)
        scheme, _, token = (values[0] if len(values) == 1 else b"").partition(b" ")
        given = token.strip() if scheme.lower() == b"bearer" else b""
        is_desk = hmac.compare_digest(given, self.desk.encode())
        is_agent = hmac.compare_digest(given, self.agent.encode())
        if not given:
            return None
        if is_desk:
            return Caller(Role.DESK)
        if is_agent:
            return Caller(Role.AGENT)
        session_id = self.hosted(given)
        return None if session_id is None else Caller(Role.AGENT, session_id)


def may_call(role: Role, path: str) -> bool:
    """An agent reaches the agents' MCP endpoint and nothing else."""
    return role is Role.DESK or path == MCP_PATH
