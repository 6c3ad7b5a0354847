"""Every value of every enumeration that people see has words; which are not seen is said here."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import chain
from typing import Any, Final

import pytest
from PySide6.QtWidgets import QApplication

import app.models
import app.viewmodels
import app.widgets
import backend.domain
from app.agent_text import message_error_text, mode_text, outcome_text, problem_text
from app.leaving import LeavingWords
from app.models.activity_text import doing_text, progress_text, step_state_text, verdict_text
from app.models.message_text import kind_text, spoken_text
from app.models.notice_text import dispatch_text, notice_text
from app.models.policy_words import PolicyWords
from app.models.review_words import ReviewWords
from app.session_text import agent_status_text, session_state_text
from app.step_text import steps_text
from app.text import delivery_text, error_text, status_text, withdrawn_text
from app.viewmodels import activity_row, clarification_recovery, composer, tool_row, typed_work
from app.widgets.status_texts import StatusTexts
from backend import errors, events
from backend.domain import (
    agents,
    clarification,
    conversation,
    gateway,
    hosted,
    policy,
    review,
    session_notice,
)
from backend.domain.turn_end import TurnNotice
from tests.helpers.desk_builders import make_bundle, make_message
from tests.helpers.fake_reviews import make_review


def _row(kind: str, **metadata: object) -> conversation.Message:
    return make_message("m1", "stored", kind=kind, metadata=metadata)


def _review(status: StrEnum) -> str:
    assert isinstance(status, review.ReviewStatus)
    said = ReviewWords().verdict(status), ReviewWords().ending(status)
    drawn = verdict_text(
        activity_row.read_permission(
            _row("permission_request", kandesk={"review_status": status.value})
        ).verdict
    )
    assert drawn == said[0], "card and transcript say the same"
    return said[0] if all(said) else ""


def _recovery(kind: StrEnum) -> str:
    assert isinstance(kind, clarification_recovery.RecoveryKind)
    error = errors.AppError(errors.ErrorCode.STORE_BUSY, "detail")
    state = clarification_recovery.RecoveryState(kind, make_bundle(), error=error)
    return StatusTexts().words(state)


def _wants(kind: StrEnum) -> str:
    assert isinstance(kind, agents.ToolKind)
    call = agents.ToolCallChange("c", kind=kind)
    return ReviewWords().what(make_review(call=call))


def _dispatch(outcome: StrEnum) -> str:
    told = dispatch_text(_row("message", kandesk={"dispatch": outcome.value}))
    return "the agent's own words" if outcome is hosted.PromptOutcome.SENT else told


def _error(code: StrEnum) -> str:
    assert isinstance(code, errors.ErrorCode)
    error = errors.AppError(code, "detail", limit=3)
    return error_text(error) if message_error_text(error) else ""


SEEN: Final[dict[type[StrEnum], Callable[[Any], str]]] = {
    errors.ErrorCode: _error,
    events.StoreStep: lambda step: steps_text(step.value).removeprefix("• "),
    clarification.BundleStatus: status_text,
    clarification.Delivery: delivery_text,
    clarification.Withdrawn: withdrawn_text,
    conversation.SessionState: session_state_text,
    hosted.AgentStatus: agent_status_text,
    typed_work.Unsaved: lambda what: LeavingWords().lost(what),
    review.ReviewStatus: _review,
    policy.PolicyDecision: lambda each: PolicyWords().decision(each),
    policy.Risk: lambda each: PolicyWords().risk(each),
    policy.RuleScope: lambda each: PolicyWords().scope(each),
    gateway.ServerStatus: lambda each: PolicyWords().status(each),
    gateway.Transport: lambda each: PolicyWords().transport(each),
    TurnNotice: lambda notice: notice_text(
        _row("status", kandesk={"notice": notice.value, "detail": "why"})
    ),
    session_notice.SessionNotice: lambda notice: notice_text(
        _row("status", kandesk={"notice": notice.value})
    ),
    agents.ToolKind: _wants,
    agents.ToolStatus: lambda status: progress_text(
        tool_row.read_tool(_row("tool_call", status=status.value))
    ),
    hosted.AgentProblem: lambda problem: problem_text(problem, "Codex"),
    hosted.AdmissionOutcome: outcome_text,
    hosted.PromptOutcome: _dispatch,
    composer.ComposerMode: lambda mode: mode_text(mode, "Codex"),
    clarification_recovery.RecoveryKind: _recovery,
    tool_row.Doing: doing_text,
    tool_row.Progress: lambda progress: progress_text(
        tool_row.ToolRow(tool_row.Doing.OTHER, "", progress=progress)
    ),
    activity_row.Step: step_state_text,
    activity_row.Verdict: verdict_text,
}
"""What people see, and the function that has the words for it."""
EMPTY: Final = frozenset({composer.ComposerMode.NONE, composer.ComposerMode.LOADING})
"""Nothing is said while nothing is known."""
PLAIN: Final = frozenset({clarification.Delivery.DELIVERED, clarification.Delivery.DISCARDED})
"""Their names are the words already."""
UNSEEN: Final = {
    "Connection": "how a guest is known again",
    "Door": "a column of the ledger",
    "Owner": "told by the name of the server",
    "ElicitationAction": "what a form is answered with",
    "ForegroundActivity": "what an agent says of itself",
    "InputMode": "told as a `ComposerMode`",
    "PendingAction": "told by the session's state",
    "SessionKind": "told by what can be done with a session",
    "StopReason": "told as a `TurnNotice`",
    "TurnOutcome": "told as a `TurnNotice`",
    "Unanswerable": "a reason in the API's history",
    "domain.review.Verdict": "told by the option that was chosen",
    "ActionKind": "which action is tried again",
    "Phase": "told as a `RecoveryKind`",
    "LatePhase": "told as a `RecoveryKind`",
    "ReviewPhase": "what a card does",
    "SendPhase": "what the composer's hint does",
    "StartPhase": "what the page of a new session does",
    "SavePhase": "what the page of a server does",
    "SendKey": "a line of the menu",
    "TouchMode": "automatic",
    "Severity": "an icon beside words",
    "Sign": "the sign of a line of a diff",
    "Mark": "how a piece of text is drawn",
    "Part": "what of a row is open",
    "widgets.confirm_strip.Step": "which second step is open",
}
"""What nobody sees by itself, and why."""


def _enumerations() -> Iterator[type[StrEnum]]:
    for package in (backend.domain, app.viewmodels, app.models, app.widgets):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            yield from _of_module(found.name)
    yield from chain(_of_module("backend.errors"), _of_module("backend.events"))


def _of_module(name: str) -> Iterator[type[StrEnum]]:
    for each in vars(importlib.import_module(name)).values():
        if isinstance(each, type) and issubclass(each, StrEnum) and each.__module__ == name:
            yield each


def _unseen(each: type[StrEnum]) -> bool:
    whole = f"{each.__module__}.{each.__qualname__}".partition(".")[2]
    return each.__name__ in UNSEEN or whole in UNSEEN


def test_every_enumeration_is_either_told_in_words_or_seen_by_nobody() -> None:
    found = set(_enumerations())
    assert found >= set(SEEN)
    assert {each.__qualname__ for each in found if each not in SEEN and not _unseen(each)} == set()


@pytest.mark.parametrize(
    "value", [value for each in SEEN for value in each], ids=lambda value: f"{value!r}"
)
def test_every_value_has_words_of_its_own(qapp: QApplication, value: StrEnum) -> None:
    told = SEEN[type(value)](value)
    assert bool(told) is (value not in EMPTY)
    assert "%1" not in told
    assert value in PLAIN or told not in {value.value, value.name}
    assert "_" not in told


def test_that_an_agent_did_other_than_it_asked_is_told_before_the_row_is_opened() -> None:
    """T6.3, 68: also to who does not see the row."""
    own = {"review_status": "executed", "arguments_drifted": True}
    told = _row("permission_request", kandesk=own)
    assert kind_text(told) == "Permission, Succeeded · other arguments than asked for"


def test_a_message_that_was_taken_back_says_that_it_was_not_sent() -> None:
    told = make_message("m1", "go", author="user", metadata={"kandesk": {"dispatch": "failed"}})
    assert spoken_text(told) == "You, Not sent: taken back: go"
