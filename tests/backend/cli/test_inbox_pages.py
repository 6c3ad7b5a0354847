"""`kandesk pending` lists every question, on however many pages they come (K3.5, K4.5)."""

import json
from collections.abc import Callable

from backend.paths import Home
from tests.helpers.desk_process import DeskProcess, run_kandesk
from tests.helpers.place import raw
from tests.helpers.store import RowMaker, add_unrelated_history

MOMENT = "2026-01-01T00:00:00.000000000Z"


def listed(home: Home) -> list[str]:
    found = run_kandesk(home, "pending", "--json")
    assert found.returncode == 0, found.stderr
    return [bundle["pending_id"] for bundle in json.loads(found.stdout)["bundles"]]


def test_more_questions_than_fit_on_a_page_are_all_listed_with_and_without_a_desk(
    home: Home, start_desk: Callable[..., DeskProcess]
) -> None:
    desk = start_desk()
    add_unrelated_history(home.database, pending=0, others=0)
    rows = RowMaker(home.database)
    rows.session()
    rows.turn("turn1")
    rows.question("unreadable", question_id="", drop=("question",))
    names = [f"p{number:03}" for number in range(405)]
    with raw(home.database) as connection:
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at)"
            " VALUES (?, 's1', 'turn1', '?', 'clarification_request', ?, ?, ?)",
            [
                (name, json.dumps({"pending_id": name, "question_id": "q1"}), MOMENT, MOMENT)
                for name in names
            ],
        )
    assert listed(home) == names
    desk.stop()
    assert listed(home) == names
