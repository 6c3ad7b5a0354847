"""An answer that comes too late for its question, as an ordinary message to the agent (K6.5)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.domain.clarification import Answer, BundleQuestion, Question

_PRIVILEGED: Final = re.compile("kandev-system", re.IGNORECASE)
_HARMLESS: Final = "kandev system"


@dataclass(frozen=True, slots=True)
class LateLabels:
    """The words before each part, in the language of the human who sends it."""

    context: str
    question: str
    answer: str


def late_text(
    questions: Sequence[BundleQuestion],
    answers: Sequence[Answer],
    *,
    context: str,
    labels: LateLabels,
) -> str:
    """Context, then title, prompt and answer of each question in their order, a blank line between.

    An option is told by its label, one that is not among the question's by its id. Copied text
    cannot open a block that an agent would take for its host's, the title included.
    """
    given = {answer.question_id: answer for answer in answers}
    sections = [f"{labels.context}: {_copied(context)}"] if context.strip() else []
    for number, item in enumerate(questions, start=1):
        question = item.question
        title = _copied(question.title)
        head = f"{labels.question} {number}"
        sections.append(
            "\n".join(
                (
                    f"{head}: {title}" if title else head,
                    _copied(question.prompt),
                    f"{labels.answer}: {_answer_text(question, given.get(question.id))}",
                )
            )
        )
    return "\n\n".join(sections)


def _answer_text(question: Question, answer: Answer | None) -> str:
    if answer is None:
        return ""
    labels = {option.id: option.label for option in question.options}
    chosen = [labels.get(option) or option for option in answer.selected_options]
    return _copied(", ".join(part for part in (*chosen, answer.custom_text.strip()) if part))


def _copied(text: str) -> str:
    return _PRIVILEGED.sub(_HARMLESS, text).strip()
