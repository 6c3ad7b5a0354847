"""Input at the edges of `ConversationApi`: one clear error that names field and limit, and nothing
has changed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from backend.domain.agents import AgentCommand
from backend.domain.conversation import ProjectionRevision
from backend.domain.hosted import (
    CUSTOM_AGENT,
    MAX_ADMISSION_ID,
    MAX_MESSAGE_BYTES,
    OutgoingMessage,
    SessionStart,
)
from backend.errors import AppError, Conflict, ErrorCode, InvalidInput, NotFound
from backend.ids import AdmissionId, AgentKey, PendingId, QueueEntryId, SessionId
from tests.helpers.hosting_desk import HostingDesk
from tests.helpers.mcp_clients import http_client
from tests.helpers.scripted_agents import scripted_command

SESSION: Final = SessionId("mine")
NOBODY: Final = SessionId("nobody")
LONG_ID: Final = "i" * (MAX_ADMISSION_ID + 1)
NEVER: Final = ProjectionRevision(0, 0)
TEXTS: Final = {
    "empty": "",
    "blank": " \n\t ",
    "NUL": "a\x00b",
    "half a character": "a\ud800b",
    "2 MB": "x" * (2 * 1024 * 1024),
}
IDS: Final = {
    "empty": "",
    "blank": "  ",
    "129 characters": LONG_ID,
    "NUL": "a\x00",
    "half": "\ud800",
}


async def everything(desk: HostingDesk) -> list[object]:
    """What the desk tells of all sessions, but when."""
    told: list[object] = []
    for listed in await desk.desk.list_sessions():
        summary = replace(listed, projected=NEVER)
        conversation = await desk.api.conversation(summary.session_id)
        told.append((summary, None if conversation is None else replace(conversation, version=0)))
        told.append(await desk.rows(summary.session_id))
        told.append(await desk.api.load_message_draft(summary.session_id))
    return told


Call = Callable[[HostingDesk], Awaitable[object]]


async def refused(desk: HostingDesk, call: Call) -> AppError:
    before = await everything(desk)
    with pytest.raises(AppError) as caught:
        await call(desk)
    assert await everything(desk) == before
    assert len(caught.value.detail) < 500
    return caught.value


@pytest.fixture
async def entry(desk: HostingDesk, tmp_path: Path) -> QueueEntryId:
    """A session that works, with a message that waits."""
    await desk.start(f"until {tmp_path / 'go'}", session=SESSION)
    await desk.until(SESSION, lambda seen: seen.turn_id is not None)
    await desk.send(SESSION, "say later")
    return (await desk.conversation(SESSION)).queue[0].entry_id


def message(text: str = "x", admission: str = "a", session: SessionId = SESSION) -> OutgoingMessage:
    return OutgoingMessage(AdmissionId(admission), session, text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_a_text_that_cannot_be_sent_names_its_field(
    desk: HostingDesk, entry: QueueEntryId, tmp_path: Path, text: str
) -> None:
    start = SessionStart(
        SessionId("new"),
        CUSTOM_AGENT,
        str(tmp_path),
        prompt=text,
        admission_id=AdmissionId("p"),
        command=scripted_command(),
    )
    calls: list[Call] = [
        lambda desk: desk.api.send(message(text)),
        lambda desk: desk.api.edit_queued(SESSION, entry, text, revision=0),
    ]
    if text:
        calls.append(lambda desk: desk.api.start_session(start))
    for call in calls:
        error = await refused(desk, call)
        assert isinstance(error, InvalidInput)
        assert error.params["field"] == "text"
        if len(text) > MAX_MESSAGE_BYTES:
            assert error.code is ErrorCode.TOO_LONG
            assert error.params["limit"] == MAX_MESSAGE_BYTES


@pytest.mark.parametrize("given", IDS.values(), ids=IDS)
async def test_an_identity_that_is_none_names_its_field(
    desk: HostingDesk, entry: QueueEntryId, tmp_path: Path, given: str
) -> None:
    del entry
    start = SessionStart(SessionId("new"), CUSTOM_AGENT, str(tmp_path), command=scripted_command())
    calls: list[tuple[str, Call]] = [
        ("admission_id", lambda desk: desk.api.send(message(admission=given))),
        ("admission_id", lambda desk: desk.api.find_admission(AdmissionId(given))),
        (
            "admission_id",
            lambda desk: desk.api.start_session(
                replace(start, prompt="x", admission_id=AdmissionId(given))
            ),
        ),
        (
            "session_id",
            lambda desk: desk.api.start_session(replace(start, session_id=SessionId(given))),
        ),
    ]
    for field, call in calls:
        error = await refused(desk, call)
        assert isinstance(error, InvalidInput)
        assert error.params["field"] == field
        if given == LONG_ID:
            assert error.params["limit"] == MAX_ADMISSION_ID


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": "t\x00"}, "title"),
        ({"title": "\ud800"}, "title"),
        ({"folder": "/a\x00"}, "folder"),
        ({"folder": "/" + "f" * 5_000}, "folder"),
        ({"command": AgentCommand(("a\x00",))}, "command"),
        ({"command": AgentCommand(("a",), {"A\x00": "b"})}, "command"),
        ({"command": AgentCommand(("a",), {"A": "b\x00"})}, "command"),
        ({"command": AgentCommand(("a",), {"A=B": "b"})}, "command"),
        ({"command": AgentCommand(())}, "command"),
        ({"agent": AgentKey("a" * 129)}, "agent"),
        ({"agent": AgentKey("")}, "agent"),
        ({"mode": "m\x00"}, "mode"),
        ({"mode": "m" * 2_000_000}, "mode"),
        ({"options": (("a\x00", "b"),)}, "options"),
        ({"options": (("a", "\ud800"),)}, "options"),
    ],
)
async def test_a_start_that_cannot_be_names_its_field(
    desk: HostingDesk, tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    start = SessionStart(SessionId("new"), CUSTOM_AGENT, str(tmp_path), command=scripted_command())
    error = await refused(desk, lambda desk: desk.api.start_session(replace(start, **change)))
    assert isinstance(error, InvalidInput)
    assert str(error.params["field"]).partition(".")[0] == field


@dataclass(frozen=True)
class Somewhere:
    """A call about a session, or about an entry of its queue."""

    call: Callable[[HostingDesk, SessionId], Awaitable[object]]


ENTRY: Final = QueueEntryId("no such entry")
CALLS: Final = {
    "send": Somewhere(lambda desk, one: desk.api.send(message(session=one))),
    "late answer": Somewhere(
        lambda desk, one: desk.api.send(replace(message(session=one), answers=PendingId("p")))
    ),
    "edit": Somewhere(lambda desk, one: desk.api.edit_queued(one, ENTRY, "x", revision=0)),
    "remove": Somewhere(lambda desk, one: desk.api.remove_queued(one, ENTRY)),
    "move": Somewhere(lambda desk, one: desk.api.move_queued(one, ENTRY, 0)),
    "send now": Somewhere(lambda desk, one: desk.api.send_queued_now(one, ENTRY)),
    "auto-run": Somewhere(lambda desk, one: desk.api.set_auto_run(one, auto_run=False)),
    "cancel": Somewhere(lambda desk, one: desk.api.cancel_turn(one)),
    "resume": Somewhere(lambda desk, one: desk.api.resume(one)),
    "end": Somewhere(lambda desk, one: desk.api.end_session(one)),
    "mode": Somewhere(lambda desk, one: desk.api.set_mode(one, "ask")),
    "option": Somewhere(lambda desk, one: desk.api.set_option(one, "pace", "calm")),
}


@pytest.mark.parametrize(
    "session",
    [NOBODY, SessionId("a\x00b"), SessionId("\ud800"), SessionId("s" * 2_000_000)],
    ids=["unknown", "NUL", "half", "2 MB"],
)
@pytest.mark.parametrize("somewhere", CALLS.values(), ids=CALLS)
async def test_a_session_that_is_not_there_is_said_so(
    desk: HostingDesk, somewhere: Somewhere, session: SessionId
) -> None:
    error = await refused(desk, lambda desk: somewhere.call(desk, session))
    assert isinstance(error, NotFound | InvalidInput)


async def test_a_guests_session_takes_no_messages_and_has_no_agent(desk: HostingDesk) -> None:
    async with http_client(desk.runtime.mcp_url, agent_token(desk)) as client:
        await client.call_tool("send_note", {"text": "hello"})
        (guest,) = await desk.desk.list_sessions()
        assert await desk.api.conversation(guest.session_id) is None
        for name, somewhere in CALLS.items():
            error = await refused(
                desk,
                lambda desk, call=somewhere.call: call(desk, guest.session_id),  # type: ignore[misc]
            )
            assert isinstance(error, NotFound | Conflict), name


def agent_token(desk: HostingDesk) -> str:
    return (desk.folder / "home" / "agent-token").read_text().strip()


@pytest.mark.parametrize(
    ("position", "order"), [(-5, "cab"), (0, "cab"), (1, "acb"), (99, "abc"), (2**70, "abc")]
)
async def test_a_position_out_of_range_is_the_nearest_there_is(
    desk: HostingDesk, tmp_path: Path, position: int, order: str
) -> None:
    """K7.3: what is moved beyond an end is at that end."""
    await desk.start(f"until {tmp_path / 'go'}", session=SESSION)
    await desk.until(SESSION, lambda seen: seen.turn_id is not None)
    for name in "abc":
        await desk.send(SESSION, name)
    (*_, last) = (await desk.conversation(SESSION)).queue
    moved = await desk.api.move_queued(SESSION, last.entry_id, position)
    assert "".join(entry.text for entry in moved.queue) == order
    assert [entry.position for entry in moved.queue] == [0, 1, 2]
