"""What a downstream server may be called, and how a tool it defines is known to agents. Pure."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from backend.domain.digest import canonical_json
from backend.domain.gateway import DownstreamTool, ServerSettings, Transport
from backend.domain.policy import PolicyDecision, Risk
from backend.domain.validation import check_characters
from backend.errors import ErrorCode, InvalidInput

SEPARATOR: Final = "__"
"""Between the name of a server and that of its tool."""
MAX_SERVER_NAME: Final = 32
MAX_TOOL_NAME: Final = 128
MAX_TOOLS: Final = 500
MAX_TEXT: Final = 4_096
MAX_VARIABLES: Final = 100
MAX_DEFINITION: Final = 256 * 1024
"""Characters of one tool's definition."""

_SERVER_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?")
_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_./-]+")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OWN_VARIABLES: Final = "KANDESK_"


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool as its server tells it, before anybody has said what agents may do with it."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, object]
    output_schema: Mapping[str, object] | None
    annotations: Mapping[str, object]
    digest: str


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What the human has said of a tool, and of which definition of it."""

    policy: PolicyDecision
    definition_digest: str


def read_tool(told: Mapping[str, object]) -> ToolDefinition | None:
    """A tool of `tools/list`; None where no agent could call it by the name it has."""
    name = _text(told.get("name"))
    if not _TOOL_NAME.fullmatch(name) or len(name) > MAX_TOOL_NAME:
        return None
    annotations = _mapping(told.get("annotations"))
    output = told.get("outputSchema")
    definition = {
        "name": name,
        "title": _text(told.get("title")) or _text(annotations.get("title")),
        "description": _text(told.get("description")),
        "input_schema": _mapping(told.get("inputSchema")),
        "output_schema": _mapping(output) if isinstance(output, Mapping) else None,
        "annotations": annotations,
    }
    try:
        text = canonical_json(definition)
    except ValueError:
        return None
    if len(text) > MAX_DEFINITION:
        return None
    return ToolDefinition(
        name=name,
        title=str(definition["title"]),
        description=str(definition["description"]),
        input_schema=_mapping(told.get("inputSchema")) or {"type": "object"},
        output_schema=_mapping(output) if isinstance(output, Mapping) else None,
        annotations=annotations,
        digest=hashlib.sha256(text.encode("ascii")).hexdigest(),
    )


def risk_of(annotations: Mapping[str, object]) -> Risk:
    """By what the server says of its tool; one that says nothing writes.

    A tool that claims both to read only and to destroy is taken at its worst.
    """
    if annotations.get("destructiveHint") is True:
        return Risk.DESTRUCTIVE
    return Risk.READ if annotations.get("readOnlyHint") is True else Risk.WRITE


def tool_of(definition: ToolDefinition, said: ToolPolicy | None) -> DownstreamTool:
    """A definition with what holds for it now.

    What a human has allowed holds for the definition they saw; what they have denied stays denied.
    """
    risk = risk_of(definition.annotations)
    changed = said is not None and said.definition_digest != definition.digest
    return DownstreamTool(
        name=definition.name,
        title=definition.title,
        description=definition.description,
        input_schema=definition.input_schema,
        output_schema=definition.output_schema,
        definition_digest=definition.digest,
        risk=risk,
        policy=policy_of(said, definition.digest, risk),
        changed=changed,
    )


def policy_of(said: ToolPolicy | None, definition_digest: str, risk: Risk) -> PolicyDecision:
    """What holds for a tool of this definition and risk."""
    if said is None:
        return PolicyDecision.ASK
    changed = said.definition_digest != definition_digest
    if said.policy is PolicyDecision.ALLOW and (changed or risk is Risk.DESTRUCTIVE):
        return PolicyDecision.ASK
    return said.policy


def agent_name(server: str, tool: str) -> str:
    """What agents call it."""
    return f"{server}{SEPARATOR}{tool}"


def check_server(settings: ServerSettings) -> None:
    """Refuse a server that could not be reached or named.

    Raises:
        InvalidInput: names the field.
    """
    name = settings.name
    if not _SERVER_NAME.fullmatch(name) or len(name) > MAX_SERVER_NAME or SEPARATOR in name:
        raise _invalid(
            "name",
            f"name must be 1 to {MAX_SERVER_NAME} of a-z, 0-9, - and single _, and begin and end "
            "with a letter or digit",
        )
    if settings.transport is Transport.STDIO:
        _check_command(settings)
    else:
        _check_url(settings)


def _check_command(settings: ServerSettings) -> None:
    if not settings.command or not settings.command[0].strip():
        raise _invalid("command", "command must name a program")
    _check_count("command", len(settings.command))
    for position, word in enumerate(settings.command):
        _check_text(f"command[{position}]", word)
    _check_text("folder", settings.folder)
    if settings.headers:
        raise _invalid("headers", "headers belong to servers that are reached over HTTP")
    _check_pairs("environment", settings.environment, settings.secrets, _VARIABLE)
    own = [name for name in (*settings.environment, *settings.secrets) if _is_own(name)]
    if own:
        raise _invalid("environment", f"environment must not set {own[0]}: it is this desk's own")


def _check_url(settings: ServerSettings) -> None:
    _check_text("url", settings.url)
    try:
        address = urlsplit(settings.url)
        usable = address.scheme in {"http", "https"} and bool(address.hostname)
        # Reading it is what refuses a port that is none.
        named = address.username is not None or address.password is not None or address.port == 0
    except ValueError:
        usable, named = False, False
    if not usable:
        raise _invalid("url", "url must be an http or https address")
    if named:
        raise _invalid("url", "url must hold no name, password or port 0; use a secret header")
    if settings.environment or settings.command:
        raise _invalid("environment", "a server over HTTP has no command and no environment")
    _check_pairs("headers", settings.headers, settings.secrets, _HEADER)


def _check_pairs(
    field: str, values: Mapping[str, str], secrets: tuple[str, ...], names: re.Pattern[str]
) -> None:
    _check_count(field, len(values) + len(secrets))
    for name in (*values, *secrets):
        if not names.fullmatch(name) or len(name) > MAX_TOOL_NAME:
            raise _invalid(field, f"{name[:80]!r} is no name for one of {field}")
    for name, value in values.items():
        _check_text(f"{field}.{name}", value)
        if "\n" in value and field == "headers":
            raise _invalid(field, f"the header {name} must be one line")
    twice = [name for name in secrets if name in values]
    if twice or len(set(secrets)) != len(secrets):
        raise _invalid("secrets", f"{(twice or secrets)[0]} is given twice")


def _check_text(field: str, value: str) -> None:
    check_characters(field, value)
    if len(value) > MAX_TEXT:
        detail = f"{field} is longer than {MAX_TEXT} characters"
        raise InvalidInput(ErrorCode.TOO_LONG, detail, field=field, limit=MAX_TEXT)


def _check_count(field: str, count: int) -> None:
    if count > MAX_VARIABLES:
        detail = f"{field} has more than {MAX_VARIABLES} entries"
        raise InvalidInput(ErrorCode.TOO_MANY, detail, field=field, limit=MAX_VARIABLES)


def _is_own(name: str) -> bool:
    return name.upper().startswith(_OWN_VARIABLES)


def _invalid(field: str, detail: str) -> InvalidInput:
    return InvalidInput(ErrorCode.INVALID, detail, field=field)


def _mapping(value: object) -> Mapping[str, object]:
    return dict(value) if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
