"""The fake desk keeps the promises tests rely on."""

import pytest

from backend.domain.clarification import Answer, Answered, BundleStatus, Delivery
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable
from backend.events import BundleOpened, BundleResolved, Event
from backend.ids import ClaimId, ClientId, OptionId, PendingId, QuestionId
from tests.helpers.desk_builders import make_bundle, make_session
from tests.helpers.fake_backend import FakeBackend

YES = Answered((Answer(QuestionId("q1"), (OptionId("o1"),)),))


async def _answer(backend: FakeBackend) -> object:
    return await backend.call(
        lambda api: api.respond(
            PendingId("p1"), YES, client_id=ClientId("window"), claim_token=ClaimId("c1")
        )
    )


async def test_an_answer_reaches_the_waiting_call_and_is_told(backend: FakeBackend) -> None:
    heard: list[Event] = []
    backend.event_received.connect(heard.append)
    backend.desk.put_session(make_session())
    backend.desk.open(make_bundle())
    await _answer(backend)
    assert backend.desk.bundles[PendingId("p1")].status is BundleStatus.ANSWERED
    assert backend.desk.bundles[PendingId("p1")].delivery is Delivery.DELIVERED
    assert [type(event) for event in heard if isinstance(event, BundleOpened | BundleResolved)] == [
        BundleOpened,
        BundleResolved,
    ]


async def test_a_closed_question_refuses_a_second_answer(backend: FakeBackend) -> None:
    backend.desk.open(make_bundle())
    await _answer(backend)
    with pytest.raises(Conflict):
        await _answer(backend)


async def test_a_scripted_failure_is_raised_once(backend: FakeBackend) -> None:
    backend.desk.open(make_bundle())
    backend.desk.fail("respond", TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy"))
    with pytest.raises(TemporarilyUnavailable):
        await _answer(backend)
    await _answer(backend)
