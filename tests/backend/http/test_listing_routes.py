"""The Inbox, its history and the uncollected, over HTTP and MCP (K3.5, K4.5; K8.4 L, D, T, S)."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.clock import SystemClock
from tests.helpers.builders import make_guest
from tests.helpers.clock import FakeClock
from tests.helpers.http_desk import BASE, INBOX, HttpDesk
from tests.helpers.place import raw
from tests.helpers.store import RowMaker, add_unrelated_history, ask

KEYS = {
    "pending_id",
    "task_id",
    "session_id",
    "session_state",
    "task_title",
    "agent",
    "workspace",
    "created_at",
    "age_seconds",
    "context",
    "questions",
    "status",
    "active",
    "detached",
    "delivery",
    "reject_reason",
}
MOMENT = "2026-01-01T00:00:00.000000000Z"
CLOSED_KEYS = {"kind", "reason", "asking_turn_id", "superseding_turn_id", "responded_at"}


def nulls(value: object) -> bool:
    """Whether anything in a body is null, at any depth."""
    if isinstance(value, dict):
        return any(nulls(inner) for inner in value.values())
    if isinstance(value, list):
        return any(nulls(inner) for inner in value)
    return value is None


async def test_a_page_has_every_key_and_no_null(desk: HttpDesk, clock: FakeClock) -> None:
    """K3.5; K8.4 L3, L4, L4a, L11, L11a, T2."""
    asked = await ask(desk.inner.database, clock)
    page = await desk.get(INBOX)
    assert set(page) == {"bundles", "count", "total", "next_cursor", "permissions_waiting"}
    assert (page["count"], page["total"], page["next_cursor"]) == (1, 1, "")
    (bundle,) = page["bundles"]
    assert set(bundle) == KEYS
    assert not nulls(page)
    assert (bundle["pending_id"], bundle["workspace"]) == (asked.pending_id, "/projects/alpha")
    assert (bundle["agent"], bundle["session_state"]) == ("test-client", "WAITING_FOR_INPUT")
    assert await desk.get(f"{BASE}/{asked.pending_id}") == bundle


async def test_an_empty_desk_has_an_empty_list(desk: HttpDesk) -> None:
    """K8.4 L4."""
    empty = {"bundles": [], "count": 0, "total": 0, "next_cursor": ""}
    assert await desk.get(INBOX) == {**empty, "permissions_waiting": 0}
    for address in (f"{INBOX}/history", "/api/v1/clarification-uncollected"):
        assert await desk.get(address) == empty


async def test_pages_follow_each_other_by_their_cursor(desk: HttpDesk, rows: RowMaker) -> None:
    """K8.4 L9, L10."""
    for number in range(5):
        rows.question(f"p{number}")
    seen: list[str] = []
    cursor = ""
    while True:
        page = await desk.get(f"{INBOX}?limit=2&cursor={cursor}")
        seen += [bundle["pending_id"] for bundle in page["bundles"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert seen == [f"p{number}" for number in range(5)]
    past = await desk.get(f"{INBOX}?limit=200&cursor={(await desk.get(INBOX))['next_cursor']}")
    assert past["count"] == 5


async def test_a_page_is_as_long_as_asked_within_bounds(
    desk: HttpDesk, rows: RowMaker, path: Path
) -> None:
    """K4.5: absent 50, more than 200 clamps."""
    add_unrelated_history(path, pending=0, others=0)
    with raw(path) as connection:
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at)"
            " VALUES (?, 'other', 'other-turn', '', 'clarification_request', ?, ?, ?)",
            [
                (f"m{n}", json.dumps({"pending_id": f"p{n}", "question_id": "q1"}), MOMENT, MOMENT)
                for n in range(205)
            ],
        )
    huge = "9" * 5_000
    for limit, count in (
        ("", 50),
        ("?limit=1", 1),
        ("?limit=200", 200),
        ("?limit=201", 200),
        (f"?limit={huge}", 200),
        ("?limit=050", 50),
    ):
        page = await desk.get(f"{INBOX}{limit}")
        assert (page["count"], page["total"]) == (count, 205)


@pytest.mark.parametrize("place", ["clarification-inbox", "clarification-inbox/history"])
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=1.5", "limit"),
        ("limit=", "limit"),
        ("limit=%D9%A3", "limit"),
        ("limit=1&limit=2", "limit"),
        ("cursor=nonsense", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=%F0%9F%94%92", "cursor"),
        ("created_since=yesterday", "created_since"),
        ("created_since=2026-13-01T00:00:00Z", "created_since"),
        ("workspace_id=a%00b", "workspace_id"),
    ],
)
async def test_a_query_that_makes_no_sense_names_its_parameter(
    desk: HttpDesk, place: str, query: str, field: str
) -> None:
    """K4.5; K8.4 L13."""
    reply = await desk.http.get(f"/api/v1/{place}?{query}")
    assert (reply.status_code, reply.json()["field"]) == (400, field)


async def test_filters_narrow_and_an_empty_one_is_none(desk: HttpDesk, clock: FakeClock) -> None:
    """K8.4 L7, L7a, L8, L14."""
    await ask(desk.inner.database, clock, guest=make_guest("k1", folder="/a b"))
    second = await ask(desk.inner.database, clock, guest=make_guest("k2", folder="/ü"))
    assert (await desk.get(f"{INBOX}?workspace_id=&created_since=&cursor="))["count"] == 2
    (found,) = (await desk.get(f"{INBOX}?workspace_id=%2F%C3%BC"))["bundles"]
    assert found["pending_id"] == second.pending_id
    since = found["created_at"]
    page = await desk.get(f"{INBOX}?workspace_id=/%C3%BC&created_since={since}&limit=1")
    assert page["count"] == 1
    assert (await desk.get(f"{INBOX}?workspace_id=/a b&created_since={since}"))["count"] == 0


async def test_the_history_tells_how_each_bundle_ended(
    desk: HttpDesk, rows: RowMaker, clock: FakeClock
) -> None:
    """K4.5: kind, reason, delivery, turns, times; L1 and L2: never in the Inbox as well."""
    rows.question("superseded")
    rows.turn("turn2")
    rows.question("withdrawn", turn="turn2")
    asked = await ask(desk.inner.database, clock)
    answer = {"answers": [{"question_id": "q1", "custom_text": "so"}]}
    told = (await desk.respond(asked.pending_id, answer)).json()
    await desk.http.post(f"{BASE}/withdrawn/cancel")
    page = await desk.get(f"{INBOX}/history")
    assert (page["count"], page["total"]) == (3, 3)
    assert not nulls(page)
    found: dict[str, Any] = {bundle["pending_id"]: bundle for bundle in page["bundles"]}
    assert list(found) == [asked.pending_id, "withdrawn", "superseded"]
    assert all(set(bundle) == KEYS | CLOSED_KEYS for bundle in found.values())
    assert all(bundle["kind"] == "clarification" for bundle in found.values())
    answered = found[asked.pending_id]
    assert (answered["status"], answered["delivery"]) == ("answered", "waiting_for_agent")
    assert answered["responded_at"] == told["response"]["responded_at"]
    assert (found["withdrawn"]["status"], found["withdrawn"]["reason"]) == (
        "cancelled",
        "by_human",
    )
    superseded = found["superseded"]
    assert (superseded["reason"], superseded["active"]) == ("superseded", False)
    assert (superseded["asking_turn_id"], superseded["superseding_turn_id"]) == ("turn1", "turn2")
    assert superseded["responded_at"] == ""
    assert (await desk.get(INBOX))["count"] == 0
    (uncollected,) = (await desk.get("/api/v1/clarification-uncollected"))["bundles"]
    assert (uncollected["pending_id"], uncollected["agent"]) == (asked.pending_id, "test-client")


async def test_a_row_of_another_kind_of_mind_is_shown_and_sent(
    desk: HttpDesk, rows: RowMaker, path: Path
) -> None:
    """issue, Bad input: half characters of others go out as U+FFFD, on every page."""
    rows.question("p1")
    with raw(path) as connection:
        (metadata,) = connection.execute("SELECT metadata FROM task_session_messages").fetchone()
        broken = {**json.loads(metadata), "context": "a\ud800b\0", "question": {"prompt": "\udfff"}}
        connection.execute("UPDATE task_session_messages SET metadata = ?", (json.dumps(broken),))
    (bundle,) = (await desk.get(INBOX))["bundles"]
    assert bundle["context"] == "a\ufffdb\ufffd"
    assert bundle["questions"][0]["prompt"] == "\ufffd"
    assert (await desk.get(f"{BASE}/p1"))["context"] == bundle["context"]


async def test_a_listing_that_cannot_be_counted_fails_whole(desk: HttpDesk, path: Path) -> None:
    """K4.5: never a stale badge."""
    with raw(path) as connection:
        connection.execute("ALTER TABLE tasks RENAME TO elsewhere")
    reply = await desk.http.get(f"{INBOX}?workspace_id=w")
    assert reply.status_code >= 500
    assert "bundles" not in reply.json()


class TestOperators:
    """The same pages for operators' tools, on the machine's clock."""

    @pytest.fixture
    def clock(self) -> Any:
        return SystemClock()

    async def test_they_list_what_http_lists(self, desk: HttpDesk, rows: RowMaker) -> None:
        """K3.5; K8.4 L5, L6, L9, L10, T1, S1-S4: only at the operators' endpoint."""
        for number in range(3):
            rows.question(f"p{number}")
        async with desk.operator() as operator:
            first = await operator.call_tool("list_pending_questions", {"limit": 2})
            cursor = first.structured_content["next_cursor"]
            second = await operator.call_tool(
                "list_pending_questions", {"limit": 2, "cursor": cursor}
            )
            wrong = await operator.call_tool("list_pending_questions", {"cursor": "?"})
            names = {tool.name for tool in (await operator.list_tools()).tools}
        http = await desk.get(INBOX)
        told = [
            {**bundle, "age_seconds": 0}
            for result in (first, second)
            for bundle in result.structured_content["bundles"]
        ]
        assert told == [{**bundle, "age_seconds": 0} for bundle in http["bundles"]]
        assert first.structured_content["total"] == 3
        assert second.structured_content["next_cursor"] == ""
        assert wrong.is_error
        assert names == {"list_pending_questions", "answer_question"}
