"""The window's state machine of one question (K6.1; clarification.md)."""

import dataclasses

import pytest

from app.viewmodels.clarification_card import Failed, Phase
from app.viewmodels.clarification_recovery import RecoveryKind
from backend.domain.clarification import (
    Answer,
    Answered,
    BundleStatus,
    Delivery,
    ResponseOutcome,
    Skipped,
    StoredAnswer,
    Withdrawn,
)
from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    InvalidInput,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import BundleChanged, BundleOpened
from backend.ids import ClaimId, ClientId, OptionId, PendingId, QuestionId
from tests.helpers.clarification_case import Case
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question, make_session, moment

BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")
NOT_ACTIVE = Conflict(ErrorCode.NOT_ACTIVE, "moved on")


def answer(option: str = "", text: str = "", question: str = "q1") -> Answer:
    options = (OptionId(option),) if option else ()
    return Answer(QuestionId(question), options, text)


@pytest.fixture
def case(qapp: object) -> Case:
    return Case()


async def test_without_a_question_there_is_no_card(case: Case) -> None:
    """K8.7 case 94."""
    await case.show()
    assert case.view_model.card is None
    case.view_model.submit()
    case.view_model.retry()
    assert not case.desk.responses


async def test_picking_an_option_sends_nothing(case: Case) -> None:
    """K8.7 case 94: recording an answer does not post."""
    await case.show(make_bundle())
    case.pick(0, "o2")
    await settle()
    assert case.card.sheet.entry(0).selected == ("o2",)
    assert not case.desk.responses


async def test_submit_sends_only_a_complete_bundle_in_question_order(case: Case) -> None:
    """K8.7 case 95."""
    await case.show(make_bundle(questions=(make_question(), make_question(name="q2"))))
    case.pick(1, "o2")
    case.view_model.submit()
    await settle()
    assert not case.desk.responses
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    assert case.sent == [
        (PendingId("p1"), Answered((answer("o1"), answer("o2", question="q2")))),
    ]


async def test_skip_sends_its_reason(case: Case) -> None:
    """K8.7 case 95."""
    await case.show(make_bundle())
    case.view_model.skip("not now")
    await settle()
    assert case.sent == [(PendingId("p1"), Skipped("not now"))]


@pytest.mark.parametrize("calls", [0, 1])
async def test_an_answer_ends_as_delivered_or_as_saved(case: Case, calls: int) -> None:
    """K8.7 case 97; clarification.md, improvement 1: success is said only for what was handed over
    or kept.
    """
    await case.show(make_bundle(waiting_calls=calls))
    case.pick(0, "o1")
    case.view_model.submit()
    assert case.is_in(Phase.SUBMITTING)
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is (RecoveryKind.DELIVERED if calls else RecoveryKind.SAVED)
    assert case.view_model.card is None


@pytest.mark.parametrize("delivery", [Delivery.PENDING, Delivery.UNKNOWN])
async def test_an_unconfirmed_delivery_is_not_called_a_success(
    case: Case, delivery: Delivery
) -> None:
    """K8.7 case 97; clarification.md: 200 with `pending` or `unknown` is "saved, delivery not
    confirmed".
    """
    await case.show(make_bundle())
    case.reply_with(
        ResponseOutcome(
            PendingId("p1"), BundleStatus.ANSWERED, claimed=True, delivery=delivery,
            responded_at=moment(0), answers=(answer("o1"),),
        )
    )  # fmt: skip
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.UNCONFIRMED


async def test_two_submits_at_once_are_one_request(case: Case) -> None:
    """K8.7 case 99: a double click is one respond."""
    await case.show(make_bundle())
    gate = case.desk.hold("respond")
    case.pick(0, "o1")
    case.view_model.submit()
    case.view_model.submit()
    case.view_model.skip("")
    await settle()
    gate.set()
    await settle()
    assert len(case.desk.responses) == 1
    assert case.desk.calls.count("respond") == 1


async def test_after_40_seconds_the_outcome_is_unknown_and_the_answers_are_there(
    case: Case,
) -> None:
    """K8.7 case 100; clarification.md, Budgets: 40 s, answers kept, no timer left."""
    await case.show(make_bundle())
    case.desk.hold("respond")
    case.pick(0, "o2")
    case.view_model.submit()
    await settle()
    await case.clock.advance(39.9)
    assert case.is_in(Phase.SUBMITTING)
    await case.clock.advance(0.2)
    assert case.is_in(Phase.ERROR)
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.UNKNOWN
    assert recovery.can_retry
    assert case.card.sheet.entry(0).selected == ("o2",)
    await case.clock.advance(60)
    assert case.clock.pending_timers == 0


@pytest.mark.parametrize(
    "error", [BUSY, StorageFailed(ErrorCode.STORE_FULL, "full"), Conflict(ErrorCode.KEY_REUSED, "")]
)
async def test_a_failure_keeps_the_answers_and_offers_retry(case: Case, error: AppError) -> None:
    """K8.7 cases 95, 96, 97, 100: 503, 5xx and unknown conflicts are errors, never inactive."""
    await case.show(make_bundle())
    case.desk.fail("respond", error)
    case.pick(0, "o2")
    case.view_model.submit()
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.ERROR
    assert recovery.error is error
    case.view_model.retry()
    await settle()
    assert case.sent == [(PendingId("p1"), Answered((answer("o2"),)))]


async def test_a_lost_client_call_never_leaves_the_card_waiting(case: Case) -> None:
    """product.md P3: even a bug on the way back ends as "unknown", with Retry."""
    await case.show(make_bundle())
    case.desk.hold("respond")
    case.pick(0, "o2")
    case.view_model.submit()
    await settle()
    await case.tasks.stop()
    assert case.is_in(Phase.ERROR)


async def test_retry_uses_the_answers_as_they_are_now(case: Case) -> None:
    """K8.7 case 101."""
    await case.show(make_bundle())
    case.desk.fail("respond", BUSY)
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    case.pick(0, "o2")
    case.view_model.retry()
    await settle()
    assert case.sent == [(PendingId("p1"), Answered((answer("o2"),)))]


async def test_an_unchanged_retry_keeps_its_claim_token_and_an_edited_one_does_not(
    case: Case,
) -> None:
    """clarification.md, improvement 2."""
    await case.show(make_bundle())
    case.desk.hold("respond")
    tokens: list[ClaimId] = []

    async def attempt() -> None:
        await settle()
        assert case.card.attempt is not None
        tokens.append(case.card.attempt.token)
        await case.clock.advance(41)

    case.pick(0, "o1")
    case.view_model.submit()
    await attempt()
    case.view_model.retry()
    await attempt()
    case.pick(0, "o2")
    case.view_model.retry()
    await attempt()
    assert tokens[0] == tokens[1]
    assert tokens[2] != tokens[0]


async def test_retry_of_a_skip_keeps_its_reason(case: Case) -> None:
    """K6.1."""
    await case.show(make_bundle())
    case.desk.fail("respond", BUSY)
    case.view_model.skip("later")
    await settle()
    case.pick(0, "o1")
    case.view_model.retry()
    await settle()
    assert case.sent == [(PendingId("p1"), Skipped("later"))]


async def test_an_answer_to_an_inactive_question_stays_until_it_is_closed(case: Case) -> None:
    """K8.7 case 96 [U]: 409 not_active is inactive, not a success."""
    await case.show(make_bundle(), make_bundle("p2", created=5))
    case.desk.fail("respond", NOT_ACTIVE)
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.INACTIVE
    assert recovery.copyable == (answer("o1"),)
    assert case.card.pending_id == "p1"
    case.view_model.dismiss()
    assert case.card.pending_id == "p2"
    assert case.view_model.recovery is None


async def test_skipping_an_inactive_question_retires_its_card(case: Case) -> None:
    """K8.7 case 103: the others stay."""
    await case.show(make_bundle(), make_bundle("p2", created=5))
    case.desk.fail("respond", NOT_ACTIVE)
    case.view_model.skip("")
    await settle()
    assert case.card.pending_id == "p2"
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.INACTIVE


async def test_a_question_restored_after_it_was_inactive_can_be_answered_again(case: Case) -> None:
    """K8.7 case 103; K6.1: the same pending id, another generation."""
    bundle = make_bundle()
    await case.show(bundle)
    case.desk.fail("respond", NOT_ACTIVE)
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    before = case.card.generation
    rows = tuple(dataclasses.replace(row, revision=row.revision + 10) for row in bundle.questions)
    case.desk.change(dataclasses.replace(bundle, questions=rows))
    assert case.is_in(Phase.IDLE)
    assert case.card.generation > before
    assert case.view_model.can_submit


async def test_an_answer_that_did_not_arrive_after_all_is_back_as_it_was_given(
    case: Case,
) -> None:
    """K5.6 row 11; clarification.md, Resolver: the restored card is answerable and pre-filled."""
    bundle = make_bundle()
    await case.show(bundle)
    case.reply_with(
        ResponseOutcome(
            bundle.pending_id,
            BundleStatus.ANSWERED,
            claimed=True,
            delivery=Delivery.UNKNOWN,
            responded_at=bundle.created_at,
        )
    )
    case.pick(0, "o1")
    given = case.card.draft()
    case.view_model.submit()
    await settle()
    assert case.view_model.card is None
    case.desk.drafts[bundle.pending_id] = given
    rows = tuple(dataclasses.replace(row, revision=row.revision + 10) for row in bundle.questions)
    case.backend.publish(BundleOpened(dataclasses.replace(bundle, questions=rows)))
    await settle()
    assert case.is_in(Phase.IDLE)
    assert case.card.draft().answers == given.answers
    assert case.view_model.can_submit
    assert case.view_model.recovery is None


async def test_an_old_event_does_not_open_an_answered_question_again(case: Case) -> None:
    """K8.7 case 103; clarification.md, improvement 10: compared by revision; K8.7 case 115."""
    bundle = make_bundle()
    await case.show(bundle)
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    case.backend.publish(BundleChanged(bundle))
    case.backend.publish(BundleOpened(bundle))
    assert case.view_model.card is None


async def test_a_field_the_backend_refuses_is_an_error_that_names_it(case: Case) -> None:
    """style.md 11.7: InvalidInput is shown at the field."""
    await case.show(make_bundle())
    error = InvalidInput(ErrorCode.TOO_LONG, "", field="answers[0].custom_text", limit=2000)
    case.desk.fail("respond", error)
    case.view_model.write(0, "text")
    case.view_model.submit()
    await settle()
    assert case.is_in(Phase.ERROR)
    assert case.card.settlement == Failed(error)
    assert case.card.refused_question == 0


def _odd_replies() -> list[object]:
    good = ResponseOutcome(
        PendingId("p1"), BundleStatus.ANSWERED, claimed=True, delivery=Delivery.DELIVERED,
        responded_at=moment(0), answers=(answer("o1"),),
    )  # fmt: skip
    return [
        "done",
        {"success": True},
        dataclasses.replace(good, pending_id=PendingId("p9")),
        dataclasses.replace(good, status=BundleStatus.PENDING),
        dataclasses.replace(good, status=BundleStatus.REJECTED),
        dataclasses.replace(good, claimed=False, answers=()),
    ]


@pytest.mark.parametrize("reply", _odd_replies())
async def test_a_reply_of_unexpected_shape_is_never_a_success(case: Case, reply: object) -> None:
    """K8.7 case 100 [U]; K6.1."""
    await case.show(make_bundle())
    case.pick(0, "o1")
    case.reply_with(reply)
    case.view_model.submit()
    await settle()
    assert case.is_in(Phase.ERROR)
    assert case.card.sheet.entry(0).selected == ("o1",)
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.UNKNOWN


async def test_the_answer_of_another_client_is_shown_as_theirs(case: Case) -> None:
    """K8.7 case 98; K5.4: `claimed: false` carries the winner's answers."""
    await case.show(make_bundle())
    winner = ResponseOutcome(
        PendingId("p1"), BundleStatus.ANSWERED, claimed=False, delivery=Delivery.DELIVERED,
        responded_at=moment(0), answers=(answer("o2"),),
    )  # fmt: skip
    case.pick(0, "o1")
    case.reply_with(winner)
    case.view_model.submit()
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.ELSEWHERE
    assert recovery.outcome is not None
    assert recovery.outcome.answers == (answer("o2"),)
    assert recovery.copyable == (answer("o1"),)


async def test_a_skip_that_came_second_shows_the_answer_that_holds(case: Case) -> None:
    """K8.7 case 98: `claimed: false` for a skip too."""
    await case.show(make_bundle())
    case.reply_with(
        ResponseOutcome(
            PendingId("p1"), BundleStatus.ANSWERED, claimed=False, delivery=Delivery.DELIVERED,
            responded_at=moment(0), answers=(answer("o2"),),
        )
    )  # fmt: skip
    case.view_model.skip("not now")
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.ELSEWHERE
    assert recovery.outcome is not None
    assert recovery.outcome.answers == (answer("o2"),)


async def test_a_then_b_then_a_again_keeps_each_request_to_its_own_card(case: Case) -> None:
    """K6.1, ownsRequest: A's request neither releases nor touches B's, and the reverse."""
    await case.show(make_bundle("a"), make_bundle("b", created=5))
    gate = case.desk.hold("respond")
    case.pick(0, "o1")
    case.view_model.submit()
    assert case.view_model.open_bundle(PendingId("b"))
    case.pick(0, "o2")
    case.view_model.submit()
    await settle()
    assert case.view_model.open_bundle(PendingId("a"))
    assert case.is_in(Phase.SUBMITTING)
    case.view_model.submit()
    assert case.view_model.open_bundle(PendingId("b"))
    case.desk.fail("respond", BUSY)
    gate.set()
    await settle()
    assert case.desk.calls.count("respond") == 2
    assert case.sent == [(PendingId("b"), Answered((answer("o2"),)))]
    assert case.view_model.open_bundle(PendingId("a"))
    assert case.is_in(Phase.ERROR)
    assert case.card.sheet.entry(0).selected == ("o1",)


async def test_a_request_of_an_older_generation_says_nothing_about_the_new_card(
    case: Case,
) -> None:
    """K6.1: (pending id, generation) owns the guard."""
    bundle = make_bundle("a")
    await case.show(bundle)
    case.desk.hold("respond")
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    old = case.card
    case.backend.publish(BundleChanged(bundle))
    case.view_model._board.renew(old, bundle)
    case.view_model._choose()
    assert case.card is not old
    await case.clock.advance(41)
    assert case.is_in(Phase.IDLE)


async def test_the_oldest_open_question_is_shown_and_a_later_one_only_counted(case: Case) -> None:
    """window.md: a later one never replaces it, it adds "n more waiting"."""
    await case.show(make_bundle("young", created=50))
    case.desk.open(make_bundle("old", created=1))
    assert case.card.pending_id == "young"
    assert case.view_model.more_waiting == 1
    case.desk.open(make_bundle("third", created=60))
    assert case.view_model.more_waiting == 2
    case.desk.open(make_bundle("foreign", session="s2"))
    assert case.view_model.more_waiting == 2


async def test_a_bundle_is_hidden_until_all_its_rows_have_arrived(case: Case) -> None:
    """K8.7 case 94; K6.2."""
    await case.show(dataclasses.replace(make_bundle(), expected_questions=2))
    assert case.view_model.card is None


async def test_only_pending_siblings_need_answers(case: Case) -> None:
    """K8.7 case 103; clarification.md, improvement 4."""
    bundle = make_bundle(questions=(make_question(), make_question("Why?", name="q2")))
    done = dataclasses.replace(bundle.questions[0], status=BundleStatus.ANSWERED)
    await case.show(dataclasses.replace(bundle, questions=(done, bundle.questions[1])))
    assert [question.id for question in case.card.questions] == ["q2"]
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    assert case.sent == [(PendingId("p1"), Answered((answer("o1", question="q2"),)))]


async def test_answering_moves_on_but_never_past_the_last_question(case: Case) -> None:
    """K6.2; K8.8 auto-advance, revise answer."""
    questions = (make_question(), make_question(name="q2"), make_question(name="q3"))
    await case.show(make_bundle(questions=questions))
    case.pick(0, "o1")
    assert case.card.step == 1
    case.view_model.go_to(0)
    case.pick(0, "o2")
    assert case.card.step == 0
    case.view_model.go_to(2)
    case.pick(2, "o1")
    assert case.card.step == 2
    assert not case.desk.responses


async def test_an_answer_from_elsewhere_retires_the_card(case: Case) -> None:
    """K6.6: an authoritative closing is followed at once."""
    bundle = make_bundle()
    await case.show(bundle, make_bundle("p2", created=9))
    rows = tuple(
        dataclasses.replace(row, status=BundleStatus.ANSWERED, answer=answer("o2"))
        for row in bundle.questions
    )
    closed = dataclasses.replace(bundle, questions=rows, status=BundleStatus.ANSWERED)
    outcome = ResponseOutcome(
        PendingId("p1"), BundleStatus.ANSWERED, claimed=True, delivery=Delivery.DELIVERED,
        responded_at=moment(0), answers=(answer("o2"),),
    )  # fmt: skip
    case.desk.resolve(closed, outcome)
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.ELSEWHERE
    assert case.card.pending_id == "p2"


@pytest.mark.parametrize("typed", ["", "my own words"])
async def test_a_withdrawn_question_keeps_what_was_typed(case: Case, typed: str) -> None:
    """product.md P3, P6: with words typed the card stays until it is closed, else it goes."""
    bundle = make_bundle()
    await case.show(bundle)
    case.view_model.write(0, typed)
    case.desk.change(
        dataclasses.replace(bundle, status=BundleStatus.CANCELLED, withdrawn=Withdrawn.BY_AGENT)
    )
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.INACTIVE
    assert recovery.bundle.withdrawn is Withdrawn.BY_AGENT
    assert (case.view_model.card is not None) is bool(typed)
    assert recovery.copyable == ((answer(text=typed),) if typed else ())


async def test_an_unknown_outcome_is_settled_by_the_event_that_follows(case: Case) -> None:
    """clarification.md: work that outlives the budget ends in BundleResolved."""
    await case.show(make_bundle())
    gate = case.desk.hold("respond")
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    assert case.card.attempt is not None
    token = case.card.attempt.token
    await case.clock.advance(41)
    assert case.is_in(Phase.ERROR)
    gate.set()
    desk = case.desk
    await desk.respond(
        PendingId("p1"),
        Answered((answer("o1"),)),
        client_id=ClientId("window-1"),
        claim_token=token,
    )
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.DELIVERED


async def test_saved_becomes_delivered_when_the_agent_collects(case: Case) -> None:
    """agents.md: the next contact hands the answer over."""
    await case.show(make_bundle(waiting_calls=0))
    case.pick(0, "o1")
    case.view_model.submit()
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.SAVED
    assert recovery.outcome is not None
    outcome = dataclasses.replace(recovery.outcome, delivery=Delivery.DELIVERED)
    case.desk.resolve(case.desk.bundles[PendingId("p1")], outcome)
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.DELIVERED
    await case.clock.advance(9)
    assert case.view_model.recovery is None
    assert case.clock.pending_timers == 0


async def test_a_removed_question_takes_its_card_with_it(case: Case) -> None:
    await case.show(make_bundle())
    case.desk.remove(PendingId("p1"))
    assert case.view_model.card is None


async def test_load_shows_what_was_open_before_the_window(case: Case) -> None:
    """product.md P8: rebuilt from the database."""
    case.desk.sessions[make_session().session_id] = make_session()
    case.desk.bundles[PendingId("p1")] = make_bundle()
    case.view_model.show_session(make_session().session_id)
    await case.view_model.load()
    assert case.card.pending_id == "p1"
    assert case.view_model.session == make_session()


def _with_stored(delivery: Delivery = Delivery.WAITING_FOR_AGENT) -> StoredAnswer:
    return StoredAnswer(PendingId("p0"), (answer("o2"),), moment(-720), delivery)


async def test_a_stored_answer_is_offered_and_handed_over_by_one_deliberate_action(
    case: Case,
) -> None:
    """clarification.md, rule 4."""
    await case.show(dataclasses.replace(make_bundle(), stored_answer=_with_stored()))
    assert case.card.sheet.entry(0).selected == ("o2",)
    assert not case.card.sheet.touched
    assert not case.desk.responses
    case.view_model.hand_over()
    await settle()
    assert "hand_over_stored_answer" in case.desk.calls
    assert case.view_model.card is None


@pytest.mark.parametrize(
    "error",
    [Conflict(ErrorCode.TICKET_COLLECTED, ""), NotFound(ErrorCode.NOT_FOUND, "")],
)
async def test_a_stored_answer_that_was_collected_meanwhile_is_not_handed_over(
    case: Case, error: AppError
) -> None:
    """clarification.md, rule 4: the tap says so and does nothing."""
    await case.show(dataclasses.replace(make_bundle(), stored_answer=_with_stored()))
    case.desk.fail("hand_over_stored_answer", error)
    case.view_model.hand_over()
    await settle()
    recovery = case.view_model.recovery
    assert recovery is not None
    assert recovery.kind is RecoveryKind.COLLECTED
    assert case.is_in(Phase.IDLE)
    assert not case.desk.responses


async def test_discarding_a_stored_answer_takes_it_off_the_card(case: Case) -> None:
    stored = dataclasses.replace(
        make_bundle("p0"), status=BundleStatus.ANSWERED, delivery=Delivery.WAITING_FOR_AGENT
    )
    case.desk.bundles[stored.pending_id] = stored
    await case.show(dataclasses.replace(make_bundle(), stored_answer=_with_stored()))
    case.desk.bundles[PendingId("p1")] = dataclasses.replace(
        case.desk.bundles[PendingId("p1")], stored_answer=None
    )
    case.view_model.discard_stored()
    await settle()
    assert case.desk.bundles[PendingId("p0")].delivery is Delivery.DISCARDED
    assert case.card.sheet.blank
    assert case.card.bundle.stored_answer is None


async def test_asked_again_shows_the_newest_of_the_group(case: Case) -> None:
    """clarification.md, rule 4: answering the newer withdraws the older."""
    older = make_bundle("p1")
    newer = dataclasses.replace(make_bundle("p2", created=9), asked_again_of=PendingId("p1"))
    await case.show(older, newer)
    assert case.card.pending_id == "p2"
    assert case.view_model.more_waiting == 0


async def test_closing_a_question_withdraws_it_without_an_answer(case: Case) -> None:
    await case.show(make_bundle(waiting_calls=0))
    case.view_model.close_question()
    await settle()
    assert case.desk.bundles[PendingId("p1")].withdrawn is Withdrawn.BY_HUMAN
    assert case.view_model.card is None
    assert case.view_model.recovery is None
