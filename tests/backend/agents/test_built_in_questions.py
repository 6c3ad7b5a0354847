"""A tool of an agent's own that only asks arrives as a permission and is none (Qwen)."""

from typing import Any

import pytest

from backend.agents.built_in_questions import permission_reply, question_form
from backend.agents.form_fields import read_form
from backend.domain.agents import (
    ElicitationAction,
    ElicitationReply,
    PermissionAsked,
    PermissionOption,
    ToolCallChange,
)

OPTIONS = (
    PermissionOption("yes", "Submit", "allow_once"),
    PermissionOption("no", "Cancel", "reject_once"),
)
QUESTION: dict[str, Any] = {
    "question": "Which?",
    "header": "H",
    "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
}


def asked(
    *questions: Any, tool: str = "ask_user_question", options: Any = OPTIONS
) -> PermissionAsked:
    call = ToolCallChange("c", raw_input={"questions": list(questions)})
    return PermissionAsked(call, options, {"toolName": tool})


def test_questions_become_fields_with_room_for_own_words() -> None:
    form = question_form(asked(QUESTION, {**QUESTION, "multiSelect": True}))
    assert form is not None
    fields = read_form(form)
    assert [field.question.multi_select for field in fields] == [False, True]
    assert [field.question.prompt for field in fields] == ["Which?", "Which?"]
    assert all(field.companion for field in fields)


@pytest.mark.parametrize(
    "other",
    [
        asked(QUESTION, tool="mcp__kandesk-1__ask_user_question"),
        asked(QUESTION, tool="run_shell_command"),
        asked(),
        asked(*[QUESTION] * 5),
        asked("Which?"),
        asked({**QUESTION, "options": []}),
        PermissionAsked(ToolCallChange("c", title="ask_user_question"), OPTIONS),
    ],
)
def test_whatever_else_is_asked_stays_a_permission(other: PermissionAsked) -> None:
    assert question_form(other) is None


def test_answers_go_beside_the_outcome_by_number() -> None:
    reply = ElicitationReply(
        ElicitationAction.ACCEPT,
        {"question_0": "A", "question_1": ["A", "B"], "question_1_custom": "and C"},
    )
    assert permission_reply(asked(QUESTION, QUESTION), reply) == {
        "outcome": {"outcome": "selected", "optionId": "yes"},
        "answers": {"0": "A", "1": "A, B, and C"},
    }


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (ElicitationReply(ElicitationAction.DECLINE), {"outcome": "selected", "optionId": "no"}),
        (ElicitationReply(ElicitationAction.CANCEL), {"outcome": "cancelled"}),
        (None, {"outcome": "cancelled"}),
    ],
)
def test_decline_is_not_cancel(reply: ElicitationReply | None, outcome: dict[str, str]) -> None:
    assert permission_reply(asked(QUESTION), reply) == {"outcome": outcome}


def test_an_agent_that_offers_no_way_to_allow_is_never_told_that_it_may() -> None:
    reply = ElicitationReply(ElicitationAction.ACCEPT, {"question_0": "A"})
    told = permission_reply(asked(QUESTION, options=OPTIONS[1:]), reply)
    assert told == {"outcome": {"outcome": "cancelled"}}
