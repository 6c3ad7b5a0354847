"""A conversation of 200 turns is read from both ends while its rows grow and change their kind."""

from dataclasses import replace

import pytest

from app.viewmodels import transcript
from app.viewmodels.transcript import TranscriptViewModel
from backend.domain.conversation import Message, SessionKind
from backend.ids import MessageId, SessionId
from tests.helpers.desk_builders import make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.hosted_rows import edit_row, tool_row

_S1 = SessionId("s1")
TURNS = 200


def _turn(number: int) -> tuple[Message, ...]:
    return (
        make_message(f"user-{number}", f"turn {number}", author="user", created=number * 10),
        make_message(f"think-{number}", "", kind="thinking", created=number * 10 + 1),
        tool_row(f"tool-{number}", "tool_call", "Edit", status="pending", created=number * 10 + 2),
        make_message(f"text-{number}", f"answer {number}", created=number * 10 + 3),
    )


@pytest.fixture
def rows(backend: FakeBackend, monkeypatch: pytest.MonkeyPatch) -> TranscriptViewModel:
    monkeypatch.setattr(transcript, "WINDOW", 300)
    backend.desk.put_session(make_session("s1", kind=SessionKind.HOSTED))
    backend.desk.add_messages(*(row for number in range(TURNS) for row in _turn(number)))
    return TranscriptViewModel(backend)


def _names(rows: TranscriptViewModel) -> list[MessageId]:
    return [row.message_id for row in rows.rows]


def _told(backend: FakeBackend) -> list[MessageId]:
    ordered = sorted(backend.desk.messages[_S1], key=lambda row: row.created_at)
    return [row.message_id for row in ordered]


async def test_rows_come_from_both_ends_once_and_in_their_order(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    await rows.show(_S1)
    everything = _told(backend)
    seen = set(_names(rows))
    while rows.has_older:
        await rows.load_older()
        _turn_changes(backend, rows)
        seen |= set(_names(rows))
        assert _is_part(_names(rows), everything)
    assert seen == set(everything)
    assert _names(rows)[0] == "user-0"
    while rows.has_newer:
        await rows.load_newer()
        _turn_changes(backend, rows)
        assert _is_part(_names(rows), everything)
    assert _names(rows)[-1] == f"text-{TURNS - 1}"


def _turn_changes(backend: FakeBackend, rows: TranscriptViewModel) -> None:
    """One row in view becomes an edit, another grows; both stay where they are."""
    names = _names(rows)
    tool = next(name for name in names if name.startswith("tool-"))
    number = int(tool.removeprefix("tool-"))
    text = next(row for row in rows.rows if row.message_id == f"text-{number}")
    backend.desk.add_messages(edit_row(tool, created=number * 10 + 2))
    own = {"kandesk": {"streaming": True, "stream": 1}}
    backend.desk.add_messages(replace(text, content=f"{text.content} and more", metadata=own))
    assert _names(rows) == names
    kinds = {row.message_id: row.kind for row in rows.rows}
    assert kinds[MessageId(tool)] == "tool_edit"
    texts = {row.message_id: row.content for row in rows.rows}
    assert texts[text.message_id].endswith("and more")


def _is_part(names: list[MessageId], everything: list[MessageId]) -> bool:
    start = everything.index(names[0])
    return everything[start : start + len(names)] == names


async def test_a_turn_that_runs_while_its_beginning_is_read_changes_nothing_there(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    await rows.show(_S1)
    while rows.has_older:
        await rows.load_older()
    names = _names(rows)
    backend.desk.add_messages(*_turn(TURNS))
    assert _names(rows) == names
    while rows.has_newer:
        await rows.load_newer()
    assert _names(rows)[-1] == f"text-{TURNS}"


async def test_every_chunk_of_a_growing_row_is_told_for_its_own_place(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    await rows.show(_S1)
    changes: list[int] = []
    rows.changed.connect(lambda index, _: changes.append(index))
    last = rows.rows[-1]
    for counter in range(1, 50):
        own = {"kandesk": {"streaming": True, "stream": counter}}
        backend.desk.add_messages(replace(last, content="x" * counter, metadata=own))
    assert changes == [len(rows.rows) - 1] * 49
    assert rows.rows[-1].content == "x" * 49
