"""Text of agents where Qt would guess: nothing in it is ever read as HTML, and it always wraps."""

import html
import re
from typing import Final

from PySide6.QtGui import Qt

_UNBROKEN: Final = re.compile(r"[!-~\u00a1-\u024f]{24,}")
_PIECE: Final = 12
_ZERO_WIDTH_SPACE: Final = "\u200b"


def plain_tip(text: str) -> str:
    """`text` for a tool tip, which has no format of its own: Qt decides by what it looks like."""
    return f"<span>{html.escape(text)}</span>" if Qt.mightBeRichText(text) else text


def breakable(text: str) -> str:
    """`text` for a label that wraps: a path or an address may be broken too, or it is cut off."""
    return _UNBROKEN.sub(_with_breaks, text)


def _with_breaks(match: re.Match[str]) -> str:
    word = match[0]
    pieces = (word[start : start + _PIECE] for start in range(0, len(word), _PIECE))
    return _ZERO_WIDTH_SPACE.join(pieces)
