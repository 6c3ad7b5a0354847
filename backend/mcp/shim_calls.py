"""The open calls of one client: forwarded, kept alive, ended exactly once."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.mcp import permission_texts, shim_texts, tools
from backend.mcp.patience import BEAT
from backend.mcp.shim_desk import ClientInfo, Exchange
from backend.mcp.shim_stdio import Json, Output, RequestId

FIRST_PROGRESS = 0.5
"""Seconds; agents.md, Patience, wants it within 1 s."""


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One `tools/call` as the client sent it."""

    request_id: RequestId
    key: str
    tool: str
    params: Json
    client: ClientInfo
    modern: bool
    progress_token: RequestId | None
    patience: float | None
    """Seconds after which the call must have ended; None where the client waits for ever."""


@dataclass(slots=True)
class OpenCall:
    """A call without a result so far. Its lock orders every frame that carries its id."""

    request: CallRequest
    output: Output
    opened_at: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)
    ended: threading.Event = field(default_factory=threading.Event)
    exchange: Exchange | None = None
    contacted: bool = False
    """A desk has had this call, so it may hold it."""
    heard: bool = False
    """A desk has said something of this call, so it does hold it."""
    ticket: str = ""
    message: str = ""
    _progress: int = 0
    _due: float = 0.0

    def __post_init__(self) -> None:
        self._due = self.opened_at + FIRST_PROGRESS

    @property
    def deadline(self) -> float | None:
        patience = self.request.patience
        return None if patience is None else self.opened_at + patience

    @property
    def patience_left(self) -> float | None:
        """Seconds until the deadline, never negative; None where there is none."""
        deadline = self.deadline
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    def next_due(self) -> float:
        """When this call next needs something done without the desk."""
        deadline = self.deadline
        due = self._due if self.request.progress_token is not None else float("inf")
        return due if deadline is None else min(due, deadline)

    def begin(self, exchange: Exchange) -> bool:
        """Hold the exchange that carries this call; False when the call has ended meanwhile."""
        with self.lock:
            self.exchange = exchange
            return not self.ended.is_set()

    def relay(self, params: Json) -> None:
        """Take in a progress notification of the desk and pass it on when it says something."""
        meta = params.get("_meta")
        if isinstance(meta, dict) and isinstance(meta.get(tools.TICKET_META), str):
            self.ticket = meta[tools.TICKET_META]
        told = params.get("message")
        self.say(told if isinstance(told, str) else tools.PROGRESS_TEXT)

    def say(self, message: str) -> None:
        """Send progress with this message unless the client has just heard the same."""
        if message != self.message or time.monotonic() >= self._due - BEAT / 2:
            self.message = message
            self.send_progress()

    def send_progress(self) -> None:
        """The client's own token, a value that only rises, nothing after the end."""
        token = self.request.progress_token
        with self.lock:
            if token is None or self.ended.is_set():
                return
            self._progress += 1
            self._due = time.monotonic() + BEAT
            params: Json = {"progressToken": token, "progress": self._progress}
            if self.message:
                params["message"] = self.message
            notification = "notifications/progress"
            self.output.send({"jsonrpc": "2.0", "method": notification, "params": params})

    def end(self, answer: Callable[[Output, RequestId], None] | None) -> bool:
        """End the call, with one frame or with none; False when it had ended already."""
        with self.lock:
            if self.ended.is_set():
                return False
            # Before the frame: a client that reads it may use the id again at once.
            self.ended.set()
            if answer is not None:
                answer(self.output, self.request.request_id)
            exchange = self.exchange
        if exchange is not None:
            exchange.close()
        return True

    @property
    def is_permission(self) -> bool:
        """Nothing of it is kept: what its caller reads is an allow or a deny, and no ticket."""
        return self.request.tool == tools.REQUEST_PERMISSION

    def end_with_text(self, text: str) -> bool:
        """End with a tool error a model can read; a permission prompt with nothing decided."""
        modern = self.request.modern
        if self.is_permission:
            result = permission_result(permission_texts.not_decided(text), modern=modern)
        else:
            result = tool_text(text, modern=modern)
        return self.end(lambda output, request_id: output.result(request_id, result))

    def end_waiting(self) -> bool:
        """Leave the question on the desk and the client with a ticket."""
        if self.is_permission:
            return self.end_with_text(permission_texts.NOBODY_DECIDED_IN_TIME)
        if not self.ticket:
            return self.end_with_text(shim_texts.GAVE_UP)
        result = waiting_result(self.ticket, modern=self.request.modern)
        return self.end(lambda output, request_id: output.result(request_id, result))


class OpenCalls:
    """All calls of one client, and the one timer that keeps them alive while there are any."""

    def __init__(self) -> None:
        self._calls: dict[RequestId, OpenCall] = {}
        self._changed = threading.Condition()
        self._timer: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def __contains__(self, request_id: RequestId) -> bool:
        """Whether a call with this id still owes its client an answer."""
        call = self._calls.get(request_id)
        return call is not None and not call.ended.is_set()

    def add(self, call: OpenCall) -> None:
        with self._changed:
            self._calls[call.request.request_id] = call
            if self._timer is None:
                self._timer = threading.Thread(target=self._keep_alive, name="timer", daemon=True)
                self._timer.start()
            self._changed.notify()

    def remove(self, call: OpenCall) -> None:
        with self._changed:
            if self._calls.get(call.request.request_id) is call:
                del self._calls[call.request.request_id]
            self._changed.notify()

    def cancel(self, request_id: RequestId) -> None:
        """The client gave a call up; nothing happens for one that has ended (OpenCode, always)."""
        call = self._calls.get(request_id)
        if call is not None:
            call.end(None)

    def _keep_alive(self) -> None:
        while True:
            with self._changed:
                if not self._calls:
                    self._timer = None
                    return
                open_calls = [call for call in self._calls.values() if not call.ended.is_set()]
                due = min((call.next_due() for call in open_calls), default=float("inf"))
                pause = due - time.monotonic()
                if pause > 0:
                    self._changed.wait(None if pause == float("inf") else pause)
                    continue
            for call in open_calls:
                _tend(call, time.monotonic())


def tool_text(text: str, *, modern: bool) -> Json:
    """A tool result that is an error, in words."""
    content: Json = {"content": [{"type": "text", "text": text}], "isError": True}
    return {**content, "resultType": "complete"} if modern else content


def permission_result(reply: str, *, modern: bool) -> Json:
    """What a permission prompt returns: one text and nothing beside it."""
    content: Json = {"content": [{"type": "text", "text": reply}], "isError": False}
    return {**content, "resultType": "complete"} if modern else content


def waiting_result(ticket: str, *, modern: bool) -> Json:
    """`status: waiting` with its ticket, as structured content and as the same JSON in text."""
    told = tools.waiting_text(ticket)
    structured: Json = {"status": "waiting", "ticket": ticket, "message": told}
    result: Json = {
        "content": [{"type": "text", "text": json.dumps(structured)}],
        "structuredContent": structured,
        "isError": False,
    }
    return {**result, "resultType": "complete"} if modern else result


def _tend(call: OpenCall, now: float) -> None:
    deadline = call.deadline
    if deadline is not None and now >= deadline:
        call.end_waiting()
    elif now >= call.next_due():
        call.send_progress()
