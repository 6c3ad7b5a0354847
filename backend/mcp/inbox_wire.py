"""What operators and scripts send about pending bundles, and the pages they get (K3.5, K4.1)."""

import base64
import binascii
import re
from typing import Final

from pydantic import ConfigDict, Field, JsonValue

from backend.clock import Nanoseconds, parse_timestamp
from backend.domain.clarification import (
    MAX_ID,
    MAX_TEXT,
    Answer,
    Answered,
    Outcome,
    Skipped,
)
from backend.domain.listing import PAGE_DEFAULT, PAGE_MAX, PageQuery, Position
from backend.errors import ErrorCode, InvalidInput
from backend.ids import OptionId, PendingId, QuestionId
from backend.mcp.wire import WireModel, text_schema

_CURSOR_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", re.ASCII)


class AnswerIn(WireModel):
    question_id: str = Field(json_schema_extra=text_schema(None, 1))
    selected_options: list[str] | None = Field(default=None, fail_fast=True)
    custom_text: str | None = Field(default=None, json_schema_extra=text_schema(MAX_TEXT))


_ANSWERED_OR_SKIPPED: Final[dict[str, JsonValue]] = {
    "oneOf": [
        {
            "required": ["answers"],
            "properties": {
                "answers": {"type": "array", "minItems": 1},
                "rejected": {"enum": [False, None]},
            },
        },
        {
            "required": ["rejected"],
            "properties": {
                "answers": {"anyOf": [{"type": "null"}, {"type": "array", "maxItems": 0}]},
                "rejected": {"const": True},
            },
        },
    ]
}


class ResponseIn(WireModel):
    """K4.1 respond. `client_id` and `claim_id` make an exact retry recognizable."""

    model_config = ConfigDict(json_schema_extra=_ANSWERED_OR_SKIPPED)

    answers: list[AnswerIn] | None = Field(default=None, fail_fast=True)
    rejected: bool | None = None
    reject_reason: str | None = Field(default=None, json_schema_extra=text_schema(MAX_TEXT))
    client_id: str | None = Field(default=None, json_schema_extra=text_schema(MAX_ID))
    claim_id: str | None = Field(default=None, json_schema_extra=text_schema(MAX_ID))


class AnswerToolIn(WireModel):
    pending_id: str
    answers: list[AnswerIn] | None = Field(default=None, fail_fast=True)
    rejected: bool | None = None
    reject_reason: str | None = None


class ListToolIn(WireModel):
    workspace_id: str | None = None
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


def query_from_wire(asked: ListToolIn) -> PageQuery:
    """Which page is asked for; an empty text is the same as none.

    Raises:
        InvalidInput: names the field that makes no sense.
    """
    limit = PAGE_DEFAULT if asked.limit is None else asked.limit
    if limit < 1:
        raise InvalidInput(ErrorCode.INVALID, "limit must be at least 1", field="limit", limit=1)
    return PageQuery(
        workspace=asked.workspace_id or "",
        since=_read_time(asked.created_since) if asked.created_since else None,
        after=_read_cursor(asked.cursor) if asked.cursor else None,
        limit=min(limit, PAGE_MAX),
    )


def write_cursor(position: Position | None) -> str:
    """What asks for the next page; empty on the last one."""
    if position is None:
        return ""
    text = f"{position.time}Z|{position.pending_id}"
    return base64.urlsafe_b64encode(text.encode()).decode()


def _read_cursor(cursor: str) -> Position:
    try:
        moment, _, pending_id = (
            base64.b64decode(cursor, b"-_", validate=True).decode().partition("|")
        )
    except (binascii.Error, ValueError):
        moment = pending_id = ""
    if not pending_id or "\0" in pending_id or not _CURSOR_TIME.fullmatch(moment):
        raise InvalidInput(ErrorCode.INVALID, "cursor is not one of ours", field="cursor")
    return Position(moment.removesuffix("Z"), PendingId(pending_id))


def _read_time(text: str) -> Nanoseconds:
    try:
        return parse_timestamp(text)
    except ValueError as error:
        raise InvalidInput(
            ErrorCode.INVALID, "created_since must be an RFC 3339 time", field="created_since"
        ) from error
