"""What a card says of an attempt that failed while the store was away, once it is back."""

import dataclasses

import pytest

from app.viewmodels.clarification_card import Phase
from app.viewmodels.clarification_recovery import RecoveryKind
from backend.domain.clarification import (
    Answer,
    Answered,
    BundleStatus,
    Delivery,
    Skipped,
    StoredAnswer,
)
from backend.errors import (
    AppError,
    ErrorCode,
    InvalidInput,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import BundleChanged
from backend.ids import PendingId, QuestionId
from tests.helpers.clarification_case import Case
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question, moment

P1 = PendingId("p1")
AWAY = TemporarilyUnavailable(ErrorCode.STORE_UNREACHABLE, "the database server is not there")
ANSWER = Answered((Answer(QuestionId("q1"), (), "typed"),))


@pytest.fixture
def case(qapp: object) -> Case:
    return Case()


async def failed_submit(case: Case, error: AppError = AWAY) -> None:
    await case.show(make_bundle())
    case.desk.fail("respond", error)
    case.view_model.write(0, "typed")
    case.view_model.submit()
    await settle()
    assert said(case) is RecoveryKind.ERROR


def said(case: Case) -> RecoveryKind | None:
    recovery = case.view_model.recovery
    return recovery.kind if recovery is not None else None


@pytest.mark.parametrize(
    "error",
    [
        AWAY,
        StorageFailed(ErrorCode.STORE_OWNED, "in use by process 12"),
        TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "the store is away"),
    ],
)
async def test_a_store_that_is_back_turns_the_alarm_into_an_offer_and_sends_nothing(
    case: Case, error: AppError
) -> None:
    """architecture.md, The store: away later. No answer is given by accident."""
    await failed_submit(case, error)
    assert case.card.attempt is not None
    token = case.card.attempt.token
    await case.view_model.reload()
    await case.clock.advance(60)
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.RETURNED
    assert recovery.can_retry
    assert not recovery.alarming
    assert case.desk.calls.count("respond") == 1
    assert case.card.sheet.answers() == ANSWER.answers
    assert case.desk.drafts[P1].answers == ANSWER.answers
    case.view_model.retry()
    await settle()
    assert case.sent == [(P1, ANSWER)]
    assert case.desk.responses[0].claim_token == token


async def test_the_offer_stands_while_the_answer_is_changed_and_leaves_when_it_is_closed(
    case: Case,
) -> None:
    await failed_submit(case)
    await case.view_model.reload()
    case.pick(0, "o2")
    assert said(case) is RecoveryKind.RETURNED
    case.view_model.dismiss()
    assert said(case) is None
    assert case.is_in(Phase.IDLE)
    assert case.card.sheet.entry(0).text == "typed"
    assert not case.sent


async def test_a_skip_is_offered_again_with_its_reason_and_not_sent(case: Case) -> None:
    await case.show(make_bundle())
    case.desk.fail("respond", AWAY)
    case.view_model.skip("not now")
    await settle()
    await case.view_model.reload()
    await settle()
    assert said(case) is RecoveryKind.RETURNED
    assert not case.sent
    case.view_model.retry()
    await settle()
    assert case.sent == [(P1, Skipped("not now"))]


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput(ErrorCode.INVALID, "too long", field="answers[0].custom_text"),
        TemporarilyUnavailable(ErrorCode.DELIVERY_FAILED, "the agent did not take it"),
        StorageFailed(ErrorCode.STORE_FULL, "no space"),
    ],
)
async def test_a_failure_for_another_reason_stands(case: Case, error: AppError) -> None:
    await failed_submit(case, error)
    await case.view_model.reload()
    assert said(case) is RecoveryKind.ERROR


async def test_a_store_that_cannot_be_read_is_not_called_back(case: Case) -> None:
    await failed_submit(case)
    case.desk.fail("list_open_bundles", AWAY)
    with pytest.raises(TemporarilyUnavailable):
        await case.view_model.reload()
    assert said(case) is RecoveryKind.ERROR


async def test_a_question_closed_meanwhile_says_so_and_offers_nothing(case: Case) -> None:
    """Another desk may have owned the store: its words come before any offer."""
    await failed_submit(case)
    bundle = case.desk.bundles[P1]
    rows = tuple(
        dataclasses.replace(row, status=BundleStatus.CANCELLED, revision=row.revision + 1)
        for row in bundle.questions
    )
    case.desk.bundles[P1] = dataclasses.replace(
        bundle, status=BundleStatus.CANCELLED, questions=rows
    )
    await case.view_model.reload()
    assert said(case) is RecoveryKind.INACTIVE
    assert case.card.sheet.entry(0).text == "typed"
    assert not case.sent


async def test_the_cards_of_other_conversations_are_told_too(case: Case) -> None:
    await failed_submit(case)
    case.view_model.show_session(None)
    await case.view_model.reload()
    case.view_model.show_session(make_bundle().session_id)
    await settle()
    assert said(case) is RecoveryKind.RETURNED


async def test_a_request_that_fails_after_the_store_is_back_is_offered_again_too(
    case: Case,
) -> None:
    """Its time ran out while the store was away: no second event would take the alarm away."""
    await case.show(make_bundle())
    reply = case.desk.hold("respond")
    case.desk.fail("respond", AWAY)
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    await case.view_model.reload()
    reply.set()
    await settle()
    assert said(case) is RecoveryKind.RETURNED
    assert case.desk.calls.count("respond") == 1
    assert not case.sent


async def test_a_request_that_fails_late_stays_an_alarm_while_the_question_cannot_be_read(
    case: Case,
) -> None:
    await case.show(make_bundle())
    reply = case.desk.hold("respond")
    case.desk.fail("respond", AWAY)
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    await case.view_model.reload()
    case.desk.fail("get_bundle", AWAY)
    reply.set()
    await settle()
    assert said(case) is RecoveryKind.ERROR


async def test_a_discard_that_was_done_after_all_is_not_offered_again(case: Case) -> None:
    """A COMMIT whose reply was lost: the stored answer is gone from the question read anew."""
    stored = StoredAnswer(PendingId("p0"), ANSWER.answers, moment(-60), Delivery.WAITING_FOR_AGENT)
    await case.show(dataclasses.replace(make_bundle(), stored_answer=stored))
    case.desk.fail("discard_stored_answer", AWAY)
    case.view_model.discard_stored()
    await settle()
    assert said(case) is RecoveryKind.ERROR
    bundle = dataclasses.replace(case.desk.bundles[P1], stored_answer=None)
    case.desk.bundles[P1] = bundle
    await case.view_model.reload()
    assert said(case) is None
    assert case.is_in(Phase.IDLE)


async def test_new_questions_in_the_bundle_take_the_offer_with_the_old_card(case: Case) -> None:
    await failed_submit(case)
    grown = make_bundle(questions=(make_question(), make_question(name="q2")))
    rows = tuple(dataclasses.replace(row, revision=row.revision + 1) for row in grown.questions)
    case.backend.publish(BundleChanged(dataclasses.replace(grown, questions=rows)))
    await case.view_model.reload()
    assert said(case) is None
    assert case.card.sheet.entry(0).text == "typed"
