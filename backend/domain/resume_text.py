"""The prompt by which a hosted agent gets an answer after its call is gone (K3.4)."""

from backend.domain.clarification import Answer, Bundle, Question

_GO_ON = "Continue with this answer. Do not ask the same question again."


def resume_text(bundle: Bundle, answers: tuple[Answer, ...]) -> str:
    """Questions and answers in the bundle's order, every chosen option by label and by id.

    A question without an answer is named as well, so that none is taken for agreed.
    """
    given = {answer.question_id: answer for answer in answers}
    questions = [item.question for item in bundle.questions]
    if len(questions) == 1:
        (question,) = questions
        answer = _answer_text(question, given.get(question.id))
        return (
            f'You asked the user an earlier question ({question.id}):\n"{question.prompt}"\n\n'
            f"The user answered:\n{answer}\n\n{_GO_ON}"
        )
    asked = "\n".join(
        f"Q{place} ({question.id}): {question.prompt}"
        for place, question in enumerate(questions, 1)
    )
    answered = "\n".join(
        f"A{place} ({question.id}): {_answer_text(question, given.get(question.id))}"
        for place, question in enumerate(questions, 1)
    )
    return (
        f"You asked the user earlier questions:\n{asked}\n\nThe user answered:\n{answered}"
        f"\n\n{_GO_ON}"
    )


def _answer_text(question: Question, answer: Answer | None) -> str:
    if answer is None or not (answer.selected_options or answer.custom_text):
        return "no answer given"
    labels = {option.id: option.label for option in question.options}
    chosen = [
        f"{labels[option]} [{option}]" if labels.get(option) else f"[{option}]"
        for option in answer.selected_options
    ]
    parts = [f"selected {', '.join(chosen)}"] if chosen else []
    if answer.custom_text:
        parts.append(f"in the user's own words: {answer.custom_text}")
    return "; ".join(parts)
