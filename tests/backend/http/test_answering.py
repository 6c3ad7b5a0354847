"""Answering over HTTP and MCP, one operation behind both (K4.2; K8.4 N, P; K8.6 33-46, 89)."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from backend.clock import SystemClock
from tests.helpers.builders import make_draft, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import TOKENS, text_of
from tests.helpers.http_desk import BASE, INBOX, HttpDesk
from tests.helpers.store import RowMaker, ask

Answering = Callable[[HttpDesk, str, dict[str, Any]], Awaitable[tuple[bool, Any]]]
"""Answer; whether it was accepted, and the body or the error's text."""


async def over_http(desk: HttpDesk, pending_id: str, body: dict[str, Any]) -> tuple[bool, Any]:
    reply = await desk.respond(pending_id, body)
    found = reply.json()
    if reply.status_code == 200:
        assert found.pop("success") is True
        return True, found
    return False, found["error"]


async def over_mcp(desk: HttpDesk, pending_id: str, body: dict[str, Any]) -> tuple[bool, Any]:
    async with desk.operator() as operator:
        result = await operator.call_tool("answer_question", {"pending_id": pending_id, **body})
    if result.is_error:
        return False, text_of(result)
    assert json.loads(text_of(result)) == result.structured_content
    return True, result.structured_content


@pytest.fixture(params=[over_http, over_mcp], ids=["http", "mcp"])
def answering(request: pytest.FixtureRequest) -> Answering:
    door: Answering = request.param
    return door


@pytest.fixture
def clock() -> Any:
    """The MCP endpoint runs on the machine's clock."""
    return SystemClock()


def pick(question: str = "q1", *options: str, text: str | None = None) -> dict[str, Any]:
    entry: dict[str, Any] = {"question_id": question, "selected_options": list(options)}
    return entry if text is None else {**entry, "custom_text": text}


async def two_questions(desk: HttpDesk, clock: FakeClock) -> str:
    draft = make_draft(
        make_question("q1", labels=("a", "b", "c"), multi_select=True), make_question("q2")
    )
    return (await ask(desk.inner.database, clock, draft)).pending_id


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"answers": [pick("q1")]}, "answers needs exactly one entry for each of 2 question(s)"),
        ({"answers": []}, "answers needs exactly one entry"),
        ({}, "answers needs exactly one entry"),
        ({"rejected": False}, "answers needs exactly one entry"),
        ({"answers": [pick("q1"), pick("q2"), pick("q3")]}, "answers[2].question_id 'q3' is not"),
        ({"answers": [pick(""), pick("q2")]}, "answers[0].question_id is missing"),
        ({"answers": [pick("q1"), pick("q1")]}, "answers[1].question_id repeats 'q1'"),
        ({"answers": [pick("q1", "q2_opt1"), pick("q2")]}, "answers[0].selected_options names"),
        ({"answers": [pick("q1", "a"), pick("q2")]}, "answers[0].selected_options names 'a'"),
        ({"rejected": True, "answers": [pick("q1")]}, "answers must be empty when rejected"),
    ],
)
async def test_an_answer_that_does_not_fit_names_what_is_wrong(
    desk: HttpDesk, clock: FakeClock, answering: Answering, body: dict[str, Any], error: str
) -> None:
    """K4.2; K8.4 N8, N8a, R2c; K8.6, 39, 40, 89."""
    pending_id = await two_questions(desk, clock)
    accepted, told = await answering(desk, pending_id, body)
    assert not accepted
    assert told.startswith(error)
    assert (await desk.get(f"{BASE}/{pending_id}"))["active"] is True


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"answers": [pick("q1"), pick("q2")]}, "answered"),
        (
            {"answers": [{"question_id": "q1"}, {"question_id": "q2"}], "rejected": False},
            "answered",
        ),
        ({"answers": [], "rejected": True}, "rejected"),
        ({"answers": None, "rejected": True}, "rejected"),
        ({"rejected": True}, "rejected"),
    ],
)
async def test_entries_without_a_choice_and_refusals_without_entries_are_fine(
    desk: HttpDesk, clock: FakeClock, answering: Answering, body: dict[str, Any], status: str
) -> None:
    """K8.4 N7; K8.6, 39, 40."""
    pending_id = await two_questions(desk, clock)
    accepted, told = await answering(desk, pending_id, body)
    assert accepted, told
    assert told["status"] == status


@pytest.mark.parametrize(
    "text",
    [
        "x" * 2_000,
        "\N{CAT}" * 2_000,
        "e\u0301" * 1_000,
        " " * 2_000,
        "\ufeff" * 2_000,
        "",
        "\u200b",
    ],
    ids=["ascii", "astral", "combining", "spaces", "bom", "empty", "zero width"],
)
async def test_a_text_of_2000_code_points_is_accepted(
    desk: HttpDesk, clock: FakeClock, answering: Answering, text: str
) -> None:
    """K4.2; K8.6, 41, 89."""
    asked = await ask(desk.inner.database, clock)
    accepted, told = await answering(desk, asked.pending_id, {"answers": [pick("q1", text=text)]})
    assert accepted, told
    assert told["response"]["answers"][0]["custom_text"] == text.strip()


@pytest.mark.parametrize(
    "text",
    ["x" * 2_001, "\N{CAT}" * 2_001, "e\u0301" * 1_000 + "e", "x" + " " * 2_000, "\ufeff" * 2_001],
    ids=["ascii", "astral", "combining", "trailing spaces", "bom"],
)
@pytest.mark.parametrize("field", ["custom_text", "reject_reason"])
async def test_a_text_of_2001_code_points_is_refused_and_counted_before_trimming(
    desk: HttpDesk, clock: FakeClock, answering: Answering, text: str, field: str
) -> None:
    """K4.2; K8.6, 41."""
    asked = await ask(desk.inner.database, clock)
    refusal = {"rejected": True, "reject_reason": text}
    body = {"answers": [pick("q1", text=text)]} if field == "custom_text" else refusal
    accepted, told = await answering(desk, asked.pending_id, body)
    path = f"answers[0].{field}" if field == "custom_text" else field
    assert not accepted
    assert told == f"{path} has 2001 characters; the limit is 2000"


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=["NUL", "lone surrogate"])
async def test_what_no_text_may_hold_is_refused(
    desk: HttpDesk, clock: FakeClock, text: str
) -> None:
    """architecture.md: one edge rule for both dialects."""
    asked = await ask(desk.inner.database, clock)
    body = json.dumps({"answers": [pick("q1", text=text)]})
    reply = await desk.http.post(f"{BASE}/{asked.pending_id}/respond", content=body)
    assert (reply.status_code, reply.json()["field"]) == (400, "answers[0].custom_text")
    assert reply.json()["position"] == 1


async def test_equivalent_answers_are_stored_and_told_alike(
    desk: HttpDesk, clock: FakeClock, answering: Answering
) -> None:
    """K4.2 normalization; K8.4 P1a; K8.6, 39, 43, 89: a stray reason is dropped."""
    one, other = await two_questions(desk, clock), await two_questions(desk, clock)
    _, first = await answering(
        desk,
        one,
        {
            "answers": [pick("q2"), pick("q1", "q1_opt3", "q1_opt1", "q1_opt3", text=" x ")],
            "reject_reason": "stray",
        },
    )
    _, second = await answering(
        desk, other, {"answers": [pick("q1", "q1_opt1", "q1_opt3", text="x"), pick("q2")]}
    )
    assert first["response"]["answers"] == second["response"]["answers"]
    assert first["response"]["answers"] == [
        pick("q1", "q1_opt1", "q1_opt3", text="x"),
        pick("q2", text=""),
    ]
    assert first["response"]["reject_reason"] == ""


@pytest.mark.parametrize("rejected", ["won by an answer", "won by a refusal"])
async def test_the_second_caller_is_told_the_first_ones_response(
    desk: HttpDesk, clock: FakeClock, answering: Answering, rejected: str
) -> None:
    """K4.1, K5.4; K8.4 R1, R2, N1, N2; K8.6, 44, 89: every key, and the same time."""
    asked = await ask(desk.inner.database, clock)
    winner: dict[str, Any] = {"rejected": True, "reject_reason": "no"}
    if rejected == "won by an answer":
        winner = {"answers": [pick("q1", "q1_opt1")]}
    won = (await desk.respond(asked.pending_id, winner)).json()
    accepted, lost = await answering(
        desk, asked.pending_id, {"answers": [pick("q1", "q1_opt2", text="late")]}
    )
    assert accepted
    assert lost == {
        "claimed": False,
        "status": won["status"],
        "delivery": won["delivery"],
        "replayed": False,
        "response": won["response"],
    }
    assert list(lost["response"]) == [
        "pending_id",
        "answers",
        "rejected",
        "reject_reason",
        "responded_at",
    ]


async def test_a_malformed_retry_is_refused_although_there_is_a_winner(
    desk: HttpDesk, clock: FakeClock, answering: Answering
) -> None:
    """K5.4; K8.4 R2c, P2."""
    asked = await ask(desk.inner.database, clock)
    await desk.respond(asked.pending_id, {"rejected": True})
    accepted, _ = await answering(desk, asked.pending_id, {"answers": [pick("nobody")]})
    assert not accepted


@pytest.mark.parametrize("end", ["superseded", "ended", "spoiled", "expired"])
async def test_where_nobody_won_it_is_a_conflict(
    desk: HttpDesk, rows: RowMaker, answering: Answering, end: str
) -> None:
    """K4.1; K8.4 N4, N6; K8.6, 89; LC.2, LC.3; issue: bundles spanning sessions, turns or types."""
    if end == "ended":
        rows.session("s2", state="FAILED")
        rows.turn("turn-s2", "s2")
        rows.question("p1", session="s2", turn="turn-s2")
    else:
        rows.question("p1", status="expired" if end == "expired" else "pending")
    if end == "superseded":
        rows.turn("turn2")
    if end == "spoiled":
        rows.session("s3")
        rows.turn("turn-s3", "s3")
        rows.question("p1", session="s3", turn="turn-s3", question_id="q2", question_index=1)
    answers = [pick("q1")] + ([pick("q2")] if end == "spoiled" else [])
    accepted, told = await answering(desk, "p1", {"answers": answers})
    assert (accepted, "no longer active" in told) == (False, True)
    assert (await desk.get(INBOX))["bundles"] == []


async def test_an_unknown_bundle_is_not_found(desk: HttpDesk, answering: Answering) -> None:
    """K3.5, K8.6, 89."""
    accepted, told = await answering(desk, "nope", {"rejected": True})
    assert not accepted
    assert told in {"clarification request not found", "no such question"}


@pytest.mark.parametrize(
    "body", [{"rejected": True}, {"answers": [pick("q1")]}], ids=["refusal", "answer"]
)
async def test_a_question_without_an_id_is_a_bad_request_and_not_listed(
    desk: HttpDesk, rows: RowMaker, answering: Answering, body: dict[str, Any]
) -> None:
    """K4.2; K8.6, 36; K8.4 L15: 400, not 500."""
    rows.question("p1")
    rows.question("p1", question_id="", drop=("question",), question_index=1)
    accepted, told = await answering(desk, "p1", body)
    assert (accepted, told) == (False, "a question of this bundle has no id")
    assert (await desk.get(INBOX))["total"] == 0
    (closed,) = (await desk.get(f"{INBOX}/history"))["bundles"]
    assert (closed["reason"], closed["active"]) == ("unreadable", False)


async def test_statuses_nobody_knows_are_told_as_pending(desk: HttpDesk, rows: RowMaker) -> None:
    """K8.6, 46; K1.5."""
    rows.question("p1", status="")
    rows.question("p1", question_id="q2", question_index=1, status="snoozed")
    rows.question("p1", question_id="q3", question_index=2, status="answered")
    (bundle,) = (await desk.get(INBOX))["bundles"]
    assert [item["status"] for item in bundle["questions"]] == ["pending", "pending", "answered"]


async def test_order_is_by_index_then_time_and_nothing_is_null(
    desk: HttpDesk, rows: RowMaker
) -> None:
    """K8.6, 45, 93; K8.4 L3, L4, L4a: options are a list, whatever the row holds."""
    rows.question("p1", question_id="b", question_index=1)
    rows.question("p1", question_id="a", question_index=0, question={"options": None})
    rows.question("p1", question_id="c", question_index="?", context=None)
    (bundle,) = (await desk.get(INBOX))["bundles"]
    assert [item["question_id"] for item in bundle["questions"]] == ["a", "c", "b"]
    assert "null" not in json.dumps(bundle)
    assert all(isinstance(item["options"], list) for item in bundle["questions"])


BODIES = {
    "no json": b"{",
    "latin": b'{"rejected": "\xe9"}',
    "utf-16": '{"rejected": true}'.encode("utf-16"),
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "twice": b'{"rejected": true, "rejected": false}',
    "twice inside": b'{"answers": [{"question_id": "q1", "question_id": "q2"}]}',
    "nan": b'{"rejected": NaN}',
    "infinity": b'{"rejected": -Infinity}',
    "huge": b'{"rejected": 1e999}',
    "long number": b'{"rejected": ' + b"9" * 10_000 + b"}",
    "array": b"[]",
    "text": b'"answers"',
    "null": b"null",
    "number": b"7",
    "trailing": b'{"rejected": true} x',
    "bom": b'\xef\xbb\xbf{"rejected": true}',
    "types": b'{"answers": {"q1": "q1_opt1"}}',
    "wrong entry": b'{"answers": ["q1"]}',
    "wrong option": b'{"answers": [{"question_id": "q1", "selected_options": [1]}]}',
    "unknown": b'{"rejected": true, "force": true}',
    "number as text": b'{"answers": [{"question_id": 1}]}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
async def test_a_body_that_makes_no_sense_is_a_bad_request(
    desk: HttpDesk, clock: FakeClock, body: bytes
) -> None:
    """issue, Bad input: a response body that is not JSON, and what only looks like one."""
    asked = await ask(desk.inner.database, clock)
    for name in (asked.pending_id, "unknown"):
        reply = await desk.http.post(f"{BASE}/{name}/respond", content=body)
        assert reply.status_code == 400, reply.text
        assert reply.json()["field"]
        assert len(reply.content) < 1_000
    requested = await desk.http.post(f"{BASE}/request", content=body)
    assert requested.status_code == 400
    assert requested.json()["error"].startswith("invalid payload: ")
    assert (await desk.get(f"{BASE}/{asked.pending_id}"))["active"] is True
    assert TOKENS.desk not in requested.text
