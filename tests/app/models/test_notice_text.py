"""What the desk tells of a turn or an agent is told in the language of the window."""

from itertools import chain

import pytest

from app.models.message_text import plain_text
from app.models.notice_text import notice_text
from backend.clock import Nanoseconds
from backend.conversation.turn_rows import notice_row
from backend.domain.agents import AgentEnd
from backend.domain.conversation import Message
from backend.domain.session_notice import SessionNotice
from backend.domain.turn_end import TurnEnding, TurnNotice, TurnOutcome, agent_ended
from backend.ids import MessageId, SessionId, TurnId


def row(kind: str, content: str, metadata: dict[str, object]) -> Message:
    return Message(
        message_id=MessageId("m1"),
        session_id=SessionId("s1"),
        turn_id=TurnId("t1"),
        kind=kind,
        author="agent",
        content=content,
        metadata=metadata,
        created_at=Nanoseconds(1),
        updated_at=Nanoseconds(1),
        revision=1,
    )


@pytest.mark.parametrize("notice", list(chain(TurnNotice, SessionNotice)))
def test_every_notice_has_words(notice: str) -> None:
    told = row("status", "stored", {"kandesk": {"notice": notice, "detail": "the reason"}})
    assert notice_text(told) not in {"", "stored"}
    assert "%1" not in notice_text(told)


def test_a_notice_of_a_later_version_keeps_its_own_words() -> None:
    assert notice_text(row("status", "stored", {"kandesk": {"notice": "new"}})) == "stored"
    assert notice_text(row("status", "stored", {})) == "stored"


def test_a_reason_and_an_error_are_told_with_what_the_agent_said() -> None:
    for notice in (TurnNotice.OTHER_STOP, TurnNotice.PROMPT_FAILED):
        told = row(*notice_row(TurnEnding(TurnOutcome.FAILED, notice, detail="bad gateway")))
        assert notice_text(told).endswith("bad gateway")


def test_an_agent_that_crashed_shows_what_its_program_wrote_last() -> None:
    told = row(*notice_row(agent_ended(AgentEnd(1, "Traceback"))))
    assert told.kind == "error"
    assert plain_text(told).splitlines()[-1] == "Traceback"
