"""Thousands of rows that come at once reach the window in portions, each row in its place."""

import random
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from app.viewmodels import row_intake
from app.viewmodels.row_intake import PORTION
from app.viewmodels.transcript import WINDOW, TranscriptViewModel
from backend.domain.conversation import Message
from backend.events import MessagesChanged
from backend.ids import PendingId, SessionId
from tests.helpers.desk_builders import make_bundle, make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until

_S1 = SessionId("s1")


class Told:
    """What a view hears."""

    def __init__(self, rows: TranscriptViewModel) -> None:
        self.inserted: list[int] = []
        self.changed: list[Message] = []
        rows.inserted.connect(lambda _index, new: self.inserted.append(len(new)))
        rows.changed.connect(lambda _index, row: self.changed.append(row))


@pytest.fixture
async def rows(backend: FakeBackend) -> TranscriptViewModel:
    backend.desk.put_session(make_session("s1"))
    backend.desk.put_session(make_session("s2"))
    made = TranscriptViewModel(backend)
    await made.show(_S1)
    return made


def _row(number: int, revision: int = 1, text: str = "") -> Message:
    name = f"r{number:05}"
    return make_message(name, text or name, session="s1", created=number, revision=revision)


def _tell(backend: FakeBackend, messages: Sequence[Message]) -> None:
    backend.event_received.emit(MessagesChanged(_S1, tuple(messages)))


async def test_thousands_of_rows_come_in_portions_and_only_the_last_stay(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    told = Told(rows)
    _tell(backend, [_row(number) for number in range(5_000)])
    assert sum(told.inserted) <= PORTION
    await until(lambda: not rows.arriving)
    assert max(told.inserted) <= PORTION
    assert len(told.inserted) <= 2 * 5_000 / PORTION
    assert [row.content for row in rows.rows] == [
        f"r{number:05}" for number in range(5_000 - WINDOW, 5_000)
    ]
    assert rows.has_older


async def test_a_row_that_waits_comes_once_in_its_newest_state(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    told = Told(rows)
    count = 3 * PORTION
    _tell(backend, [_row(number, 1) for number in range(count)])
    _tell(backend, [_row(number, 3, "ended") for number in range(count)])
    _tell(backend, [_row(number, 2, "runs") for number in range(count)])
    await until(lambda: not rows.arriving)
    assert [row.content for row in rows.rows] == ["ended"] * count
    assert sum(told.inserted) == count
    assert not told.changed


async def test_changes_of_many_rows_come_in_portions_too(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    count = 3 * PORTION
    _tell(backend, [_row(number) for number in range(count)])
    await until(lambda: not rows.arriving)
    told = Told(rows)
    _tell(backend, [_row(number, 2, "ended") for number in range(count)])
    assert len(told.changed) <= PORTION
    await until(lambda: not rows.arriving)
    assert len(told.changed) == count


async def test_few_rows_are_there_at_once_and_many_small_events_are_not_a_way_around(
    backend: FakeBackend, rows: TranscriptViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_intake, "time", SimpleNamespace(monotonic=lambda: 1.0))
    _tell(backend, [_row(0)])
    assert len(rows.rows) == 1
    for number in range(1, 10 * PORTION):
        _tell(backend, [_row(number)])
    assert len(rows.rows) == PORTION
    await until(lambda: not rows.arriving)
    assert len(rows.rows) == 10 * PORTION


@pytest.mark.parametrize("seed", range(5))
async def test_rows_in_any_order_stand_in_the_order_of_their_making(
    backend: FakeBackend, rows: TranscriptViewModel, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - an order, not a secret
    numbers = chance.sample(range(400), 400)
    while numbers:
        size = chance.randint(1, 60)
        given, numbers = numbers[:size], numbers[size:]
        _tell(backend, [_row(number) for number in given + given[:3]])
    await until(lambda: not rows.arriving)
    assert [row.content for row in rows.rows] == [f"r{number:05}" for number in range(400)]


async def test_what_waits_for_one_session_is_not_shown_in_another(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    _tell(backend, [_row(number) for number in range(3 * PORTION)])
    await rows.show(SessionId("s2"))
    assert not rows.arriving
    assert not rows.rows


async def test_a_question_that_is_removed_while_its_row_waits_never_comes(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    _tell(backend, [_row(number) for number in range(3 * PORTION)])
    backend.desk.open(make_bundle("p1"))
    backend.desk.remove(PendingId("p1"))
    await until(lambda: not rows.arriving)
    assert len(rows.rows) == 3 * PORTION
    assert not any(row.pending_id for row in rows.rows)
