"""What a store, a server and an agent say after a desk was killed, held against each other."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from backend.errors import Conflict, NotFound
from backend.review.gateway.results import ReplyKind
from backend.store import reviews
from tests.crash.gateway_play import TOOL, Job, desk, effects, rests
from tests.helpers.gateway_case import GatewayCase, S
from tests.helpers.waiting import until

UNKNOWN = "tool_execution_outcome_unknown"
MAY_HAVE_RUN = frozenset({"executed", "failed", "succeeded"})
ASKED_ANEW = frozenset({"expired", "cancelled"})
TOLD = {
    "denied": {ReplyKind.DENIED},
    "rejected": {ReplyKind.DECLINED},
    "executed": {ReplyKind.RAN},
    "succeeded": {ReplyKind.RAN},
}
SHOWN = {"rejected": "declined"}


@dataclass
class Account:
    """`problems` are sentences; none is right."""

    job: Job
    case: GatewayCase
    problems: list[str] = field(default_factory=list)

    def check(self, right: object, problem: str) -> None:
        if not right:
            self.problems.append(problem)

    def calls(self, label: str) -> list[dict[str, Any]]:
        """The attempts with this label, each with its request, oldest first."""
        requests = {row["invocation_id"]: row for row in self.case.table("tool_action_requests")}
        found = []
        for call in self.case.table("tool_invocations"):
            request, key = requests.get(call["id"]), call["idempotency_key"]
            if request is not None:
                mine = f'"label":"{label}"' in str(request["signed_arguments"])
            else:
                mine = key == f"call:{label}" or (key is None and label == "a")
            if mine:
                found.append({"call": call, "request": request})
        return found

    def done(self, label: str) -> int:
        return effects(self.job, label, "done")


def status_of(found: dict[str, Any]) -> str:
    """Of the request where there is one, else of the call."""
    row = found["request"] or found["call"]
    return str(row["status"])


async def account(job: Job, *, fails: bool) -> list[str]:
    """Start the desk again, let the agent call again, and tell what is wrong."""
    async with desk(job) as case:
        books = Account(job, case)
        await until(lambda: rests(case))
        await _orphan_has_ended(job)
        for label in ("a", "b"):
            _check_ends(books, label)
        _check_cards(books)
        _check_words(books)
        await _call_again(books, fails=fails)
    return books.problems


async def _orphan_has_ended(job: Job) -> None:
    """A server outlives its desk by the call it is in."""
    begun = [label for label in ("a", "b") if effects(job, label, "begun")]
    if begun and not effects(job, begun[-1], "done"):
        await asyncio.sleep(0.2)


def _check_ends(books: Account, label: str) -> None:
    done = books.done(label)
    books.check(done <= 1, f"{label} has run {done} times")
    for found in books.calls(label):
        status, code = status_of(found), str(found["call"]["error_code"])
        ended = found["call"]["completed_at"] is not None
        books.check(ended or status == "pending", f"{label} is {status} and has not ended")
        if status == "executed" or found["call"]["status"] == "succeeded":
            books.check(done == 1, f"{label} is told as done and was not")
    if done:
        latest = books.calls(label)[-1:]
        status = status_of(latest[0]) if latest else "nothing"
        books.check(status in MAY_HAVE_RUN, f"{label} has run and is {status}")
        code = str(latest[0]["call"]["error_code"]) if latest else ""
        books.check(code in {"", UNKNOWN}, f"{label} has run and is told as {code}")


def _check_cards(books: Account) -> None:
    cards = {
        row["id"]: json.loads(row["metadata"]) for row in books.case.table("task_session_messages")
    }
    codes = {row["id"]: row["error_code"] for row in books.case.table("tool_invocations")}
    for request in books.case.table("tool_action_requests"):
        status, card = str(request["status"]), cards[request["interaction_id"]]
        wanted = SHOWN.get(status, status)
        if status == "failed" and codes[request["invocation_id"]] == UNKNOWN:
            wanted = "outcome_unknown"
        shown = card["kandesk"].get("review_status", "pending")
        books.check(shown == wanted, f"a card shows {shown} of what is {wanted}")


def _check_words(books: Account) -> None:
    """What somebody was told before the desk died is still so."""
    statuses = [str(row["status"]) for row in books.case.table("tool_action_requests")]
    for word in books.job.journal.read("human", "told"):
        kept = word["status"] == "declined" and "rejected" in statuses
        kept = kept or (word["status"] == "approved" and {*statuses} & {"executed", "failed"})
        books.check(kept, f"a human was told {word['status']}, and it is {statuses}")
    for word in books.job.journal.read("agent", "told"):
        if word["reply"] == "ran":
            begun = effects(books.job, "a", "begun") + effects(books.job, "b", "begun")
            books.check(begun, "an agent was told that it ran, and it did not")


async def _call_again(books: Account, *, fails: bool) -> None:
    """The same call comes again, and is told the truth; nothing of it runs a second time."""
    more: dict[str, object] = {"fails": True} if fails else {}
    before = books.calls("a")
    begun = effects(books.job, "a", "begun")
    try:
        opened = await books.case.open(TOOL, "call:a", label="a", **more)
    except NotFound:
        books.check(not await _enabled(books.case), "the tool is gone, and nobody has removed it")
        gone = not await books.case.gateway.api.list_servers()
        left = [status_of(found) for found in before]
        books.check(not (gone and "pending" in left), "what nobody can do waits for its human")
        return
    status = status_of(before[-1]) if before else "nothing"
    collected = bool(before) and before[-1]["call"]["collected_at"] is not None
    fresh = opened.review_id is not None and not opened.replayed
    if status == "pending":
        books.check(opened.review_id == before[-1]["request"]["id"], "a second card for one call")
    elif status in ASKED_ANEW or (status == "failed" and collected):
        books.check(fresh, f"after {status} it is not asked anew")
    elif status != "nothing":
        reply = (await asyncio.wait_for(books.case.gateway.calls.reply(opened), 20)).kind
        code = str(before[-1]["call"]["error_code"])
        books.check(reply in _words(status, code), f"{status} is told as {reply.value}")
    if status != "nothing":
        again = effects(books.job, "a", "begun")
        books.check(again == begun, "it was begun again because it was called again")
    if fresh or status == "pending":
        await _approve(books, opened)
    books.check(books.done("a") <= 1 + _runs_before(before), "it has run twice")


def _words(status: str, code: str) -> set[ReplyKind]:
    """A tool that failed has said so, and its words are handed on where they are still there."""
    if code == UNKNOWN:
        return {ReplyKind.UNKNOWN}
    return TOLD.get(status, {ReplyKind.FAILED, ReplyKind.RAN})


def _runs_before(before: list[dict[str, Any]]) -> int:
    """A human who approves it anew after an unknown outcome lets it run once more, knowingly."""
    return int(any(status_of(found) in {"failed", "executed"} for found in before))


async def _approve(books: Account, opened: Any) -> None:
    """A request that waits still works, once: nobody is left with a card that does nothing."""
    begun = effects(books.job, "a", "begun")
    async with books.case.parts.database.reading() as tx:
        closed = await reviews.is_closed(tx, S)
    if closed:
        with pytest.raises(Conflict):
            await books.case.decide(opened)
        books.check(effects(books.job, "a", "begun") == begun, "it ran after its session ended")
        return
    await books.case.decide(opened)
    await until(lambda: rests(books.case))
    after = effects(books.job, "a", "begun")
    wanted = int(await _enabled(books.case))
    books.check(after - begun == wanted, "a card that was approved has not run once")


async def _enabled(case: GatewayCase) -> bool:
    servers = await case.gateway.api.list_servers()
    return [each.settings.enabled for each in servers] == [True]
