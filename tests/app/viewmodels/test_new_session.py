"""A conversation is started once, however often and however late it is asked for."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject

from app.tasks import WindowTasks
from app.viewmodels.new_session import START_SECONDS, NewSessionViewModel, StartPhase
from app.viewmodels.sessions import SessionsViewModel
from backend.clock import Nanoseconds
from backend.domain.agents import AgentCommand, ConfigOption, OptionChoice, SessionMode
from backend.domain.conversation import SessionKind
from backend.domain.hosted import CUSTOM_AGENT, AgentOffer
from backend.errors import AppError, ErrorCode, InvalidInput, TemporarilyUnavailable
from backend.ids import AgentKey, SessionId
from tests.helpers.clarification_case import deadline_on
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend

CLAUDE = AgentOffer(AgentKey("claude"), "Claude Code", AgentCommand(("claude",)))
CODEX = AgentOffer(AgentKey("codex"), "Codex", None, "npm install codex")
BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")


class StartCase:
    def __init__(self, *, quick: bool = False) -> None:
        self.backend = FakeBackend()
        self.hosted = self.backend.desk.conversations
        self.hosted.offers = (CODEX, CLAUDE)
        self.clock = FakeClock()
        self.errors: list[AppError] = []
        self.owner = QObject()
        self.sessions = SessionsViewModel(self.backend)
        self.view_model = NewSessionViewModel(
            self.backend,
            self.sessions,
            deadline=lambda seconds: deadline_on(self.clock, seconds),
            background=WindowTasks(self.errors.append),
            quick=quick,
        )
        self.opened: list[SessionId] = []
        self.view_model.started.connect(self.opened.append)

    async def open(self) -> None:
        self.view_model.open()
        await settle()

    async def fill(self, prompt: str = "Write it.") -> None:
        await self.open()
        self.view_model.set_folder("/home/ann/shop")
        self.view_model.set_prompt(prompt)

    async def start(self) -> None:
        self.view_model.start()
        await settle()

    def is_in(self, phase: StartPhase) -> bool:
        return self.view_model.phase is phase


async def test_the_first_agent_that_is_here_is_chosen() -> None:
    case = StartCase()
    await case.open()
    assert case.view_model.agent == CLAUDE.key


async def test_the_agent_that_was_started_last_is_chosen() -> None:
    case = StartCase()
    opencode = AgentOffer(AgentKey("opencode"), "OpenCode", AgentCommand(("opencode",)))
    case.hosted.offers = (CODEX, CLAUDE, opencode)
    for number, name in enumerate(("Claude Code", "OpenCode", "Codex"), start=1):
        made = make_session(f"s{number}", agent=name, kind=SessionKind.HOSTED)
        case.backend.desk.put_session(replace(made, started_at=Nanoseconds(number)))
    guest = make_session("guest", agent="Claude Code")
    case.backend.desk.put_session(replace(guest, started_at=Nanoseconds(9)))
    await case.sessions.load()
    await case.open()
    assert case.view_model.agent == "opencode", "Codex was used later and is not here any more"


async def test_the_folders_of_before_are_offered_newest_first() -> None:
    case = StartCase()
    case.backend.desk.put_session(make_session("s1", workspace="/old", updated=1))
    case.backend.desk.put_session(make_session("s2", workspace="/new", updated=2))
    case.backend.desk.put_session(make_session("s3", workspace="", updated=3))
    await case.open()
    assert case.view_model.recent_folders() == ["/new", "/old"]
    assert case.view_model.folder == "/new"


async def test_a_conversation_is_started_with_its_first_message() -> None:
    case = StartCase()
    await case.fill()
    await case.start()
    (start,) = case.hosted.started
    assert (start.agent, start.folder, start.prompt) == (CLAUDE.key, "/home/ann/shop", "Write it.")
    assert start.admission_id is not None
    assert case.opened == [start.session_id]
    assert case.view_model.prompt == ""


async def test_a_double_press_starts_one() -> None:
    case = StartCase()
    await case.fill()
    gate = case.hosted.hold("start_session")
    case.view_model.start()
    case.view_model.start()
    gate.set()
    await settle()
    assert case.hosted.calls.count("start_session") == 1
    assert len(case.opened) == 1


async def test_the_next_conversation_has_an_identity_of_its_own() -> None:
    case = StartCase()
    await case.fill()
    await case.start()
    case.view_model.set_prompt("Another.")
    await case.start()
    first, second = case.hosted.started
    assert first.session_id != second.session_id
    assert first.admission_id != second.admission_id


async def test_a_lost_reply_is_not_known_and_trying_again_opens_what_was_made() -> None:
    """SessionStart: the same id again is the same conversation."""
    case = StartCase()
    await case.fill()
    case.hosted.lose_reply("start_session", BUSY)
    await case.start()
    assert case.is_in(StartPhase.UNKNOWN)
    assert case.view_model.prompt == "Write it."
    await case.start()
    assert len(case.hosted.started) == 1
    assert case.opened == [case.hosted.started[0].session_id]


async def test_what_was_changed_meanwhile_is_kept_when_the_earlier_one_was_made() -> None:
    case = StartCase()
    await case.fill()
    case.hosted.lose_reply("start_session", BUSY)
    await case.start()
    case.view_model.set_prompt("Something else.")
    await case.start()
    assert len(case.hosted.started) == 1
    assert case.view_model.prompt == "Something else."


async def test_what_was_not_made_is_made_on_trying_again() -> None:
    case = StartCase()
    await case.fill()
    case.hosted.fail("start_session", BUSY)
    await case.start()
    assert case.is_in(StartPhase.UNKNOWN)
    await case.start()
    assert len(case.hosted.started) == 1


async def test_a_start_nobody_answers_for_is_not_known_in_time() -> None:
    case = StartCase()
    await case.fill()
    case.hosted.hold("start_session")
    await case.start()
    await case.clock.advance(START_SECONDS + 1)
    assert case.is_in(StartPhase.UNKNOWN)
    assert case.clock.pending_timers == 0


@pytest.mark.parametrize("field", ["agent", "folder", "command", "prompt"])
async def test_an_error_names_its_field_until_something_is_changed(field: str) -> None:
    case = StartCase()
    await case.fill()
    case.hosted.fail("start_session", InvalidInput(ErrorCode.INVALID, "", field=field))
    await case.start()
    assert case.is_in(StartPhase.FAILED)
    assert case.view_model.refused_field == field
    case.view_model.set_folder("/elsewhere")
    assert case.view_model.refused_field == ""


async def test_a_command_of_ones_own_is_read_as_a_shell_reads_it() -> None:
    case = StartCase()
    await case.fill()
    case.view_model.choose_agent(CUSTOM_AGENT)
    assert not case.view_model.can_start
    case.view_model.set_command("DEBUG=1 my-agent --name 'a b'")
    await case.start()
    (start,) = case.hosted.started
    assert start.command == AgentCommand(("my-agent", "--name", "a b"), {"DEBUG": "1"})


async def test_a_command_that_cannot_be_read_is_told_before_anything_is_sent() -> None:
    case = StartCase()
    await case.fill()
    case.view_model.choose_agent(CUSTOM_AGENT)
    case.view_model.set_command("my-agent 'open")
    await case.start()
    assert case.view_model.refused_field == "command"
    assert "start_session" not in case.hosted.calls


async def test_without_a_folder_nothing_is_started_but_a_quick_chat() -> None:
    case, quick = StartCase(), StartCase(quick=True)
    for each in (case, quick):
        await each.open()
        each.view_model.set_prompt("Hello")
        await each.start()
    assert case.hosted.started == []
    assert [start.folder for start in quick.hosted.started] == [""]


async def test_what_the_agent_offered_last_can_be_chosen_before_the_first_prompt() -> None:
    """Nothing is chosen unless the human chooses; a switch is left to the conversation."""
    case = StartCase()
    options = (
        ConfigOption("model", "Model", "large", (OptionChoice("large", "Large"),)),
        ConfigOption("think", "Think longer", "true"),
    )
    offer = replace(CLAUDE, modes=(SessionMode("code", "Edit by itself"),), options=options)
    case.hosted.offers = (offer, AgentOffer(AgentKey("b"), "B", AgentCommand(("b",))))
    await case.fill()
    offered = case.view_model.offered
    assert offered is not None
    assert (offered.mode, [(one.id, one.current) for one in offered.options]) == (
        "",
        [("model", "")],
    )
    case.view_model.set_mode("code")
    case.view_model.set_option("model", "large")
    await case.start()
    (start,) = case.hosted.started
    assert (start.mode, start.options) == ("code", (("model", "large"),))


async def test_choices_are_of_one_agent_only() -> None:
    case = StartCase()
    offer = replace(CLAUDE, modes=(SessionMode("code", "Edit by itself"),))
    case.hosted.offers = (offer, AgentOffer(AgentKey("b"), "B", AgentCommand(("b",))))
    await case.fill()
    case.view_model.set_mode("code")
    case.view_model.choose_agent(AgentKey("b"))
    await case.start()
    (start,) = case.hosted.started
    assert (start.agent, start.mode) == ("b", "")
