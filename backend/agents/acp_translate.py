"""What an agent says over ACP, as the desk's own values.

It is read from the JSON itself: the models of the library refuse kinds they do not know, and one
part that is a little wrong would lose the whole of what was said.
"""

from collections.abc import Callable, Iterator
from typing import Final

from backend.agents.content_text import content_text
from backend.agents.frames import JsonMap
from backend.agents.json_reading import (
    as_map,
    count_of,
    maps,
    meta_of,
    number_of,
    optional_text,
    text_of,
)
from backend.agents.session_options import key_of, read_commands, read_options, shown_name
from backend.agents.tool_calls import ToolCalls
from backend.domain.agents import (
    AgentCapabilities,
    AgentUpdate,
    AuthMethod,
    CommandsChanged,
    Elicited,
    ModeChanged,
    OptionsChanged,
    PermissionAsked,
    PermissionOption,
    PlanChanged,
    PlanEntry,
    PlanText,
    PromptEnd,
    TextChunk,
    ThoughtChunk,
    TitleChanged,
    UnknownUpdate,
    Usage,
    UsageChanged,
    UserChunk,
)

_CHUNKS: Final[dict[str, type[TextChunk | ThoughtChunk | UserChunk]]] = {
    "agent_message_chunk": TextChunk,
    "agent_thought_chunk": ThoughtChunk,
    "user_message_chunk": UserChunk,
}


MOST_CHOICES: Final = 12
"""Options of one permission that are offered, each a button."""


class UpdateReader:
    """Reads the updates of one session, which build on each other."""

    def __init__(self) -> None:
        self.calls = ToolCalls()

    def read(self, update: JsonMap) -> AgentUpdate | None:
        """The update; None when it changes nothing that is shown.

        One of an unknown kind, or of a known kind that makes no sense, is kept as it came.
        """
        kind = update.get("sessionUpdate")
        chunk = _CHUNKS.get(kind) if isinstance(kind, str) else None
        if chunk is not None and "content" in update:
            text = content_text(update["content"])
            return chunk(text, text_of(update, "messageId")) if text else None
        if kind in ("tool_call", "tool_call_update") and text_of(update, "toolCallId"):
            return self.calls.read(update, started=kind == "tool_call")
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        if reader is not None:
            return reader(update)
        return UnknownUpdate(kind if isinstance(kind, str) else "unknown", update)


def read_permission(params: JsonMap, calls: ToolCalls) -> PermissionAsked:
    call = as_map(params.get("toolCall"))
    options = tuple(_permission_options(params.get("options")))
    return PermissionAsked(calls.asked(call), options, {**meta_of(call), **meta_of(params)})


def _permission_options(told: object) -> Iterator[PermissionOption]:
    """Those that can be chosen: an id is all an agent hears of a choice. Of two with one id the
    first is kept; where they do not mean the same none is: who refuses would allow.
    """
    kinds: dict[str, set[str]] = {}
    for option in maps(told):
        kinds.setdefault(text_of(option, "optionId"), set()).add(text_of(option, "kind"))
    usable = {option_id for option_id, meant in kinds.items() if len(meant) == 1}
    offered = 0
    for option in maps(told):
        option_id = key_of(option, "optionId")
        if option_id and option_id in usable and offered < MOST_CHOICES:
            usable.discard(option_id)
            offered += 1
            name = shown_name(text_of(option, "name")) or option_id
            yield PermissionOption(option_id, name, text_of(option, "kind"))


def read_elicitation(params: JsonMap) -> Elicited:
    schema = as_map(params.get("requestedSchema"))
    return Elicited(text_of(params, "message"), schema, meta_of(params))


def read_prompt_end(result: object) -> PromptEnd | None:
    """None when it is no answer to a prompt."""
    found = as_map(result)
    reason = text_of(found, "stopReason")
    if not reason:
        return None
    told = as_map(found.get("usage"))
    if told:
        return PromptEnd(reason, _tokens(told))
    beside = as_map(as_map(meta_of(found).get("quota")).get("token_count"))
    return PromptEnd(reason, _tokens_beside(beside) if beside else None)


def read_capabilities(result: JsonMap) -> AgentCapabilities:
    info = as_map(result.get("agentInfo"))
    told = as_map(result.get("agentCapabilities"))
    prompt = as_map(told.get("promptCapabilities"))
    methods = tuple(
        AuthMethod(
            text_of(method, "id"),
            text_of(method, "name") or text_of(method, "id"),
            text_of(method, "description"),
        )
        for method in maps(result.get("authMethods"))
    )
    return AgentCapabilities(
        name=text_of(info, "title") or text_of(info, "name"),
        version=text_of(info, "version"),
        load_session=told.get("loadSession") is True,
        image=prompt.get("image") is True,
        embedded_context=prompt.get("embeddedContext") is True,
        mcp_http=as_map(told.get("mcpCapabilities")).get("http") is True,
        auth_methods=methods,
    )


def _plan(update: JsonMap) -> AgentUpdate:
    return PlanChanged(
        tuple(
            PlanEntry(
                text_of(entry, "content"),
                text_of(entry, "status", "pending"),
                text_of(entry, "priority", "medium"),
            )
            for entry in maps(update.get("entries"))
        )
    )


def _plan_update(update: JsonMap) -> AgentUpdate:
    plan = as_map(update.get("plan"))
    kind = plan.get("type")
    if kind == "markdown":
        return PlanText(text_of(plan, "content"))
    if kind == "file":
        uri = text_of(plan, "uri")
        return PlanText(content_text({"type": "resource_link", "uri": uri}))
    if isinstance(plan.get("entries"), list):
        return _plan(plan)
    return UnknownUpdate("plan_update", update)


def _plan_removed(_: JsonMap) -> AgentUpdate:
    return PlanChanged(())


def _commands(update: JsonMap) -> AgentUpdate:
    return CommandsChanged(read_commands(update.get("availableCommands")))


def _mode(update: JsonMap) -> AgentUpdate:
    return ModeChanged(key_of(update, "currentModeId"))


def _options(update: JsonMap) -> AgentUpdate:
    return OptionsChanged(read_options(update.get("configOptions")))


def _info(update: JsonMap) -> AgentUpdate | None:
    title = optional_text(update, "title")
    return None if title is None else TitleChanged(shown_name(title))


def _usage(update: JsonMap) -> AgentUpdate:
    cost = as_map(update.get("cost"))
    return UsageChanged(
        Usage(
            context_used=count_of(update, "used"),
            context_size=count_of(update, "size"),
            cost=number_of(cost, "amount"),
            currency=shown_name(text_of(cost, "currency")),
        )
    )


def _tokens(told: JsonMap) -> Usage:
    return Usage(
        input_tokens=count_of(told, "inputTokens"),
        output_tokens=count_of(told, "outputTokens"),
        cached_tokens=count_of(told, "cachedReadTokens"),
    )


def _tokens_beside(told: JsonMap) -> Usage:
    """Gemini's own words for them."""
    return Usage(
        input_tokens=count_of(told, "input_tokens"), output_tokens=count_of(told, "output_tokens")
    )


_READERS: Final[dict[str, Callable[[JsonMap], AgentUpdate | None]]] = {
    "plan": _plan,
    "plan_update": _plan_update,
    "plan_removed": _plan_removed,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _options,
    "session_info_update": _info,
    "usage_update": _usage,
}
