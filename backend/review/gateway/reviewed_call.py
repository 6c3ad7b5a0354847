"""A call of a downstream tool as its human reviews it, and as exactly that it is run."""

import json
from collections.abc import Mapping

from backend.domain.agents import PermissionOption, ToolCallChange, ToolKind
from backend.domain.digest import canonical_json
from backend.domain.policy import Risk
from backend.ids import ServerId
from backend.review.gateway.servers import FoundTool

OPTIONS = (
    PermissionOption("approve", "Approve", "allow_once"),
    PermissionOption("decline", "Decline", "reject_once"),
)
_KINDS = {Risk.READ: ToolKind.READ, Risk.WRITE: ToolKind.OTHER, Risk.DESTRUCTIVE: ToolKind.DELETE}


def reviewed_call(found: FoundTool, arguments: Mapping[str, object]) -> ToolCallChange:
    """What is signed: the server, its tool as it is defined now, and every argument."""
    tool, server = found.tool, found.server.settings
    return ToolCallChange(
        call_id=_target(server.server_id, tool.definition_digest),
        title=f"{server.name}: {tool.title or tool.name}",
        kind=_KINDS[tool.risk],
        tool_name=found.name,
        raw_input=dict(arguments),
    )


def canonical_arguments(arguments: Mapping[str, object]) -> str:
    """One text for equal arguments.

    Raises:
        ValueError: no JSON text that a server could read can carry them.
    """
    text = canonical_json(arguments)
    try:
        json.dumps(arguments, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        message = "a lone surrogate cannot be sent"
        raise ValueError(message) from error
    return text


def is_of(signed: str, server_id: ServerId, definition_digest: str) -> bool:
    """Whether what was signed is a call of this tool of this server."""
    return bool(_read(signed).get("call_id") == _target(server_id, definition_digest))


def arguments_of(signed: str) -> Mapping[str, object]:
    """Exactly the arguments that were reviewed, to the last character."""
    found = _read(signed).get("raw_input")
    return found if isinstance(found, dict) else {}


def _target(server_id: ServerId, definition_digest: str) -> str:
    return f"{server_id}/{definition_digest}"


def _read(signed: str) -> Mapping[str, object]:
    found = json.loads(signed)
    return found if isinstance(found, dict) else {}
