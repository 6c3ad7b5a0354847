"""Reading the metadata of a transcript row leniently: imported rows may lack or mistype any key."""

import json
from collections.abc import Mapping
from typing import Final

from backend.domain.conversation import Message

_LONGEST_PAYLOAD: Final = 20_000


def mapping(value: object) -> Mapping[str, object]:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def words(value: object) -> str:
    """`value` when it is text, else nothing."""
    return value if isinstance(value, str) else ""


def whole(value: object, otherwise: int | None = None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def kandesk(message: Message) -> Mapping[str, object]:
    """What this desk adds to a row, beside the keys of kandev-app.md b.4."""
    return mapping(message.metadata.get("kandesk"))


def is_streaming(message: Message) -> bool:
    """Whether more of this row is on its way."""
    return kandesk(message).get("streaming") is True


def stream_counter(message: Message) -> int:
    """Which of the states published before they were stored this is; 0 for a stored one."""
    return whole(kandesk(message).get("stream"), 0) or 0


def as_json(value: object) -> str:
    """A payload for people, cut where nobody reads on; text stays as it is."""
    if value is None or value == {} or value == []:
        return ""
    if isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, indent=2, ensure_ascii=False, default=_plain)
    return text if len(text) <= _LONGEST_PAYLOAD else f"{text[:_LONGEST_PAYLOAD]}…"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
