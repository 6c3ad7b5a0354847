"""Who may call what: two tokens, compared in constant time."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.mcp.exchange import Role

MCP_PATH: Final = "/mcp"
OPERATOR_PATH: Final = "/mcp/operator"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The bare tokens of one home (agents.md, Security).

    Raises:
        StorageFailed: both are the same, so that an agent could answer itself.
    """

    desk: str = field(repr=False)
    agent: str = field(repr=False)

    def __post_init__(self) -> None:
        if self.desk and self.desk == self.agent:
            raise StorageFailed(
                ErrorCode.FILE_UNSAFE,
                "token and agent-token hold the same secret; delete both to get new ones",
            )

    def role_of(self, authorizations: Iterable[bytes]) -> Role | None:
        """The role of the one `Authorization` header; both tokens are always compared."""
        values = list(authorizations)
        scheme, _, token = (values[0] if len(values) == 1 else b"").partition(b" ")
        given = token.strip() if scheme.lower() == b"bearer" else b""
        is_desk = hmac.compare_digest(given, self.desk.encode())
        is_agent = hmac.compare_digest(given, self.agent.encode())
        if not given:
            return None
        if is_desk:
            return Role.DESK
        return Role.AGENT if is_agent else None


def may_call(role: Role, path: str) -> bool:
    """An agent reaches the agents' MCP endpoint and nothing else."""
    return role is Role.DESK or path == MCP_PATH
