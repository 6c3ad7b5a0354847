"""What operators and scripts send about pending bundles, and the pages they get (K3.5, K4.1)."""

import base64
import binascii
from collections.abc import Sequence

from pydantic import Field

from backend.clock import Nanoseconds, format_timestamp, parse_timestamp
from backend.domain.clarification import (
    Answer,
    Answered,
    Bundle,
    Outcome,
    Skipped,
)
from backend.errors import ErrorCode, InvalidInput
from backend.ids import OptionId, QuestionId
from backend.mcp.bundle_wire import bundle_to_wire
from backend.mcp.tools import PAGE_DEFAULT, PAGE_MAX
from backend.mcp.wire import Wire, WireModel


class AnswerIn(WireModel):
    question_id: str
    selected_options: list[str] | None = Field(default=None, fail_fast=True)
    custom_text: str | None = None


class ResponseIn(WireModel):
    """K4.1 respond. `client_id` and `claim_id` make an exact retry recognizable."""

    answers: list[AnswerIn] | None = Field(default=None, fail_fast=True)
    rejected: bool | None = None
    reject_reason: str | None = None
    client_id: str | None = None
    claim_id: str | None = None


class AnswerToolIn(WireModel):
    pending_id: str
    answers: list[AnswerIn] | None = Field(default=None, fail_fast=True)
    rejected: bool | None = None
    reject_reason: str | None = None


class ListToolIn(WireModel):
    created_since: str | None = None
    cursor: str | None = None
    limit: int | None = None


def outcome_from_wire(response: ResponseIn | AnswerToolIn) -> Outcome:
    """Raises `InvalidInput` when a rejection brings answers (K4.2)."""
    if response.rejected:
        if response.answers:
            raise InvalidInput(
                ErrorCode.INVALID,
                "answers must be empty when rejected is true",
                field="answers",
            )
        return Skipped(response.reject_reason or "")
    return Answered(
        tuple(
            Answer(
                QuestionId(answer.question_id),
                tuple(OptionId(option) for option in answer.selected_options or ()),
                answer.custom_text or "",
            )
            for answer in response.answers or ()
        )
    )


def page_to_wire(open_bundles: Sequence[Bundle], asked: ListToolIn, now: Nanoseconds) -> Wire:
    """One page of the Inbox by creation time and id (K3.5).

    Raises:
        InvalidInput: the limit, the time or the cursor makes no sense.
    """
    limit = PAGE_DEFAULT if asked.limit is None else asked.limit
    if limit < 1:
        raise InvalidInput(ErrorCode.INVALID, "limit must be at least 1", field="limit", limit=1)
    limit = min(limit, PAGE_MAX)
    after = _read_cursor(asked.cursor) if asked.cursor else None
    since = _read_time(asked.created_since) if asked.created_since else None
    ordered = sorted(open_bundles, key=_position)
    left = [
        bundle
        for bundle in ordered
        if (after is None or _position(bundle) > after)
        and (since is None or bundle.created_at >= since)
    ]
    page = left[:limit]
    return {
        "bundles": [bundle_to_wire(bundle, now) for bundle in page],
        "count": len(page),
        "next_cursor": _write_cursor(page[-1]) if len(left) > limit else "",
    }


def _position(bundle: Bundle) -> tuple[int, str]:
    return (bundle.created_at, bundle.pending_id)


def _write_cursor(bundle: Bundle) -> str:
    text = f"{format_timestamp(bundle.created_at)}|{bundle.pending_id}"
    return base64.urlsafe_b64encode(text.encode()).decode()


def _read_cursor(cursor: str) -> tuple[int, str]:
    try:
        created, _, pending_id = base64.urlsafe_b64decode(cursor.encode()).decode().partition("|")
        return (parse_timestamp(created), pending_id)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(
            ErrorCode.INVALID, "cursor is not one of ours", field="cursor"
        ) from error


def _read_time(text: str) -> Nanoseconds:
    try:
        return parse_timestamp(text)
    except ValueError as error:
        raise InvalidInput(
            ErrorCode.INVALID, "created_since must be an RFC 3339 time", field="created_since"
        ) from error
