"""Carries one call to the desk and back, through every absence of the desk."""

import json
import threading
import time
from dataclasses import dataclass

from backend.mcp import shim_texts, tools
from backend.mcp.shim_calls import CallRequest, OpenCall, OpenCalls
from backend.mcp.shim_desk import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    MAX_BODY,
    PROTOCOL,
    VERSION_KEY,
    DeskAway,
    DeskLink,
    Refused,
)
from backend.mcp.shim_start import DeskStarter, NotStartable
from backend.mcp.shim_stdio import Json, Output, RequestId

_REFUSALS = 3
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds between looks for a desk that is away."""

    first: float = 0.05
    longest: float = 1.0
    grace: float = 3.0
    """How long a desk that had this call is given to come back by itself."""
    patience: float = 30.0
    """How long a process that lives is given to answer again before another desk is started."""
    unheard: float = 10.0
    """How long a desk that may hold a call, but told nothing of it, is given where none can be
    started: a service or a window takes over within seconds."""


class Forwarder:
    """Runs each call on a thread of its own; the thread ends with the call."""

    def __init__(
        self, link: DeskLink, starter: DeskStarter, calls: OpenCalls, waits: Waits
    ) -> None:
        self._link = link
        self._starter = starter
        self._calls = calls
        self._waits = waits

    def start(self, call: OpenCall) -> None:
        body = request_body(call.request)
        if len(body) > MAX_BODY:
            call.end_with_text(shim_texts.TOO_LARGE.format(size=len(body), limit=MAX_BODY))
            return
        self._calls.add(call)
        name = f"call {call.request.key}"
        threading.Thread(target=self._carry, args=(call, body), name=name, daemon=True).start()

    def _carry(self, call: OpenCall, body: bytes) -> None:
        try:
            self._carry_until_ended(call, body)
        finally:
            self._calls.remove(call)

    def _carry_until_ended(self, call: OpenCall, body: bytes) -> None:
        pause, away_since, refusals = self._waits.first, time.monotonic(), 0
        while not call.ended.is_set():
            contacted = call.contacted
            try:
                if self._attempt(call, body):
                    return
                pause, away_since = self._waits.first, time.monotonic()
            except DeskAway:
                if call.contacted and not contacted:
                    away_since = time.monotonic()
                self._while_away(call, time.monotonic() - away_since)
            except Refused as error:
                refusals += 1
                if refusals >= _REFUSALS:
                    call.end_with_text(shim_texts.REFUSED.format(reason=error))
            call.ended.wait(pause)
            pause = min(pause * 2, self._waits.longest)

    def _attempt(self, call: OpenCall, body: bytes) -> bool:
        """One POST; True when it brought the result, False when it was heard and then cut."""
        request = call.request
        exchange = self._link.post(
            body,
            key=request.key,
            tool=request.tool,
            client=request.client,
            patience_left=call.patience_left,
        )
        heard = False
        try:
            if not call.begin(exchange):
                return True
            for message in exchange.messages():
                heard = call.heard = call.contacted = True
                self._starter.arrived()
                if _take(call, message):
                    return True
        except DeskAway as error:
            call.contacted = call.contacted or error.held
            if not heard:
                raise
        finally:
            exchange.close()
            exchange.release()
        return False

    def _while_away(self, call: OpenCall, away: float) -> None:
        if call.ended.is_set():
            return
        lives = self._link.desk_lives()
        grace = self._waits.patience if lives else self._waits.grace
        if (call.contacted or lives) and away < grace:
            call.say(_away_text(call))
            return
        try:
            self._starter.ensure()
        except NotStartable as error:
            if not call.contacted:
                call.end_with_text(str(error))
            elif (not call.heard or call.is_permission) and away >= self._waits.unheard:
                call.end_with_text(tools.UNCONFIRMED.format(reason=error))
            return
        call.say(_away_text(call) if call.contacted else shim_texts.STARTING)


def request_body(request: CallRequest) -> bytes:
    """The call as a self-contained request of the 2026-07-28 era, with our own progress token."""
    given = request.params.get("_meta")
    meta: Json = dict(given) if isinstance(given, dict) else {}
    meta |= {
        VERSION_KEY: PROTOCOL,
        CLIENT_KEY: {"name": request.client.name, "version": request.client.version},
        CAPABILITIES_KEY: {},
        "progressToken": request.key,
    }
    message: Json = {
        "jsonrpc": "2.0",
        "id": request.key,
        "method": "tools/call",
        "params": {**request.params, "_meta": meta},
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _away_text(call: OpenCall) -> str:
    """A question the desk told nothing of is not called kept."""
    kept = call.heard and not call.is_permission
    return shim_texts.AWAY if kept else shim_texts.AWAY_UNHEARD


def _take(call: OpenCall, message: Json) -> bool:
    """Handle one message of the desk; True when it was the last."""
    if message.get("method") == "notifications/progress":
        params = message.get("params")
        call.relay(params if isinstance(params, dict) else {})
        return False
    result, error = message.get("result"), message.get("error")
    if isinstance(result, dict):
        answer = result if call.request.modern else _for_handshake_era(result)
        call.end(lambda output, request_id: output.result(request_id, answer))
        return True
    if isinstance(error, dict):
        call.end(lambda output, request_id: _send_error(output, request_id, error))
        return True
    return False


def _for_handshake_era(result: Json) -> Json:
    """Without the keys that older revisions do not know."""
    plain = {key: value for key, value in result.items() if key != "resultType"}
    meta = plain.get("_meta")
    if isinstance(meta, dict) and _SERVER_INFO in meta:
        plain["_meta"] = {key: value for key, value in meta.items() if key != _SERVER_INFO}
        if not plain["_meta"]:
            del plain["_meta"]
    return plain


def _send_error(output: Output, request_id: RequestId, error: Json) -> None:
    output.send({"jsonrpc": "2.0", "id": request_id, "error": error})
