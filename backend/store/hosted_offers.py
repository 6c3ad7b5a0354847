"""What an agent offers and has used, as JSON under a session's own key."""

from collections.abc import Mapping

from backend.domain.agents import (
    ConfigOption,
    OptionChoice,
    ProcessMark,
    SessionMode,
    SlashCommand,
    Usage,
)
from backend.domain.usage import CountedUsage
from backend.store.metadata import JsonDict, as_dict, as_list, as_text


def modes_to_json(modes: tuple[SessionMode, ...]) -> list[JsonDict]:
    return [{"id": mode.id, "name": mode.name, "description": mode.description} for mode in modes]


def modes_from_json(value: object) -> tuple[SessionMode, ...]:
    return tuple(
        SessionMode(as_text(mode.get("id")), as_text(mode.get("name")), _description(mode))
        for mode in map(as_dict, as_list(value))
    )


def options_to_json(options: tuple[ConfigOption, ...]) -> list[JsonDict]:
    return [
        {
            "id": option.id,
            "name": option.name,
            "current": option.current,
            "category": option.category,
            "description": option.description,
            "choices": [
                {
                    "value": choice.value,
                    "name": choice.name,
                    "description": choice.description,
                    "group": choice.group,
                }
                for choice in option.choices
            ],
        }
        for option in options
    ]


def options_from_json(value: object) -> tuple[ConfigOption, ...]:
    return tuple(
        ConfigOption(
            id=as_text(option.get("id")),
            name=as_text(option.get("name")),
            current=as_text(option.get("current")),
            choices=tuple(map(_choice_from_json, as_list(option.get("choices")))),
            category=as_text(option.get("category")),
            description=_description(option),
        )
        for option in map(as_dict, as_list(value))
    )


def commands_to_json(commands: tuple[SlashCommand, ...]) -> list[JsonDict]:
    return [
        {"name": command.name, "description": command.description, "hint": command.hint}
        for command in commands
    ]


def commands_from_json(value: object) -> tuple[SlashCommand, ...]:
    return tuple(
        SlashCommand(
            as_text(command.get("name")), _description(command), as_text(command.get("hint"))
        )
        for command in map(as_dict, as_list(value))
    )


def mark_to_json(mark: ProcessMark | None) -> JsonDict | None:
    if mark is None:
        return None
    return {"pid": mark.pid, "group": mark.group, "started_at": mark.started_at}


def mark_from_json(value: object) -> ProcessMark | None:
    """None when there is none, or nothing a process could be found by."""
    mark = as_dict(value)
    pid, group = _count(mark.get("pid")), _count(mark.get("group"))
    if pid is None or group is None:
        return None
    return ProcessMark(pid, group, as_text(mark.get("started_at")))


def usage_to_json(counted: CountedUsage) -> JsonDict:
    """What Kandev has no column for, and the agent's own last account."""
    total, told = counted.total, counted.told
    return {
        "context_used": total.context_used,
        "context_size": total.context_size,
        "cost": total.cost,
        "currency": total.currency,
        "told": {
            "tokens_in": told.input_tokens,
            "tokens_out": told.output_tokens,
            "tokens_cached_in": told.cached_tokens,
            "cost": told.cost,
            "currency": told.currency,
        },
    }


def usage_from_json(
    value: object, tokens_in: int, tokens_out: int, tokens_cached_in: int
) -> CountedUsage:
    """A column of 0 is a count that was never told."""
    own = as_dict(value)
    told = as_dict(own.get("told"))
    return CountedUsage(
        Usage(
            context_used=_count(own.get("context_used")),
            context_size=_count(own.get("context_size")),
            input_tokens=tokens_in or None,
            output_tokens=tokens_out or None,
            cached_tokens=tokens_cached_in or None,
            cost=_amount(own.get("cost")),
            currency=as_text(own.get("currency")),
        ),
        Usage(
            input_tokens=_count(told.get("tokens_in")),
            output_tokens=_count(told.get("tokens_out")),
            cached_tokens=_count(told.get("tokens_cached_in")),
            cost=_amount(told.get("cost")),
            currency=as_text(told.get("currency")),
        ),
    )


def _amount(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _choice_from_json(value: object) -> OptionChoice:
    choice = as_dict(value)
    return OptionChoice(
        as_text(choice.get("value")),
        as_text(choice.get("name")),
        _description(choice),
        as_text(choice.get("group")),
    )


def _description(value: Mapping[str, object]) -> str:
    return as_text(value.get("description"))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
