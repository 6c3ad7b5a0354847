"""Whether two definitions of an index mean the same, whatever their spelling."""

import re
from collections.abc import Iterator
from typing import Final

_PART: Final = re.compile(
    r"""(?P<blank>\s+|--[^\n]*|/\*.*?\*/)"""
    r"""|(?P<text>'(?:[^']|'')*')"""
    r"""|(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])"""
    r"""|(?P<word>[A-Za-z_][A-Za-z0-9_$]*)"""
    r"""|(?P<other><>|!=|==|<=|>=|\|\||->>|->|::|.)""",
    re.DOTALL,
)
_SAME: Final = {"==": "=", "!=": "<>"}


def same_definition(found: str, needed: str) -> bool:
    """Equal but for spacing, comments, case, quoting of names, defaults that are written out
    (ASC, COLLATE BINARY, the schema's name) and parentheses around a whole key or condition.
    """
    return _normal(found) == _normal(needed)


def _normal(sql: str) -> tuple[str, ...]:
    parts = list(_parts(sql))
    for needless in (("if", "not", "exists"), ("collate", "binary"), ("main", "."), ("asc",)):
        parts = _without(parts, needless)
    parts = _replaced(parts, ("notnull",), ("is", "not", "null"))
    parts = _with_is_not_null(parts)
    while parts and parts[-1] == ";":
        parts.pop()
    return tuple(_without_double_parentheses(parts))


def _parts(sql: str) -> Iterator[str]:
    for match in _PART.finditer(sql):
        part = match.group()
        if match.lastgroup == "quoted":
            # A name: as long as it is not one of SQL's own words, quoting changes nothing.
            yield part[1:-1].lower()
        elif match.lastgroup == "text":
            yield part
        elif match.lastgroup != "blank":
            yield _SAME.get(part, part.lower())


def _without(parts: list[str], needless: tuple[str, ...]) -> list[str]:
    return _replaced(parts, needless, ())


def _replaced(parts: list[str], old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    kept: list[str] = []
    place = 0
    while place < len(parts):
        if tuple(parts[place : place + len(old)]) == old:
            kept += new
            place += len(old)
        else:
            kept.append(parts[place])
            place += 1
    return kept


def _with_is_not_null(parts: list[str]) -> list[str]:
    """`x NOT NULL` is another way to write `x IS NOT NULL`."""
    kept: list[str] = []
    for place, part in enumerate(parts):
        following = parts[place + 1] if place + 1 < len(parts) else ""
        if part == "not" and following == "null" and kept and kept[-1] != "is":
            kept.append("is")
        kept.append(part)
    return kept


def _without_double_parentheses(parts: list[str]) -> list[str]:
    """A pair that encloses exactly one key, or the whole condition, goes."""
    partner = _partners(parts)
    needless: set[int] = set()
    for opening, closing in partner.items():
        before = parts[opening - 1] if opening else ""
        after = parts[closing + 1] if closing + 1 < len(parts) else ""
        inside_pair = before == "(" and after in {")", ","}
        between = before == "," and after in {")", ","}
        condition = before == "where" and not after
        if condition or ((inside_pair or between) and _is_key(partner, opening)):
            needless |= {opening, closing}
    return [part for place, part in enumerate(parts) if place not in needless]


def _is_key(partner: dict[int, int], opening: int) -> bool:
    """Whether this pair stands directly in the list of keys, or in pairs that do."""
    around = [start for start, end in partner.items() if start < opening and end > partner[opening]]
    first = min(partner)
    return all(start == first or start == opening - 1 for start in around)


def _partners(parts: list[str]) -> dict[int, int]:
    stack: list[int] = []
    found: dict[int, int] = {}
    for place, part in enumerate(parts):
        if part == "(":
            stack.append(place)
        elif part == ")" and stack:
            found[stack.pop()] = place
    return found
