"""`:name` parameters as PostgreSQL numbers them."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_CACHED: Final = 512
_TOKEN: Final = re.compile(
    r"""'(?:[^']|'')*'"""  # a text
    r'''|"(?:[^"]|"")*"'''  # a quoted name
    r"""|(?P<dollar>\$\w*\$).*?(?P=dollar)"""
    r"""|--[^\n]*|/\*.*?\*/"""
    r"""|::"""  # a cast
    r"""|:(?P<name>[A-Za-z_]\w*)""",
    re.DOTALL,
)


class Numbered(NamedTuple):
    """A statement with `$1`, `$2` ..., and which parameter each number stands for."""

    sql: str
    names: tuple[str, ...]


@lru_cache(_CACHED)
def numbered(sql: str) -> Numbered:
    """Give every `:name` outside of texts, quoted names, casts and comments its number."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match.group()
        return f"${numbers.setdefault(name, len(numbers) + 1)}"

    text = _TOKEN.sub(number, sql)
    return Numbered(text, tuple(numbers))
