"""What came of a call, as it is shown: bounded, pretty where it is JSON, and never as markup."""

import json
from typing import Final

MOST: Final = 20_000
"""Characters shown of a result; the tool can write what it wants."""
_MOST_JSON: Final = 200_000
"""A longer text is shown as it is: putting it in order would take time on the window's thread."""


def result_text(result: str) -> tuple[str, int]:
    """The text to show, and how many characters of it are left out."""
    text = _pretty(result) if len(result) <= _MOST_JSON else result
    return text[:MOST], max(0, len(text) - MOST)


def _pretty(text: str) -> str:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text
