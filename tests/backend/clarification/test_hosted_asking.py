"""Questions of an agent this desk runs, over the tools it was given (agents.md, Security)."""

import asyncio

import pytest

from backend.clarification.asking import AskCaller
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.errors import Conflict, NotFound
from backend.ids import SessionId
from tests.helpers.builders import make_draft, make_guest
from tests.helpers.hosted import YES, HostedDesk, S
from tests.helpers.place import raw
from tests.helpers.waiting import eventually

AGENT = AskCaller(make_guest("other", client="codex"), "mcp-session", None, S)


async def test_a_question_of_a_hosted_agent_is_put_into_its_session_and_current_turn(
    hosted: HostedDesk,
) -> None:
    """agents.md, Security: the secret binds every call to that session and its turn."""
    hosted.rows.turn("turn2")
    opened = await hosted.desk.asking.open(AGENT, make_draft())
    bundle = await hosted.bundle(opened.pending_id)
    assert (bundle.session_id, bundle.turn_id) == (S, "turn2")
    assert len(await hosted.desk.desk.list_sessions()) == 1


async def test_its_call_gets_the_answer_live(hosted: HostedDesk) -> None:
    opened = await hosted.desk.asking.open(AGENT, make_draft())
    call = asyncio.create_task(hosted.desk.asking.wait(opened.pending_id))

    async def registered() -> bool:
        return (await hosted.bundle(opened.pending_id)).waiting_calls > 0

    await eventually(registered)
    await hosted.respond(YES, pending_id=opened.pending_id)
    assert (await call).status == "answered"
    assert not hosted.resumer.requests


async def test_a_note_of_a_hosted_agent_stands_in_its_session(hosted: HostedDesk) -> None:
    await hosted.desk.asking.note(AGENT, "half done")
    page = await hosted.desk.desk.list_messages(S)
    assert page.messages[-1].content == "half done"


async def test_a_session_that_has_ended_takes_no_question(hosted: HostedDesk) -> None:
    with raw(hosted.place) as connection:
        connection.execute("UPDATE task_sessions SET state = 'COMPLETED' WHERE id = 's1'")
    with pytest.raises(Conflict):
        await hosted.desk.asking.open(AGENT, make_draft())


async def test_a_session_that_is_gone_takes_no_question(hosted: HostedDesk) -> None:
    caller = AskCaller(make_guest(), "", None, SessionId("nowhere"))
    with pytest.raises(NotFound):
        await hosted.desk.asking.open(caller, make_draft())


async def test_stopping_a_turn_withdraws_its_questions_and_overwrites_no_answer(
    hosted: HostedDesk,
) -> None:
    """K1.7 live -> cancelled; agents.md, Patience: an abort nobody tells us of (Gemini)."""
    first = await hosted.desk.asking.open(AGENT, make_draft())
    waiting = asyncio.create_task(hosted.desk.asking.wait(first.pending_id))
    closed = await hosted.desk.services.lifecycle.withdraw_session(S, Withdrawn.BY_HUMAN)
    assert first.pending_id in closed
    assert (await waiting).status == "withdrawn"
    assert (await hosted.bundle(first.pending_id)).status is BundleStatus.CANCELLED
    assert await hosted.desk.services.lifecycle.withdraw_session(S, Withdrawn.BY_HUMAN) == ()
