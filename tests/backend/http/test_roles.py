"""Who may ask for what: one human, so the roles are the desk's token and the agents' (K4.3).

K8.4 A1-A9 with one user: everybody with the desk's token is "unscoped" (A4, A8), and an agent is
refused before anybody looks at an id.
"""

from collections.abc import Iterable

import httpx2
import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.door_client import TOKENS, connection
from tests.helpers.http_desk import BASE, HttpDesk
from tests.helpers.store import RowMaker, ask

REFUSED = b'{"error": "this token may not do that"}'
UNKNOWN = ("nope", "x" * 10_240, "%00", "a%00b", "%ed%a0%80", "'; DROP TABLE tasks; --", '"', "%22")
NO_ROUTE = ("", "a%2Fb", "..%2f..%2fdesk", "..", "%2e%2e", "p1/", "p1/nothing", "p1//wait")


def comparable(reply: httpx2.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    return reply.status_code, reply.content, sorted(reply.headers.items())


async def every_route(http: httpx2.AsyncClient, pending_id: str) -> list[httpx2.Response]:
    base = f"{BASE}/{pending_id}"
    return [
        await http.get(base),
        await http.get(f"{base}/wait"),
        await http.post(f"{base}/respond", json={"rejected": True}),
        await http.post(f"{base}/cancel"),
    ]


def one(replies: Iterable[httpx2.Response]) -> tuple[int, bytes, list[tuple[str, str]]]:
    """The reply all of them are."""
    found = {str(comparable(reply)): comparable(reply) for reply in replies}
    (only,) = found.values()
    return only


async def test_an_unknown_id_is_the_same_on_every_route(desk: HttpDesk) -> None:
    """K8.4 A1-A3, A5; K8.6, 33, 34: no route tells more than another."""
    replies = [reply for name in UNKNOWN for reply in await every_route(desk.http, name)]
    status, body, _ = one(replies)
    assert (status, body) == (404, b'{"error":"clarification request not found"}')


@pytest.mark.parametrize("name", NO_ROUTE)
async def test_an_id_that_no_route_takes_is_an_unknown_id(desk: HttpDesk, name: str) -> None:
    """issue, Bad input: percent-encoded slashes, dots, and no id at all."""
    port = int(desk.server.address.rsplit(":", 1)[1])
    answers = []
    for tried in (name, "nope"):
        head = (
            f"GET {BASE}/{tried} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {TOKENS.desk}\r\nConnection: close\r\n\r\n"
        )
        async with connection(port) as (reader, writer):
            writer.write(head.encode())
            answers.append(await reader.read())
    assert answers[0] == answers[1]
    assert answers[0].startswith(b"HTTP/1.1 404")


async def test_what_shares_the_message_type_only_is_an_unknown_id(
    desk: HttpDesk, rows: RowMaker
) -> None:
    """K5.1: a parent question; a request of another kind."""
    rows.question("parent", parent_question=True)
    rows.question("permission", kind="permission_request")
    unknown = await every_route(desk.http, "nope")
    found = [*await every_route(desk.http, "parent"), *await every_route(desk.http, "permission")]
    assert one(found) == one(unknown)


async def test_an_agent_is_refused_before_any_id_is_looked_at(
    desk: HttpDesk, clock: FakeClock
) -> None:
    """K8.4 A5, A7; K8.6, 34, 35: the same for known, unknown and impossible ids."""
    asked = await ask(desk.inner.database, clock)
    replies = [
        reply
        for name in (asked.pending_id, "nope", "%00", "", "a%2Fb")
        for reply in await every_route(desk.agent, name)
    ]
    more = [
        await desk.agent.get("/api/v1/clarification-inbox"),
        await desk.agent.get("/api/v1/clarification-inbox/history"),
        await desk.agent.get("/api/v1/clarification-uncollected"),
        await desk.agent.get("/api/v1/openapi.json"),
        await desk.agent.get("/api/v1/desk"),
        await desk.agent.get("/debug/vars"),
        await desk.agent.get("/nowhere"),
        await desk.agent.post(f"{BASE}/request", json={"session_id": asked.session_id}),
        await desk.agent.post("/mcp/operator", json={}),
    ]
    status, body, _ = one([*replies, *more])
    assert (status, body) == (403, REFUSED)
    assert (await desk.inner.desk.get_bundle(asked.pending_id)).answerable


async def test_whoever_holds_the_desks_token_reaches_every_session(
    desk: HttpDesk, rows: RowMaker, clock: FakeClock
) -> None:
    """K8.4 A4, A8; K8.6, 37: one user, so nothing is foreign; the task is the rows' own (35)."""
    guest = await ask(desk.inner.database, clock)
    rows.question("hosted")
    for name, task in ((guest.pending_id, guest.task_id), ("hosted", "task-s1")):
        found = await desk.get(f"{BASE}/{name}")
        assert (found["pending_id"], found["task_id"]) == (name, task)
        assert (await desk.http.post(f"{BASE}/{name}/cancel")).status_code == 200
