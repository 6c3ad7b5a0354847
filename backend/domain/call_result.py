"""What an agent's tool has returned, as far as it is kept with the outcome: text, and bounded."""

import json
from typing import Final

from backend.domain.agents import ToolCallChange, ToolContent, ToolDiff, ToolText

MOST: Final = 4_000
"""Characters (T5.6)."""


def result_of(call: ToolCallChange) -> str:
    """Empty where nothing was told. What it shows is said first, else what it put out as it is."""
    shown = "\n".join(filter(None, map(_said, call.content or ())))
    text = shown or _put_out(call.raw_output)
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def _said(part: ToolContent) -> str:
    if isinstance(part, ToolText):
        return part.text
    return f"[{part.path}]" if isinstance(part, ToolDiff) else ""


def _put_out(output: object) -> str:
    if output is None or isinstance(output, str):
        return output or ""
    try:
        return json.dumps(output, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return ""
