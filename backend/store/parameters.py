"""The one edge rule of both dialects for text: no NUL, no lone surrogate is ever stored.

Questions and answers that hold one are refused before they come here; what is left is agent
output, where U+FFFD stands for it, and look-ups, which then find nothing.
"""

import re
from typing import Final

from backend.store.database import Params, SqlValue

_UNSTORABLE: Final = re.compile("[\\x00\\ud800-\\udfff]")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def storable_text(text: str) -> str:
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def storable(params: Params | None) -> Params:
    """The parameters, with text that both dialects can keep."""
    if params is None:
        return {}
    return {name: _storable_value(value) for name, value in params.items()}


def _storable_value(value: SqlValue) -> SqlValue:
    return storable_text(value) if isinstance(value, str) else value
