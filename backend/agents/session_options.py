"""What an agent offers for a session, read from ACP: modes, options, the model, commands.

It is kept with the session and read with it: what is longer than a name may be is cut, and left out
where it would have to be sent back whole.
"""

import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, TypeVar

from backend.agents.frames import JsonMap
from backend.agents.json_reading import as_map, maps, meta_of, text_of
from backend.conversation.bounds import LIST_LIMIT, NAME_LIMIT, bounded_name
from backend.domain.agents import ConfigOption, OptionChoice, SessionMode, SlashCommand

T = TypeVar("T")

MOST_OPTIONS: Final = 12
"""Options of a session that are offered, each a box beside the others."""
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
)
"""What draws nothing and changes how the text around it is drawn."""

MODEL_CATEGORY: Final = "model"
MODE_CATEGORY: Final = "mode"


def read_modes(result: JsonMap) -> tuple[tuple[SessionMode, ...], str]:
    """The modes of a new or loaded session and the one that is on."""
    state = as_map(result.get("modes"))
    modes = (
        SessionMode(key_of(mode, "id"), _name(mode, "id"), _words(mode, "description"))
        for mode in islice(maps(state.get("availableModes")), LIST_LIMIT)
        if key_of(mode, "id")
    )
    return _once(modes, lambda mode: mode.id), key_of(state, "currentModeId")


def read_options(options: object) -> tuple[ConfigOption, ...]:
    """Typed options; one that makes no sense is left out."""
    found = (_option(option) for option in islice(maps(options), LIST_LIMIT))
    return _once(filter(None, found), lambda option: option.id)[:MOST_OPTIONS]


def read_model(result: JsonMap) -> ConfigOption | None:
    """The model as an option, of agents that tell it in the older way."""
    state = as_map(result.get("models"))
    current = key_of(state, "currentModelId")
    found = (
        OptionChoice(
            key_of(model, "modelId"), _name(model, "modelId"), _words(model, "description")
        )
        for model in islice(maps(state.get("availableModels")), LIST_LIMIT)
        if key_of(model, "modelId")
    )
    choices = _once(found, lambda choice: choice.value)
    if not choices:
        return None
    return ConfigOption("model", "Model", current, choices, category=MODEL_CATEGORY)


def read_commands(commands: object) -> tuple[SlashCommand, ...]:
    found = (
        SlashCommand(
            key_of(command, "name"),
            _words(command, "description"),
            _words(as_map(command.get("input")), "hint"),
        )
        for command in islice(maps(commands), LIST_LIMIT)
        if key_of(command, "name")
    )
    return _once(found, lambda command: command.name)


def has_model(options: tuple[ConfigOption, ...]) -> bool:
    return any(option.category == MODEL_CATEGORY for option in options)


def options_beside(result: JsonMap) -> tuple[ConfigOption, ...]:
    """Options some agents put beside, for clients that know of them."""
    return read_options(meta_of(result).get("configOptions"))


def _option(option: JsonMap) -> ConfigOption | None:
    option_id, current = key_of(option, "id"), option.get("currentValue")
    if not option_id:
        return None
    choices = _choices(option.get("options"))
    if option.get("type") == "boolean" or isinstance(current, bool):
        choices, current = (), "true" if current is True else "false"
    elif not isinstance(current, str) or len(current) > NAME_LIMIT:
        return None
    elif not choices:
        choices = (OptionChoice(current, current),)
    return ConfigOption(
        option_id,
        _name(option, "id"),
        current,
        choices,
        category=_words(option, "category"),
        description=_words(option, "description"),
    )


def _choices(options: object) -> tuple[OptionChoice, ...]:
    """Choices, in groups or not."""
    found: list[OptionChoice] = []
    for option in islice(maps(options), LIST_LIMIT):
        if "group" in option:
            group = _name(option, "group")
            parts = islice(maps(option.get("options")), LIST_LIMIT)
            found.extend(_choice(part, group) for part in parts)
        else:
            found.append(_choice(option, ""))
    named = (choice for choice in found if choice.value)
    return _once(named, lambda choice: choice.value)[:LIST_LIMIT]


def _choice(option: JsonMap, group: str) -> OptionChoice:
    description = _words(option, "description")
    return OptionChoice(key_of(option, "value"), _name(option, "value"), description, group)


def key_of(source: JsonMap, name: str) -> str:
    """What the agent is told again to choose something; one that is too long to keep is none."""
    found = text_of(source, name)
    return found if len(found) <= NAME_LIMIT else ""


def _name(source: JsonMap, otherwise: str) -> str:
    return _words(source, "name") or _words(source, otherwise)


def _words(source: JsonMap, name: str) -> str:
    return shown_name(text_of(source, name))


def shown_name(text: str) -> str:
    """A name or a description as it stands in one line of a box, of a button or of a list."""
    return " ".join(_UNSEEN.sub("", bounded_name(text)).split())


def _once(items: Iterable[T], key: Callable[[T], str]) -> tuple[T, ...]:
    """The first of those with one key: an agent hears nothing but that of what is chosen."""
    found: dict[str, T] = {}
    for item in items:
        found.setdefault(key(item), item)
    return tuple(found.values())
