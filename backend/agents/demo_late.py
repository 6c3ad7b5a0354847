"""How the demo agent reads an answer that comes as a message: by the questions it has asked."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from backend.agents.demo_questions import IMPATIENT, SEVERAL, SINGLE

_OWN_WORDS: Final = "in the user's own words: "
_ANSWERED: Final = re.compile(r"The user answered:\n(.+)")
_LABELLED: Final = re.compile(r"\s*\S[^:\n]*:\s*(.+)")
"""The line below a prompt, whatever language its first word is in."""
_NOTHING: Final = "no answer given"


def late_answer(text: str) -> dict[str, Any] | None:
    """The answers in a message, in the shape of a call's result; None where it has none.

    Reads what a desk sends once the call is gone (K3.4) and what a human sends by it (K6.5).
    """
    found = {
        str(question["id"]): _given(question, said)
        for question in _questions()
        if (said := _said(text, question))
    }
    return {"status": "answered", "answers": found} if found else None


def _questions() -> Iterator[Mapping[str, Any]]:
    for asked in (SINGLE, SEVERAL, IMPATIENT):
        questions: Any = asked["questions"]
        yield from questions


def _said(text: str, question: Mapping[str, Any]) -> str:
    _, prompt, after = text.partition(question["prompt"])
    if not prompt:
        return ""
    several = re.search(rf"^A\d+ \({question['id']}\): (.+)$", text, re.MULTILINE)
    match = several or _ANSWERED.search(after) or _LABELLED.match(after)
    return match[1] if match else ""


def _given(question: Mapping[str, Any], said: str) -> dict[str, Any]:
    told, _, own = said.partition(_OWN_WORDS)
    chosen = [option for option in question["options"] if option["label"] in told]
    if not chosen and not own and said != _NOTHING:
        own = said
    return {"selected": chosen, "custom_text": own}
