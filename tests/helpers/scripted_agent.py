"""An ACP agent whose prompt is its script. A program of its own; standard library only.

Run it as `python -m tests.helpers.scripted_agent`; `tests.helpers.scripted_agents` makes commands.

A prompt is one step per line. A line that begins with none of these words is echoed.

    say TEXT                an agent_message_chunk; `\\n` in TEXT is a line break
    think TEXT              an agent_thought_chunk
    update JSON             any session/update, as it stands
    tool ID TITLE           a tool_call of kind execute, in progress
    done ID TEXT            that tool call completed, with TEXT as its output
    permission JSON|TITLE   session/request_permission; JSON is its params without sessionId. The
                            outcome is said as "permission: ID" or "permission: cancelled"
    elicit JSON             elicitation/create (form); said as "elicitation: ACTION CONTENT"
    ask JSON                tools/call of ask_user_question at the injected MCP server, said as
                            "answer: JSON"; a cancel closes the call
    call TOOL JSON          any tool there
    note TEXT               the tool send_note there
    give_up SECONDS JSON    as `ask`, but closes the call after SECONDS
    collect                 the tool get_answer with the ticket of the last call that had one
    edit PATH TEXT          a tool call with a diff, and the file really written
    burst N TEXT            N chunks of TEXT in one write
    calls N                 N tool calls that begin, then their N ends, in one write
    stream N SECONDS TEXT   N chunks, SECONDS apart
    stamped N RATE          N chunks of Markdown, RATE a second, each with the moment of its sending
    wait                    until cancelled
    sleep SECONDS           ends early when cancelled
    until PATH              until that file exists, or cancelled
    raw TEXT                a line of output as it stands
    bytes N                 one text chunk of N bytes
    request METHOD JSON     any request to the client; said as "reply: JSON"
    notify METHOD JSON      any notification to the client
    reuse TITLE             two permissions with one request id, one after the other
    twice TITLE             two permissions at once, each said
    foreign TEXT            an update and a permission for a session nobody opened
    stderr N                N bytes on stderr
    environment NAME        said as "NAME=value" or "NAME unset"
    pid                     said as "pid PID"
    choose                  the choices that were ignored are answered
    fail TEXT               the prompt ends with an error
    end REASON              the prompt ends with that stop reason
    after STEP              that step once the prompt has ended, when nobody expects it
    half TEXT               a line without its end, then exit 0
    exit CODE               at once, in the middle of the prompt
    orphan SECONDS          a child that keeps stdout open and writes to it, then exit 0

The environment variable SCRIPTED_AGENT holds a JSON object:

    start           "exit", "hang", "noise" (lines that are no JSON, then works), "auth"
                    (session/new wants a login), "refuse" (it fails), "not_acp"
                    (an initialize result of no sense), "orphan" (a child that
                    outlives its parent)
    capabilities    agentCapabilities; by default loadSession, embeddedContext and MCP over HTTP
    session         added to the result of session/new and session/load: modes, models, ...
    on_start        session updates sent right after session/new is answered
    replay          updates sent before session/load is answered
    load            "refuse": session/load fails; "late": some of the replay comes after the answer
    ignore          of "cancel", "eof", "term": what the agent does not react to; "choices": modes
                    and options, answered by the step `choose`; "input": it closes its input once
                    its session is open, and stays
    stderr          written at start
    log             a file that gets each frame received, one line each
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from tests.helpers.scripted_tools import CallEnded, ToolCaller

Json = dict[str, Any]

_SESSION: Final = "scripted-session"
_OPTIONS: Final = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
_CAPABILITIES: Final = {
    "loadSession": True,
    "promptCapabilities": {"embeddedContext": True},
    "mcpCapabilities": {"http": True, "sse": False},
}
_PIECES: Final = (
    "Some **bold** words and `code`, ",
    "a list:\n\n- one item\n- another [link](https://example.org)\n\n",
    "more words that go on for a while, ",
    "```python\ndef total(orders):\n    return sum(orders)\n```\n\n",
    "## A heading\n\nand a sentence after it. ",
)


class Refused(Exception):
    """The prompt ends with an error."""


class Ended(Exception):
    """The prompt ends with this stop reason."""


class Wire:
    """JSON lines on standard output and the replies that come back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_id = 0
        self._replies: dict[Any, queue.Queue[Json]] = {}

    def line(self, text: str) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):
            sys.stdout.buffer.write(text.encode() + b"\n")
            sys.stdout.buffer.flush()

    def send(self, **frame: Any) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", **frame}))

    def request(self, method: str, params: Json, request_id: Any = None) -> "queue.Queue[Json]":
        if request_id is None:
            self._next_id += 1
            request_id = self._next_id
        replies: queue.Queue[Json] = queue.Queue()
        self._replies[request_id] = replies
        self.send(id=request_id, method=method, params=params)
        return replies

    def replied(self, frame: Json) -> None:
        waiting = self._replies.get(frame.get("id"))
        if waiting is not None:
            waiting.put(frame)


class Prompt:
    """One prompt while it runs, in a thread of its own."""

    def __init__(
        self, wire: Wire, session: str, tools: ToolCaller | None, unanswered: list[Any]
    ) -> None:
        self.wire = wire
        self.unanswered = unanswered
        self.session = session
        self.tools = tools
        self.ticket = ""
        self.cancelled = threading.Event()
        self._afterwards: list[str] = []

    def run(self, request_id: Any, text: str) -> None:
        reason = "end_turn"
        try:
            for line in text.splitlines():
                if line.strip():
                    self._step(line.strip())
                if self.cancelled.is_set():
                    reason = "cancelled"
                    break
        except Ended as end:
            reason = str(end)
        except Refused as refused:
            self.wire.send(id=request_id, error={"code": -32603, "message": str(refused)})
            return
        self.wire.send(id=request_id, result={"stopReason": reason})
        for line in self._afterwards:
            self._step(line)

    def update(self, update: Json, session: str = "") -> None:
        params = {"sessionId": session or self.session, "update": update}
        self.wire.send(method="session/update", params=params)

    def chunk(self, text: str, kind: str = "agent_message_chunk") -> None:
        self.update({"sessionUpdate": kind, "content": {"type": "text", "text": text}})

    def _step(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        step = getattr(self, f"do_{word}", None)
        if step is None:
            self.chunk(f"You said: {line}")
        else:
            step(rest)

    def do_say(self, text: str) -> None:
        self.chunk(text.replace("\\n", "\n"))

    def do_think(self, text: str) -> None:
        self.chunk(text, "agent_thought_chunk")

    def do_update(self, text: str) -> None:
        self.update(json.loads(text))

    def do_tool(self, text: str) -> None:
        call_id, _, title = text.partition(" ")
        self.update(
            {
                "sessionUpdate": "tool_call",
                "toolCallId": call_id,
                "title": title,
                "kind": "execute",
                "status": "in_progress",
                "rawInput": {"command": title},
            }
        )

    def do_done(self, text: str) -> None:
        call_id, _, output = text.partition(" ")
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        self.update(
            {
                "sessionUpdate": "tool_call_update",
                "toolCallId": call_id,
                "status": "completed",
                "content": content,
            }
        )

    def _permission(self, text: str, call_id: str = "permission-1") -> Json:
        if text.startswith("{"):
            return {"sessionId": self.session, "options": _OPTIONS, **json.loads(text)}
        call = {"toolCallId": call_id, "title": text, "kind": "execute"}
        return {"sessionId": self.session, "toolCall": call, "options": _OPTIONS}

    def _say_outcome(self, reply: Json) -> None:
        outcome = reply.get("result", {}).get("outcome", {})
        self.chunk(f"permission: {outcome.get('optionId') or outcome.get('outcome')}")

    def do_permission(self, text: str) -> None:
        params = self._permission(text)
        self._say_outcome(self.wire.request("session/request_permission", params).get())

    def do_reuse(self, text: str) -> None:
        for _ in range(2):
            params = self._permission(text)
            replies = self.wire.request("session/request_permission", params, request_id=7)
            self._say_outcome(replies.get())

    def do_twice(self, text: str) -> None:
        open_requests = [
            self.wire.request("session/request_permission", self._permission(text, f"call-{n}"))
            for n in (1, 2)
        ]
        for replies in open_requests:
            self._say_outcome(replies.get())

    def do_foreign(self, text: str) -> None:
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        self.update(chunk, session="nobodys")
        params = {**self._permission(text), "sessionId": "nobodys"}
        self._say_outcome(self.wire.request("session/request_permission", params).get())

    def do_elicit(self, text: str) -> None:
        params = {"sessionId": self.session, "mode": "form", **json.loads(text)}
        result = self.wire.request("elicitation/create", params).get().get("result", {})
        self.chunk(f"elicitation: {result.get('action')} {json.dumps(result.get('content'))}")

    def do_ask(self, text: str) -> None:
        self._call("ask_user_question", json.loads(text), None)

    def do_give_up(self, text: str) -> None:
        seconds, _, arguments = text.partition(" ")
        self._call("ask_user_question", json.loads(arguments), float(seconds))

    def do_collect(self, _text: str) -> None:
        self._call("get_answer", {"ticket": self.ticket}, None)

    def do_call(self, text: str) -> None:
        tool, _, arguments = text.partition(" ")
        self._call(tool, json.loads(arguments or "{}"), None)

    def do_note(self, text: str) -> None:
        self._call("send_note", {"text": text}, None)

    def _call(self, tool: str, arguments: Json, patience: float | None) -> None:
        if self.tools is None:
            self.chunk("no tools were injected")
            return
        try:
            answer = self.tools.call(tool, arguments, self.cancelled, patience)
        except CallEnded as ended:
            self.chunk(f"answer: {ended}")
        else:
            self.ticket = answer.get("ticket", self.ticket)
            self.chunk(f"answer: {json.dumps(answer)}")

    def do_edit(self, text: str) -> None:
        path, _, new = text.partition(" ")
        old = Path(path).read_text() if Path(path).exists() else None
        Path(path).write_text(new)
        diff = {"type": "diff", "path": path, "oldText": old, "newText": new}
        self.update(
            {
                "sessionUpdate": "tool_call",
                "toolCallId": "edit-1",
                "title": f"Edit {path}",
                "kind": "edit",
                "status": "completed",
                "content": [diff],
                "locations": [{"path": path, "line": 1}],
            }
        )

    def do_burst(self, text: str) -> None:
        count, _, chunk = text.partition(" ")
        update = {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": chunk},
        }
        params = {"sessionId": self.session, "update": update}
        frame = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
        self.wire.line("\n".join([frame] * int(count)))

    def do_calls(self, count: str) -> None:
        begun = {"sessionUpdate": "tool_call", "kind": "execute", "status": "in_progress"}
        output = {"type": "content", "content": {"type": "text", "text": "12 passed"}}
        ended = {
            "sessionUpdate": "tool_call_update",
            "status": "completed",
            "content": [output],
        }
        frames = []
        for parts in (begun, ended):
            for number in range(int(count)):
                update: Json = {**parts, "toolCallId": f"call-{number}"}
                if parts is begun:
                    update["title"] = f"pytest -q tests/test_{number}.py"
                params = {"sessionId": self.session, "update": update}
                frame = {"jsonrpc": "2.0", "method": "session/update", "params": params}
                frames.append(json.dumps(frame))
        self.wire.line("\n".join(frames))

    def do_stream(self, text: str) -> None:
        count, seconds, chunk = text.split(" ", 2)
        for _ in range(int(count)):
            self.chunk(chunk)
            if self.cancelled.wait(float(seconds)):
                return

    def do_stamped(self, text: str) -> None:
        count, rate = (int(word) for word in text.split())
        began = time.monotonic()
        for number in range(count):
            pause = began + number / rate - time.monotonic()
            if self.cancelled.wait(max(0.0, pause)):
                return
            piece = _PIECES[number % len(_PIECES)]
            self.chunk(f"{piece}@{time.monotonic():.6f}@ ")

    def do_wait(self, _: str) -> None:
        self.cancelled.wait()

    def do_sleep(self, text: str) -> None:
        self.cancelled.wait(float(text))

    def do_until(self, path: str) -> None:
        while not Path(path).exists() and not self.cancelled.wait(0.01):
            pass

    def do_raw(self, text: str) -> None:
        self.wire.line(text)

    def do_bytes(self, text: str) -> None:
        self.chunk("x" * int(text))

    def do_request(self, text: str) -> None:
        method, _, params = text.partition(" ")
        reply = self.wire.request(method, json.loads(params or "{}")).get()
        self.chunk(f"reply: {json.dumps(reply.get('error') or reply.get('result'))}")

    def do_notify(self, text: str) -> None:
        method, _, params = text.partition(" ")
        self.wire.send(method=method, params=json.loads(params or "{}"))

    def do_stderr(self, text: str) -> None:
        _flood_stderr(int(text))

    def do_environment(self, name: str) -> None:
        found = os.environ.get(name)
        self.chunk(f"{name} unset" if found is None else f"{name}={found}")

    def do_pid(self, _: str) -> None:
        self.chunk(f"pid {os.getpid()}")

    def do_choose(self, _: str) -> None:
        while self.unanswered:
            self.wire.send(id=self.unanswered.pop(0), result={})

    def do_fail(self, text: str) -> None:
        raise Refused(text)

    def do_end(self, text: str) -> None:
        raise Ended(text)

    def do_after(self, step: str) -> None:
        self._afterwards.append(step)

    def do_half(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
        os._exit(0)

    def do_exit(self, code: str) -> None:
        os._exit(int(code))

    def do_orphan(self, seconds: str) -> None:
        _leave_orphan(float(seconds))
        os._exit(0)


class Agent:
    """Reads frames until the input ends."""

    def __init__(self, behaviour: Json) -> None:
        self._behaviour = behaviour
        self._ignore = set(behaviour.get("ignore", []))
        self._wire = Wire()
        self._tools: ToolCaller | None = None
        self._prompt: Prompt | None = None
        self._session = _SESSION
        self._unanswered: list[Any] = []

    def run(self) -> None:
        for line in sys.stdin.buffer:
            if self._behaviour.get("log"):
                with Path(self._behaviour["log"]).open("ab") as log:
                    log.write(line)
            frame = json.loads(line)
            if "method" in frame:
                self._received(frame["method"], frame.get("params") or {}, frame.get("id"))
            else:
                self._wire.replied(frame)

    def _received(self, method: str, params: Json, request_id: Any) -> None:
        if method.startswith("session/set_") and "choices" in self._ignore:
            self._unanswered.append(request_id)
            return
        handler = getattr(self, "on_" + method.replace("/", "_"), None)
        if handler is not None:
            handler(params, request_id)
        elif request_id is not None:
            self._wire.send(id=request_id, error={"code": -32601, "message": "Method not found"})

    def on_initialize(self, params: Json, request_id: Any) -> None:
        if self._behaviour.get("start") == "hang":
            return
        if self._behaviour.get("start") == "not_acp":
            self._wire.send(id=request_id, result="hello")
            return
        result = {
            "protocolVersion": 1,
            "agentInfo": {"name": "scripted", "version": "1.0"},
            "agentCapabilities": self._behaviour.get("capabilities", _CAPABILITIES),
            "authMethods": [{"id": "login", "name": "Log in", "description": "In a browser"}],
        }
        self._wire.send(id=request_id, result=result)

    def on_session_new(self, params: Json, request_id: Any) -> None:
        if self._behaviour.get("start") == "auth":
            error = {"code": -32000, "message": "Authentication required"}
            self._wire.send(id=request_id, error=error)
            return
        if self._behaviour.get("start") == "refuse":
            self._wire.send(id=request_id, error={"code": -32603, "message": "no model chosen"})
            return
        self._tools = ToolCaller.of(params.get("mcpServers") or [])
        result = {"sessionId": self._session, **self._behaviour.get("session", {})}
        self._wire.send(id=request_id, result=result)
        self._send_updates(self._behaviour.get("on_start", []))
        if "input" in self._ignore:
            os.close(0)
            time.sleep(600)

    def on_session_load(self, params: Json, request_id: Any) -> None:
        if self._behaviour.get("load") == "refuse":
            error = {"code": -32002, "message": "No previous sessions found"}
            self._wire.send(id=request_id, error=error)
            return
        self._session = params["sessionId"]
        self._tools = ToolCaller.of(params.get("mcpServers") or [])
        self._send_updates(self._behaviour.get("replay", []))
        self._wire.send(id=request_id, result=self._behaviour.get("session") or {})
        if self._behaviour.get("load") == "late":
            self._send_updates(self._behaviour.get("replay", []))

    def _send_updates(self, updates: list[Json]) -> None:
        for update in updates:
            params = {"sessionId": self._session, "update": update}
            self._wire.send(method="session/update", params=params)

    def on_session_prompt(self, params: Json, request_id: Any) -> None:
        text = "".join(block.get("text", "") for block in params["prompt"])
        self._prompt = Prompt(self._wire, params["sessionId"], self._tools, self._unanswered)
        work = threading.Thread(target=self._prompt.run, args=(request_id, text), daemon=True)
        work.start()

    def on_session_cancel(self, params: Json, request_id: Any) -> None:
        if self._prompt is not None and "cancel" not in self._ignore:
            self._prompt.cancelled.set()

    def on_session_set_mode(self, params: Json, request_id: Any) -> None:
        if params["modeId"] == "refused":
            self._wire.send(id=request_id, error={"code": -32602, "message": "no such mode"})
            return
        self._wire.send(id=request_id, result={})
        mode = params["modeId"]
        self._send_updates([{"sessionUpdate": "current_mode_update", "currentModeId": mode}])

    def on_session_set_model(self, params: Json, request_id: Any) -> None:
        self._wire.send(id=request_id, result={})

    def on_session_set_config_option(self, params: Json, request_id: Any) -> None:
        options = json.loads(json.dumps(self._behaviour.get("session", {}).get("configOptions")))
        for option in options or []:
            if option["id"] == params["configId"]:
                option["currentValue"] = params["value"]
        self._wire.send(id=request_id, result={"configOptions": options or []})


def _flood_stderr(count: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(("x" * 99 + "\n") * (count // 100) + "the last line\n")
        sys.stderr.flush()


def _leave_orphan(seconds: float) -> None:
    """A child that goes on writing where its parent wrote."""
    script = (
        "import sys, time\n"
        f"end = time.monotonic() + {seconds}\n"
        "while time.monotonic() < end:\n"
        '    print(\'{"jsonrpc": "2.0"\', flush=True)\n'
        "    time.sleep(0.05)\n"
    )
    subprocess.Popen([sys.executable, "-c", script])


def main() -> None:
    """Run to the end of the input."""
    behaviour: Json = json.loads(os.environ.get("SCRIPTED_AGENT") or "{}")
    start = behaviour.get("start")
    if "term" in behaviour.get("ignore", []):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "stderr" in behaviour:
        _flood_stderr(behaviour["stderr"])
    if start == "exit":
        sys.stderr.write("cannot start: no configuration\n")
        sys.exit(3)
    if start == "noise":
        sys.stdout.write('Welcome!\n[1, 2]\n"text"\n{"broken\n\xff\n{}\n')
        sys.stdout.flush()
    if start == "orphan":
        _leave_orphan(600)
    Agent(behaviour).run()
    while "eof" in behaviour.get("ignore", []):
        time.sleep(1)


if __name__ == "__main__":
    main()
