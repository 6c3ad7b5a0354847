"""A conversation without a project in the side panel, on the view models of every other."""

import asyncio

from app.tasks import WindowTasks
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.composer import ComposerMode
from app.viewmodels.desk import DeskViewModel
from app.viewmodels.notices import NoticesViewModel
from app.viewmodels.quick_chat import QuickChatViewModel
from backend.domain.agents import AgentCommand
from backend.domain.conversation import SessionKind
from backend.domain.hosted import AgentOffer
from backend.events import SessionRemoved, Woke
from backend.ids import AgentKey, ClientId, SessionId
from tests.helpers.clarification_case import deadline_on
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk_builders import make_bundle, make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation

DAYS = 24 * 60 * 60


class QuickCase:
    def __init__(self) -> None:
        self.backend = FakeBackend()
        self.hosted = self.backend.desk.conversations
        self.hosted.offers = (AgentOffer(AgentKey("a"), "Agent", AgentCommand(("a",))),)
        self.clock = FakeClock()
        self.tasks = WindowTasks(NoticesViewModel().show_error)
        self.desk = DeskViewModel(
            self.backend, self._clarification(), NoticesViewModel(), self.tasks
        )
        self.quick = QuickChatViewModel(
            self.backend, self.desk, self._clarification(), self.tasks, self.desk
        )

    def chat(
        self, name: str, *, updated: float = 0, workspace: str = "", pinned: bool = False
    ) -> None:
        self.hosted.host(make_conversation(name, folder=workspace))
        self.backend.desk.put_session(
            make_session(
                name,
                kind=SessionKind.HOSTED,
                workspace=workspace,
                updated=updated,
                quick_chat=not workspace,
                pinned=pinned,
            )
        )

    async def start(self) -> None:
        self.desk.start()
        await settle()

    def _clarification(self) -> ClarificationViewModel:
        return ClarificationViewModel(
            self.backend,
            clock=self.clock,
            deadline=lambda seconds: deadline_on(self.clock, seconds),
            background=self.tasks,
            client_id=ClientId("window-1"),
        )


async def test_only_what_was_begun_as_one_is_a_quick_chat() -> None:
    case = QuickCase()
    case.chat("old", updated=1)
    case.chat("new", updated=2)
    case.chat("project", updated=3, workspace="/home/ann/shop")
    case.backend.desk.put_session(make_session("guest", workspace="", updated=4))
    await case.start()
    assert [chat.session_id for chat in case.quick.chats()] == ["new", "old"]


async def test_a_chat_nobody_touched_for_seven_days_is_no_longer_offered() -> None:
    """window.md, Layout: kept 7 days."""
    case = QuickCase()
    case.chat("stale", updated=-7 * DAYS - 1)
    case.chat("kept", updated=-7 * DAYS + 60)
    case.chat("pinned", updated=-70 * DAYS, pinned=True)
    await case.start()
    assert [chat.session_id for chat in case.quick.chats()] == ["kept", "pinned"]


async def test_the_pin_tells_the_desk_and_shows_what_the_desk_says() -> None:
    case = QuickCase()
    case.chat("q")
    await case.start()
    case.quick.show_session(SessionId("q"))
    case.quick.set_pinned(pinned=True)
    await settle()
    assert case.hosted.pinned == [("q", True)]
    shown = case.quick.sessions.current
    assert shown is not None
    assert not shown.pinned
    case.chat("q", updated=1, pinned=True)
    shown = case.quick.sessions.current
    assert shown is not None
    assert shown.pinned


async def test_a_chat_that_is_removed_makes_way_for_the_next() -> None:
    case = QuickCase()
    case.chat("gone", updated=2)
    case.chat("next", updated=1)
    await case.start()
    case.desk.close_session()
    case.quick.open()
    assert case.quick.current == "gone"
    case.backend.desk.remove_session(SessionId("gone"))
    await settle()
    assert case.quick.current == "next"
    assert [chat.session_id for chat in case.quick.chats()] == ["next"]


async def test_a_list_that_was_read_before_a_removal_does_not_bring_it_back() -> None:
    case = QuickCase()
    case.chat("gone")
    await case.start()
    sessions = case.desk.sessions
    gate = case.backend.desk.hold("list_sessions")
    loading = asyncio.create_task(sessions.load())
    await settle()
    case.backend.desk.bus.publish(SessionRemoved(SessionId("gone")))
    gate.set()
    await loading
    assert sessions.count == 0


async def test_the_main_pane_leaves_a_conversation_that_is_removed() -> None:
    case = QuickCase()
    case.chat("gone")
    await case.start()
    case.desk.open_session(SessionId("gone"))
    await settle()
    case.backend.desk.remove_session(SessionId("gone"))
    await settle()
    assert case.desk.sessions.current_id is None
    assert case.desk.composer.conversation is None


async def test_the_panel_opens_with_the_newest_chat_and_its_rows() -> None:
    case = QuickCase()
    case.chat("q")
    case.backend.desk.add_messages(make_message("m", "hello", session="q"))
    await case.start()
    case.desk.close_session()
    case.quick.open()
    await settle()
    assert case.quick.current == "q"
    assert [row.content for row in case.quick.transcript.rows] == ["hello"]
    assert case.quick.composer.mode is ComposerMode.DIRECT


async def test_without_a_chat_a_new_one_is_begun_and_shown() -> None:
    case = QuickCase()
    await case.start()
    case.quick.open()
    await settle()
    assert case.quick.current is None
    case.quick.new_session.set_prompt("What is a monad?")
    case.quick.new_session.start()
    await settle()
    (start,) = case.hosted.started
    assert start.folder == ""
    assert case.quick.current == start.session_id


async def test_what_is_typed_is_the_same_wherever_the_conversation_is_shown() -> None:
    """K8.3.8: the same on Quick Chat."""
    case = QuickCase()
    case.chat("q")
    await case.start()
    case.quick.show_session(SessionId("q"))
    await settle()
    case.quick.composer.write("half a thought")
    case.quick.leave()
    case.desk.open_session(SessionId("q"))
    await settle()
    writing = case.desk.composer.writing
    assert writing is not None
    assert writing.text == "half a thought"


async def test_a_question_of_the_chat_is_answered_in_the_panel() -> None:
    """window.md, Layout: same overlay, banner and late answers."""
    case = QuickCase()
    case.chat("q")
    await case.start()
    case.desk.close_session()
    case.quick.show_session(SessionId("q"))
    case.backend.desk.open(make_bundle("p", session="q"))
    await settle()
    card = case.quick.clarification.card
    assert card is not None
    assert card.pending_id == "p"


async def test_after_a_sleep_every_list_is_read_again() -> None:
    """agents.md, ACP: after a suspend the Inbox is reread."""
    case = QuickCase()
    await case.start()
    case.backend.desk.calls.clear()
    case.backend.desk.bus.publish(Woke(3600))
    await settle()
    assert {"list_sessions", "list_open_bundles"} <= set(case.backend.desk.calls)


async def test_a_window_that_is_used_again_lets_the_desk_find_out_that_it_slept() -> None:
    case = QuickCase()
    await case.start()
    case.backend.desk.calls.clear()
    case.desk.look_again()
    await settle()
    assert case.backend.desk.calls == ["desk_info"]
