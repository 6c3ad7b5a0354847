"""The command a human typed for an agent of their own."""

import pytest

from backend.domain.agent_command import MAX_COMMAND, parse_command
from backend.domain.agents import AgentCommand
from backend.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("agent --acp", AgentCommand(("agent", "--acp"))),
        (" 'my agent' \"a b\" c\\ d ", AgentCommand(("my agent", "a b", "c d"))),
        ("A=1 B='x y' agent C=2", AgentCommand(("agent", "C=2"), {"A": "1", "B": "x y"})),
        ("agent $HOME | cat", AgentCommand(("agent", "$HOME", "|", "cat"))),
    ],
)
def test_words_are_read_as_a_shell_reads_them(text: str, expected: AgentCommand) -> None:
    assert parse_command(text) == expected


def test_a_backslash_is_one_where_paths_have_them() -> None:
    command = parse_command('"C:\\my agents\\a.exe" --acp', posix=False)
    assert command.argv == ("C:\\my agents\\a.exe", "--acp")


@pytest.mark.parametrize(
    "text", ["", "  ", "A=1", "'open", "agent\x00", "one\ntwo", "''", "x" * (MAX_COMMAND + 1)]
)
def test_what_is_no_command_is_refused_naming_the_field(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_command(text)
    assert refused.value.params["field"] == "command"
