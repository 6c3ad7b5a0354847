"""Tool rows that are stored and shown leave memory, and come back when more is told of them."""

from collections.abc import AsyncIterator

import pytest

from backend.conversation import session_rows
from backend.domain.agents import (
    TextChunk,
    ToolCallChange,
    ToolDiff,
    ToolKind,
    ToolLocation,
    ToolStatus,
    ToolTerminal,
    ToolText,
)
from backend.domain.conversation import Message
from backend.store.metadata import as_dict
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, unavailable
from tests.helpers.held_text import held_text
from tests.helpers.place import Place
from tests.helpers.transcript_case import TranscriptCase, transcript_case

OUTPUT = "x" * 20_000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[TranscriptCase]:
    async with transcript_case(place, clock) as made:
        yield made


@pytest.fixture
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is stored and shown is put away at once."""
    monkeypatch.setattr(session_rows, "RESTING", 0)


def call(number: int, status: ToolStatus = ToolStatus.COMPLETED) -> ToolCallChange:
    return ToolCallChange(
        f"c{number}",
        started=True,
        title=f"Run {number}",
        kind=ToolKind.EXECUTE,
        status=status,
        content=(ToolText(f"{number} {OUTPUT}"),),
        raw_input={"command": f"run {number}", "input": OUTPUT},
    )


def contents(row: Message) -> list[object]:
    content = as_dict(row.metadata["kandesk"])["content"]
    assert isinstance(content, list)
    return [part.get("text") for part in content]


@pytest.mark.parametrize("status", [ToolStatus.COMPLETED, ToolStatus.IN_PROGRESS])
async def test_ten_times_the_calls_of_one_turn_hold_no_more_memory(
    case: TranscriptCase, monkeypatch: pytest.MonkeyPatch, status: ToolStatus
) -> None:
    monkeypatch.setattr(session_rows, "RESTING", 5 * len(OUTPUT))
    held = []
    for number in range(100):
        case.updated(call(number, status))
        if number in (9, 99):
            await case.flush()
            held.append(held_text(case.transcripts._sessions))
    assert held[1] < 1.5 * held[0]
    assert held[1] < 10 * len(OUTPUT)
    await case.end()
    assert len(await case.rows()) == 100


@pytest.mark.usefixtures("no_rest")
async def test_what_is_told_late_of_a_row_that_left_is_one_with_what_it_had(
    case: TranscriptCase,
) -> None:
    case.updated(call(1))
    await case.flush()
    case.updated(
        ToolCallChange("c1", title="Ran"),
        ToolCallChange("c1", raw_output={"exit_code": 3}, status=ToolStatus.FAILED),
    )
    await case.flush()
    (stored,) = await case.rows()
    assert stored.metadata["title"] == "Ran"
    assert stored.metadata["status"] == "failed"
    assert contents(stored) == [f"1 {OUTPUT}"]
    own = as_dict(stored.metadata["kandesk"])
    assert own["raw_input"] == {"command": "run 1", "input": OUTPUT}
    assert own["raw_output"] == {"exit_code": 3}
    (shown,) = case.shown.values()
    assert (shown.metadata, shown.revision) == (stored.metadata, stored.revision)


@pytest.mark.usefixtures("no_rest")
async def test_calls_that_are_open_when_their_turn_ends_end_with_all_they_had(
    case: TranscriptCase,
) -> None:
    for number in range(10):
        case.updated(call(number, ToolStatus.IN_PROGRESS))
    await case.flush()
    await case.end()
    rows = await case.rows()
    assert [row.metadata["status"] for row in rows] == ["completed"] * 10
    assert [contents(row) for row in rows] == [[f"{number} {OUTPUT}"] for number in range(10)]
    assert [row.metadata for row in case.shown.values()] == [row.metadata for row in rows]


@pytest.mark.usefixtures("no_rest")
async def test_a_row_that_left_comes_back_with_everything_a_call_can_have(
    case: TranscriptCase,
) -> None:
    everything = ToolCallChange(
        "c1",
        started=True,
        title="Edit \u0000 \ud800",
        kind=ToolKind.EDIT,
        status=ToolStatus.FAILED,
        content=(
            ToolText("y" * 300_000),
            ToolDiff("/a.py", "new", "old"),
            ToolDiff("/b.py", "new"),
            ToolTerminal("t1"),
        ),
        locations=(ToolLocation("/a.py", 3), ToolLocation("/b.py")),
        raw_input={"deep": [{"x": (1, 2.5, float("nan"), None, True)}]},
        raw_output="z" * 300_000,
        parent_call_id="c0",
        tool_name="mcp__s__t",
    )
    case.updated(everything)
    await case.flush()
    (before,) = await case.rows()
    case.updated(ToolCallChange("c1", status=ToolStatus.FAILED))
    await case.flush()
    (after,) = await case.rows()
    assert after.revision > before.revision
    assert (after.kind, after.content, after.metadata) == (
        before.kind,
        before.content,
        before.metadata,
    )


@pytest.mark.usefixtures("no_rest")
async def test_what_is_told_while_the_store_is_away_is_told_when_it_is_back(
    case: TranscriptCase, clock: FakeClock
) -> None:
    case.updated(call(1))
    await case.flush()
    case.faults.reads = Fault("before", unavailable())
    case.updated(ToolCallChange("c1", title="Ran"))
    await clock.advance(1)
    assert [row.metadata["title"] for row in case.shown.values()] == ["Run 1"]
    case.faults.reads = None
    await clock.advance(5)
    assert [row.metadata["title"] for row in case.shown.values()] == ["Ran"]
    assert [contents(row) for row in await case.rows()] == [[f"1 {OUTPUT}"]]


@pytest.mark.usefixtures("no_rest")
async def test_a_row_that_is_gone_from_the_store_holds_nobody_up(case: TranscriptCase) -> None:
    case.updated(call(1))
    await case.flush()
    async with case.database.writing() as tx:
        await tx.execute("DELETE FROM task_session_messages")
    case.updated(ToolCallChange("c1", title="Ran"), TextChunk("after"))
    await case.end()
    assert [row.content for row in await case.rows()] == ["after"]
