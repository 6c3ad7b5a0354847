"""Everything that waits is in the Inbox, and nothing that does not."""

import asyncio
from dataclasses import replace

import pytest

from app.viewmodels.answer_text import answer_text
from app.viewmodels.inbox import InboxViewModel
from backend.domain.clarification import (
    Answer,
    Answered,
    Bundle,
    BundleStatus,
    Delivery,
    Skipped,
)
from backend.errors import Conflict
from backend.events import BundleChanged, BundleOpened
from backend.ids import ClaimId, ClientId, OptionId, PendingId, QuestionId
from tests.helpers.desk_builders import make_bundle, make_session
from tests.helpers.fake_backend import FakeBackend


@pytest.fixture
def inbox(backend: FakeBackend) -> InboxViewModel:
    backend.desk.put_session(make_session("s1"))
    return InboxViewModel(backend)


def _ids(bundles: tuple[Bundle, ...]) -> list[str]:
    return [bundle.pending_id for bundle in bundles]


async def _answer(backend: FakeBackend, name: str) -> None:
    outcome = Answered((Answer(QuestionId("q1"), (OptionId("o2"),), "and soon"),))
    await backend.desk.respond(
        PendingId(name), outcome, client_id=ClientId("w"), claim_token=ClaimId("c")
    )


async def test_open_questions_of_all_sessions_are_listed_oldest_first(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    """K8.7 case 112; P8."""
    backend.desk.open(make_bundle("later", created=20))
    backend.desk.open(make_bundle("sooner", created=10, session="s2"))
    await inbox.load()
    assert _ids(inbox.content.open) == ["sooner", "later"]
    assert inbox.count == 2


async def test_a_question_that_arrives_is_told_once(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    arrived: list[Bundle] = []
    counts: list[int] = []
    inbox.arrived.connect(arrived.append)
    inbox.count_changed.connect(counts.append)
    bundle = make_bundle("p1")
    backend.desk.open(bundle)
    backend.desk.open(bundle)
    assert _ids(tuple(arrived)) == ["p1"]
    assert counts[-1] == 1


async def test_a_question_is_told_also_when_its_call_is_heard_of_first(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    """P8: an announcement that had to be made later is no question without a notification."""
    arrived: list[Bundle] = []
    inbox.arrived.connect(arrived.append)
    await inbox.load()
    bundle = make_bundle("p1")
    backend.event_received.emit(BundleChanged(bundle))
    backend.event_received.emit(BundleOpened(bundle))
    assert arrived == [bundle]


async def test_an_answer_that_waits_moves_to_the_second_section(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    backend.desk.open(make_bundle("p1", waiting_calls=0))
    left: list[object] = []
    inbox.left.connect(left.append)
    await _answer(backend, "p1")
    assert inbox.count == 0
    assert _ids(inbox.content.uncollected) == ["p1"]
    assert inbox.delivery(PendingId("p1")) is Delivery.WAITING_FOR_AGENT
    assert left == ["p1"]


async def test_a_delivered_answer_leaves_the_inbox(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    backend.desk.open(make_bundle("p1"))
    await _answer(backend, "p1")
    assert inbox.content.open == inbox.content.uncollected == ()
    assert inbox.delivery(PendingId("p1")) is Delivery.DELIVERED


async def test_a_stored_answer_can_be_discarded(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    backend.desk.open(make_bundle("p1", waiting_calls=0))
    await _answer(backend, "p1")
    await inbox.discard_answer(PendingId("p1"))
    assert inbox.content.uncollected == ()
    with pytest.raises(Conflict):
        await inbox.discard_answer(PendingId("p1"))


async def test_a_closed_question_is_gone(backend: FakeBackend, inbox: InboxViewModel) -> None:
    backend.desk.open(make_bundle("p1"))
    await inbox.close_question(PendingId("p1"))
    assert inbox.count == 0
    assert backend.desk.bundles[PendingId("p1")].status is BundleStatus.CANCELLED


async def test_removed_rows_leave_the_inbox(backend: FakeBackend, inbox: InboxViewModel) -> None:
    backend.desk.open(make_bundle("p1"))
    backend.desk.remove(PendingId("p1"))
    assert inbox.count == 0


async def test_an_older_state_never_replaces_a_newer_one(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    """K6.6: compared by revision."""
    bundle = make_bundle("p1")
    backend.desk.open(bundle)
    newer = replace(
        bundle,
        detached=True,
        questions=tuple(replace(row, revision=row.revision + 5) for row in bundle.questions),
    )
    backend.publish(BundleChanged(newer))
    backend.publish(BundleChanged(bundle))
    found = inbox.bundle(PendingId("p1"))
    assert found is not None
    assert found.detached


async def test_a_question_answered_while_the_list_is_read_does_not_come_back(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    """K8.7 case 115; P8, peers.md 11."""
    backend.desk.open(make_bundle("p1"))
    gate = backend.desk.hold("list_uncollected")
    reading = asyncio.ensure_future(inbox.load())
    await asyncio.sleep(0.01)
    await backend.desk.respond(
        PendingId("p1"), Skipped(), client_id=ClientId("w"), claim_token=ClaimId("c")
    )
    gate.set()
    await reading
    assert inbox.count == 0
    assert inbox.loaded


async def test_a_superseded_question_does_not_wait(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    bundle = make_bundle("p1")
    backend.desk.open(bundle)
    backend.desk.change(replace(bundle, superseded=True))
    assert inbox.count == 0


async def test_an_answer_is_copied_with_labels_and_text(backend: FakeBackend) -> None:
    backend.desk.open(make_bundle("p1", waiting_calls=0))
    await _answer(backend, "p1")
    text = answer_text(backend.desk.bundles[PendingId("p1")])
    assert text == "Which database?\n- PostgreSQL\nand soon"
