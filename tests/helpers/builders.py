"""Small complete values, so that a test names only what it is about."""

from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.clarification import (
    Answer,
    Bundle,
    BundleQuestion,
    BundleStatus,
    Option,
    Question,
    QuestionBundleDraft,
)
from backend.domain.conversation import Connection, GuestIdentity
from backend.ids import MessageId, OptionId, PendingId, QuestionId, SessionId, TaskId, TurnId


def make_question(
    question_id: str = "q1",
    prompt: str = "Which database?",
    labels: tuple[str, ...] = ("SQLite", "PostgreSQL"),
    *,
    title: str = "",
    multi_select: bool = False,
) -> Question:
    """A question with one option per label; option ids are `<question>_opt<n>`, from one."""
    return Question(
        id=QuestionId(question_id),
        prompt=prompt,
        title=title,
        options=tuple(
            Option(OptionId(f"{question_id}_opt{number}"), label)
            for number, label in enumerate(labels, start=1)
        ),
        multi_select=multi_select,
    )


def make_draft(*questions: Question, context: str = "") -> QuestionBundleDraft:
    return QuestionBundleDraft(questions or (make_question(),), context)


def make_bundle(*questions: Question, pending_id: str = "p1") -> Bundle:
    """An open bundle as the store would read it."""
    asked = questions or (make_question(),)
    return Bundle(
        pending_id=PendingId(pending_id),
        session_id=SessionId("s1"),
        task_id=TaskId("t1"),
        turn_id=TurnId("turn1"),
        questions=tuple(
            BundleQuestion(MessageId(f"m{place}"), place, question, BundleStatus.PENDING)
            for place, question in enumerate(asked)
        ),
        created_at=Nanoseconds(1),
        updated_at=Nanoseconds(1),
        status=BundleStatus.PENDING,
        expected_questions=len(asked),
    )


def with_question(bundle: Bundle, place: int, **changes: object) -> Bundle:
    """The bundle with one of its question rows changed."""
    questions = list(bundle.questions)
    questions[place] = replace(questions[place], **changes)  # type: ignore[arg-type]
    return replace(bundle, questions=tuple(questions))


def make_answer(question_id: str = "q1", *options: str, text: str = "") -> Answer:
    return Answer(QuestionId(question_id), tuple(OptionId(option) for option in options), text)


def make_guest(
    key: str = "k1",
    *,
    client: str = "test-client",
    folder: str = "/projects/alpha",
    connection: Connection = Connection.SHIM,
) -> GuestIdentity:
    return GuestIdentity(connection, key, client, "1.0", folder, folder)
