"""What went wrong with an agent, in the desk's own terms."""

import re
from typing import Final

from acp.exceptions import RequestError

from backend.agents.frames import storable
from backend.agents.process import agent_failed
from backend.domain.agents import AuthMethod
from backend.domain.hosted import AgentProblem
from backend.errors import AgentFailed, ErrorCode

METHOD_NOT_FOUND: Final = -32601
_AUTH_REQUIRED: Final = -32000
_ASKS_FOR_LOGIN: Final = re.compile(
    r"authentication required|not logged in|login required|please log ?in", re.IGNORECASE
)
_LONGEST_DETAIL: Final = 2_000


def refused(error: RequestError, methods: tuple[AuthMethod, ...]) -> AgentFailed:
    """An agent answered with an error; `params["problem"]` stands there when it has a name."""
    words = error_words(error)
    if error.code == _AUTH_REQUIRED or _ASKS_FOR_LOGIN.search(words):
        names = ", ".join(method.name for method in methods)
        detail = f"{words} ({names})" if names else words
        return agent_failed(AgentProblem.AUTH_REQUIRED, detail)
    return AgentFailed(ErrorCode.AGENT_FAILED, words)


def error_words(error: RequestError) -> str:
    """Its message and, where it says more, its data."""
    beside = error.data
    if isinstance(beside, dict):
        beside = next(
            (beside[name] for name in ("details", "message", "error") if beside.get(name)), None
        )
    message = str(error)
    if isinstance(beside, str) and beside and beside not in message:
        message = f"{message}: {beside}"
    return storable(message[:_LONGEST_DETAIL])
