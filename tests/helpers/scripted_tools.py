"""Calls the MCP server that a desk injected into the scripted agent. Standard library only."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import threading
import time
from typing import Any, Final
from urllib.parse import urlsplit

Json = dict[str, Any]

_PROTOCOL: Final = "2025-06-18"
_HELLO: Final = {
    "protocolVersion": _PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "scripted", "version": "1.0"},
}


class CallEnded(Exception):
    """No answer: the caller gave up, or the server refused; the text says which."""


class ToolCaller:
    """One connection for one call, over HTTP or through the shim's standard input."""

    def __init__(self, server: Json) -> None:
        self._server = server

    @classmethod
    def of(cls, servers: list[Json]) -> "ToolCaller | None":
        """The first server that was injected."""
        return cls(servers[0]) if servers else None

    def call(
        self, tool: str, arguments: Json, cancelled: threading.Event, patience: float | None
    ) -> Json:
        """The structured result of the tool.

        Raises:
            CallEnded: cancelled, out of patience or refused.
        """
        link = _HttpLink(self._server) if "url" in self._server else _StdioLink(self._server)
        ended = threading.Event()
        watch = threading.Thread(target=_cut, args=(link, cancelled, ended, patience), daemon=True)
        watch.start()
        try:
            reply = link.call(tool, arguments)
        except (OSError, ValueError, http.client.HTTPException) as error:
            why = "cancelled" if cancelled.is_set() else f"gave up ({type(error).__name__})"
            raise CallEnded(why) from error
        finally:
            ended.set()
            link.close()
        if "error" in reply:
            raise CallEnded(json.dumps(reply["error"]))
        result = reply["result"]
        found: Json = result.get("structuredContent") or {"content": result.get("content")}
        return found


def _cut(
    link: "_HttpLink | _StdioLink",
    cancelled: threading.Event,
    ended: threading.Event,
    patience: float | None,
) -> None:
    until = None if patience is None else time.monotonic() + patience
    while not ended.wait(0.01):
        if cancelled.is_set() or (until is not None and time.monotonic() > until):
            link.cut()
            return


class _HttpLink:
    def __init__(self, server: Json) -> None:
        address = urlsplit(server["url"])
        self._path = address.path
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port)
        self._socket: socket.socket | None = None
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **{header["name"]: header["value"] for header in server.get("headers", [])},
        }

    def call(self, tool: str, arguments: Json) -> Json:
        self._connection.connect()
        self._socket = self._connection.sock
        self._post({"id": 1, "method": "initialize", "params": _HELLO})
        self._post({"method": "notifications/initialized"})
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}}
        return self._post({"id": 2, "method": "tools/call", "params": params})

    def _post(self, message: Json) -> Json:
        body = json.dumps({"jsonrpc": "2.0", **message})
        self._connection.request("POST", self._path, body, self._headers)
        response = self._connection.getresponse()
        session = response.getheader("Mcp-Session-Id")
        if session:
            self._headers["Mcp-Session-Id"] = session
            self._headers["MCP-Protocol-Version"] = _PROTOCOL
        if "event-stream" not in (response.getheader("Content-Type") or ""):
            text = response.read()
            plain: Json = json.loads(text) if text.strip() else {}
            return plain
        found: Json = {}
        while line := response.readline():
            if line.startswith(b"data:") and line[5:].strip():
                frame = json.loads(line[5:])
                if frame.get("id") == message.get("id") and "method" not in frame:
                    found = frame
        if not found:
            raise ValueError("the stream ended without an answer")
        return found

    def cut(self) -> None:
        """End the call from another thread; what reads the connection closes it."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.cut()
        self._connection.close()


class _StdioLink:
    def __init__(self, server: Json) -> None:
        added = {variable["name"]: variable["value"] for variable in server.get("env", [])}
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **added},
        )

    def call(self, tool: str, arguments: Json) -> Json:
        self._send({"id": 1, "method": "initialize", "params": _HELLO})
        self._reply(1)
        self._send({"method": "notifications/initialized"})
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}}
        self._send({"id": 2, "method": "tools/call", "params": params})
        return self._reply(2)

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _reply(self, request_id: int) -> Json:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            frame: Json = json.loads(line)
            if frame.get("id") == request_id and "method" not in frame:
                return frame
        raise ValueError("the server is gone")

    def cut(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
