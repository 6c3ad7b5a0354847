"""The MCP server an agent's client sees: what the shim answers itself, and what it passes on."""

import json
from collections.abc import Callable
from typing import Protocol
from urllib.parse import quote

from backend.mcp import shim_texts, tools
from backend.mcp.listing_file import ListingFile
from backend.mcp.shim_calls import CallRequest, OpenCall, OpenCalls
from backend.mcp.shim_desk import CLIENT_KEY, PROTOCOL, VERSION_KEY, ClientInfo
from backend.mcp.shim_forward import Forwarder
from backend.mcp.shim_stdio import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_LINE,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Json,
    Malformed,
    Output,
    RequestId,
    lone_surrogate,
    parse_line,
)

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MAX_OPEN = 256
_SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
_KEY_LENGTH = 160

Handler = Callable[[RequestId, Json], None]


class Patience(Protocol):
    """Seconds after which a call must have ended; None where this client waits for ever."""

    def __call__(self, client: str, *, has_token: bool) -> float | None: ...


class ShimServer:
    """Reads messages one by one; everything that can take time goes to the forwarder."""

    def __init__(
        self,
        output: Output,
        forwarder: Forwarder,
        calls: OpenCalls,
        *,
        instance: str,
        version: str,
        patience: Patience,
        others: ListingFile,
    ) -> None:
        """`others` are the tools of other servers, as the desk last left them."""
        self._output = output
        self._forwarder = forwarder
        self._calls = calls
        self._instance = instance
        self._info: Json = {
            "name": tools.SERVER_NAME,
            "title": tools.SERVER_TITLE,
            "version": version,
        }
        self._patience = patience
        self._others = others
        self._listed: tuple[int, int] | None = None
        self._client = ClientInfo()
        self._uses: dict[RequestId, int] = {}
        self._handlers: dict[str, Handler] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": self._ping,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
        }

    def receive(self, line: bytes | None) -> None:
        """Take one line of the client; None stands for one that was too long to read."""
        if line is None:
            self._output.error(None, INVALID_REQUEST, shim_texts.TOO_LONG.format(limit=MAX_LINE))
            return
        if not line.strip():
            return
        try:
            message = parse_line(line)
        except Malformed as error:
            self._output.error(error.request_id, error.code, str(error))
            return
        self._dispatch(message)

    def _dispatch(self, message: Json) -> None:
        method, request_id = message.get("method"), message.get("id")
        params = message.get("params", {})
        if not isinstance(method, str):
            # A response: nothing was asked of the client, so there is nothing to match it with.
            if "result" not in message and "error" not in message:
                identity = request_id if isinstance(request_id, str | int) else None
                self._output.error(identity, INVALID_REQUEST, "method must be a string")
            return
        if not isinstance(request_id, str | int):
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._cancel(params.get("requestId"))
            return
        if not isinstance(params, dict):
            self._output.error(request_id, INVALID_PARAMS, "params must be an object")
            return
        handler = self._handlers.get(method)
        if handler is None:
            text = shim_texts.NO_METHOD.format(method=method[:100])
            self._output.error(request_id, METHOD_NOT_FOUND, text)
        elif self._era_is_known(request_id, params):
            handler(request_id, params)

    def _era_is_known(self, request_id: RequestId, params: Json) -> bool:
        requested = _meta(params).get(VERSION_KEY)
        if requested is None or requested == PROTOCOL:
            return True
        data: Json = {"supported": [PROTOCOL, *HANDSHAKE_VERSIONS], "requested": str(requested)}
        self._output.error(request_id, UNSUPPORTED_VERSION, shim_texts.BAD_VERSION, data)
        return False

    def _initialize(self, request_id: RequestId, params: Json) -> None:
        self._client = _client(params.get("clientInfo")) or self._client
        asked = params.get("protocolVersion")
        result: Json = {
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": self._info,
            "instructions": tools.INSTRUCTIONS,
        }
        self._output.result(request_id, result)

    def _discover(self, request_id: RequestId, _params: Json) -> None:
        result: Json = {
            "supportedVersions": [PROTOCOL, *HANDSHAKE_VERSIONS],
            "capabilities": {"tools": {}},
            "instructions": tools.INSTRUCTIONS,
        }
        self._output.result(request_id, self._modern(result, cacheable=True))

    def _ping(self, request_id: RequestId, params: Json) -> None:
        self._output.result(request_id, self._modern({}) if _is_modern(params) else {})

    def _list_tools(self, request_id: RequestId, params: Json) -> None:
        self._listed = None if _is_modern(params) else self._others.stamp()
        own = [tool.to_wire() for tool in tools.AGENT_TOOLS]
        result: Json = {"tools": [*own, *self._others.read()]}
        if _is_modern(params):
            result = self._modern(result, cacheable=True)
        self._output.result(request_id, result)

    def _call_tool(self, request_id: RequestId, params: Json) -> None:
        refusal = self._refusal(request_id, params)
        if refusal is not None:
            self._output.error(request_id, *refusal)
            return
        self._tell_of_other_tools()
        meta = _meta(params)
        client = _client(meta.get(CLIENT_KEY)) or self._client
        token = meta.get("progressToken")
        if isinstance(token, bool) or not isinstance(token, str | int):
            token = None
        request = CallRequest(
            request_id=request_id,
            key=self._key(request_id),
            tool=str(params["name"]),
            params=params,
            client=client,
            modern=_is_modern(params),
            progress_token=token,
            patience=self._patience(client.name, has_token=token is not None),
        )
        self._forwarder.start(OpenCall(request, self._output))

    def _tell_of_other_tools(self) -> None:
        """Looked at with each call: nothing here wakes up to look. In the newer era a client that
        wants to know asks again.
        """
        if self._listed is not None and self._others.stamp() != self._listed:
            self._listed = None
            method = "notifications/tools/list_changed"
            self._output.send({"jsonrpc": "2.0", "method": method})

    def _refusal(self, request_id: RequestId, params: Json) -> tuple[int, str] | None:
        if not isinstance(params.get("name"), str) or not params["name"]:
            return INVALID_PARAMS, shim_texts.NO_NAME
        if lone_surrogate(params):
            return INVALID_PARAMS, shim_texts.SURROGATE
        if request_id in self._calls:
            return INVALID_REQUEST, shim_texts.ID_IN_USE
        if len(self._calls) >= MAX_OPEN:
            return INVALID_REQUEST, shim_texts.TOO_MANY.format(limit=MAX_OPEN)
        return None

    def _key(self, request_id: RequestId) -> str:
        """One key per call: a client that counts from 0 again must not get an old answer."""
        use = self._uses[request_id] = self._uses.get(request_id, 0) + 1
        text = quote(json.dumps(request_id) if isinstance(request_id, str) else str(request_id))
        if len(text) > _KEY_LENGTH:
            from hashlib import sha256

            text = sha256(text.encode()).hexdigest()
        return f"{self._instance}:{text}" if use == 1 else f"{self._instance}:{text}#{use}"

    def _cancel(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._calls.cancel(request_id)

    def _modern(self, result: Json, *, cacheable: bool = False) -> Json:
        """What every result of the 2026-07-28 era carries."""
        stamped: Json = {
            **result,
            "resultType": "complete",
            "_meta": {_SERVER_INFO_KEY: self._info},
        }
        return {**stamped, "ttlMs": 0, "cacheScope": "private"} if cacheable else stamped


def _meta(params: Json) -> Json:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _is_modern(params: Json) -> bool:
    return VERSION_KEY in _meta(params)


def _client(info: object) -> ClientInfo | None:
    if not isinstance(info, dict):
        return None
    name, version = info.get("name"), info.get("version")
    return ClientInfo(_clean(name, 200), _clean(version, 100))


def _clean(text: object, limit: int) -> str:
    kept = text[:limit] if isinstance(text, str) else ""
    return kept.encode("utf-8", "replace").decode("utf-8")
