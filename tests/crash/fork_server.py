"""Children that are killed, each forked from one process that has imported everything.

A start costs milliseconds instead of seconds, so that a child can be killed at every moment of its
work. Run as a child process: each line on stdin is a command, each line on stdout its answer.

usage: python -m tests.crash.fork_server
"""

import importlib
import json
import os
import sys
import traceback
from typing import Any, NoReturn

PRELOADED = (
    "app.launch",
    "backend.runtime",
    "backend.cli.serve",
    "backend.mcp.server",
    "backend.store.postgres_store",
    "tests.crash.scenes",
    "tests.crash.load_desk",
    "tests.crash.desk_that_dies",
)


def serve() -> None:
    """Fork what is asked for, until stdin ends; no threads, so that a fork is a whole process."""
    for name in PRELOADED:
        importlib.import_module(name)
    _say({"ready": os.getpid()})
    while line := sys.stdin.readline():
        command: dict[str, Any] = json.loads(line)
        if "wait" in command:
            _, status = os.waitpid(command["wait"], 0)
            _say({"ended": os.waitstatus_to_exitcode(status)})
            continue
        pid = os.fork()
        if pid == 0:
            _run(command)
        _say({"pid": pid})


def _run(command: dict[str, Any]) -> NoReturn:
    """Be the child: its own output, the environment it is told, and no way back."""
    for descriptor, name in ((0, os.devnull), (1, command["out"]), (2, command["err"])):
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ.update(command["env"])
    module, _, function = command["run"].partition(":")
    code = 1
    try:
        code = getattr(importlib.import_module(module), function)(*command["arguments"]) or 0
    except BaseException:  # noqa: BLE001 - whatever ends a child is told
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _say(answer: dict[str, int]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
