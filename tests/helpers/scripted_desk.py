"""A desk whose every reply the test decides; standard library HTTP on a real port."""

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from backend.endpoint import DeskEndpoint, write_endpoint
from backend.paths import Home
from backend.secrets import read_or_create_secret

Json = dict[str, object]


class DeskCall:
    """One POST the shim has sent."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self._handler = handler
        self._streaming = False
        self.headers = dict(handler.headers.items())
        self.message: Json = json.loads(body)
        self.closed = threading.Event()
        """The shim has hung up."""

    @property
    def key(self) -> str:
        return self.headers["Idempotency-Key"]

    @property
    def params(self) -> dict[str, Any]:
        params = self.message["params"]
        assert isinstance(params, dict)
        return params

    @property
    def arguments(self) -> dict[str, Any]:
        arguments = self.params["arguments"]
        assert isinstance(arguments, dict)
        return arguments

    def progress(self, message: str = "", *, ticket: str = "") -> None:
        """Send one event, as a desk does at once and then every 10 s."""
        params: Json = {"progressToken": self.key, "progress": 1}
        if message:
            params["message"] = message
        if ticket:
            params["_meta"] = {"dev.kandesk/ticket": ticket}
        self._event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    def answer(self, **structured: object) -> None:
        """Send the result and end the stream."""
        result: Json = {
            "content": [{"type": "text", "text": json.dumps(structured)}],
            "structuredContent": structured,
            "resultType": "complete",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "kandesk", "version": "0"}},
        }
        self._event({"jsonrpc": "2.0", "id": self.message["id"], "result": result})

    def status(self, status: int, body: Json | None = None) -> None:
        """Answer without a stream."""
        data = json.dumps(body or {}).encode()
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", "application/json")
        self._handler.send_header("Content-Length", str(len(data)))
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def wait_until_closed(self, seconds: float = 30.0) -> None:
        """Block until the shim hangs up."""
        line: socket.socket = self._handler.connection
        line.settimeout(seconds)
        with contextlib.suppress(OSError):
            line.recv(1)
            self.closed.set()

    def open_stream(self) -> None:
        """Send the headers of a stream and no event."""
        if not self._streaming:
            self._streaming = True
            self._handler.send_response(200)
            self._handler.send_header("Content-Type", "text/event-stream")
            self._handler.end_headers()

    def _event(self, message: Json) -> None:
        self.open_stream()
        data = json.dumps(message, ensure_ascii=False)
        self._handler.wfile.write(f"event: message\r\ndata: {data}\r\n\r\n".encode())
        self._handler.wfile.flush()


Script = Callable[[DeskCall], None]


class ScriptedDesk:
    """Runs `script` for each call, on a thread each; returning ends the stream."""

    def __init__(self, home: Home, script: Script) -> None:
        self.home = home
        self.script = script
        self.calls: list[DeskCall] = []
        self._changed = threading.Condition()
        self._lines: list[socket.socket] = []
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> None:
        self.home.create()
        self.accepted = read_or_create_secret(self.home.agent_token)
        self._server = _server(self._handle)
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        port = self._server.server_address[1]
        api = f"http://127.0.0.1:{port}"
        endpoint = DeskEndpoint(api, f"{api}/mcp", os.getpid(), "", "serve", "")
        write_endpoint(self.home, endpoint)

    def crash(self) -> None:
        """Stop at once: every connection breaks, the endpoint file stays behind."""
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        self._server = None
        for line in self._lines:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self._lines.clear()

    def stop(self) -> None:
        if self._server is not None:
            self.crash()

    def wait_for_calls(self, count: int, seconds: float = 10.0) -> list[DeskCall]:
        """All calls so far, once there are `count` of them."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.calls) >= count, seconds)
            return list(self.calls)

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        call = DeskCall(handler, body)
        if handler.headers["Authorization"] != f"Bearer {self.accepted}":
            call.status(401)
            return
        self._lines.append(handler.connection)
        with self._changed:
            self.calls.append(call)
            self._changed.notify_all()
        with contextlib.suppress(OSError):
            self.script(call)


def _server(handle: Callable[[BaseHTTPRequestHandler], None]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            handle(self)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    return Server(("127.0.0.1", 0), Handler)
