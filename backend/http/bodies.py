"""Bodies of the API that no other door has: requests of its own, and what it replies."""

from typing import Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from backend.mcp.bundle_wire import OutcomeOut
from backend.mcp.wire import AskIn, WireModel, text_schema

MAX_TOKEN: Final = 1_024
"""What a window system gives a program to come to the front is shorter."""


class RequestIn(AskIn):
    """K4.1 request: the questions of the agents' tool, and the session they belong to."""

    session_id: str = Field(json_schema_extra=text_schema(None))
    task_id: str | None = Field(default=None, json_schema_extra=text_schema(None))


class ShowIn(WireModel):
    activation_token: str | None = Field(default=None, json_schema_extra=text_schema(MAX_TOKEN))


class ErrorOut(TypedDict):
    """`field`, `limit` and `position` name what is wrong with the input."""

    error: str
    code: NotRequired[str]
    field: NotRequired[str]
    limit: NotRequired[int]
    position: NotRequired[int]


class NotFoundOut(TypedDict):
    """The same for what does not exist and for what is not yours."""

    error: str


class UnavailableOut(TypedDict):
    """Not known to have happened; the same request may be made again."""

    error: str
    code: str


class PendingIdOut(TypedDict):
    pending_id: str


class SuccessOut(TypedDict):
    success: bool


class RespondedOut(OutcomeOut):
    success: bool


class HandedOverOut(TypedDict):
    success: bool
    pid: int


class DeskOut(TypedDict):
    """What runs here; `counters` by name, then by phase."""

    version: str
    pid: int
    kind: str
    api: str
    mcp: str
    counters: dict[str, dict[str, int]]


class DebugVarsOut(TypedDict):
    counters: dict[str, dict[str, int]]
    process: dict[str, int | float]
