"""What a message becomes is said for the session that is shown, at the moment it is sent (K7.1)."""

from dataclasses import replace

import pytest

from app.viewmodels.composer import ComposerMode
from backend.clock import Nanoseconds
from backend.domain.agents import SlashCommand
from backend.domain.conversation import SessionKind
from backend.domain.hosted import AgentStatus, QueuedPrompt
from backend.domain.input_mode import InputMode
from backend.errors import AgentFailed, Conflict, ErrorCode, NotFound
from backend.ids import MessageId, QueueEntryId, SessionId
from tests.helpers.clock import settle
from tests.helpers.composer_case import ComposerCase
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_conversations import make_conversation


def queued(*texts: str) -> tuple[QueuedPrompt, ...]:
    return tuple(
        QueuedPrompt(QueueEntryId(f"e{place}"), text, place, Nanoseconds(1))
        for place, text in enumerate(texts)
    )


def texts(case: ComposerCase) -> list[str]:
    conversation = case.view_model.conversation
    assert conversation is not None
    return [entry.text for entry in conversation.queue]


@pytest.mark.parametrize(
    ("status", "mode", "pending", "words"),
    [
        (AgentStatus.READY, InputMode.DIRECT, 0, ComposerMode.DIRECT),
        (AgentStatus.WORKING, InputMode.DIRECT, 0, ComposerMode.DIRECT),
        (AgentStatus.ABSENT, InputMode.DIRECT, 0, ComposerMode.STARTS_AGENT),
        (AgentStatus.FAILED, InputMode.DIRECT, 0, ComposerMode.STARTS_AGENT),
        (AgentStatus.STARTING, InputMode.QUEUE, 0, ComposerMode.QUEUE_STARTING),
        (AgentStatus.WORKING, InputMode.QUEUE, 0, ComposerMode.QUEUE_WORKING),
        (AgentStatus.READY, InputMode.QUEUE, 1, ComposerMode.QUEUE_QUESTION),
        (AgentStatus.READY, InputMode.QUEUE, 0, ComposerMode.QUEUE_BEHIND),
        (AgentStatus.ABSENT, InputMode.QUEUE, 0, ComposerMode.QUEUE_BEHIND),
        (AgentStatus.ABSENT, InputMode.UNAVAILABLE, 0, ComposerMode.ENDED),
        (AgentStatus.FAILED, InputMode.UNAVAILABLE, 0, ComposerMode.NOT_STARTED),
    ],
)
async def test_the_mode_is_said_for_every_state(
    status: AgentStatus, mode: InputMode, pending: int, words: ComposerMode
) -> None:
    """K7.1; K8.7 case 114; K6.4: an open question queues."""
    case = ComposerCase()
    await case.show(make_conversation(status=status, input=mode), pending=pending)
    assert case.view_model.mode is words


async def test_an_agent_that_waits_for_a_permission_is_not_said_to_work() -> None:
    case = ComposerCase()
    await case.show(make_conversation(status=AgentStatus.WORKING, input=InputMode.QUEUE))
    session = case.sessions.session(SessionId("s1"))
    assert session is not None
    case.backend.desk.put_session(replace(session, pending_permissions=1))
    await settle()
    assert case.view_model.mode is ComposerMode.QUEUE_PERMISSION


async def test_another_session_does_not_matter() -> None:
    """K7.1; K8.7 case 114."""
    case = ComposerCase()
    case.hosted.host(make_conversation("s2", status=AgentStatus.WORKING, input=InputMode.QUEUE))
    await case.show()
    case.hosted.change("s2", input=InputMode.UNAVAILABLE)
    assert case.view_model.mode is ComposerMode.DIRECT


async def test_the_state_is_read_when_the_message_is_sent() -> None:
    """K7.1; K8.7 case 113: at action time, not when it was painted."""
    case = ComposerCase()
    await case.show()
    case.view_model.write("words")
    case.hosted.change(input=InputMode.UNAVAILABLE)
    case.view_model.send()
    await settle()
    assert "send" not in case.hosted.calls
    assert case.writing.text == "words"


async def test_a_guest_has_no_composer() -> None:
    """agents.md: guests have no prompt channel."""
    case = ComposerCase()
    case.hosted.guests.add(SessionId("s1"))
    case.backend.desk.put_session(make_session("s1"))
    await case.go("s1")
    assert case.view_model.mode is ComposerMode.GUEST
    assert case.view_model.writing is None


async def test_a_session_from_elsewhere_can_only_be_read() -> None:
    case = ComposerCase()
    case.hosted.guests.add(SessionId("s1"))
    case.backend.desk.put_session(make_session("s1", kind=SessionKind.HOSTED))
    await case.go("s1")
    assert case.view_model.mode is ComposerMode.NOT_HOSTED


async def test_an_older_version_is_never_shown_over_a_newer() -> None:
    case = ComposerCase()
    await case.show(make_conversation(version=5, mode="new"))
    case.conversations.take_in(make_conversation(version=4, mode="old"))
    conversation = case.view_model.conversation
    assert conversation is not None
    assert conversation.mode == "new"


async def test_the_agent_is_asked_to_stop_once() -> None:
    case = ComposerCase()
    await case.show(make_conversation(status=AgentStatus.WORKING, input=InputMode.QUEUE))
    gate = case.hosted.hold("cancel_turn")
    assert case.can_stop()
    case.view_model.stop()
    case.view_model.stop()
    assert not case.can_stop()
    gate.set()
    await settle()
    assert case.hosted.calls.count("cancel_turn") == 1


async def test_queued_messages_are_moved_sent_first_edited_and_removed() -> None:
    case = ComposerCase()
    await case.show(make_conversation(input=InputMode.QUEUE, queue=queued("a", "b", "c")))
    case.view_model.move_queued(QueueEntryId("e2"), 0)
    await settle()
    assert texts(case) == ["c", "a", "b"]
    case.view_model.send_queued_now(QueueEntryId("e1"))
    await settle()
    assert texts(case) == ["b", "c", "a"]
    case.view_model.remove_queued(QueueEntryId("e2"))
    await settle()
    assert texts(case) == ["b", "a"]
    conversation = case.view_model.conversation
    assert conversation is not None
    case.view_model.edit_queued(conversation.queue[0], " B ")
    await settle()
    assert texts(case) == ["B", "a"]
    case.view_model.move_queued(QueueEntryId("e0"), 5)
    await settle()
    assert texts(case) == ["B", "a"]


async def test_what_is_no_longer_queued_is_said_and_nothing_else_is_lost() -> None:
    case = ComposerCase()
    await case.show(make_conversation(input=InputMode.QUEUE, queue=queued("a")))
    case.view_model.write("draft")
    case.hosted.fail("remove_queued", NotFound(ErrorCode.NOT_FOUND, "gone"))
    case.view_model.remove_queued(QueueEntryId("e0"))
    await settle()
    assert isinstance(case.view_model.problem, NotFound)
    assert case.writing.text == "draft"
    assert case.errors == []
    case.view_model.write("draft, longer")
    assert case.view_model.problem is None


async def test_send_now_does_not_pass_an_open_question() -> None:
    """K7.3; K8.8: switching auto-run on or sending by hand never bypasses a question."""
    case = ComposerCase()
    await case.show(make_conversation(input=InputMode.QUEUE, queue=queued("a", "b")), pending=1)
    case.hosted.fail("send_queued_now", Conflict(ErrorCode.NOT_ACTIVE, "an open question"))
    case.view_model.send_queued_now(QueueEntryId("e1"))
    await settle()
    assert texts(case) == ["a", "b"]
    assert case.view_model.problem is not None


async def test_auto_run_belongs_to_the_backend() -> None:
    case = ComposerCase()
    await case.show(make_conversation(queue=queued("a")))
    case.view_model.set_auto_run(auto_run=False)
    await settle()
    conversation = case.view_model.conversation
    assert conversation is not None
    assert not conversation.auto_run


async def test_a_choice_the_agent_refuses_is_said_and_not_shown_as_made() -> None:
    case = ComposerCase()
    await case.show(make_conversation(mode="ask"))
    case.hosted.fail("set_mode", AgentFailed(ErrorCode.AGENT_FAILED, "no"))
    case.view_model.set_mode("code")
    await settle()
    conversation = case.view_model.conversation
    assert conversation is not None
    assert conversation.mode == "ask"
    assert isinstance(case.view_model.problem, AgentFailed)


async def test_resume_start_anew_and_stopping_the_agent_are_different_calls() -> None:
    case = ComposerCase()
    await case.show()
    case.view_model.resume()
    case.view_model.resume(anew=True)
    case.view_model.end_agent()
    await settle()
    assert case.hosted.calls[-3:] == ["resume", "resume anew", "end_session"]


async def test_commands_are_offered_while_one_is_being_typed() -> None:
    """K8.8: slash aliases."""
    offered = (
        SlashCommand("compact"),
        SlashCommand("/commit", hint="message"),
        SlashCommand("web"),
    )
    case = ComposerCase()
    await case.show(make_conversation(commands=offered))
    names = [command.name for command in case.view_model.commands("/co")]
    assert names == ["compact", "/commit"]
    assert len(case.view_model.commands("/")) == 3
    for text in ("", "co", "/commit now", "see /co", "/x"):
        assert case.view_model.commands(text) == ()


async def test_a_message_that_was_not_sent_is_taken_back_before_what_is_typed_now() -> None:
    """Its agent does not start: nothing holds the words, and nothing typed since is lost."""
    case = ComposerCase()
    case.hosted.unsent[MessageId("m1")] = "go on"
    await case.show(make_conversation(status=AgentStatus.STARTING, unsent=MessageId("m1")))
    case.view_model.write("typed since")
    assert case.view_model.unsent is None
    case.hosted.change(status=AgentStatus.FAILED)
    case.view_model.withdraw()
    case.view_model.withdraw()
    await settle()
    assert case.writing.text == "go on\n\ntyped since"
    assert case.hosted.drafts[SessionId("s1")].text == "go on\n\ntyped since"
    assert case.sent == []
    assert case.view_model.unsent is None


async def test_a_message_that_cannot_be_taken_back_any_more_is_said_and_not_doubled() -> None:
    case = ComposerCase()
    await case.show(make_conversation(status=AgentStatus.FAILED, unsent=MessageId("m1")))
    case.hosted.fail(
        "withdraw_message", Conflict(ErrorCode.NOT_ACTIVE, "the agent is given it now")
    )
    case.view_model.withdraw()
    await settle()
    assert case.writing.text == ""
    assert case.view_model.problem is not None
