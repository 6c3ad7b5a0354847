"""What an agent offers for a session, read from ACP: modes, options, the model, commands."""

from typing import Final

from backend.agents.frames import JsonMap
from backend.agents.json_reading import as_map, maps, meta_of, text_of
from backend.domain.agents import ConfigOption, OptionChoice, SessionMode, SlashCommand

MODEL_CATEGORY: Final = "model"
MODE_CATEGORY: Final = "mode"


def read_modes(result: JsonMap) -> tuple[tuple[SessionMode, ...], str]:
    """The modes of a new or loaded session and the one that is on."""
    state = as_map(result.get("modes"))
    modes = tuple(
        SessionMode(text_of(mode, "id"), _name(mode, "id"), text_of(mode, "description"))
        for mode in maps(state.get("availableModes"))
        if text_of(mode, "id")
    )
    return modes, text_of(state, "currentModeId")


def read_options(options: object) -> tuple[ConfigOption, ...]:
    """Typed options; one that makes no sense is left out."""
    return tuple(filter(None, (_option(option) for option in maps(options))))


def read_model(result: JsonMap) -> ConfigOption | None:
    """The model as an option, of agents that tell it in the older way."""
    state = as_map(result.get("models"))
    current = text_of(state, "currentModelId")
    choices = tuple(
        OptionChoice(
            text_of(model, "modelId"), _name(model, "modelId"), text_of(model, "description")
        )
        for model in maps(state.get("availableModels"))
        if text_of(model, "modelId")
    )
    if not choices:
        return None
    return ConfigOption("model", "Model", current, choices, category=MODEL_CATEGORY)


def read_commands(commands: object) -> tuple[SlashCommand, ...]:
    return tuple(
        SlashCommand(
            text_of(command, "name"),
            text_of(command, "description"),
            text_of(as_map(command.get("input")), "hint"),
        )
        for command in maps(commands)
        if text_of(command, "name")
    )


def has_model(options: tuple[ConfigOption, ...]) -> bool:
    return any(option.category == MODEL_CATEGORY for option in options)


def options_beside(result: JsonMap) -> tuple[ConfigOption, ...]:
    """Options some agents put beside, for clients that know of them."""
    return read_options(meta_of(result).get("configOptions"))


def _option(option: JsonMap) -> ConfigOption | None:
    option_id, current = text_of(option, "id"), option.get("currentValue")
    if not option_id:
        return None
    choices = _choices(option.get("options"))
    if option.get("type") == "boolean" or isinstance(current, bool):
        choices, current = (), "true" if current is True else "false"
    elif not isinstance(current, str):
        return None
    elif not choices:
        choices = (OptionChoice(current, current),)
    return ConfigOption(
        option_id,
        _name(option, "id"),
        current,
        choices,
        category=text_of(option, "category"),
        description=text_of(option, "description"),
    )


def _choices(options: object) -> tuple[OptionChoice, ...]:
    """Choices, in groups or not."""
    found: list[OptionChoice] = []
    for option in maps(options):
        if "group" in option:
            group = text_of(option, "name") or text_of(option, "group")
            found.extend(_choice(part, group) for part in maps(option.get("options")))
        else:
            found.append(_choice(option, ""))
    return tuple(choice for choice in found if choice.value)


def _choice(option: JsonMap, group: str) -> OptionChoice:
    description = text_of(option, "description")
    return OptionChoice(text_of(option, "value"), _name(option, "value"), description, group)


def _name(source: JsonMap, otherwise: str) -> str:
    return text_of(source, "name") or text_of(source, otherwise)
