"""One card of one permission: decided once, kept while nothing is known, told what holds."""

import asyncio

from app.viewmodels.review_choices import Decision, choices_of
from app.viewmodels.reviews import ReviewPhase
from backend.domain.agents import PermissionOption
from backend.domain.review import ReviewStatus
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_reviews import OPTIONS, make_review
from tests.helpers.review_case import ReviewCase

AWAY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "away")


async def test_the_oldest_request_of_the_session_is_shown() -> None:
    """A later one never replaces it; it is counted beside it."""
    case = ReviewCase()
    first = case.reviews.ask()
    case.reviews.ask(make_review("s2"))
    await case.show()
    case.reviews.ask()
    await settle()

    assert case.view_model.card is not None
    assert case.view_model.card.review == first
    assert case.view_model.more_waiting == 1
    assert case.view_model.count == 3


async def test_what_the_human_opens_is_shown_instead() -> None:
    case = ReviewCase()
    case.reviews.ask()
    second = case.reviews.ask()
    await case.show()

    case.view_model.open_review(second.review_id)

    assert case.view_model.card is not None
    assert case.view_model.card.review == second
    assert case.view_model.was_opened


async def test_a_decision_closes_the_card_and_shows_the_next() -> None:
    case = ReviewCase()
    first = case.reviews.ask()
    second = case.reviews.ask()
    await case.show()
    left: list[object] = []
    case.view_model.left.connect(left.append)

    case.view_model.decide(Decision("once"))
    await settle()

    assert [decision[:2] for decision in case.reviews.decisions] == [(first.review_id, "once")]
    assert case.view_model.card is not None
    assert case.view_model.card.review == second
    assert left[0] == first.review_id


async def test_a_store_that_is_away_keeps_the_card_and_its_token() -> None:
    """503: the same choice again is the same attempt; another choice is another."""
    case = ReviewCase()
    case.reviews.failures = [AWAY, AWAY]
    case.reviews.ask()
    await case.show()

    case.view_model.decide(Decision("once"))
    await settle()
    card = case.view_model.card
    assert card is not None
    assert (card.phase, card.error) == (ReviewPhase.ERROR, AWAY)
    case.view_model.retry()
    await settle()
    case.view_model.decide(Decision("no"))
    await settle()

    options = [(option, token) for _, option, token in case.reviews.decisions]
    assert options[0] == options[1]
    assert options[2][1] != options[0][1]
    assert case.view_model.card is None


async def test_a_decision_without_a_reply_may_be_sent_again() -> None:
    case = ReviewCase()
    case.reviews.ask()
    await case.show()
    stuck = asyncio.Event()

    async def hang(*_: object, **__: object) -> object:
        return await stuck.wait()

    real, case.reviews.decide = case.reviews.decide, hang  # type: ignore[method-assign, assignment]
    case.view_model.decide(Decision("once"))
    await settle()
    assert phase_of(case) is ReviewPhase.SENDING
    await case.clock.advance(41)
    assert phase_of(case) is ReviewPhase.ERROR

    case.reviews.decide = real  # type: ignore[method-assign]
    case.view_model.retry()
    await settle()
    assert phase_of(case) is None


def phase_of(case: ReviewCase) -> ReviewPhase | None:
    return None if case.view_model.card is None else case.view_model.card.phase


async def test_nothing_is_sent_twice_while_a_decision_is_on_its_way() -> None:
    case = ReviewCase()
    case.reviews.ask()
    await case.show()

    case.view_model.decide(Decision("once"))
    case.view_model.decide(Decision("no"))
    await settle()

    assert len(case.reviews.decisions) == 1


async def test_a_request_that_ends_elsewhere_keeps_its_card_without_choices() -> None:
    """The agent stopped waiting: the card says so until the human puts it away."""
    case = ReviewCase()
    review = case.reviews.ask()
    await case.show()

    case.reviews.change(review, ReviewStatus.CANCELLED)
    await settle()

    card = case.view_model.card
    assert card is not None
    assert card.phase is ReviewPhase.CLOSED
    assert case.view_model.count == 0
    case.view_model.decide(Decision("once"))
    await settle()
    assert case.reviews.decisions == []
    case.view_model.dismiss()
    assert case.view_model.card is None


async def test_a_refused_decision_says_what_holds() -> None:
    """409: decided otherwise."""
    case = ReviewCase()
    review = case.reviews.ask()
    await case.show()
    case.reviews.failures = [Conflict(ErrorCode.NOT_ACTIVE, "decided otherwise")]
    case.reviews._reviews[review.review_id] = make_review(status=ReviewStatus.DECLINED)

    case.view_model.decide(Decision("once"))
    await settle()

    card = case.view_model.card
    assert card is not None
    assert (card.phase, card.review.status) == (ReviewPhase.CLOSED, ReviewStatus.DECLINED)


async def test_another_session_shows_its_own() -> None:
    case = ReviewCase()
    case.backend.desk.put_session(make_session("s2"))
    case.reviews.ask()
    other = case.reviews.ask(make_review("s2"))
    await case.show()

    case.view_model.show_session(SessionId("s2"))

    assert case.view_model.card is not None
    assert case.view_model.card.review == other
    case.view_model.show_session(None)
    assert case.view_model.card is None


async def test_what_is_not_open_any_more_when_everything_is_read_again_leaves() -> None:
    """The store was away: another desk may have owned it meanwhile."""
    case = ReviewCase()
    review = case.reviews.ask()
    await case.show()
    del case.reviews._reviews[review.review_id]

    await case.view_model.load()

    assert (case.view_model.count, case.view_model.card) == (0, None)


def test_choices_are_found_by_kind_and_never_by_place() -> None:
    """T8.4: never the first option."""
    found = choices_of(make_review(options=tuple(reversed(OPTIONS))))
    assert found.approve is not None
    assert found.decline is not None
    assert (found.approve.id, found.decline.id) == ("once", "no")
    assert [option.id for option in found.always] == ["always"]


def test_what_is_left_is_offered_by_its_own_name() -> None:
    second = PermissionOption("stop", "Stop", "reject_once")
    never = PermissionOption("never", "Never", "reject_always")
    other = PermissionOption("x", "Something", "of_a_new_kind")
    found = choices_of(make_review(options=(*OPTIONS, second, never, other)))
    assert found.others == (second, never, other)


def test_without_an_option_to_decline_there_is_none() -> None:
    assert choices_of(make_review(options=OPTIONS[:1])).decline is None
    assert choices_of(make_review(options=OPTIONS[1:2])).approve is None
