"""What an agent asks its permission-prompt tool, and what it is answered (T8.1, T8.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


@dataclass(frozen=True, slots=True)
class Prompted:
    """One call of a tool, by the program of the agent that wants to make it."""

    tool_name: str
    arguments: Mapping[str, object]
    call_id: str = ""


class PromptEnd(Enum):
    """How a permission prompt ends. Only the first lets anything run."""

    ALLOWED = auto()
    DECLINED = auto()
    """By its human."""
    RULED_OUT = auto()
    """By a rule of theirs."""
    STOPPED = auto()
    """Its session was stopped before anybody decided."""
    UNDECIDED = auto()
    """It is over, and nobody has declined."""
    UNKNOWN = auto()
    """It was allowed in an earlier attempt of the same call, whose answer may have been lost."""


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """`arguments` are those that were reviewed, as they are stored; None unless it is allowed.

    `reason` is the human's own for declining, else the code of why nobody has decided.
    """

    end: PromptEnd
    arguments: object = None
    reason: str = ""
