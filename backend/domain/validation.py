"""What a question and an answer must be before the store sees them (clarification.md 11; K4.2).

Field paths count from zero, as in `questions[0].options[1].label`.
"""

from collections.abc import Iterable, Mapping, Sequence

from backend.domain.clarification import (
    MAX_CONTEXT,
    MAX_DESCRIPTION,
    MAX_ID,
    MAX_LABEL,
    MAX_OPTIONS,
    MAX_PROMPT,
    MAX_QUESTIONS,
    MAX_TEXT,
    MAX_TITLE,
    MIN_OPTIONS,
    Answer,
    AnswerDraft,
    Answered,
    Bundle,
    BundleQuestion,
    BundleStatus,
    Option,
    Outcome,
    Question,
    QuestionBundleDraft,
    Skipped,
)
from backend.errors import ErrorCode, InvalidInput
from backend.ids import QuestionId


def validate_draft(draft: QuestionBundleDraft) -> QuestionBundleDraft:
    """Return `draft` if it may be asked.

    Raises:
        InvalidInput: names the field and the limit.
    """
    _check_count("questions", len(draft.questions), 1, MAX_QUESTIONS)
    check_text("context", draft.context, MAX_CONTEXT)
    for position, question in enumerate(draft.questions):
        _check_question(f"questions[{position}]", question)
    _check_distinct("questions", "id", (question.id for question in draft.questions))
    return draft


def _check_question(path: str, question: Question) -> None:
    _check_required(f"{path}.id", question.id, MAX_ID)
    check_text(f"{path}.title", question.title, MAX_TITLE)
    _check_required(f"{path}.prompt", question.prompt, MAX_PROMPT)
    if question.options:
        _check_count(f"{path}.options", len(question.options), MIN_OPTIONS, MAX_OPTIONS)
    for position, option in enumerate(question.options):
        _check_option(f"{path}.options[{position}]", option)
    _check_distinct(f"{path}.options", "id", (option.id for option in question.options))
    _check_distinct(f"{path}.options", "label", (option.label for option in question.options))
    if question.multi_select and not question.options:
        raise InvalidInput(
            ErrorCode.INVALID,
            f"{path}.multi_select needs options to select from",
            field=f"{path}.multi_select",
        )


def _check_option(path: str, option: Option) -> None:
    _check_required(f"{path}.id", option.id, MAX_ID)
    _check_required(f"{path}.label", option.label, MAX_LABEL)
    check_text(f"{path}.description", option.description, MAX_DESCRIPTION)


def validate_outcome(bundle: Bundle, outcome: Outcome) -> Outcome:
    """Return `outcome` normalized: bundle order, option order, no repeats, trimmed text (K4.2).

    Two equivalent submissions give equal values. Every pending question needs an answer; answers
    to siblings that are already closed are allowed, so that a retry stays valid, and are not
    written. One that may be left out is answered by nothing; the others of its bundle must say
    something then, and one of all. Says nothing about whether the bundle is still active: only the
    claim decides that.

    Raises:
        InvalidInput: names the field and the limit.
    """
    for item in bundle.questions:
        if not item.question.id:
            raise InvalidInput(
                ErrorCode.INVALID, "a question of this bundle has no id", field="questions"
            )
    if isinstance(outcome, Skipped):
        check_text("reject_reason", outcome.reason, MAX_TEXT)
        return Skipped(outcome.reason.strip())
    questions = {item.question.id: item.question for item in bundle.questions}
    answers: dict[QuestionId, Answer] = {}
    for position, answer in enumerate(outcome.answers):
        path = f"answers[{position}]"
        if answer.question_id in answers:
            raise InvalidInput(
                ErrorCode.INVALID,
                f"{path}.question_id repeats {shortened(answer.question_id)!r}",
                field=f"{path}.question_id",
            )
        answers[answer.question_id] = _normal_answer(path, questions, answer)
    _check_complete(bundle, answers)
    return Answered(tuple(answers[question] for question in questions if question in answers))


def _normal_answer(path: str, questions: dict[QuestionId, Question], answer: Answer) -> Answer:
    if not answer.question_id:
        raise InvalidInput(
            ErrorCode.INVALID, f"{path}.question_id is missing", field=f"{path}.question_id"
        )
    question = questions.get(answer.question_id)
    if question is None:
        raise InvalidInput(
            ErrorCode.INVALID,
            f"{path}.question_id {shortened(answer.question_id)!r} is not in this bundle",
            field=f"{path}.question_id",
        )
    known = [option.id for option in question.options]
    for selected in answer.selected_options:
        if selected not in known:
            raise InvalidInput(
                ErrorCode.INVALID,
                f"{path}.selected_options names {shortened(selected)!r}, which is not an option",
                field=f"{path}.selected_options",
            )
    check_text(f"{path}.custom_text", answer.custom_text, MAX_TEXT)
    chosen = set(answer.selected_options)
    return Answer(
        question_id=question.id,
        selected_options=tuple(option for option in known if option in chosen),
        custom_text=answer.custom_text.strip(),
    )


def _check_complete(bundle: Bundle, answers: dict[QuestionId, Answer]) -> None:
    pending = [item for item in bundle.questions if item.status is BundleStatus.PENDING]
    required = pending or bundle.questions
    for item in required:
        if item.question.optional:
            answers.setdefault(item.question.id, Answer(item.question.id))
    missing = [item.question.id for item in required if item.question.id not in answers]
    if missing:
        raise InvalidInput(
            ErrorCode.INVALID,
            f"answers needs exactly one entry for each of {len(required)} question(s); "
            f"missing: {', '.join(missing)}",
            field="answers",
            limit=len(required),
        )
    if any(item.question.optional for item in required):
        _check_said(required, answers)


def _check_said(required: Sequence[BundleQuestion], answers: Mapping[QuestionId, Answer]) -> None:
    empty = [item.question for item in required if answers[item.question.id].empty]
    unsaid = [question.id for question in empty if not question.optional]
    if unsaid or len(empty) == len(required):
        raise InvalidInput(
            ErrorCode.INVALID,
            f"an answer is needed for: {', '.join(unsaid)}"
            if unsaid
            else "no answer says anything",
            field="answers",
        )


def validate_answer_draft(draft: AnswerDraft) -> None:
    """Refuse a draft that could not be stored; one that is only too long to send is kept.

    Raises:
        InvalidInput: names the field.
    """
    for position, answer in enumerate(draft.answers):
        check_text(f"answers[{position}].custom_text", answer.custom_text, MAX_CONTEXT)


def check_note(path: str, text: str, limit: int) -> None:
    """A text that must say something and can be stored.

    Raises:
        InvalidInput: names the field and the limit.
    """
    _check_required(path, text, limit)


def shortened(text: str, limit: int = MAX_ID) -> str:
    """`text` as an error repeats it: what a caller sent may be as long as a whole body."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def check_characters(path: str, text: str) -> None:
    """Refuse what neither dialect can store: NUL and lone surrogates.

    Raises:
        InvalidInput: names the field and the position.
    """
    for position, character in enumerate(text):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            name = "NUL" if character == "\0" else "a lone surrogate"
            raise InvalidInput(
                ErrorCode.INVALID,
                f"{path} holds {name} at position {position}",
                field=path,
                position=position,
            )


def check_text(path: str, text: str, limit: int) -> None:
    """Raises `InvalidInput` for a text that is too long or cannot be stored."""
    if len(text) > limit:
        raise InvalidInput(
            ErrorCode.TOO_LONG,
            f"{path} has {len(text)} characters; the limit is {limit}",
            field=path,
            limit=limit,
        )
    if not text.isascii() or "\0" in text:
        check_characters(path, text)


def _check_required(path: str, text: str, limit: int) -> None:
    if not text.strip():
        raise InvalidInput(ErrorCode.INVALID, f"{path} must not be empty", field=path, limit=limit)
    check_text(path, text, limit)


def _check_count(path: str, count: int, low: int, high: int) -> None:
    if not low <= count <= high:
        raise InvalidInput(
            ErrorCode.TOO_MANY if count > high else ErrorCode.INVALID,
            f"{path} must hold {low} to {high} entries; it holds {count}",
            field=path,
            limit=high if count > high else low,
        )


def _check_distinct(path: str, key: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for position, value in enumerate(values):
        if value in seen:
            raise InvalidInput(
                ErrorCode.INVALID,
                f"{path}[{position}].{key} repeats {value!r}",
                field=f"{path}[{position}].{key}",
            )
        seen.add(value)
