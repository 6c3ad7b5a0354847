"""What ends the questions of one session ends each of them once, and nobody else's (K1.7)."""

import asyncio

import pytest

from backend.clarification.ask_result import AskStatus
from backend.clarification.lifecycle import Lifecycle
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.domain.conversation import SessionState
from backend.errors import Conflict
from backend.events import BundleChanged, MessagesChanged
from backend.ids import PendingId, SessionId
from tests.helpers.hosted import HostedDesk, P, S
from tests.helpers.store import metadata_of

OTHER, ELSEWHERE = PendingId("p-other"), SessionId("s2")


@pytest.fixture
def lifecycle(hosted: HostedDesk) -> Lifecycle:
    return hosted.desk.services.lifecycle


def told(hosted: HostedDesk) -> list[PendingId]:
    return [e.bundle.pending_id for e in hosted.events if isinstance(e, BundleChanged)]


@pytest.mark.parametrize("how", ["detach", "expire", "end"])
async def test_the_questions_of_another_session_are_left_alone(
    hosted: HostedDesk, lifecycle: Lifecycle, how: str
) -> None:
    """K8.6 6: only its own requests."""
    hosted.rows.session("s2")
    hosted.rows.turn("turn-s2", "s2")
    hosted.rows.question(OTHER, session="s2", turn="turn-s2")
    before = metadata_of(hosted.place, OTHER)
    call = asyncio.create_task(hosted.desk.asking.wait(OTHER))
    hosted.events.clear()
    if how == "detach":
        changed = await lifecycle.detach_session(S)
    else:
        ends_as = SessionState.CANCELLED if how == "end" else None
        changed = await lifecycle.expire_session(S, ends_as=ends_as)
    assert changed == (P,)
    assert set(told(hosted)) - {OTHER} == {P}
    assert metadata_of(hosted.place, OTHER) == before
    assert not call.done()
    assert (await hosted.respond(pending_id=OTHER)).claimed
    assert (await call).status is AskStatus.ANSWERED


async def test_a_session_that_never_asked_has_nothing_to_end(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 6, 50: none is no failure, and changes nothing."""
    hosted.rows.session("s2")
    hosted.events.clear()
    assert await lifecycle.detach_session(ELSEWHERE) == ()
    assert await lifecycle.expire_session(ELSEWHERE) == ()
    assert hosted.events == []
    assert (await hosted.bundle()).answerable


async def test_every_row_of_a_question_expires_and_is_told_as_it_is(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 47, 50: all rows, without any call that waits; the window gets the changed rows."""
    hosted.rows.question(P, question_id="q2", question_index=1)
    hosted.events.clear()
    assert await lifecycle.expire_session(S) == (P,)
    for metadata in metadata_of(hosted.place, P):
        assert (metadata["status"], metadata["agent_disconnected"]) == ("expired", True)
    (rows,) = [event for event in hosted.events if isinstance(event, MessagesChanged)]
    assert [message.metadata["status"] for message in rows.messages] == ["expired", "expired"]
    assert told(hosted) == [P]


async def test_every_row_that_is_detached_is_told_as_it_is(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 47, 50."""
    hosted.rows.question(P, question_id="q2", question_index=1)
    hosted.events.clear()
    await lifecycle.detach_session(S)
    (rows,) = [event for event in hosted.events if isinstance(event, MessagesChanged)]
    assert [message.metadata["agent_disconnected"] for message in rows.messages] == [True, True]
    assert [message.metadata["status"] for message in rows.messages] == ["pending", "pending"]


async def test_an_answered_sibling_keeps_its_answer_when_the_rest_expires(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 53."""
    done = {"question_id": "q2", "custom_text": "long ago"}
    hosted.rows.question(P, question_id="q2", question_index=1, status="answered", response=done)
    assert await lifecycle.expire_session(S) == (P,)
    first, second = metadata_of(hosted.place, P)
    assert (first["status"], second["status"], second["response"]) == ("expired", "answered", done)


async def test_cancels_and_the_end_of_the_session_at_once_end_a_question_once(
    hosted: HostedDesk, lifecycle: Lifecycle
) -> None:
    """K8.6 82; K8.6 14: one of them wins, the call gets one result, nothing is closed twice."""
    call = await hosted.waiting_call()
    first, second, expired = await asyncio.gather(
        lifecycle.cancel(P, Withdrawn.BY_HUMAN),
        lifecycle.cancel(P, Withdrawn.BY_AGENT),
        lifecycle.expire_session(S, ends_as=SessionState.CANCELLED),
        return_exceptions=True,
    )
    won = [first is None, second is None, expired == (P,)]
    assert sorted(won) == [False, False, True]
    assert all(result is None or isinstance(result, Conflict) for result in (first, second))
    result = await call
    if won[2]:
        assert (result.status, (await hosted.bundle()).status) == (
            AskStatus.UNANSWERED,
            BundleStatus.EXPIRED,
        )
    else:
        by = Withdrawn.BY_HUMAN if won[0] else Withdrawn.BY_AGENT
        assert (result.status, result.reason) == (AskStatus.WITHDRAWN, by.value)
    ends = [event.bundle.status for event in hosted.events if isinstance(event, BundleChanged)]
    assert set(ends) - {BundleStatus.PENDING} == {(await hosted.bundle()).status}
