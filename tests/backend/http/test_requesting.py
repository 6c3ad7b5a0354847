"""`POST /api/v1/clarification/request` into a session that exists (K4.1, K1.7, K1.9)."""

from pathlib import Path
from typing import Any

import pytest

from backend.clock import Nanoseconds
from backend.domain.conversation import SessionState
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, FaultyDatabase, unavailable
from tests.helpers.http_desk import BASE, INBOX, HttpDesk, open_http_desk
from tests.helpers.store import RowMaker, ask, metadata_of

QUESTION: dict[str, Any] = {"prompt": "Go on?", "options": [{"label": "Yes"}, {"label": "No"}]}


def body(session: str = "s1", **more: Any) -> dict[str, Any]:
    return {"session_id": session, "questions": [QUESTION], **more}


async def test_a_question_is_durable_when_its_id_is_told(
    desk: HttpDesk, rows: RowMaker, path: Path
) -> None:
    """K4.1 request; A6: unchanged for whoever may ask."""
    reply = await desk.http.post(f"{BASE}/request", json=body(context="why", task_id="task-s1"))
    assert reply.status_code == 200
    assert list(reply.json()) == ["pending_id"]
    pending_id = reply.json()["pending_id"]
    (stored,) = metadata_of(path, pending_id)
    assert (stored["status"], stored["context"]) == ("pending", "why")
    (listed,) = (await desk.get(INBOX))["bundles"]
    assert listed["pending_id"] == pending_id
    assert listed["session_id"] == "s1"
    assert [option["option_id"] for option in listed["questions"][0]["options"]] == [
        "q1_opt1",
        "q1_opt2",
    ]


async def test_it_belongs_to_the_current_turn_and_pauses_its_session(
    desk: HttpDesk, rows: RowMaker
) -> None:
    """K1.9: RUNNING goes to WAITING_FOR_INPUT."""
    rows.turn("turn2")
    await desk.http.post(f"{BASE}/request", json=body())
    (session,) = await desk.inner.desk.list_sessions()
    assert session.state is SessionState.WAITING_FOR_INPUT
    (listed,) = await desk.inner.desk.list_open_bundles()
    assert listed.turn_id == "turn2"
    assert listed.waiting_calls == 0


async def test_a_session_without_a_turn_gets_one(desk: HttpDesk, path: Path) -> None:
    RowMaker(path).session("fresh")
    reply = await desk.http.post(f"{BASE}/request", json=body("fresh"))
    assert reply.status_code == 200
    assert (await desk.get(INBOX))["count"] == 1


async def test_a_guest_can_be_asked_for_too(desk: HttpDesk, clock: FakeClock) -> None:
    asked = await ask(desk.inner.database, clock)
    reply = await desk.http.post(f"{BASE}/request", json=body(asked.session_id))
    assert reply.status_code == 200
    assert (await desk.get(INBOX))["count"] == 2


@pytest.mark.parametrize("session", ["nope", "\N{LOCK}", ""])
async def test_an_unknown_session_is_named_as_the_caller_has_named_it(
    desk: HttpDesk, rows: RowMaker, session: str
) -> None:
    """K4.3: the status and the shape of every 404; a question was not what was looked for."""
    reply = await desk.http.post(f"{BASE}/request", json=body(session))
    other = await desk.http.get(f"{BASE}/nope")
    assert (reply.status_code, reply.json()) == (404, {"error": f'session "{session}" not found'})
    assert (reply.status_code, reply.json().keys()) == (other.status_code, other.json().keys())
    assert (await desk.get(INBOX))["count"] == 0


async def test_a_session_of_another_task_is_told_as_one_that_does_not_exist(
    desk: HttpDesk, path: Path
) -> None:
    """K4.3: no status oracle; the text and the headers are the same, before and after it exists."""
    sent = body("s1", task_id="task-of-another")
    unknown = await desk.http.post(f"{BASE}/request", json=sent)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    foreign = await desk.http.post(f"{BASE}/request", json=sent)
    assert (foreign.status_code, foreign.content) == (404, unknown.content)
    assert foreign.headers == unknown.headers
    assert foreign.json() == {"error": 'session "s1" not found'}
    assert (await desk.get(INBOX))["count"] == 0


async def test_the_name_of_a_session_nobody_has_is_repeated_in_short(desk: HttpDesk) -> None:
    """What a caller sends may be as long as a whole body."""
    reply = await desk.http.post(f"{BASE}/request", json=body("s" * 100_000))
    assert reply.status_code == 404
    assert len(reply.json()["error"]) < 1_000


async def test_a_session_that_ended_is_asked_nothing(desk: HttpDesk, rows: RowMaker) -> None:
    """K1.9: terminal states refuse."""
    rows.session("over", state="COMPLETED")
    reply = await desk.http.post(f"{BASE}/request", json=body("over"))
    assert (reply.status_code, reply.json()) == (
        409,
        {"error": "clarification request is no longer active", "code": "not_active"},
    )


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({}, "invalid payload: questions is required"),
        ({"questions": [QUESTION]}, "invalid payload: session_id is required"),
        ({"session_id": 3, "questions": []}, "invalid payload: questions must hold"),
        (body(surprise=1), "invalid payload: surprise is not a known field"),
        (body(task_id=4), "invalid payload: task_id must be a string"),
        (body(questions={}), "invalid payload: questions must be an array"),
        (body(questions=[]), "questions must hold 1 to 4 entries"),
        (body(questions=[QUESTION] * 5), "questions must hold 1 to 4 entries"),
        (body(questions=[{"prompt": " "}]), "questions[0].prompt must not be empty"),
        (body(questions=[{"prompt": "p", "options": [{"label": "one"}]}]), "questions[0].options"),
        (body(questions=[{**QUESTION, "id": "q"}] * 2), "questions[1].id repeats 'q'"),
        (body(context="c" * 32_001), "context has 32001 characters"),
        ([], "invalid payload: arguments must be an object"),
    ],
)
async def test_what_cannot_be_asked_names_its_field(
    desk: HttpDesk, rows: RowMaker, sent: object, error: str
) -> None:
    """K4.1: `invalid payload: ...` for its shape, the agents' tool's own text for the rest."""
    reply = await desk.http.post(f"{BASE}/request", json=sent)
    assert reply.status_code == 400
    if "session_id" not in error and isinstance(sent, dict) and sent.get("session_id") == 3:
        assert reply.json()["field"] in {"session_id", "questions"}
        return
    assert reply.json()["error"].startswith(error)


async def test_a_busy_store_is_told_and_nothing_was_asked(path: Path, clock: FakeClock) -> None:
    """A 2xx means durable; 503 means it is not known to have happened."""
    faulty: list[FaultyDatabase] = []

    def wrap(database: Any) -> FaultyDatabase:
        faulty.append(FaultyDatabase(database))
        return faulty[0]

    async with open_http_desk(path, clock, wrap=wrap) as desk:
        rows = RowMaker(path)
        rows.session()
        rows.turn("turn1")
        faulty[0].plan(Fault("before", unavailable()))
        reply = await desk.http.post(f"{BASE}/request", json=body())
        assert reply.status_code == 503
        assert reply.json()["code"] == "temporarily_unavailable"
        assert (await desk.get(INBOX))["count"] == 0


async def test_the_age_is_never_negative(desk: HttpDesk, rows: RowMaker, clock: FakeClock) -> None:
    """K8.4 D7, also when the clock jumps back."""
    await desk.http.post(f"{BASE}/request", json=body())
    clock._now -= 3_600 * 1_000_000_000
    (listed,) = (await desk.get(INBOX))["bundles"]
    assert listed["age_seconds"] == 0
    clock._now += 2 * 3_600 * 1_000_000_000
    (listed,) = (await desk.get(INBOX))["bundles"]
    assert listed["age_seconds"] >= 3_600
    assert Nanoseconds(clock._now) > 0
