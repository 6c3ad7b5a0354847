"""MCP servers whose tools agents reach through this desk, each call under its policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from backend.domain.policy import PolicyDecision, Risk
from backend.ids import ServerId


class Transport(StrEnum):
    STDIO = "stdio"
    HTTP = "http"


class ServerStatus(StrEnum):
    OFF = "off"
    """Its human has switched it off."""
    NOT_STARTED = "not_started"
    """It is started at the next call of one of its tools."""
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    """`Server.detail` says why; it is tried again at the next call."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is reached. `name` is what stands before `__` in the names agents see.

    `secrets` names the environment variables (stdio) or headers (HTTP) whose values are kept apart;
    `environment` and `headers` hold those that are no secret.
    """

    server_id: ServerId
    name: str
    transport: Transport
    command: tuple[str, ...] = ()
    folder: str = ""
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class DownstreamTool:
    """One tool as its server defines it, and what its human lets agents do with it."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, object]
    definition_digest: str
    risk: Risk
    policy: PolicyDecision
    changed: bool = False
    """Its definition is not the one the human has set the policy for: it asks until confirmed."""
    output_schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Server:
    settings: ServerSettings
    status: ServerStatus
    tools: tuple[DownstreamTool, ...] = ()
    detail: str = ""
