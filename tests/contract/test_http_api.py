"""The HTTP API against its own document, by schemathesis: every operation, valid and invalid.

A short form runs always; `KANDESK_LONG=1` tries many more examples.
"""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from backend.cli.desk_client import RunningDesk
from backend.paths import Home
from tests.helpers.desk_process import DeskProcess
from tests.helpers.store import RowMaker

LONG = os.environ.get("KANDESK_LONG") == "1"
EXAMPLES = 400 if LONG else 25
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
HAND_OVER = "/api/v1/desk/hand-over"
"""Ends the desk, so it is called last and once."""

SPARED = "spared"

NOT_IN_A_SCHEMA = {
    "/api/v1/clarification-inbox": ("cursor",),
    "/api/v1/clarification-inbox/history": ("cursor",),
    "/api/v1/clarification/request": ("questions", "metadata"),
    "/api/v1/clarification/{pending_id}/respond": ("answers",),
}
"""Fields with rules no schema can state: a cursor we wrote, ids and labels that differ, entries
that belong to the questions asked, no NUL in whatever `metadata` holds. Anything else a schema
allows must be accepted."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskProcess]:
    """A running desk with an open, an answered and a superseded question in session s1."""
    running = DeskProcess(Home(tmp_path))
    try:
        rows = RowMaker(running.home.database)
        rows.session()
        rows.turn("turn0")
        rows.question("superseded", turn="turn0")
        rows.turn("turn1")
        rows.question("open")
        rows.question("answered")
        rows.question(SPARED)
        client = running.desk()
        body: dict[str, object] = {"answers": [{"question_id": "q1", "custom_text": "x"}]}
        path = "/api/v1/clarification/answered/respond"
        client.request("POST", path, body, seconds=40)
        yield running
    finally:
        running.stop()


@contextmanager
def human(desk: RunningDesk, *, spares: str = "") -> Iterator[None]:
    """Skips every open question but one, so that no call waits for ever."""
    stop = threading.Event()

    def skip_all() -> None:
        while not stop.wait(0.05):
            found: Any = desk.request("GET", "/api/v1/clarification-inbox", seconds=10).body
            for bundle in found["bundles"]:
                if bundle["pending_id"] == spares:
                    continue
                path = f"/api/v1/clarification/{bundle['pending_id']}/respond"
                desk.request("POST", path, {"rejected": True}, seconds=40)

    thread = threading.Thread(target=skip_all)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def headers(desk: DeskProcess) -> dict[str, str]:
    return {"Authorization": f"Bearer {desk.desk().token}"}


@pytest.mark.timeout(1_800 if LONG else 120)
def test_schemathesis_finds_nothing_to_complain_of(desk: DeskProcess, tmp_path: Path) -> None:
    """Examples, every boundary, random data and sequences of calls; each check it has.

    What it sends that a schema allows and a rule forbids is the other test's.
    """
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *("run", f"{desk.told['api']}/api/v1/openapi.json"),
        *("-H", f"Authorization: {headers(desk)['Authorization']}"),
        *("--max-examples", str(EXAMPLES), "--seed", "1"),
        *("--exclude-path", HAND_OVER, "--exclude-checks", "positive_data_acceptance"),
        *("--request-timeout", "10", "--no-color"),
    ]
    with human(desk.desk()):
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
    assert done.returncode == 0, done.stdout
    assert desk.process.poll() is None
    reply = desk.desk().request("POST", HAND_OVER, seconds=10)
    assert (reply.status, set(reply.body)) == (200, {"success", "pid"})


def test_what_the_document_allows_is_accepted(desk: DeskProcess) -> None:
    """Every operation answers 200 to something and a server error to nothing."""
    sent = headers(desk)
    schema = schemathesis.openapi.from_url(f"{desk.told['api']}/api/v1/openapi.json", headers=sent)
    statuses: dict[str, Counter[int]] = {}
    with human(desk.desk(), spares=SPARED):
        for result in schema.get_all_operations():
            found: Any = result
            operation = found.ok()
            if operation.path != HAND_OVER:
                statuses[operation.label] = _try(operation, sent)
    assert len(statuses) >= 10
    lacking = {label: dict(found) for label, found in statuses.items() if not found[200]}
    assert not lacking
    assert all(status < 500 for found in statuses.values() for status in found)


def _try(operation: Any, sent: dict[str, str]) -> "Counter[int]":
    seen: Counter[int] = Counter()

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=SLOW,
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def run(case: Case[Any]) -> None:
        _name_what_exists(case, seen.total())
        reply = case.call(headers=sent, timeout=10)
        case.validate_response(reply, excluded_checks=[positive_data_acceptance])
        seen[reply.status_code] += 1
        if reply.status_code == 400:
            field = str(reply.json()["field"])
            assert field.startswith(NOT_IN_A_SCHEMA[operation.path]), reply.text

    run()
    return seen


def _name_what_exists(case: Case[Any], number: int) -> None:
    """Every other request is about a session or a bundle of this desk."""
    known = (SPARED, "open") if case.path.endswith("/cancel") else ("answered", "open")
    if number % 2 == 0 and "pending_id" in case.path_parameters:
        case.path_parameters["pending_id"] = known[number // 2 % 2]
    if number % 2 == 0 and case.path.endswith("/request") and isinstance(case.body, dict):
        case.body |= {"session_id": "s1", "task_id": None}
