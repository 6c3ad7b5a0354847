"""Questions an agent's own tool asks as if they were a permission (Qwen): they become a form.

Qwen takes the answers beside the outcome, as text by the number of the question, from "0".
"""

from collections.abc import Mapping
from typing import Final

from backend.domain.agents import (
    ElicitationAction,
    ElicitationReply,
    Elicited,
    JsonObject,
    PermissionAsked,
)

_TOOLS: Final = frozenset({"ask_user_question", "AskUserQuestion"})
_MOST: Final = 4


def question_form(asked: PermissionAsked) -> Elicited | None:
    """The form of a call whose structured fields say that it only asks; None for any other."""
    claude = asked.meta.get("claudeCode")
    told = claude if isinstance(claude, Mapping) else asked.meta
    if told.get("toolName") not in _TOOLS or not isinstance(asked.call.raw_input, Mapping):
        return None
    questions = asked.call.raw_input.get("questions")
    if not isinstance(questions, list | tuple) or not 1 <= len(questions) <= _MOST:
        return None
    properties: dict[str, object] = {}
    for number, question in enumerate(questions):
        field = _field(question)
        if field is None:
            return None
        properties[f"question_{number}"] = field
        properties[f"question_{number}_custom"] = {"type": "string"}
    return Elicited("", {"type": "object", "properties": properties}, asked.meta)


def permission_reply(asked: PermissionAsked, reply: ElicitationReply | None) -> JsonObject:
    """What the agent hears: that it may go on with these answers, or that it may not."""
    wanted = {ElicitationAction.ACCEPT: "allow_once", ElicitationAction.DECLINE: "reject_once"}
    kind = wanted.get(reply.action) if reply is not None else None
    option = next((option.id for option in asked.options if option.kind == kind), None)
    if reply is None or option is None:
        return {"outcome": {"outcome": "cancelled"}}
    chosen: dict[str, object] = {"outcome": {"outcome": "selected", "optionId": option}}
    if reply.action is ElicitationAction.ACCEPT:
        chosen["answers"] = _answers(reply.content)
    return chosen


def _field(question: object) -> dict[str, object] | None:
    if not isinstance(question, Mapping) or not isinstance(question.get("question"), str):
        return None
    options = question.get("options")
    choices = [
        {"const": option["label"], "description": option.get("description", "")}
        for option in (options if isinstance(options, list | tuple) else ())
        if isinstance(option, Mapping) and isinstance(option.get("label"), str)
    ]
    if not choices:
        return None
    told = {"title": question.get("header", ""), "description": question["question"]}
    if question.get("multiSelect") is True:
        return {"type": "array", "items": {"anyOf": choices}, **told}
    return {"type": "string", "oneOf": choices, **told}


def _answers(content: JsonObject) -> dict[str, str]:
    answers: dict[str, str] = {}
    for number in range(_MOST):
        picked = content.get(f"question_{number}", ())
        picks = [picked] if isinstance(picked, str) else picked
        own = content.get(f"question_{number}_custom")
        parts = [*map(str, picks if isinstance(picks, list | tuple) else ()), own]
        text = ", ".join(part for part in parts if isinstance(part, str) and part)
        if text:
            answers[str(number)] = text
    return answers
