"""A question's row reads its metadata leniently."""

from dataclasses import replace

import pytest

from app.viewmodels.question_row import read_question
from backend.domain.clarification import Answer, BundleStatus, Withdrawn
from backend.ids import OptionId
from tests.helpers.desk_builders import make_bundle, make_message, question_messages


def test_an_answered_row_knows_what_was_chosen_and_written() -> None:
    bundle = make_bundle("p1")
    row = bundle.questions[0]
    answer = Answer(row.question.id, (OptionId("o2"),), "但是要快 🎉")
    answered = replace(row, status=BundleStatus.ANSWERED, answer=answer)
    message = question_messages(replace(bundle, questions=(answered,)))[0]
    read = read_question(message)
    assert read.chosen == ("PostgreSQL",)
    assert read.custom_text == "但是要快 🎉"
    assert read.status is BundleStatus.ANSWERED


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"question": None, "response": "nonsense", "kandesk": []},
        {"question": {"options": "none"}, "question_index": "x", "question_total": None},
        {"question": {"options": [None, 3, {"label": "A"}]}},
    ],
)
def test_a_row_with_missing_or_odd_metadata_is_still_a_question(
    metadata: dict[str, object],
) -> None:
    """K1.3: any key may be absent in imported rows."""
    read = read_question(
        make_message("m", "Which?", kind="clarification_request", metadata=metadata)
    )
    assert read.prompt == "Which?"
    assert read.status is BundleStatus.PENDING
    assert (read.number, read.total) == (1, 1)


def test_a_status_nobody_knows_is_kept_by_name() -> None:
    """K1.5: an unrecognised value is not pending."""
    read = read_question(make_message("m", metadata={"status": "paused"}))
    assert read.status is None
    assert read.status_word == "paused"


def test_a_withdrawal_says_by_whom() -> None:
    metadata = {"status": "cancelled", "kandesk": {"reason": "by_agent"}}
    assert read_question(make_message("m", metadata=metadata)).withdrawn is Withdrawn.BY_AGENT
