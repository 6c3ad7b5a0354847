"""Sessions, questions and rows for tests of the window, short to write and complete."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.clarification import (
    Bundle,
    BundleQuestion,
    BundleStatus,
    Option,
    Question,
)
from backend.domain.conversation import (
    JsonObject,
    Message,
    SessionKind,
    SessionState,
    SessionSummary,
)
from backend.ids import MessageId, OptionId, PendingId, QuestionId, SessionId, TaskId, TurnId
from tests.helpers.clock import START

SECOND = 1_000_000_000
_numbers = itertools.count(1)


def moment(seconds: float) -> Nanoseconds:
    """A moment `seconds` after the clock of the tests starts."""
    return Nanoseconds(START + round(seconds * SECOND))


def make_session(
    name: str = "s1",
    *,
    title: str = "",
    agent: str = "claude-code",
    workspace: str = "/home/ann/shop",
    state: SessionState = SessionState.IDLE,
    kind: SessionKind = SessionKind.GUEST,
    updated: float = 0,
    pending: int = 0,
    waiting_answers: int = 0,
    quick_chat: bool = False,
    pinned: bool = False,
) -> SessionSummary:
    return SessionSummary(
        session_id=SessionId(name),
        task_id=TaskId(f"task-{name}"),
        kind=kind,
        state=state,
        title=title,
        agent=agent,
        workspace=workspace,
        started_at=moment(0),
        updated_at=moment(updated),
        pending_questions=pending,
        waiting_answers=waiting_answers,
        quick_chat=quick_chat,
        pinned=pinned,
    )


def make_question(
    prompt: str = "Which database?",
    labels: Sequence[str] = ("SQLite", "PostgreSQL"),
    *,
    name: str = "q1",
    title: str = "",
    multi_select: bool = False,
) -> Question:
    options = tuple(
        Option(OptionId(f"o{number}"), label) for number, label in enumerate(labels, start=1)
    )
    return Question(QuestionId(name), prompt, title, options, multi_select)


def make_bundle(
    name: str = "p1",
    questions: Sequence[Question] = (),
    *,
    session: str = "s1",
    created: float = 0,
    status: BundleStatus = BundleStatus.PENDING,
    context: str = "",
    waiting_calls: int = 1,
) -> Bundle:
    asked = tuple(questions) or (make_question(),)
    rows = tuple(
        BundleQuestion(MessageId(f"{name}-{number}"), next(_numbers), question, status)
        for number, question in enumerate(asked)
    )
    return Bundle(
        pending_id=PendingId(name),
        session_id=SessionId(session),
        task_id=TaskId(f"task-{session}"),
        turn_id=TurnId(f"turn-{session}"),
        questions=rows,
        created_at=moment(created),
        updated_at=moment(created),
        status=status,
        context=context,
        expected_questions=len(rows),
        waiting_calls=waiting_calls,
    )


def make_message(
    name: str,
    content: str = "",
    *,
    session: str = "s1",
    kind: str = "message",
    author: str = "agent",
    metadata: JsonObject | None = None,
    created: float = 0,
    revision: int | None = None,
    pending: str | None = None,
) -> Message:
    return Message(
        message_id=MessageId(name),
        session_id=SessionId(session),
        turn_id=TurnId(f"turn-{session}"),
        kind=kind,
        author=author,
        content=content,
        metadata=metadata or {},
        created_at=moment(created),
        updated_at=moment(created),
        revision=next(_numbers) if revision is None else revision,
        pending_id=None if pending is None else PendingId(pending),
    )


def question_messages(bundle: Bundle) -> tuple[Message, ...]:
    """The transcript rows of a bundle, with the metadata keys of K1.3."""
    return tuple(
        replace(
            make_message(
                row.message_id,
                row.question.prompt,
                session=bundle.session_id,
                kind="clarification_request",
                metadata=_question_metadata(bundle, row, index),
                revision=row.revision,
                pending=bundle.pending_id,
            ),
            created_at=bundle.created_at,
            updated_at=bundle.updated_at,
        )
        for index, row in enumerate(bundle.questions)
    )


def _question_metadata(bundle: Bundle, row: BundleQuestion, index: int) -> dict[str, object]:
    question = row.question
    options = [
        {"option_id": option.id, "label": option.label, "description": option.description}
        for option in question.options
    ]
    metadata: dict[str, object] = {
        "pending_id": bundle.pending_id,
        "question_id": question.id,
        "question": {
            "id": question.id,
            "title": question.title,
            "prompt": question.prompt,
            "options": options,
        },
        "question_index": index,
        "question_total": len(bundle.questions),
        "context": bundle.context,
        "status": row.status.value,
    }
    if row.answer is not None:
        metadata["response"] = {
            "question_id": question.id,
            "selected_options": list(row.answer.selected_options),
            "custom_text": row.answer.custom_text,
        }
    return metadata
