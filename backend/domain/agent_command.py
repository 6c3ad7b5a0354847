"""The command a human typed for an agent of their own."""

import re
import shlex
from typing import Final

from backend.domain.agents import AgentCommand
from backend.errors import ErrorCode, InvalidInput

MAX_COMMAND: Final = 4_000
"""Characters."""

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def parse_command(text: str, *, posix: bool = True) -> AgentCommand:
    """A line as a shell reads it: words, quotes, and `NAME=value` before the program.

    There is no shell: `~`, `$NAME`, `|` and the like stay as they are, except that a program's
    leading `~/` is the home folder when it starts. Not `posix`, a backslash is a backslash.

    Raises:
        InvalidInput: of the field `command`.
    """
    if len(text) > MAX_COMMAND:
        raise InvalidInput(
            ErrorCode.TOO_LONG, "the command is too long", field="command", limit=MAX_COMMAND
        )
    if "\x00" in text or "\n" in text.strip():
        raise _invalid("the command is one line of text")
    try:
        words = shlex.split(text, posix=posix)
    except ValueError as error:
        raise _invalid(f"the command cannot be read: {error}") from error
    if not posix:
        words = [_unquoted(word) for word in words]
    environment: dict[str, str] = {}
    while words and (match := _ASSIGNMENT.fullmatch(words[0])):
        environment[match[1]] = match[2]
        del words[0]
    if not words or not words[0]:
        raise _invalid("the command names no program")
    return AgentCommand(tuple(words), environment)


def _unquoted(word: str) -> str:
    """Without `posix` the quotes around a word are left on it."""
    quoted = len(word) >= 2 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if quoted else word


def _invalid(detail: str) -> InvalidInput:
    return InvalidInput(ErrorCode.INVALID, detail, field="command")
