"""What an agent can do and what it says while it works, free of any protocol's words.

Frozen values between `backend.agents`, which speaks ACP, and everything that stores or shows them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A program to start; `environment` is added to the desk's own, less its secrets."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuthMethod:
    id: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class AgentCapabilities:
    """What the agent said of itself when it was greeted."""

    name: str = ""
    version: str = ""
    load_session: bool = False
    image: bool = False
    embedded_context: bool = False
    mcp_http: bool = False
    auth_methods: tuple[AuthMethod, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionMode:
    id: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class OptionChoice:
    value: str
    name: str
    description: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """One thing the agent lets people choose. The model is one too, of category `model`.

    A switch has no `choices`; its `current` is "true" or "false".
    """

    id: str
    name: str
    current: str
    choices: tuple[OptionChoice, ...] = ()
    category: str = ""
    description: str = ""

    @property
    def is_switch(self) -> bool:
        return not self.choices


@dataclass(frozen=True, slots=True)
class SlashCommand:
    name: str
    description: str = ""
    hint: str = ""
    """What may be typed after it; empty when it takes nothing."""


@dataclass(frozen=True, slots=True)
class SessionSetup:
    """What the agent offers for one session of it; `mode` is empty when it has no modes."""

    agent_session_id: str
    modes: tuple[SessionMode, ...] = ()
    mode: str = ""
    options: tuple[ConfigOption, ...] = ()


@dataclass(frozen=True, slots=True)
class TextChunk:
    text: str
    message_id: str = ""
    """Chunks of different non-empty ids belong to different messages."""


@dataclass(frozen=True, slots=True)
class ThoughtChunk:
    text: str
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class UserChunk:
    """Words of the human, as an agent repeats them; shown only in a replay."""

    text: str
    message_id: str = ""


class ToolKind(StrEnum):
    READ = "read"
    EDIT = "edit"
    DELETE = "delete"
    MOVE = "move"
    SEARCH = "search"
    EXECUTE = "execute"
    THINK = "think"
    FETCH = "fetch"
    SWITCH_MODE = "switch_mode"
    OTHER = "other"


class ToolStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class ToolText:
    """Output or explanation, Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolDiff:
    """A file before and after; `old_text` is None for a new file."""

    path: str
    new_text: str
    old_text: str | None = None


@dataclass(frozen=True, slots=True)
class ToolTerminal:
    """A terminal the agent runs by itself."""

    terminal_id: str


ToolContent = ToolText | ToolDiff | ToolTerminal


@dataclass(frozen=True, slots=True)
class ToolLocation:
    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCallChange:
    """A tool call that began (`started`) or changed; None is a part that stays as it was.

    `call_id` is the agent's own and may come again in a later turn.
    """

    call_id: str
    started: bool = False
    title: str | None = None
    kind: ToolKind | None = None
    status: ToolStatus | None = None
    content: tuple[ToolContent, ...] | None = None
    locations: tuple[ToolLocation, ...] | None = None
    raw_input: object = None
    raw_output: object = None
    parent_call_id: str = ""
    tool_name: str = ""
    """The tool's structured name, where the agent tells one; titles prove nothing."""


@dataclass(frozen=True, slots=True)
class PlanEntry:
    content: str
    status: str = "pending"
    priority: str = "medium"


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The whole list of what the agent is going to do, replacing the one before."""

    entries: tuple[PlanEntry, ...]


@dataclass(frozen=True, slots=True)
class PlanText:
    """A plan in prose, Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class CommandsChanged:
    commands: tuple[SlashCommand, ...]


@dataclass(frozen=True, slots=True)
class ModeChanged:
    mode: str


@dataclass(frozen=True, slots=True)
class OptionsChanged:
    options: tuple[ConfigOption, ...]


@dataclass(frozen=True, slots=True)
class TitleChanged:
    title: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a session or a prompt has used; None is not told. `cost` is in `currency`."""

    context_used: int | None = None
    context_size: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True)
class UsageChanged:
    usage: Usage


@dataclass(frozen=True, slots=True)
class UnknownUpdate:
    """Something this desk has no name for; shown as it came."""

    kind: str
    payload: JsonObject


AgentUpdate = (
    TextChunk
    | ThoughtChunk
    | UserChunk
    | ToolCallChange
    | PlanChanged
    | PlanText
    | CommandsChanged
    | ModeChanged
    | OptionsChanged
    | TitleChanged
    | UsageChanged
    | UnknownUpdate
)


class StopReason(StrEnum):
    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    MAX_TURN_REQUESTS = "max_turn_requests"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class PromptEnd:
    """How a prompt ended, by the agent's own account."""

    reason: str
    """A `StopReason`, or whatever else the agent said."""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class PermissionOption:
    id: str
    name: str
    kind: str
    """allow_once, allow_always, reject_once or reject_always."""


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """An agent wants to do something and waits to be told which of `options` it may take."""

    call: ToolCallChange
    options: tuple[PermissionOption, ...]
    meta: JsonObject = field(default_factory=dict)
    """What the agent sent beside, as it came."""


@dataclass(frozen=True, slots=True)
class Elicited:
    """An agent asks its human to fill in a form; `schema` is its JSON schema of an object."""

    message: str
    schema: JsonObject
    meta: JsonObject = field(default_factory=dict)


class ElicitationAction(StrEnum):
    ACCEPT = "accept"
    DECLINE = "decline"
    """The human said no."""
    CANCEL = "cancel"
    """Nobody decided."""


@dataclass(frozen=True, slots=True)
class ElicitationReply:
    action: ElicitationAction
    content: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """How the process of an agent ended; `code` is None when a signal or the desk ended it."""

    code: int | None
    stderr_tail: str = ""
    wanted: bool = False
    """Whether the desk stopped it."""


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """Enough to find a child again after the desk has died, and to be sure it is that child."""

    pid: int
    group: int
    started_at: str
    """When it started, in the system's own clock."""
