"""The real `kandesk mcp` as a child process, and a client that speaks lines to it."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backend.paths import Home

Json = dict[str, Any]
COMMAND = (sys.executable, "-m", "app.launch", "mcp")
ROOT = Path(__file__).resolve().parents[2]


def shim_command(home: Home, *options: str) -> list[str]:
    return [*COMMAND, "--home", str(home.root), *options]


def shim_environment(**extra: str) -> dict[str, str]:
    """This environment without a display and with the sources on the path."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "KANDESK_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "PYTHONPATH": str(ROOT), **extra}


class ShimProcess:
    """Collects what the shim writes; `problems` holds lines that are not JSON-RPC."""

    def __init__(self, home: Home, *options: str, cwd: Path | None = None, **env: str) -> None:
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            shim_command(home, *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=shim_environment(**env),
        )
        self.received: list[tuple[float, dict[str, Any]]] = []
        self.problems: list[bytes] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, **message: object) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def initialize(self, name: str = "test client", version: str = "2025-06-18") -> Json:
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1.2"},
        }
        self.send(id="init", method="initialize", params=params)
        found = self.reply("init")
        self.send(method="notifications/initialized")
        return found

    def call(
        self, request_id: object, arguments: Json | None = None, *, progress: object = None
    ) -> None:
        params: Json = {"name": "ask_user_question", "arguments": arguments or {}}
        if progress is not None:
            params["_meta"] = {"progressToken": progress}
        self.send(id=request_id, method="tools/call", params=params)

    def reply(self, request_id: object, seconds: float = 20.0) -> Json:
        """The response with this id, once it is there."""
        return self.first(lambda message: is_reply(message, request_id), seconds)

    def first(self, wanted: Callable[[Json], bool], seconds: float = 20.0) -> Json:
        """The first message, of any time, that is `wanted`."""

        def found() -> dict[str, Any] | None:
            return next((message for _, message in self.received if wanted(message)), None)

        with self._changed:
            message = self._changed.wait_for(found, seconds)
        assert message is not None, f"nothing of the kind in {self.received}"
        return message

    def progress(self) -> list[tuple[float, dict[str, Any]]]:
        """Progress notifications so far, with the second they came in."""
        return [
            (moment, message["params"])
            for moment, message in self.received
            if message.get("method") == "notifications/progress"
        ]

    def wait_for_progress(self, count: int, seconds: float) -> list[tuple[float, dict[str, Any]]]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.progress()) >= count, seconds)
        return self.progress()

    def wait(self, seconds: float) -> int:
        return self.process.wait(seconds)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            moment = time.monotonic()
            try:
                message = json.loads(line)
            except ValueError:
                self.problems.append(line)
                continue
            with self._changed:
                self.received.append((moment, message))
                self._changed.notify_all()


def is_reply(message: Json, request_id: object) -> bool:
    return "method" not in message and message.get("id") == request_id


def result_of(reply: Json) -> dict[str, Any]:
    result = reply["result"]
    assert isinstance(result, dict)
    return result


def text_of(reply: Json) -> str:
    """The first text of a tool result."""
    return str(result_of(reply)["content"][0]["text"])
