"""What an agent reads that asked for a permission. English, for models; standard library only."""

import json
from typing import Final

PROGRESS_TEXT: Final = "Waiting for the user's decision in Kandesk"
NOT_DECIDED: Final = "NOT DECIDED (nobody said no): ask again. {why}"
"""Why nothing may be done although nobody has declined: whoever reads it may ask once more."""
NOBODY_DECIDED_IN_TIME: Final = (
    "The user did not decide in the time this client waits for a permission."
)
NOT_PUT_BEFORE_THEM: Final = "Kandesk could not put this before the user ({reason})."
CLOSING: Final = "it is closing"
STOPPED_BY_USER: Final = "The user stopped this session before they decided."
NOT_A_PERMISSION: Final = "The arguments are not those of a permission prompt: {reason}."
OUTCOME_UNKNOWN: Final = (
    "OUTCOME UNKNOWN: ask again. The user allowed this before Kandesk was interrupted, and it is "
    "not known whether you were told. Check whether it was done already before you repeat it."
)
DECLINED: Final = "The user declined this. Do not do it in another way unless they tell you to."
DECLINED_BECAUSE: Final = "The user declined this: {reason}"
DECLINED_BY_RULE: Final = (
    "A rule of the user declines this. Do not do it in another way unless they tell you to."
)
QUESTION_SKIPPED: Final = "The user declined to answer. Decide nothing in their place."
QUESTION_SKIPPED_BECAUSE: Final = "The user declined to answer: {reason}"
QUESTION_CLOSED: Final = "The question was closed; nobody answered it."


def allowance(updated_input: object) -> str:
    """What Claude Code reads as yes: the call runs with exactly this input."""
    return json.dumps({"behavior": "allow", "updatedInput": updated_input})


def denial(message: str, *, interrupt: bool = False) -> str:
    """What Claude Code reads as no, with what its model is told; `interrupt` ends its turn."""
    reply: dict[str, object] = {"behavior": "deny", "message": message}
    return json.dumps({**reply, "interrupt": True} if interrupt else reply)


def not_decided(why: str) -> str:
    """The denial of a call that nobody has declined."""
    return denial(NOT_DECIDED.format(why=why))
