"""The tools agents see and every English text they read. Standard library only.

The stdio shim answers `initialize` and `tools/list` from this module while no desk runs.
"""

from dataclasses import dataclass, field
from typing import Final

from backend.domain.clarification import (
    MAX_CONTEXT,
    MAX_DESCRIPTION,
    MAX_ID,
    MAX_LABEL,
    MAX_OPTIONS,
    MAX_PROMPT,
    MAX_QUESTIONS,
    MAX_TEXT,
    MAX_TITLE,
)
from backend.domain.listing import PAGE_DEFAULT, PAGE_MAX

Schema = dict[str, object]

SERVER_NAME: Final = "kandesk"
SERVER_TITLE: Final = "Kandesk"
INSTRUCTIONS: Final = (
    "Kandesk brings your questions to the human at this computer. When you need a decision or "
    "information only they have, call ask_user_question and wait: the call returns when they "
    "answer, which may take long. If the result has status 'waiting', call get_answer with its "
    "ticket. A result 'skipped', 'unanswered' or 'withdrawn' is not an answer: never treat it "
    "as consent or as a choice."
)

ASK: Final = "ask_user_question"
ASK_KANDEV: Final = "ask_user_question_kandev"
GET_ANSWER: Final = "get_answer"
SEND_NOTE: Final = "send_note"
REQUEST_PERMISSION: Final = "request_permission"
LIST_PENDING: Final = "list_pending_questions"
ANSWER: Final = "answer_question"

ASK_TOOLS: Final = frozenset({ASK, ASK_KANDEV})
WAITING_TOOLS: Final = frozenset({ASK, ASK_KANDEV, GET_ANSWER})
KANDEV_RESERVED_IDS: Final = frozenset({"status", "answers", "ticket", "rejected", "reject_reason"})
"""Top-level keys of the alias tool's result that a question id must not take."""

TICKET_META: Final = "dev.kandesk/ticket"
"""Where the first progress notification to a shim carries the ticket."""
USER_INTERACTION_META: Final = "anthropic/requiresUserInteraction"

PROGRESS_TEXT: Final = "Waiting for the user's answer in Kandesk"
REQUIRED: Final = "{path} is required"
UNKNOWN_FIELD: Final = "{path} is not a known field"
WRONG_TYPE: Final = "{path} must be {expected}"
GIVEN_TWICE: Final = "{path} is given twice, also as {other}; give one of them"
RESERVED_ID: Final = "{path} must not be {value!r}: the result of this tool uses that key"
UNKNOWN_TOOL: Final = "There is no tool named {name!r} here."
TOO_MANY_WAITING: Final = (
    "Too many questions of this connection are waiting already; the limit is {limit}. Wait for "
    "an answer, or cancel a call, before asking again. Nothing was asked."
)
DRAINING: Final = "Kandesk is closing. Nothing was asked; ask again when it runs."
UNCONFIRMED: Final = (
    "Kandesk went away before it confirmed this call, and no answer has come. It is not known "
    "whether the call was stored; if it was, it is kept, and a question you ask again is shown to "
    "the human as one asked again. {reason}"
)
"""From the shim; the reason says why no desk comes back by itself and what to do."""
KANDEV_CLOSED: Final = "Clarification request timed out or was cancelled"
SENT: Final = "The note is in the transcript."


def waiting_text(ticket: str) -> str:
    """The sentence that tells a model how to go on waiting."""
    return (
        f"The user has not answered yet; the question stays open. "
        f'Call {GET_ANSWER} with {{"ticket": "{ticket}"}} to keep waiting; do not ask again.'
    )


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One entry of `tools/list`."""

    name: str
    title: str
    description: str
    input_schema: Schema
    output_schema: Schema | None = None
    annotations: dict[str, bool] = field(default_factory=dict)
    meta: dict[str, object] = field(default_factory=dict)

    def to_wire(self) -> Schema:
        """The tool as `tools/list` sends it."""
        wire: Schema = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
        }
        if self.output_schema is not None:
            wire["outputSchema"] = self.output_schema
        if self.annotations:
            wire["annotations"] = dict(self.annotations)
        if self.meta:
            wire["_meta"] = dict(self.meta)
        return wire


def _text(description: str, limit: int) -> Schema:
    return {"type": "string", "description": description, "maxLength": limit}


_OPTION: Final[Schema] = {
    "type": "object",
    "properties": {
        "label": _text("What the user picks; a few words.", MAX_LABEL),
        "description": _text("What choosing it means or costs.", MAX_DESCRIPTION),
        "id": _text("Your own id for this option; the answer names it.", MAX_ID),
    },
    "required": ["label"],
}

_QUESTION: Final[Schema] = {
    "type": "object",
    "properties": {
        "prompt": _text("The question itself, complete and readable on its own.", MAX_PROMPT),
        "options": {
            "type": "array",
            "items": _OPTION,
            "maxItems": MAX_OPTIONS,
            "description": (
                "2 to 6 choices. Leave it out or empty to ask for free text. The user can always "
                "write an answer of their own instead."
            ),
        },
        "title": _text("A label of one or two words for the tab.", MAX_TITLE),
        "multi_select": {
            "type": "boolean",
            "default": False,
            "description": "Whether several options may be chosen.",
        },
        "id": _text("Your own id for this question; default q1, q2, ...", MAX_ID),
    },
    "required": ["prompt"],
}

_ASK_INPUT: Final[Schema] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "items": _QUESTION,
            "minItems": 1,
            "maxItems": MAX_QUESTIONS,
            "description": "1 to 4 questions that are answered together.",
        },
        "context": _text(
            "What the user needs to know to decide; Markdown. They do not see your conversation.",
            MAX_CONTEXT,
        ),
        "context_paragraphs": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The context as paragraphs; used instead of context when not empty.",
        },
    },
    "required": ["questions"],
}

_ANSWER_VALUE: Final[Schema] = {
    "type": "object",
    "properties": {
        "selected": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "label": {"type": "string"}},
                "required": ["id", "label"],
            },
        },
        "selected_option": {"type": "string", "description": "Id of the first selected option."},
        "custom_text": {"type": "string", "description": "What the user wrote themselves."},
    },
    "required": ["selected", "custom_text"],
}

_STATUSES: Final = ("answered", "skipped", "unanswered", "withdrawn", "waiting")
_PROPERTIES: Final[Schema] = {
    "status": {"type": "string", "enum": [*_STATUSES]},
    "answers": {"type": "object", "additionalProperties": _ANSWER_VALUE},
    "reject_reason": {"type": "string"},
    "reason": {"type": "string"},
    "replaced_by": {"type": "string"},
    "replayed": {"type": "boolean"},
    "ticket": {"type": "string"},
    "message": {"type": "string"},
}
_RESULT: Final[Schema] = {"type": "object", "properties": _PROPERTIES, "required": ["status"]}
_LATER_RESULT: Final[Schema] = {
    **_RESULT,
    "properties": {
        **_PROPERTIES,
        "status": {"type": "string", "enum": [*_STATUSES, "ran", "running", "approval_required"]},
        "result": {"type": "object", "description": "Structured content of a tool that has run."},
    },
}
"""Also of a call of another server's tool, whose ticket is redeemed in the same way."""

_ASKING: Final = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}
_READING: Final = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}

AGENT_TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        name=ASK,
        title="Ask the user",
        description=(
            "Ask the human at this computer 1 to 4 questions and wait for the answers. Use it for "
            "decisions and facts you cannot find out yourself. The call returns when the user has "
            "answered or skipped; there is no time-out to set. status 'answered' brings answers "
            "by question id; 'skipped' means the user declined; 'unanswered' and 'withdrawn' mean "
            "nobody decided; 'waiting' brings a ticket for get_answer."
        ),
        input_schema=_ASK_INPUT,
        output_schema=_RESULT,
        annotations=_ASKING,
        meta={USER_INTERACTION_META: True},
    ),
    ToolSpec(
        name=ASK_KANDEV,
        title="Ask the user (Kandev's name)",
        description=(
            "The same as ask_user_question under the name and with the result keys of Kandev, for "
            "prompts written for it. Prefer ask_user_question."
        ),
        input_schema=_ASK_INPUT,
        output_schema={"type": "object"},
        annotations=_ASKING,
        meta={USER_INTERACTION_META: True},
    ),
    ToolSpec(
        name=GET_ANSWER,
        title="Get an answer",
        description=(
            "Go on waiting for a question you asked before, or for a tool call the user is asked "
            "about, by the ticket of its result. Blocks until there is an answer; the same ticket "
            "always gives the same result."
        ),
        input_schema={
            "type": "object",
            "properties": {"ticket": _text("The ticket of an earlier result.", MAX_ID)},
            "required": ["ticket"],
        },
        output_schema=_LATER_RESULT,
        annotations={**_READING, "idempotentHint": True},
        meta={USER_INTERACTION_META: True},
    ),
    ToolSpec(
        name=SEND_NOTE,
        title="Send a note",
        description=(
            "Leave a one-way message for the user (progress, a warning, what you finished). "
            "Nobody answers it; returns at once."
        ),
        input_schema={
            "type": "object",
            "properties": {"text": _text("The message; Markdown.", MAX_CONTEXT)},
            "required": ["text"],
        },
        annotations=_ASKING,
    ),
    ToolSpec(
        name=REQUEST_PERMISSION,
        title="Request permission",
        description=(
            "For Claude Code's --permission-prompt-tool: puts one tool call before the human at "
            "this computer, who allows or declines it. Returns the text of "
            '{"behavior": "allow", "updatedInput": {...}} or {"behavior": "deny", "message": '
            '"..."}. It runs nothing, and what it returns is about that one call only.'
        ),
        input_schema={
            "type": "object",
            "properties": {
                "tool_name": {"type": "string", "description": "The tool that asks to run."},
                "input": {"type": "object", "description": "Its arguments, whole."},
                "tool_use_id": {"type": "string", "description": "The id of the call."},
            },
            "required": ["tool_name", "input"],
        },
        annotations=_ASKING,
    ),
)

_ANSWER_INPUT: Final[Schema] = {
    "type": "object",
    "properties": {
        "pending_id": _text("Which question bundle.", MAX_ID),
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "question_id": _text("Which question.", MAX_ID),
                    "selected_options": {"type": "array", "items": {"type": "string"}},
                    "custom_text": _text("An answer in own words.", MAX_TEXT),
                },
                "required": ["question_id"],
            },
            "description": "One entry for each open question.",
        },
        "rejected": {"type": "boolean", "description": "True to skip the questions instead."},
        "reject_reason": _text("Why they are skipped.", MAX_TEXT),
    },
    "required": ["pending_id"],
}

OPERATOR_TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        name=LIST_PENDING,
        title="List pending questions",
        description="Every question that waits for the user, oldest first.",
        input_schema={
            "type": "object",
            "properties": {
                "workspace_id": {
                    "type": "string",
                    "description": "Only of this folder or workspace; empty for all.",
                },
                "created_since": {"type": "string", "description": "RFC 3339; only newer ones."},
                "cursor": {"type": "string", "description": "next_cursor of the page before."},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "default": PAGE_DEFAULT,
                    "description": f"How many; more than {PAGE_MAX} count as {PAGE_MAX}.",
                },
            },
        },
        annotations=_READING,
    ),
    ToolSpec(
        name=ANSWER,
        title="Answer a question",
        description=(
            "Answer or skip a pending question on the user's behalf, as they told you. The first "
            "answer wins; 'claimed' says whether it was this one."
        ),
        input_schema=_ANSWER_INPUT,
        annotations=_ASKING,
    ),
)
