"""The life of a session's agent: what starts it, what ends it, what is told of its troubles."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from backend.conversation import watching
from backend.domain.agents import AgentCommand
from backend.domain.hosted import (
    CUSTOM_AGENT,
    AdmissionOutcome,
    AgentProblem,
    AgentStatus,
    SessionStart,
)
from backend.errors import Conflict, InvalidInput, NotFound
from backend.events import ConversationChanged, TurnCompleted, TurnStarted
from backend.ids import AdmissionId, AgentKey, SessionId, new_id
from tests.helpers.hosting_desk import HostingDesk, hosting_desk, is_free, prompts_in
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_without_a_prompt_the_agent_starts_and_waits(desk: HostingDesk) -> None:
    session = await desk.start()
    conversation = await desk.until(session, lambda seen: seen.status is AgentStatus.READY)
    assert (conversation.input, conversation.turn_id) == ("direct", None)
    assert await desk.rows(session) == []


async def test_a_turn_is_told_once_when_it_begins_and_once_when_it_has_ended(
    desk: HostingDesk,
) -> None:
    session = await desk.start("say one")
    await desk.ready(session)
    turns = [event for event in desk.events if isinstance(event, TurnStarted | TurnCompleted)]
    assert [type(event) for event in turns] == [TurnStarted, TurnCompleted]
    assert len({event.turn_id for event in turns}) == 1


async def test_versions_of_a_conversation_only_grow(desk: HostingDesk) -> None:
    session = await desk.start("say one")
    await desk.ready(session)
    versions = [
        event.conversation.version
        for event in desk.events
        if isinstance(event, ConversationChanged)
    ]
    assert versions == sorted(set(versions))


async def test_asking_twice_makes_one_conversation_and_sends_one_prompt(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.3.1; K7.2: the same identity is the same message."""
    log = tmp_path / "frames"
    start = SessionStart(
        SessionId("mine"),
        CUSTOM_AGENT,
        str(tmp_path),
        prompt="say once",
        admission_id=AdmissionId("first"),
        command=scripted_command(log=str(log)),
    )
    assert await desk.api.start_session(start) == await desk.api.start_session(start)
    await desk.ready(start.session_id)
    assert await desk.api.start_session(start) == "mine"
    await desk.ready(start.session_id)
    assert prompts_in(log) == ["say once"]
    with pytest.raises(Conflict):
        await desk.api.start_session(replace(start, folder=str(tmp_path / "home")))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"agent": AgentKey("nobody")}, "agent"),
        ({"command": None}, "command"),
        ({"folder": "relative"}, "folder"),
        ({"folder": "/nowhere/at/all"}, "folder"),
        ({"prompt": "x", "admission_id": None}, "admission_id"),
        ({"title": "t" * 1_000}, "title"),
    ],
)
async def test_what_cannot_be_started_names_its_field(
    desk: HostingDesk, tmp_path: Path, change: dict[str, object], field: str
) -> None:
    start = SessionStart(SessionId("s"), CUSTOM_AGENT, str(tmp_path), command=scripted_command())
    with pytest.raises(InvalidInput) as caught:
        await desk.api.start_session(replace(start, **change))  # type: ignore[arg-type]
    assert caught.value.params["field"] == field
    with pytest.raises(NotFound):
        await desk.api.conversation(SessionId("s"))


async def test_a_quick_chat_has_a_folder_of_its_own(desk: HostingDesk, tmp_path: Path) -> None:
    start = SessionStart(SessionId("q"), CUSTOM_AGENT, "", command=scripted_command())
    await desk.api.start_session(start)
    conversation = await desk.until(start.session_id, is_free)
    assert Path(conversation.folder).parent == tmp_path / "home" / "quick-chats"
    assert await desk.api.start_session(start) == "q"


async def test_a_prompt_whose_agent_does_not_start_waits_for_it_and_is_sent_once(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """Certainly not sent: it stays visible, and one click sends it."""
    log, program = tmp_path / "frames", tmp_path / "agent"
    session = await desk.start("say late", command=AgentCommand((str(program),)))
    conversation = await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
    assert conversation.trouble is not None
    assert conversation.trouble.problem is AgentProblem.COMMAND_MISSING
    assert await desk.said(session) == ["user: say late"]
    scripted = scripted_command(log=str(log))
    words = " ".join(scripted.argv)
    variables = "\n".join(
        f"export {name}='{value}'" for name, value in scripted.environment.items()
    )
    program.write_text(f"#!/bin/sh\n{variables}\nexec {words}\n")
    program.chmod(0o755)
    await desk.api.resume(session)
    await desk.ready(session)
    assert (await desk.said(session))[-1] == "agent: late"
    assert prompts_in(log) == ["say late"]


async def test_a_message_whose_command_is_gone_is_taken_back_and_nothing_is_held(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """Also after a Resume that fails again: its words are a draft, and no prompt is left."""
    session = await desk.start("say late", command=AgentCommand((str(tmp_path / "gone"),)))
    await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
    await desk.api.resume(session)
    conversation = await desk.until(
        session, lambda seen: seen.status is AgentStatus.FAILED and seen.unsent is not None
    )
    assert conversation.unsent is not None
    assert await desk.api.withdraw_message(session, conversation.unsent) == "say late"
    draft = await desk.api.load_message_draft(session)
    assert draft is not None
    assert draft.text == "say late"
    desk.command(session, scripted_command())
    await desk.api.resume(session)
    await desk.ready(session)
    assert await desk.said(session) == ["user: say late"]
    await desk.send(session, "say now")
    await desk.ready(session)
    assert (await desk.said(session))[-1] == "agent: now"


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        ("exit", AgentProblem.START_FAILED),
        ("not_acp", AgentProblem.NOT_ACP),
        ("auth", AgentProblem.AUTH_REQUIRED),
    ],
)
async def test_an_agent_that_cannot_be_talked_to_is_told_by_its_kind(
    desk: HostingDesk, start: str, problem: AgentProblem
) -> None:
    session = await desk.start("say x", command=scripted_command(start=start))
    other = await desk.start("say y")
    conversation = await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
    assert conversation.trouble is not None
    assert conversation.trouble.problem is problem
    await desk.ready(other)


async def test_what_is_sent_while_it_works_waits_and_goes_next(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K7.1, K7.3: a running session queues; auto-run sends what waits, in order."""
    log = tmp_path / "frames"
    session = await desk.start(
        f"until {tmp_path / 'go'}\nsay one", command=scripted_command(log=str(log))
    )
    await desk.until(session, lambda seen: seen.turn_id is not None)
    second = await desk.send(session, "say two")
    await desk.send(session, "say three")
    assert second.outcome is AdmissionOutcome.QUEUED
    assert len((await desk.conversation(session)).queue) == 2
    (tmp_path / "go").touch()
    await until(lambda: len(prompts_in(log)) == 3, seconds=20)
    await desk.ready(session)
    agent = [line for line in await desk.said(session) if line.startswith("agent")]
    assert agent == ["agent: one", "agent: two", "agent: three"]


async def test_stopping_ends_the_turn_and_the_session_goes_on(desk: HostingDesk) -> None:
    """K8.6 82."""
    session = await desk.start("say before\nwait")
    await desk.until(session, lambda seen: seen.turn_id is not None)
    await desk.api.cancel_turn(session)
    await desk.ready(session)
    await desk.send(session, "say after")
    await desk.until(session, lambda seen: seen.turn_id is None and is_free(seen))
    assert (await desk.said(session))[-1] == "agent: after"


async def test_an_agent_that_ignores_a_stop_is_doubted_and_left_to_its_human(
    desk: HostingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K8.6 82."""
    monkeypatch.setattr(watching, "CANCEL_PATIENCE", 0.2)
    session = await desk.start("sleep 60", command=scripted_command(ignore=["cancel"]))
    await desk.until(session, lambda seen: seen.turn_id is not None)
    pid = desk.process(session)
    await desk.api.cancel_turn(session)
    conversation = await desk.until(session, lambda seen: seen.trouble is not None)
    assert conversation.trouble is not None
    assert conversation.trouble.problem is AgentProblem.IGNORES_CANCEL
    assert alive(pid)
    await desk.api.end_session(session)
    conversation = await desk.until(session, is_free)
    assert (conversation.status, conversation.trouble) == (AgentStatus.ABSENT, None)
    assert not alive(pid)


async def test_an_agent_that_says_nothing_for_long_is_doubted_until_it_speaks(
    desk: HostingDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K8.6 81."""
    monkeypatch.setattr(watching, "SILENT_AFTER", 0.3)
    session = await desk.start(f"until {tmp_path / 'go'}\nsay word\nuntil {tmp_path / 'on'}")
    conversation = await desk.until(session, lambda seen: seen.trouble is not None)
    assert conversation.trouble is not None
    assert conversation.trouble.problem is AgentProblem.SILENT
    (tmp_path / "go").touch()
    monkeypatch.setattr(watching, "SILENT_AFTER", 30.0)
    await desk.until(session, lambda seen: seen.trouble is None)
    (tmp_path / "on").touch()
    await desk.ready(session)


async def test_an_ended_session_is_continued_by_the_next_prompt(
    desk: HostingDesk, tmp_path: Path
) -> None:
    log = tmp_path / "frames"
    session = await desk.start("say one", command=scripted_command(log=str(log)))
    await desk.ready(session)
    first = desk.process(session)
    await desk.api.end_session(session)
    await until(lambda: not alive(first))
    await desk.send(session, "say two")
    await desk.until(session, lambda seen: seen.status is AgentStatus.READY and is_free(seen))
    assert (await desk.said(session))[-1] == "agent: two"
    assert "session/load" in log.read_text()


async def test_an_agent_that_cannot_continue_begins_anew_when_its_human_says_so(
    desk: HostingDesk, tmp_path: Path
) -> None:
    log = tmp_path / "frames"
    command = scripted_command(log=str(log), load="refuse")
    session = await desk.start("say one", command=command)
    await desk.ready(session)
    await desk.api.end_session(session)
    await desk.api.resume(session)
    conversation = await desk.until(session, lambda seen: seen.trouble is not None)
    assert conversation.trouble is not None
    assert conversation.trouble.problem is AgentProblem.LOAD_FAILED
    await desk.api.resume(session, anew=True)
    conversation = await desk.until(session, lambda seen: seen.status is AgentStatus.READY)
    assert conversation.trouble is None


async def test_a_desk_that_closes_ends_its_agents_and_tells_their_turns(tmp_path: Path) -> None:
    async with hosting_desk(tmp_path) as desk:
        session = await desk.start("say half\nwait")
        await desk.until(session, lambda seen: seen.turn_id is not None)
        await until(lambda: any("half" in str(event) for event in desk.events), seconds=20)
        pid = desk.process(session)
    assert not alive(pid)
    async with hosting_desk(tmp_path) as desk:
        rows = await desk.rows(session)
        assert [row.kind for row in rows] == ["message", "message", "status"]
        conversation = await desk.conversation(session)
        assert (conversation.status, conversation.input) == (AgentStatus.ABSENT, "direct")


async def test_a_dead_agents_secret_opens_nothing(desk: HostingDesk) -> None:
    session = await desk.start("say x")
    await desk.ready(session)
    tools = desk.runtime._tools
    token = tools._by_session[session].token.encode()
    assert tools.session_of(token) == session
    os.killpg(desk.process(session), signal.SIGKILL)
    await until(lambda: tools.session_of(token) is None, seconds=20)


async def test_a_guests_session_is_no_conversation(desk: HostingDesk) -> None:
    with pytest.raises(NotFound):
        await desk.api.conversation(SessionId(new_id()))
    with pytest.raises(NotFound):
        await desk.api.resume(SessionId(new_id()))


async def test_modes_are_chosen_while_the_agent_runs_only(desk: HostingDesk) -> None:
    modes = {
        "modes": {
            "currentModeId": "ask",
            "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
        }
    }
    session = await desk.start(command=scripted_command(session=modes))
    await desk.until(session, lambda seen: seen.mode == "ask")
    await desk.api.set_mode(session, "code")
    await desk.until(session, lambda seen: seen.mode == "code")
    await desk.api.end_session(session)
    conversation = await desk.until(session, lambda seen: seen.status is AgentStatus.ABSENT)
    assert [mode.id for mode in conversation.modes] == ["ask", "code"]
    with pytest.raises(Conflict):
        await desk.api.set_mode(session, "ask")


async def test_a_prompt_that_was_stopped_before_it_was_sent_is_never_sent(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.6 82."""
    log = tmp_path / "frames"
    session = await desk.start("say never", command=AgentCommand((str(tmp_path / "missing"),)))
    await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
    await desk.api.cancel_turn(session)
    desk.command(session, scripted_command(log=str(log)))
    await desk.api.resume(session)
    await desk.ready(session)
    await desk.send(session, "say this")
    await until(lambda: prompts_in(log) == ["say this"], seconds=20)
    await desk.ready(session)


async def test_a_session_that_failed_is_told_so_after_a_restart(tmp_path: Path) -> None:
    async with hosting_desk(tmp_path) as desk:
        session = await desk.start(command=AgentCommand((str(tmp_path / "missing"),)))
        await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
    async with hosting_desk(tmp_path) as desk:
        conversation = await desk.conversation(session)
        assert (conversation.status, conversation.input) == (AgentStatus.FAILED, "unavailable")
        assert conversation.trouble is not None
        assert conversation.trouble.problem is AgentProblem.COMMAND_MISSING


async def test_an_agent_that_hangs_at_its_start_is_ended_when_its_human_says_so(
    desk: HostingDesk,
) -> None:
    session = await desk.start("say x", command=scripted_command(start="hang"))
    await desk.until(session, lambda seen: seen.status is AgentStatus.STARTING)
    await desk.api.end_session(session)
    conversation = await desk.until(session, lambda seen: seen.status is AgentStatus.ABSENT)
    assert conversation.trouble is None
    desk.command(session, scripted_command())
    await desk.api.resume(session)
    await desk.until(session, lambda seen: seen.status is AgentStatus.READY and is_free(seen))
    assert (await desk.said(session))[-1] == "agent: x"
