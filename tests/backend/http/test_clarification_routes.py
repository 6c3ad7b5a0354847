"""`/api/v1/clarification` and the inbox: K4.1's bodies and codes, keys always present."""

from typing import Any

import pytest

from backend.domain.clarification import Answered, Skipped
from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    InvalidInput,
    StorageFailed,
    TemporarilyUnavailable,
)
from tests.helpers.desk_builders import make_bundle, make_question
from tests.helpers.door_client import TOKENS, Door, raw_http
from tests.helpers.fake_asking import answer_of

BASE = "/api/v1/clarification"


async def _send(door: Door, method: str, path: str, body: object = None) -> Any:
    async with raw_http(door, token=TOKENS.desk) as http:
        return await http.request(method, path, json=body)


async def test_the_inbox_lists_bundles_in_kandevs_shape(door: Door) -> None:
    """K3.5: nothing ever null."""
    door.desk.bundles = [make_bundle("p1", [make_question(multi_select=True)])]
    reply = await _send(door, "GET", "/api/v1/clarification-inbox")
    assert reply.status_code == 200
    body = reply.json()
    assert body["count"] == 1
    (bundle,) = body["bundles"]
    assert {"pending_id", "task_id", "session_id", "created_at", "age_seconds", "context"} <= set(
        bundle
    )
    assert bundle["questions"] == [
        {
            "question_id": "q1",
            "title": "",
            "prompt": "Which database?",
            "status": "pending",
            "options": [
                {"option_id": "o1", "label": "SQLite", "description": ""},
                {"option_id": "o2", "label": "PostgreSQL", "description": ""},
            ],
            "multi_select": True,
        }
    ]
    assert None not in bundle.values()


async def test_one_bundle_is_read_by_its_id(door: Door) -> None:
    door.desk.bundles = [make_bundle("p1")]
    reply = await _send(door, "GET", f"{BASE}/p1")
    assert (reply.status_code, reply.json()["pending_id"]) == (200, "p1")


@pytest.mark.parametrize("pending_id", ["nope", "%00", "%ed%a0%80", "x" * 3_000])
async def test_an_unknown_id_is_not_found(door: Door, pending_id: str) -> None:
    reply = await _send(door, "GET", f"{BASE}/{pending_id}")
    assert reply.status_code == 404
    assert reply.json() == {"error": "clarification request not found"}


async def test_an_answer_goes_through_the_resolver(door: Door) -> None:
    door.desk.bundles = [make_bundle("p1")]
    reply = await _send(
        door,
        "POST",
        f"{BASE}/p1/respond",
        {
            "answers": [{"question_id": "q1", "selected_options": ["o2"], "custom_text": "因为"}],
            "client_id": "cli",
            "claim_id": "c-1",
        },
    )
    assert reply.status_code == 200
    assert reply.json() == {
        "success": True,
        "claimed": True,
        "status": "answered",
        "delivery": "delivered",
        "replayed": False,
        "response": {
            "pending_id": "p1",
            "answers": [{"question_id": "q1", "selected_options": ["o2"], "custom_text": "因为"}],
            "rejected": False,
            "reject_reason": "",
            "responded_at": "2026-09-21T14:13:20.000000000Z",
        },
    }
    outcome = Answered((answer_of("q1", "o2", text="因为"),))
    assert door.desk.responses == [("p1", outcome, "cli", "c-1")]


async def test_each_attempt_without_a_claim_id_is_a_new_one(door: Door) -> None:
    door.desk.bundles = [make_bundle("p1")]
    for _ in range(2):
        await _send(door, "POST", f"{BASE}/p1/respond", {"rejected": True, "reject_reason": "no"})
    (first, second) = door.desk.responses
    assert first[1] == Skipped("no")
    assert first[2] == "http"
    assert first[3] != second[3]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"answers": "no"}, "answers"),
        ({"answers": [{"selected_options": []}]}, "answers[0].question_id"),
        ({"answers": [{"question_id": 3}]}, "answers[0].question_id"),
        ({"answers": [], "surprise": 1}, "surprise"),
        ({"rejected": True, "answers": [{"question_id": "q1"}]}, "answers"),
        ({"rejected": "yes"}, "rejected"),
        ({"rejected": True, "claim_id": "c" * 129}, "claim_id"),
        ({"rejected": True, "client_id": "c" * 129}, "client_id"),
        ([], "arguments"),
    ],
)
async def test_a_malformed_body_names_its_field(door: Door, body: object, field: str) -> None:
    """K4.2; before the lookup, so that nothing is learned about the id."""
    reply = await _send(door, "POST", f"{BASE}/unknown/respond", body)
    assert reply.status_code == 400
    assert reply.json()["field"] == field
    assert not door.desk.responses


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000])
async def test_what_is_no_json_is_refused(door: Door, content: bytes) -> None:
    async with raw_http(door, token=TOKENS.desk) as http:
        reply = await http.post(f"{BASE}/p1/respond", content=content)
    assert reply.status_code == 400


@pytest.mark.parametrize(
    ("error", "status", "body"),
    [
        (
            TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "inside"),
            503,
            {
                "error": "clarification response is temporarily unavailable",
                "code": "temporarily_unavailable",
            },
        ),
        (
            Conflict(ErrorCode.NOT_ACTIVE, "inside"),
            409,
            {"error": "clarification request is no longer active", "code": "not_active"},
        ),
        (
            InvalidInput(ErrorCode.TOO_LONG, "answers[0].custom_text too long", limit=2_000),
            400,
            {"error": "answers[0].custom_text too long", "code": "too_long", "limit": 2_000},
        ),
        (
            StorageFailed(ErrorCode.STORE_FULL, "the disk is full"),
            500,
            {"error": "the disk is full", "code": "store_full"},
        ),
        (
            AppError(ErrorCode.DELIVERY_FAILED, "response can be retried"),
            500,
            {"error": "response can be retried", "code": "delivery_failed"},
        ),
    ],
)
@pytest.mark.parametrize("pending_id", ["p1", "unknown"])
async def test_each_failure_has_its_code_and_body_for_known_and_unknown_ids(
    door: Door, error: AppError, status: int, body: dict[str, Any], pending_id: str
) -> None:
    """K4.1; clarification.md, Budgets: the 503 has the same body for unknown ids."""
    door.desk.bundles = [make_bundle("p1")]
    door.desk.fail = error
    reply = await _send(door, "POST", f"{BASE}/{pending_id}/respond", {"rejected": True})
    assert (reply.status_code, reply.json()) == (status, body)


async def test_a_bug_is_told_without_its_inside(door: Door, caplog: Any) -> None:
    door.desk.fail = RuntimeError("secret detail")
    reply = await _send(door, "GET", "/api/v1/clarification-inbox")
    assert (reply.status_code, reply.json()) == (500, {"error": "internal error"})
    assert "secret detail" in caplog.text


async def test_an_open_question_can_be_withdrawn(door: Door) -> None:
    door.desk.bundles = [make_bundle("p1")]
    reply = await _send(door, "POST", f"{BASE}/p1/cancel")
    assert (reply.status_code, reply.json()) == (200, {"success": True})
    assert door.desk.closed == ["p1"]
