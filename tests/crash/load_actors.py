"""Agents and humans of a load run; what they have seen is in the journal, whatever dies."""

import asyncio
import contextlib
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.crash.journal import Journal
from tests.helpers.door_client import Stream, modern_call
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.program import RunningDesk

Answers = dict[str, Any]
TICKET = "dev.kandesk/ticket"
HUMAN_PAUSE = 0.01
PAUSE = 0.05


class Gone(Exception):
    """The connection broke; what it was about is unknown."""


@dataclass
class Load:
    """Where the desk is now, and whether new questions are still asked."""

    journal: Journal
    order: random.Random
    desk: RunningDesk | None = None
    asking: bool = True
    work: int = 0
    """Answers that were given, told or collected so far."""
    open_asks: set[str] = field(default_factory=set)
    _names: int = 0

    def new_prompt(self, who: str) -> str:
        self._names += 1
        prompt = f"{who} {self._names}?"
        self.journal.write(who, "asked", prompt=prompt)
        self.open_asks.add(prompt)
        return prompt

    def got(self, who: str, prompt: str, result: Answers) -> None:
        """The agent has its result, and uses it."""
        self.work += 1
        self.journal.write(who, "got", prompt=prompt, status=result["status"], text=_text(result))
        self.open_asks.discard(prompt)

    async def running(self) -> RunningDesk:
        while self.desk is None:
            await asyncio.sleep(HUMAN_PAUSE)
        return self.desk

    def web(self, desk: RunningDesk, *, agent: bool = False) -> httpx2.AsyncClient:
        token = desk.agent_token if agent else desk.token
        headers = {"Authorization": f"Bearer {token}"}
        # Without certificates to read: a client a call is cheap then.
        return httpx2.AsyncClient(base_url=desk.api, headers=headers, timeout=45, verify=False)


def _text(result: Answers) -> str:
    return "".join(
        str(answer.get("custom_text") or "") for answer in (result.get("answers") or {}).values()
    )


def asked(prompt: str) -> Answers:
    return {"questions": [question(prompt, "yes", "no")]}


async def keyed_agent(load: Load, number: int) -> None:
    """As the shim does: the same key again, or the ticket, until there is a result."""
    who = f"keyed-{number}"
    while load.asking:
        prompt = load.new_prompt(who)
        key, ticket = f"{who}:{prompt}", ""
        while prompt in load.open_asks:
            desk = await load.running()
            try:
                ticket = await _keyed_call(load, desk, who, key, prompt, ticket)
            except (httpx2.HTTPError, OSError, Gone, TimeoutError):
                load.journal.write(who, "cut", prompt=prompt)
                await asyncio.sleep(PAUSE)


async def _keyed_call(
    load: Load, desk: RunningDesk, who: str, key: str, prompt: str, ticket: str
) -> str:
    """One call to its end, or to where only its ticket is left."""
    redeems = bool(ticket) and load.order.random() < 0.5
    tool = "get_answer" if redeems else "ask_user_question"
    arguments = {"ticket": ticket} if redeems else asked(prompt)
    body, headers = modern_call(tool, arguments, progress="p", name=who)
    shim = {"X-Kandesk-Shim": who, "X-Kandesk-Client": f"{who}/1", "Idempotency-Key": key}
    accept = {"Accept": "application/json, text/event-stream"}
    async with load.web(desk, agent=True) as http:
        sent = headers | shim | accept
        async with http.stream("POST", "/mcp", json=body, headers=sent) as response:
            if response.status_code != 200:
                raise Gone
            stream = Stream(response)
            while (message := await _next(response, stream)) is not None:
                if "result" in message:
                    result = message["result"]
                    if result.get("isError") or result["structuredContent"]["status"] == "waiting":
                        raise Gone
                    load.got(who, prompt, result["structuredContent"])
                    return ticket
                meta = (message.get("params") or {}).get("_meta") or {}
                ticket = str(meta.get(TICKET) or ticket)
    raise Gone


async def _next(response: httpx2.Response, stream: Stream) -> Answers | None:
    if "json" in response.headers.get("content-type", ""):
        return dict(json.loads(await response.aread()))
    return await stream.next(45)


async def asking_again_agent(load: Load, number: int) -> None:
    """Over stateful HTTP without a key: after a cut it simply asks again in a new session."""
    who = f"again-{number}"
    while load.asking:
        prompt = load.new_prompt(who)
        while prompt in load.open_asks:
            desk = await load.running()
            try:
                async with http_client(desk.mcp, desk.agent_token, name=who) as client:
                    result = await ask(client, asked(prompt))
            except (Exception, BaseExceptionGroup):
                if is_ending():
                    raise
                load.journal.write(who, "cut", prompt=prompt)
                await asyncio.sleep(PAUSE)
            else:
                load.got(who, prompt, result)


def is_ending() -> bool:
    """Whether this task was cancelled; the SDK wraps that together with its own errors."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def shim_agent(load: Load, client: Any) -> None:
    """One `kandesk mcp` that outlives every desk; its calls just take longer.

    A call that finds no desk, or one whose store is away, is told so, and asks again; one that
    its client would not wait for any longer brings a ticket.
    """
    while load.asking:
        prompt = load.new_prompt("shim")
        tool, arguments = "ask_user_question", asked(prompt)
        while prompt in load.open_asks:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                load.journal.write("shim", "cut", prompt=prompt)
                await asyncio.sleep(PAUSE)
            elif result.structured_content["status"] == "waiting":
                ticket = result.structured_content["ticket"]
                tool, arguments = "get_answer", {"ticket": ticket}
                load.journal.write("shim", "got a ticket", prompt=prompt)
            else:
                load.got("shim", prompt, dict(result.structured_content))


async def hosted_agent(load: Load, session: str, *, waits: bool) -> None:
    """Asks in its session; waits for the answer, or gets it as a prompt."""
    pending, prompt = "", ""
    while load.asking or pending:
        desk = await load.running()
        with contextlib.suppress(httpx2.HTTPError, OSError, Gone):
            async with load.web(desk) as http:
                if not pending:
                    prompt = f"{load.new_prompt(session)}"
                    load.open_asks.discard(prompt)
                    body = {"session_id": session, **hosted_question(prompt)}
                    reply = await http.post("/api/v1/clarification/request", json=body)
                    pending = str(reply.json()["pending_id"]) if reply.status_code == 200 else ""
                    if pending and waits:
                        await _hosted_wait(load, http, session, pending)
                elif not await _is_open(http, pending):
                    pending = ""
        await asyncio.sleep(PAUSE)


async def _is_open(http: httpx2.AsyncClient, pending: str) -> bool:
    reply = await http.get(f"/api/v1/clarification/{pending}")
    if reply.status_code != 200:
        raise Gone
    return bool(reply.json()["active"])


def hosted_question(prompt: str) -> Answers:
    options = [{"option_id": f"q_opt{n}", "label": label} for n, label in enumerate(("yes", "no"))]
    return {"questions": [{"id": "q", "prompt": prompt, "options": options}]}


async def _hosted_wait(load: Load, http: httpx2.AsyncClient, who: str, pending: str) -> None:
    """One call; a desk that dies ends it for good, as it ends its agents."""
    load.journal.write(who, "waits", pending=pending)
    try:
        reply = await http.get(f"/api/v1/clarification/{pending}/wait", timeout=None)
    except (httpx2.HTTPError, OSError):
        load.journal.write(who, "cut", pending=pending)
        raise
    body = reply.json()
    if reply.status_code == 200:
        text = "".join(str(answer.get("custom_text") or "") for answer in body["answers"])
        load.journal.write(who, "returned", pending=pending, text=text, rejected=body["rejected"])


async def human(load: Load, number: int) -> None:
    """Answers, skips or withdraws whatever is open, with words that name the question."""
    who = f"human-{number}"
    given = 0
    while True:
        desk = await load.running()
        with contextlib.suppress(httpx2.HTTPError, OSError):
            async with load.web(desk) as http:
                reply = await http.get("/api/v1/clarification-inbox")
                found = reply.json()["bundles"] if reply.status_code == 200 else []
                for bundle in load.order.sample(found, min(3, len(found))):
                    given += 1
                    await _act(load, http, f"{who}/{given}", bundle)
        await asyncio.sleep(HUMAN_PAUSE)


async def _act(load: Load, http: httpx2.AsyncClient, name: str, bundle: Answers) -> None:
    chance = load.order.random()
    act: Callable[..., Awaitable[None]] = _answer
    if chance < 0.1 and load.asking:
        act = _withdraw
    elif chance > 0.8:
        act = _answer_over_mcp
    await act(load, http, name, bundle)


async def _withdraw(load: Load, http: httpx2.AsyncClient, name: str, bundle: Answers) -> None:
    del name
    pending = bundle["pending_id"]
    reply = await http.post(f"/api/v1/clarification/{pending}/cancel")
    load.journal.write("human", "withdrew", pending=pending, code=reply.status_code)


def _response(load: Load, name: str, bundle: Answers) -> Answers:
    (found,) = bundle["questions"]
    text = f"answer to {found['prompt']} by {name}"
    if load.order.random() < 0.15:
        return {"rejected": True, "reject_reason": text}
    option = load.order.choice(found["options"])["option_id"]
    answer = {
        "question_id": found["question_id"],
        "selected_options": [option],
        "custom_text": text,
    }
    return {"answers": [answer]}


async def _answer(load: Load, http: httpx2.AsyncClient, name: str, bundle: Answers) -> None:
    pending = bundle["pending_id"]
    body = {**_response(load, name, bundle), "client_id": name, "claim_id": f"claim {name}"}
    load.work += 1
    load.journal.write("human", "gave", pending=pending, name=name)
    reply = await http.post(f"/api/v1/clarification/{pending}/respond", json=body)
    if reply.status_code == 200:
        _told(load, pending, reply.json())


async def _answer_over_mcp(
    load: Load, http: httpx2.AsyncClient, name: str, bundle: Answers
) -> None:
    pending = bundle["pending_id"]
    arguments = {"pending_id": pending, **_response(load, name, bundle)}
    body, headers = modern_call("answer_question", arguments, name=name)
    accept = {"Accept": "application/json, text/event-stream"}
    load.work += 1
    load.journal.write("human", "gave", pending=pending, name=name)
    reply = await http.post("/mcp/operator", json=body, headers=headers | accept)
    if reply.status_code != 200 or "json" not in reply.headers.get("content-type", ""):
        return
    result = reply.json().get("result") or {}
    if result and not result.get("isError"):
        _told(load, pending, result["structuredContent"])


def _told(load: Load, pending: str, body: Answers) -> None:
    load.work += 1
    response = body["response"]
    texts = [str(answer.get("custom_text") or "") for answer in response["answers"]]
    load.journal.write(
        "human",
        "told",
        pending=pending,
        status=body["status"],
        delivery=body["delivery"],
        text="".join(texts),
    )
