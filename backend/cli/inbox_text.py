"""Questions and outcomes as lines for a terminal. What agents wrote cannot steer it."""

import unicodedata
from collections.abc import Sequence
from pathlib import PurePath

from backend.cli.desk_client import Json

_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SHORT = 8
_WIDTH = 200
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def list_text(bundles: Sequence[Json]) -> str:
    """Every bundle with what is needed to answer it."""
    if not bundles:
        return "No open questions.\n"
    ids = short_ids([str(bundle.get("pending_id", "")) for bundle in bundles])
    return "\n".join(_bundle_text(*pair) for pair in zip(ids, bundles, strict=True))


def permissions_text(count: int) -> str:
    """How many permissions wait, and where they are given; empty for none."""
    if not count:
        return ""
    waits = "1 permission waits" if count == 1 else f"{count} permissions wait"
    return f"\n{waits} for your decision: open the Kandesk window (`kandesk`) to give it.\n"


def short_ids(ids: Sequence[str]) -> list[str]:
    """The shortest beginnings, 8 characters at least, that no other id shares."""
    length = _SHORT
    while len({whole[:length] for whole in ids}) < len(set(ids)):
        length += 1
    return [whole[:length] for whole in ids]


def outcome_text(body: Json) -> str:
    """What became of an answer, in one line."""
    word = "Skipped" if body.get("status") == "rejected" else "Answered"
    match body.get("delivery"):
        case "delivered":
            told = "the agent has it"
        case "waiting_for_agent":
            told = "saved; the agent gets it at its next contact"
        case "replaced" | "discarded":
            told = "saved; a newer answer took its place"
        case _:
            told = "saved; its delivery is not confirmed yet"
    return f"{word}: {told}."


def clean(text: object, width: int = _WIDTH) -> str:
    """One line without control characters."""
    given = " ".join(str(text or "").split())
    kept = "".join("\N{REPLACEMENT CHARACTER}" if _steers(c) else c for c in given[: width + 1])
    return kept if len(kept) <= width else kept[: width - 1] + "…"


def _steers(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or character in _BIDI_CONTROLS


def _bundle_text(short: str, bundle: Json) -> str:
    folder = PurePath(str(bundle.get("workspace") or "")).name
    facts = [clean(folder, 60), clean(bundle.get("agent"), 60)]
    head = " · ".join([*filter(None, facts), age_text(bundle.get("age_seconds"))])
    lines = [f"{short}  {head}"]
    found = bundle.get("questions")
    questions = [
        item for item in (found if isinstance(found, list) else []) if isinstance(item, dict)
    ]
    for question in questions:
        name = f"{clean(question.get('question_id'), 40)}: " if len(questions) > 1 else ""
        many = " (several may be chosen)" if question.get("multi_select") else ""
        free = " (may be left out)" if question.get("optional") and len(questions) > 1 else ""
        lines.append(f"  {name}{clean(question.get('prompt'))}{many}{free}")
        options = question.get("options")
        for number, option in enumerate(options if isinstance(options, list) else [], start=1):
            lines.append(f"    {number}) {clean(option.get('label'))}")
    return "\n".join(lines) + "\n"


def age_text(seconds: object) -> str:
    """How long ago, in one unit."""
    age = seconds if isinstance(seconds, int) else 0
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if age >= size:
            return f"{age // size} {unit} ago"
    return "just now"
