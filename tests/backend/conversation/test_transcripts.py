"""Every kind of update as a row of the transcript, through the real store (kandev-app.md b.4)."""

from collections.abc import AsyncIterator, Mapping

import pytest

from backend.conversation.bounds import CONTENT_LIMIT, FIELD_LIMIT
from backend.domain.agents import (
    AgentEnd,
    AgentUpdate,
    CommandsChanged,
    ConfigOption,
    ModeChanged,
    OptionsChanged,
    PlanChanged,
    PlanEntry,
    PlanText,
    PromptEnd,
    SlashCommand,
    StopReason,
    TextChunk,
    ThoughtChunk,
    TitleChanged,
    ToolCallChange,
    ToolDiff,
    ToolKind,
    ToolLocation,
    ToolStatus,
    ToolTerminal,
    ToolText,
    UnknownUpdate,
    Usage,
    UsageChanged,
    UserChunk,
)
from backend.domain.conversation import Message
from backend.domain.turn_end import (
    TurnEnding,
    agent_ended,
    desk_ended,
    prompt_ended,
    prompt_failed,
)
from backend.events import MessagesChanged
from backend.store import messages, turns
from backend.store.metadata import as_dict, as_list
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.transcript_case import DONE, TranscriptCase, transcript_case


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[TranscriptCase]:
    async with transcript_case(place, clock) as made:
        yield made


def own(message: Message) -> Mapping[str, object]:
    return as_dict(message.metadata.get("kandesk"))


def brief(rows: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(row.kind, row.content or str(row.metadata.get("thinking"))) for row in rows]


async def ended(
    case: TranscriptCase, *updates: AgentUpdate, ending: TurnEnding = DONE
) -> tuple[Message, ...]:
    case.updated(*updates)
    await case.end(ending)
    return await case.rows()


async def test_chunks_of_one_message_are_one_row_that_no_longer_streams(
    case: TranscriptCase,
) -> None:
    (row,) = await ended(case, TextChunk("Hel", "m1"), TextChunk("lo "), TextChunk("you", "m1"))
    assert (row.kind, row.author, row.content) == ("message", "agent", "Hello you")
    assert row.metadata == {}
    assert row.turn_id == case.turn


async def test_text_that_still_streams_says_so(case: TranscriptCase) -> None:
    case.updated(TextChunk("Hel"))
    await case.flush()
    (row,) = await case.rows()
    assert own(row) == {"streaming": True}


async def test_a_message_of_another_id_is_another_row(case: TranscriptCase) -> None:
    rows = await ended(case, TextChunk("one", "m1"), TextChunk("two", "m2"))
    assert brief(rows) == [("message", "one"), ("message", "two")]


async def test_what_the_agent_says_after_another_row_is_another_row(case: TranscriptCase) -> None:
    rows = await ended(
        case,
        ThoughtChunk("Let me "),
        ThoughtChunk("look"),
        TextChunk("I look"),
        ToolCallChange("c1", started=True, title="Read a.py", kind=ToolKind.READ),
        TextChunk("I saw"),
        ToolCallChange("c1", status=ToolStatus.COMPLETED),
        TextChunk(" it"),
    )
    assert brief(rows) == [
        ("thinking", "Let me look"),
        ("message", "I look"),
        ("tool_read", "Read a.py"),
        ("message", "I saw it"),
    ]
    assert rows[0].content == ""


async def ask(case: TranscriptCase) -> None:
    """A question of another tool stands in the transcript."""
    async with case.database.writing() as tx:
        row = await messages.insert_message(
            tx,
            session_id=case.session,
            task_id=(await case.stored()).task_id,
            turn_id=case.turn,
            kind="clarification_request",
            author="agent",
            content="?",
            metadata={},
            now=case.clock.now(),
        )
    case.bus.publish(MessagesChanged(case.session, (row,)))


async def test_a_question_of_another_tool_stands_between_what_was_said_around_it(
    case: TranscriptCase,
) -> None:
    case.updated(TextChunk("before"))
    await ask(case)
    rows = await ended(case, TextChunk("after"))
    assert [row.content for row in rows] == ["before", "?", "after"]


async def test_what_is_said_after_a_question_is_a_row_of_its_own_though_the_clock_was_set_back(
    case: TranscriptCase,
) -> None:
    case.updated(TextChunk("before"))
    case.clock.set_wall(-24 * 3600)
    await ask(case)
    rows = await ended(case, TextChunk("after"))
    assert [row.content for row in rows if row.content != "?"] == ["before", "after"]


@pytest.mark.parametrize(
    ("kind", "row_type", "normalized"),
    [
        (ToolKind.READ, "tool_read", "read_file"),
        (ToolKind.SEARCH, "tool_search", "code_search"),
        (ToolKind.EDIT, "tool_edit", "modify_file"),
        (ToolKind.DELETE, "tool_edit", "modify_file"),
        (ToolKind.MOVE, "tool_edit", "modify_file"),
        (ToolKind.EXECUTE, "tool_execute", "shell_exec"),
        (ToolKind.FETCH, "tool_call", "http_request"),
        (ToolKind.THINK, "tool_call", "generic"),
        (ToolKind.SWITCH_MODE, "tool_call", "generic"),
        (ToolKind.OTHER, "tool_call", "generic"),
    ],
)
async def test_the_kind_of_a_tool_chooses_the_type_of_its_row(
    case: TranscriptCase, kind: ToolKind, row_type: str, normalized: str
) -> None:
    (row,) = await ended(case, ToolCallChange("c1", started=True, title="T", kind=kind))
    assert row.kind == row_type
    assert row.content == row.metadata["title"] == "T"
    assert row.metadata["tool_call_id"] == "c1"
    assert as_dict(row.metadata["normalized"])["kind"] == normalized
    assert normalized in as_dict(row.metadata["normalized"])
    assert own(row)["kind"] == kind.value


async def test_a_tool_row_changes_its_type_when_more_is_known_and_stays_one_row(
    case: TranscriptCase,
) -> None:
    case.updated(ToolCallChange("c1", started=True, title="Tool"))
    await case.flush()
    (before,) = await case.rows()
    case.updated(
        ToolCallChange(
            "c1",
            kind=ToolKind.EXECUTE,
            status=ToolStatus.IN_PROGRESS,
            raw_input={"command": ["make", "test"], "cwd": "/p"},
        ),
        ToolCallChange("c1", content=(ToolText("ok"), ToolTerminal("t1"))),
        ToolCallChange("c1", status=ToolStatus.COMPLETED, raw_output={"exit_code": 0}),
    )
    await case.end()
    (row,) = await case.rows()
    assert (before.kind, row.kind) == ("tool_call", "tool_execute")
    assert row.message_id == before.message_id
    assert row.created_at == before.created_at
    assert row.revision > before.revision
    assert row.metadata["status"] == "completed"
    assert as_dict(row.metadata["normalized"])["shell_exec"] == {
        "command": "make test",
        "work_dir": "/p",
        "output": {"exit_code": 0},
    }
    assert own(row)["content"] == [
        {"type": "text", "text": "ok"},
        {"type": "terminal", "terminal_id": "t1"},
    ]
    assert own(row)["raw_input"] == {"command": ["make", "test"], "cwd": "/p"}


async def test_a_diff_makes_an_edit_whatever_the_agent_calls_it(case: TranscriptCase) -> None:
    (row,) = await ended(
        case,
        ToolCallChange(
            "c1",
            started=True,
            kind=ToolKind.OTHER,
            content=(ToolDiff("a.py", "new", "old"), ToolDiff("b.py", "made")),
            locations=(ToolLocation("a.py", 3), ToolLocation("b.py")),
        ),
    )
    assert row.kind == "tool_edit"
    assert own(row)["content"] == [
        {"type": "diff", "path": "a.py", "new_text": "new", "old_text": "old"},
        {"type": "diff", "path": "b.py", "new_text": "made", "old_text": None},
    ]
    assert own(row)["locations"] == [{"path": "a.py", "line": 3}, {"path": "b.py", "line": None}]
    assert as_dict(as_dict(row.metadata["normalized"])["modify_file"]) == {
        "file_path": "a.py",
        "mutations": [
            {"type": "replace", "path": "a.py"},
            {"type": "create", "path": "b.py"},
        ],
    }


async def test_a_tool_of_a_subagent_names_the_call_it_belongs_to(case: TranscriptCase) -> None:
    rows = await ended(
        case,
        ToolCallChange("c1", started=True, title="Task", tool_name="Task"),
        ToolCallChange("c2", started=True, title="Read", parent_call_id="c1"),
    )
    assert rows[1].metadata["parent_tool_call_id"] == "c1"
    assert own(rows[0])["tool_name"] == "Task"


async def test_a_call_id_that_comes_again_in_a_later_turn_is_a_new_row(
    case: TranscriptCase,
) -> None:
    await ended(case, ToolCallChange("call_1", started=True, title="first"))
    await case.open_turn("turn2")
    rows = await ended(case, ToolCallChange("call_1", started=True, title="second"))
    assert brief(rows) == [("tool_call", "first"), ("tool_call", "second")]
    assert [row.turn_id for row in rows] == ["turn1", "turn2"]


async def test_an_update_for_a_call_nobody_began_is_shown(case: TranscriptCase) -> None:
    (row,) = await ended(case, ToolCallChange("c9", status=ToolStatus.FAILED, title="Odd"))
    assert (row.content, row.metadata["status"]) == ("Odd", "failed")


async def test_long_output_is_cut_and_says_so(case: TranscriptCase) -> None:
    (row,) = await ended(
        case,
        ToolCallChange(
            "c1",
            started=True,
            content=(ToolText("é" * FIELD_LIMIT),),
            raw_input={"text": "x" * (FIELD_LIMIT + 1)},
            raw_output={"short": True},
        ),
    )
    (item,) = map(as_dict, as_list(own(row)["content"]))
    assert item["truncated"] is True
    assert len(str(item["text"]).encode()) == FIELD_LIMIT
    assert own(row)["truncated"] == ["content", "raw_input"]
    assert len(str(own(row)["raw_input"]).encode()) == FIELD_LIMIT
    assert own(row)["raw_output"] == {"short": True}


@pytest.mark.parametrize(
    "value",
    [
        {"number": float("nan"), "more": [float("inf"), -float("inf"), 1e308]},
        {"big": 10**400, "text": "\ud800\x00"},
        {"\x00key": {"\ud800": None}},
    ],
)
async def test_values_json_has_no_words_for_are_still_stored(
    case: TranscriptCase, value: dict[str, object]
) -> None:
    rows = await ended(
        case,
        ToolCallChange("c1", started=True, raw_input=value, raw_output=value),
        UnknownUpdate("odd", value),
        UsageChanged(Usage(-1, 10**30, cost=float("nan"), currency="USD")),
    )
    assert [row.kind for row in rows] == ["tool_call", "odd"]
    assert (await case.stored()).usage == Usage()


@pytest.mark.parametrize("depth", [150, 500, 5_000])
async def test_values_that_are_too_deep_are_cut(case: TranscriptCase, depth: int) -> None:
    value: object = "end"
    for _ in range(depth):
        value = [value]
    (row,) = await ended(case, ToolCallChange("c1", started=True, raw_input=value))
    assert "end" not in str(own(row)["raw_input"])


async def test_many_long_outputs_are_bounded_together(case: TranscriptCase) -> None:
    texts = tuple(ToolText("x" * FIELD_LIMIT) for _ in range(20))
    (row,) = await ended(case, ToolCallChange("c1", started=True, content=texts))
    items = [as_dict(item) for item in as_list(own(row)["content"])]
    assert sum(len(str(item["text"])) for item in items) <= CONTENT_LIMIT
    assert len(items) == 20


async def test_a_plan_is_one_row_of_its_turn_that_changes_in_place(case: TranscriptCase) -> None:
    case.updated(PlanChanged((PlanEntry("a"), PlanEntry("b", "pending", "high"))), TextChunk("x"))
    case.updated(PlanChanged((PlanEntry("a", "completed"), PlanEntry("b", "in_progress", "high"))))
    await case.end()
    await case.open_turn("turn2")
    rows = await ended(case, PlanChanged((PlanEntry("c"),)))
    assert [row.kind for row in rows] == ["todo", "message", "todo"]
    assert rows[0].content == "Updated Todos"
    assert rows[0].metadata["todos"] == [
        {"text": "a", "status": "completed", "priority": "medium", "done": True},
        {"text": "b", "status": "in_progress", "priority": "high", "done": False},
    ]


async def test_a_plan_in_prose_is_a_row_that_grows_and_another_plan_another(
    case: TranscriptCase,
) -> None:
    rows = await ended(case, PlanText("# One"), PlanText("# One\nmore"), PlanText("# Two"))
    assert brief(rows) == [("agent_plan", "# One\nmore"), ("agent_plan", "# Two")]


async def test_the_humans_own_words_are_not_repeated(case: TranscriptCase) -> None:
    assert await ended(case, UserChunk("hello")) == ()


async def test_what_this_desk_has_no_name_for_is_shown_as_it_came(case: TranscriptCase) -> None:
    (row,) = await ended(case, UnknownUpdate("weather_report", {"sun": True, "text": "a\x00b"}))
    assert row.kind == "weather_report"
    assert own(row) == {"kind": "weather_report", "payload": {"sun": True, "text": "a\ufffdb"}}


@pytest.mark.parametrize("kind", ["clarification_request", "permission_request", "message", "A b"])
async def test_an_unknown_update_never_passes_for_a_row_of_ours(
    case: TranscriptCase, kind: str
) -> None:
    (row,) = await ended(case, UnknownUpdate(kind, {"pending_id": "p1"}))
    assert row.kind == "unknown_update"
    assert own(row)["kind"] == kind
    assert row.pending_id is None


async def test_half_a_character_waits_for_its_other_half(case: TranscriptCase) -> None:
    rows = await ended(
        case, TextChunk("a\ud83d"), TextChunk("\ude00b\x00"), TextChunk("lone \ud83d")
    )
    assert rows[0].content == "a\N{GRINNING FACE}b\ufffdlone \ufffd"
    assert next(iter(case.shown.values())).content == rows[0].content


async def test_what_is_known_of_the_session_is_kept_with_and_without_a_turn(
    case: TranscriptCase,
) -> None:
    option = ConfigOption("fast", "Fast", "true")
    case.transcripts.updated(case.session, None, CommandsChanged((SlashCommand("test"),)))
    case.updated(
        ModeChanged("plan"),
        OptionsChanged((option,)),
        TitleChanged("A better title"),
        UsageChanged(Usage(context_used=5, context_size=10, cost=0.5, currency="USD")),
    )
    assert (
        await ended(case, ending=prompt_ended(PromptEnd("end_turn", Usage(input_tokens=7)))) == ()
    )
    stored = await case.stored()
    assert stored.commands == (SlashCommand("test"),)
    assert (stored.mode, stored.options, stored.title) == ("plan", (option,), "A better title")
    assert stored.usage == Usage(5, 10, 7, None, None, 0.5, "USD")
    assert case.announced


async def test_text_before_the_first_turn_disturbs_nothing(case: TranscriptCase) -> None:
    case.transcripts.updated(case.session, None, TextChunk("too early"))
    await case.flush()
    assert await case.rows() == ()


async def test_text_that_comes_late_is_still_shown_and_does_not_stream(
    case: TranscriptCase,
) -> None:
    await ended(case, TextChunk("in time"), ToolCallChange("c1", started=True))
    case.transcripts.updated(case.session, None, TextChunk("late"))
    case.transcripts.updated(case.session, None, ToolCallChange("c1", title="settled before"))
    await case.flush()
    rows = await case.rows()
    assert [row.content for row in rows] == ["in time", "c1", "late"]
    assert rows[-1].metadata == {}


async def test_text_that_comes_late_in_pieces_is_one_row(case: TranscriptCase) -> None:
    await ended(case, TextChunk("in time"))
    for piece in ("late ", "words \ud83d", "\ude00", " and more"):
        case.transcripts.updated(case.session, None, TextChunk(piece))
        await case.flush()
    rows = await case.rows()
    assert [row.content for row in rows] == ["in time", "late words \U0001f600 and more"]
    assert rows[-1].metadata == {}


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (DONE, "completed"),
        (prompt_ended(PromptEnd("cancelled")), "cancelled"),
        (agent_ended(AgentEnd(1)), "interrupted"),
        (desk_ended(), "interrupted"),
        (prompt_failed("no"), "interrupted"),
    ],
)
async def test_an_open_tool_ends_as_its_turn_does(
    case: TranscriptCase, ending: TurnEnding, status: str
) -> None:
    rows = await ended(
        case,
        ToolCallChange("c1", started=True, status=ToolStatus.IN_PROGRESS),
        ToolCallChange("c2", started=True, status=ToolStatus.FAILED),
        ending=ending,
    )
    assert [row.metadata["status"] for row in rows[:2]] == [status, "failed"]


@pytest.mark.parametrize(
    ("ending", "kind", "notice", "variant"),
    [
        (prompt_ended(PromptEnd(StopReason.MAX_TOKENS)), "status", "max_tokens", "warning"),
        (
            prompt_ended(PromptEnd(StopReason.MAX_TURN_REQUESTS)),
            "status",
            "max_turn_requests",
            "warning",
        ),
        (prompt_ended(PromptEnd(StopReason.REFUSAL)), "status", "refusal", "warning"),
        (prompt_ended(PromptEnd(StopReason.CANCELLED)), "status", "cancelled", "default"),
        (prompt_ended(PromptEnd("tired")), "status", "other_stop", "warning"),
        (agent_ended(AgentEnd(-9, "Killed")), "error", "agent_ended", None),
        (agent_ended(AgentEnd(0, wanted=True)), "status", "cancelled", "default"),
        (desk_ended(), "status", "desk_ended", "warning"),
        (prompt_failed("bad gateway"), "error", "prompt_failed", None),
    ],
)
async def test_a_turn_that_did_not_simply_end_tells_why(
    case: TranscriptCase, ending: TurnEnding, kind: str, notice: str, variant: str | None
) -> None:
    (row,) = await ended(case, ending=ending)
    assert (row.kind, own(row)["notice"]) == (kind, notice)
    assert row.metadata.get("variant") == variant
    assert own(row)["detail"] == ending.detail
    assert own(row).get("exit_code") == ending.exit_code
    assert row.content
    await case.end(ending)
    assert len(await case.rows()) == 1


async def test_the_turn_ends_in_the_store_with_its_last_row(
    case: TranscriptCase, place: Place
) -> None:
    await ended(case, TextChunk("x"), ending=prompt_ended(PromptEnd("refusal")))
    with raw(place) as connection:
        row = connection.execute(
            "SELECT completed_at, metadata FROM task_session_turns WHERE id = 'turn1'"
        ).fetchone()
    assert row["completed_at"]
    assert '"outcome"' in row["metadata"]
    async with case.database.writing() as tx:
        assert not await turns.complete_turn(tx, case.turn, case.clock.now())
