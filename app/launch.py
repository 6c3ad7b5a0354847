"""The `kandesk` command: reads the first word and imports no more than that command needs."""

import sys
from collections.abc import Callable, Sequence

_USAGE = """\
usage: kandesk [COMMAND] [options]

  kandesk                 open the window; a second start raises the first
  kandesk demo            open the window on a throw-away store with an agent that asks
  kandesk serve           run the desk without a window
  kandesk mcp             connect an agent: an MCP server on standard input and output
  kandesk connect AGENT   write the MCP entry into that agent's own configuration
  kandesk pending         list the open questions
  kandesk answer ID ...   answer one
  kandesk skip ID         refuse to answer one
  kandesk doctor          check store, tokens and connections, and say what to do

options of every command: --home DIR, --help
options of the window:    --background, --screenshot FILE, --theme light|dark|system, --language L
kandesk --version         print the version
"""

Command = Callable[[Sequence[str]], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    home, rest = _split_home(given)
    if rest[:1] == ["--version"]:
        return _print_version()
    if rest[:1] in (["--help"], ["-h"], ["help"]):
        sys.stdout.write(_USAGE)
        return 0
    if rest and not rest[0].startswith("-"):
        command = _find(rest[0])
        if command is None:
            sys.stderr.write(f"kandesk: no such command: {rest[0]}\n\n{_USAGE}")
            return 2
        return command([*home, *rest[1:]])
    return _window([*home, *rest])


def _split_home(given: list[str]) -> tuple[list[str], list[str]]:
    """A leading `--home DIR` may stand before the command as well as after it."""
    if given[:1] == ["--home"] and len(given) > 1:
        return given[:2], given[2:]
    if given and given[0].startswith("--home="):
        return given[:1], given[1:]
    return [], given


def _find(word: str) -> Command | None:
    commands: dict[str, Command] = {
        "demo": _demo,
        "demo-agent": _demo_agent,
        "serve": _serve,
        "mcp": _mcp,
        "connect": _connect,
        "pending": _pending,
        "answer": _answer,
        "skip": _skip,
        "doctor": _doctor,
    }
    return commands.get(word)


def _print_version() -> int:
    from backend.installation import version

    sys.stdout.write(f"kandesk {version()}\n")
    return 0


def _window(arguments: Sequence[str]) -> int:
    from app import launch_window

    return launch_window.run_window(arguments)


def _demo(arguments: Sequence[str]) -> int:
    from app import launch_window

    return launch_window.run_demo(arguments)


def _demo_agent(_: Sequence[str]) -> int:
    """The agent of the demo, which the desk starts as it starts any other."""
    from backend.agents import demo_agent

    return demo_agent.run()


def _serve(arguments: Sequence[str]) -> int:
    from backend.cli import serve

    return serve.main(arguments)


def _mcp(arguments: Sequence[str]) -> int:
    from backend.mcp import shim

    return shim.main(arguments)


def _connect(arguments: Sequence[str]) -> int:
    from backend.cli import connect

    return connect.main(arguments)


def _pending(arguments: Sequence[str]) -> int:
    from backend.cli import inbox

    return inbox.pending(arguments)


def _answer(arguments: Sequence[str]) -> int:
    from backend.cli import inbox

    return inbox.answer(arguments)


def _skip(arguments: Sequence[str]) -> int:
    from backend.cli import inbox

    return inbox.skip(arguments)


def _doctor(arguments: Sequence[str]) -> int:
    from backend.cli import doctor

    return doctor.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
