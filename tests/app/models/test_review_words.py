"""What is said of a permission nobody can decide any more."""

from dataclasses import replace

import pytest

from app.models.review_words import ReviewWords
from backend.domain.review import NOT_TOLD, STOPPED_BY_HUMAN, STOPPED_WAITING, ReviewStatus
from tests.helpers.fake_reviews import make_review

pytestmark = pytest.mark.usefixtures("qapp")


def test_a_guest_that_tells_no_outcome_is_not_said_to_have_ended() -> None:
    """T8.3 over MCP: nothing has gone wrong."""
    words = ReviewWords()
    unknown = make_review(status=ReviewStatus.OUTCOME_UNKNOWN)
    told = words.closing(replace(unknown, error=NOT_TOLD))
    assert told == words.outcome(replace(unknown, error=NOT_TOLD))
    assert told.startswith("Approved")
    assert words.closing(unknown).startswith("Outcome unknown")


def test_a_caller_that_gave_up_is_not_said_to_have_been_declined() -> None:
    """tool-review.md, owner = agent: the agent stopped waiting."""
    expired = make_review(status=ReviewStatus.EXPIRED, reason=STOPPED_WAITING)
    told = ReviewWords().closing(expired)
    assert told.startswith("Expired")
    assert "The agent stopped waiting" in told


def test_what_its_human_has_stopped_is_not_said_to_have_been_given_up_by_its_agent() -> None:
    stopped = make_review(status=ReviewStatus.CANCELLED, reason=STOPPED_BY_HUMAN)
    assert ReviewWords().closing(stopped).startswith("Cancelled. You stopped the agent")
    assert "decide" not in ReviewWords().again(stopped)
