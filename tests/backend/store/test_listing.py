"""Pages of open and of closed bundles (K3.5, K4.5; K8.4 L and D; K8.6 73)."""

import contextlib
import json
from typing import Any

import psycopg
import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import Withdrawn
from backend.domain.listing import BundlePage, PageQuery
from backend.ids import PendingId
from backend.store import listing, withdrawals
from backend.store.database import Database
from backend.store.dialect import json_text
from tests.helpers.builders import make_draft, make_guest
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, dialect_of, raw
from tests.helpers.store import SKIP, YES, RowMaker, ask, claim, make_claim

P = PendingId("p1")


async def open_page(database: Database, query: PageQuery | None = None) -> BundlePage:
    async with database.reading() as tx:
        return await listing.list_open(tx, query or PageQuery())


async def closed_page(database: Database, query: PageQuery | None = None) -> BundlePage:
    async with database.reading() as tx:
        return await listing.list_closed(tx, query or PageQuery())


def ids(page: BundlePage) -> list[str]:
    return [item.bundle.pending_id for item in page.bundles]


def reasons(page: BundlePage) -> dict[str, str]:
    return {item.bundle.pending_id: item.reason for item in page.bundles}


def set_times(place: Place, **times: str) -> None:
    """Give every row of a bundle this `created_at`, as it would stand in a store."""
    pending_id = json_text(dialect_of(place), "metadata", "pending_id")
    with raw(place) as connection:
        for pending, moment in times.items():
            connection.execute(
                f"UPDATE task_session_messages SET created_at = ? WHERE {pending_id} = ?",  # noqa: S608
                (moment, pending),
            )


async def test_open_bundles_come_oldest_first_and_by_id_where_the_time_is_equal(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.4 L5, L6."""
    for name in ("b", "d", "a", "c"):
        rows.question(name)
    early, late = "2026-01-01T00:00:00.000000000Z", "2026-01-01T00:00:01.000000000Z"
    set_times(place, d=early, b=early, c=late, a=late)
    assert ids(await open_page(database)) == ["b", "d", "a", "c"]


async def test_every_form_of_a_time_has_its_place_in_the_order(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K6.6; architecture.md, Timestamps: ordering never compares trimmed strings."""
    times = {
        "p4": "2026-01-01T00:00:00Z",
        "p6": "2026-01-01 00:00:00.5+00:00",
        "p1": "2026-01-01T00:00:00.500000001Z",
        "p5": "2026-01-01 00:00:01 +0000 UTC",
        "p3": "2026-01-01T00:00:01.1Z",
        "p2": "2026-01-01 00:00:01.10000001+00:00",
    }
    for name in reversed(times):
        rows.question(name)
    set_times(place, **times)
    assert ids(await open_page(database)) == list(times)
    for name in times:
        rows.turn(f"new-{name}")
    assert ids(await closed_page(database)) == list(reversed(times))


async def test_a_bundle_is_as_old_as_its_first_row_whatever_became_of_it(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.4 D1, L12; K8.6 73: a mixed bundle is listed."""
    rows.question("mixed", status="answered")
    rows.question("other")
    rows.question("mixed", question_id="q2", question_index=1)
    assert ids(await open_page(database)) == ["mixed", "other"]


async def test_pages_join_without_gap_or_repeat(database: Database, rows: RowMaker) -> None:
    """K8.4 L9, L10; the full page across workspaces of K8.6 73."""
    names = [f"p{number}" for number in (3, 6, 0, 4, 1, 5, 2)]
    for number, name in enumerate(names):
        session = f"w{number}"
        rows.session(session)
        rows.turn(f"t{number}", session)
        rows.question(name, session=session, turn=f"t{number}")
    seen: list[str] = []
    query: PageQuery | None = PageQuery(limit=3)
    sizes = []
    while query is not None:
        page = await open_page(database, query)
        assert page.total == 7
        sizes.append(len(page.bundles))
        seen += ids(page)
        query = PageQuery(limit=3, after=page.after) if page.after else None
    assert (seen, sizes) == (names, [3, 3, 1])


async def test_what_is_answered_between_two_pages_moves_nothing_else(
    database: Database, rows: RowMaker
) -> None:
    """K8.4 D6: a cursor is a place, not a snapshot."""
    for name in ("p2", "p3", "p1", "p0"):
        rows.question(name)
    first = await open_page(database, PageQuery(limit=2))
    for gone in ("p3", "p1"):
        await claim(database, make_claim(PendingId(gone), claim_id=gone))
    assert ids(await open_page(database, PageQuery(limit=2, after=first.after))) == ["p0"]


async def test_a_page_that_is_exactly_full_is_the_last_one(
    database: Database, rows: RowMaker
) -> None:
    for number in range(2):
        rows.question(f"p{number}")
    assert (await open_page(database, PageQuery(limit=2))).after is None


async def test_a_workspace_only_narrows(database: Database, clock: FakeClock) -> None:
    """K8.4 L7, L7a, D5: our workspace is the folder the agent proved."""
    one = await ask(database, clock, guest=make_guest("k1", folder="/projects/alpha"))
    two = await ask(database, clock, guest=make_guest("k2", folder="/projects/beta"))
    free = await ask(database, clock, guest=make_guest("k3", folder=""))
    everything = [one.pending_id, two.pending_id, free.pending_id]
    assert ids(await open_page(database)) == everything
    assert ids(await open_page(database, PageQuery(workspace=""))) == everything
    page = await open_page(database, PageQuery(workspace="/projects/beta"))
    assert (ids(page), page.total) == ([two.pending_id], 1)
    assert ids(await open_page(database, PageQuery(workspace="/nowhere"))) == []


async def test_only_those_asked_since_then(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K8.4 L8: the moment itself counts."""
    rows.question("p1")
    rows.question("p2")
    set_times(place, p1="2026-01-01T00:00:00.000000001Z", p2="2026-01-01 00:00:00.000000002+00:00")
    moment = Nanoseconds(1_767_225_600_000_000_002)
    page = await open_page(database, PageQuery(since=moment))
    assert (ids(page), page.total) == (["p2"], 1)
    assert ids(await open_page(database, PageQuery(since=Nanoseconds(moment + 1)))) == []


async def test_a_line_says_where_it_comes_from(database: Database, clock: FakeClock) -> None:
    await ask(database, clock)
    (item,) = (await open_page(database)).bundles
    assert (item.origin.agent, item.origin.workspace) == ("test-client", "/projects/alpha")
    assert item.origin.session_state == "WAITING_FOR_INPUT"
    assert item.origin.task_title


async def test_what_nobody_can_answer_is_history_with_its_reason(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    """K4.5; K8.6 73; LC.2."""
    rows.question("superseded")
    rows.turn("turn2")
    rows.session("over", state="COMPLETED")
    rows.turn("over-turn", "over")
    rows.question("ended", session="over", turn="over-turn")
    rows.question("nameless", turn="turn2", question_id="", drop=("question",))
    rows.question("spoiled", turn="turn2")
    rows.question("spoiled", turn="turn2", kind="message", question_id="q2")
    rows.question("answered", turn="turn2")
    rows.question("skipped", turn="turn2")
    rows.question("withdrawn", turn="turn2")
    rows.question("expired", turn="turn2", status="expired")
    rows.question("parent", turn="turn2", parent_question=True)
    rows.question("strange", turn="turn2", status="snoozed")
    rows.question("open", turn="turn2")
    await claim(database, make_claim(PendingId("answered"), YES, claim_id="a"))
    await claim(database, make_claim(PendingId("skipped"), SKIP, claim_id="s"))
    async with database.writing() as tx:
        await withdrawals.withdraw(tx, PendingId("withdrawn"), Withdrawn.BY_HUMAN, clock.now())
    page = await closed_page(database)
    assert reasons(page) == {
        "strange": "by_agent",
        "expired": "",
        "withdrawn": "by_human",
        "skipped": "",
        "answered": "",
        "spoiled": "unreadable",
        "nameless": "unreadable",
        "ended": "session_ended",
        "superseded": "superseded",
    }
    assert page.total == 9
    assert ids(await open_page(database)) == ["open"]
    superseded = page.bundles[-1]
    assert (superseded.bundle.turn_id, superseded.superseding_turn) == ("turn1", "turn2")


async def test_history_pages_join_without_gap_or_repeat(database: Database, rows: RowMaker) -> None:
    names = [f"p{number}" for number in (3, 0, 4, 1, 2)]
    for name in names:
        rows.question(name)
        rows.question(name, question_id="q2", question_index=1)
    rows.turn("turn2")
    seen: list[str] = []
    query: PageQuery | None = PageQuery(limit=2)
    while query is not None:
        page = await closed_page(database, query)
        assert page.total == 5
        seen += ids(page)
        query = PageQuery(limit=2, after=page.after) if page.after else None
    assert seen == names[::-1]


async def test_the_history_of_a_workspace_is_its_own(database: Database, clock: FakeClock) -> None:
    one = await ask(database, clock, guest=make_guest("k1", folder="/a"))
    two = await ask(database, clock, make_draft(), guest=make_guest("k2", folder="/b"))
    for asked in (one, two):
        await claim(database, make_claim(asked.pending_id, claim_id=asked.pending_id))
    page = await closed_page(database, PageQuery(workspace="/b"))
    assert (ids(page), page.total) == ([two.pending_id], 1)


BROKEN: dict[str, Any] = {
    "question": 5,
    "question_id": ["q"],
    "question_index": "first",
    "question_total": {"of": 3},
    "context": 7,
    "status": None,
    "response": "yes",
    "response_delivery_pending": {"no": 1},
    "agent_disconnected": "maybe",
    "kandesk": 3,
    "parent_question": "no",
}


@pytest.mark.parametrize("key", [*BROKEN, "pending_id"])
async def test_a_row_with_a_broken_key_never_fails_the_read_of_others(
    database: Database, rows: RowMaker, key: str
) -> None:
    """K1.3, each key of a wrong type, then each missing; issue, Bad input."""
    rows.question("before")
    if key == "pending_id":
        rows.message(kind="clarification_request", metadata={"pending_id": 5, "status": "pending"})
    else:
        rows.question("bad", **{key: BROKEN[key]})
    if key in {"question", "question_id", "question_index", "question_total", "context", "status"}:
        rows.question("lacking", drop=(key,))
    rows.question("after")
    listed = set(ids(await open_page(database))) | set(ids(await closed_page(database)))
    assert {"before", "after"} <= listed
    if key != "pending_id":
        assert "bad" in listed


@pytest.mark.parametrize(
    "metadata",
    [
        '{"pending_id":"\\ud800","question_id":"q1"}',
        '{"pending_id":"bad","question_id":"q1","question":{"prompt":"\\udfff\\u0000"}}',
        '{"pending_id":"bad","question_id":"q1","n":' + "9" * 5_000 + "}",
        '{"pending_id":"bad","question_id":"q1","deep":' + "[" * 900 + "]" * 900 + "}",
        '{"pending_id":"bad","pending_id":"worse","question_id":"q1"}',
        "[1,2]",
        '"text"',
        "{}",
    ],
)
async def test_metadata_no_reader_expects_never_fails_the_read_of_others(
    database: Database, rows: RowMaker, place: Place, metadata: str
) -> None:
    """PostgreSQL refuses to keep some of them, which is as good."""
    rows.question("before")
    broken = rows.question("bad")
    with contextlib.suppress(psycopg.DataError), raw(place) as connection:
        connection.execute(
            "UPDATE task_session_messages SET metadata = ? WHERE id = ?", (metadata, broken)
        )
    rows.question("after")
    found = [*(await open_page(database)).bundles, *(await closed_page(database)).bundles]
    assert {"before", "after"} <= {item.bundle.pending_id for item in found}
    for item in found:
        json.dumps([item.bundle.pending_id, item.bundle.context]).encode("utf-8")


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999999Z",
        "2026-01-01T00:00:00.123456789012Z",
        "2026-01-01T00:00:00+99:99",
        "2026-02-31T25:61:61Z",
        "",
        "garbage",
        "\u0662\u0660\u0662\u0666-01-01T00:00:00Z",
        "-1",
    ],
)
async def test_an_absurd_time_is_shown_and_its_neighbours_stay(
    database: Database, rows: RowMaker, place: Place, moment: str
) -> None:
    """issue, Bad input: absurd timestamps."""
    for name in ("p1", "p2", "p3"):
        rows.question(name)
    set_times(place, p2=moment)
    with raw(place) as connection:
        connection.execute("UPDATE task_session_messages SET updated_at = created_at")
    seen: list[str] = []
    query: PageQuery | None = PageQuery(limit=1)
    while query is not None:
        page = await open_page(database, query)
        seen += ids(page)
        for item in page.bundles:
            format_timestamp(item.bundle.created_at)
        query = PageQuery(limit=1, after=page.after) if page.after else None
    assert sorted(seen) == ["p1", "p2", "p3"]


async def test_a_question_that_cannot_be_parsed_is_still_listed(
    database: Database, rows: RowMaker
) -> None:
    """K8.4 L15; K8.6 45."""
    rows.question("p1", question="?")
    (item,) = (await open_page(database)).bundles
    assert [found.question.prompt for found in item.bundle.questions] == ["Go on?"]


async def test_a_question_named_inside_only_is_listed(database: Database, rows: RowMaker) -> None:
    """K8.6 73; improvement 5."""
    rows.question("p1", drop=("question_id",))
    assert ids(await open_page(database)) == ["p1"]
