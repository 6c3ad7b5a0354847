"""The answers being worked out on one card: what is ticked, what is typed, what is missing."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from backend.domain.clarification import MAX_TEXT, Answer, Question
from backend.domain.validation import check_characters
from backend.errors import ErrorCode, InvalidInput
from backend.ids import OptionId


@dataclass(frozen=True, slots=True)
class Entry:
    """What one question holds so far, exactly as typed."""

    selected: tuple[OptionId, ...] = ()
    text: str = ""

    @property
    def blank(self) -> bool:
        return not self.selected and not self.text


def text_problem(text: str) -> ErrorCode | None:
    """Why `text` cannot be sent: too long before trimming (K4.2), or characters no store keeps."""
    if len(text) > MAX_TEXT:
        return ErrorCode.TOO_LONG
    return character_problem(text)


def character_problem(text: str) -> ErrorCode | None:
    """Whether `text` holds characters that no store keeps: NUL and lone surrogates."""
    try:
        check_characters("custom_text", text)
    except InvalidInput as problem:
        return problem.code
    return None


class AnswerSheet:
    """One entry per question, in the order of `questions`.

    On a single-select question an option and a text exclude each other (K6.2). Picking an option
    sets a text aside without deleting it: it is kept in drafts and counts again as soon as it is
    edited.
    """

    def __init__(self, questions: tuple[Question, ...]) -> None:
        self.questions = questions
        self._entries = [Entry() for _ in questions]
        self._touched: set[int] = set()

    def entry(self, index: int) -> Entry:
        return self._entries[index]

    @property
    def touched(self) -> bool:
        """Whether the human, not a draft, has put anything in."""
        return bool(self._touched)

    @property
    def blank(self) -> bool:
        return all(entry.blank for entry in self._entries)

    def pick(self, index: int, option: OptionId) -> None:
        """Choose an option; on a multi-select question, choose it or take it back."""
        question, entry = self.questions[index], self._entries[index]
        chosen = {option}
        if question.multi_select:
            chosen = set(entry.selected) ^ {option}
        ordered = tuple(item.id for item in question.options if item.id in chosen)
        self._put(index, replace(entry, selected=ordered))

    def write(self, index: int, text: str) -> None:
        """Keep what is typed; on a single-select question it takes the place of the option."""
        entry = self._entries[index]
        if text == entry.text:
            return
        single = not self.questions[index].multi_select
        selected = () if single and text else entry.selected
        self._put(index, Entry(selected=selected, text=text))

    def text_counts(self, index: int) -> bool:
        """Whether the text is part of the answer, and not set aside by a picked option."""
        return self.questions[index].multi_select or not self._entries[index].selected

    def problem(self, index: int) -> ErrorCode | None:
        return text_problem(self._entries[index].text) if self.text_counts(index) else None

    def answered(self, index: int) -> bool:
        entry = self._entries[index]
        filled = bool(entry.selected) or (self.text_counts(index) and bool(entry.text.strip()))
        return filled and self.problem(index) is None

    @property
    def answered_count(self) -> int:
        return sum(self.answered(index) for index in range(len(self.questions)))

    @property
    def complete(self) -> bool:
        """Every question is answered, but those that may be left out: of all, one is."""
        return self.answered_count > 0 and all(
            self.settled(index) for index in range(len(self.questions))
        )

    @property
    def missing(self) -> tuple[int, ...]:
        """The questions that keep it from being complete; where all may be left out, the first."""
        unsettled = tuple(i for i in range(len(self.questions)) if not self.settled(i))
        return unsettled or (() if self.answered_count else (0,))

    def settled(self, index: int) -> bool:
        """It is answered, or left out where it may be."""
        entry = self._entries[index]
        nothing = not entry.selected and not entry.text.strip() and self.problem(index) is None
        return self.answered(index) or (self.questions[index].optional and nothing)

    def answers(self) -> tuple[Answer, ...]:
        """What would be sent, one answer per question."""
        return tuple(
            Answer(question.id, entry.selected, entry.text if self.text_counts(index) else "")
            for index, (question, entry) in enumerate(
                zip(self.questions, self._entries, strict=True)
            )
        )

    def draft(self) -> tuple[Answer, ...]:
        """Everything put in so far, texts that are set aside included."""
        return tuple(
            Answer(question.id, entry.selected, entry.text)
            for question, entry in zip(self.questions, self._entries, strict=True)
            if not entry.blank
        )

    def restore(self, answers: Iterable[Answer]) -> None:
        """Put earlier answers in wherever the human has not put in anything themselves."""
        known = {question.id: index for index, question in enumerate(self.questions)}
        for answer in answers:
            index = known.get(answer.question_id)
            if index is None or index in self._touched:
                continue
            question = self.questions[index]
            chosen = set(answer.selected_options)
            ordered = tuple(item.id for item in question.options if item.id in chosen)
            selected = ordered if question.multi_select else ordered[:1]
            self._entries[index] = Entry(selected=selected, text=answer.custom_text)

    def put_in(self, answers: Iterable[Answer]) -> None:
        """Take over what the human had put in on another sheet of the same bundle."""
        self.restore(answers)
        self._touched |= {index for index, entry in enumerate(self._entries) if not entry.blank}

    def clear_restored(self) -> None:
        """Take out again what `restore` put in."""
        for index in range(len(self._entries)):
            if index not in self._touched:
                self._entries[index] = Entry()

    def _put(self, index: int, entry: Entry) -> None:
        self._entries[index] = entry
        self._touched.add(index)
