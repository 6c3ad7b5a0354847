"""How much of what an agent says of one tool call is kept; what is cut says so."""

import json
import math
from typing import Final

from backend.store.parameters import storable_text

FIELD_LIMIT: Final = 256 * 1024
"""Bytes of UTF-8 kept of one field: an output, a side of a diff, a raw value (kandev-app.md
b.4)."""
CONTENT_LIMIT: Final = 1024 * 1024
"""Bytes kept of all content of one tool call together."""
DETAIL_LIMIT: Final = 8 * 1024
NAME_LIMIT: Final = 1_000
"""Characters of a title or a name."""
LIST_LIMIT: Final = 500
"""Entries kept of a plan, of commands, of options."""
_DEEPEST: Final = 100
_CUT: Final = "…"


def bounded_text(text: str, limit: int = FIELD_LIMIT) -> tuple[str, bool]:
    """The text as it is kept, and whether its end was cut off."""
    clean = storable_text(text)
    if len(clean) * 4 <= limit:
        return clean, False
    encoded = clean.encode()
    if len(encoded) <= limit:
        return clean, False
    return encoded[:limit].decode("utf-8", "ignore"), True


def bounded_tail(text: str, limit: int = DETAIL_LIMIT) -> str:
    """The end of a text, where the cause of an error stands."""
    encoded = storable_text(text).encode()
    return encoded[-limit:].decode("utf-8", "ignore")


def bounded_name(text: str) -> str:
    return storable_text(text[:NAME_LIMIT])


def bounded_json(value: object) -> tuple[object, bool]:
    """A value of JSON as it is kept: whole, or its beginning as text when it is too long.

    What is kept can be stored as JSON by either dialect, whatever the agent has sent.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return _CUT, True
    kept, cut = bounded_text(text)
    return (kept, True) if cut else (_clean(value, 0), False)


def _clean(value: object, depth: int) -> object:
    if depth > _DEEPEST:
        return _CUT
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no word for it.
        return str(value)
    if isinstance(value, dict):
        return {storable_text(str(key)): _clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, depth + 1) for item in value]
    return value
