"""An answer in words, for the clipboard: labels as the agent wrote them, then the free text."""

from backend.domain.clarification import Bundle, BundleQuestion


def answer_text(bundle: Bundle) -> str:
    """Each question with what was answered to it."""
    return "\n\n".join(_one(row) for row in bundle.questions)


def _one(row: BundleQuestion) -> str:
    answer = row.answer
    if answer is None:
        return row.question.prompt
    labels = {option.id: option.label for option in row.question.options}
    lines = [f"- {labels.get(chosen, chosen)}" for chosen in answer.selected_options]
    if answer.custom_text:
        lines.append(answer.custom_text)
    return "\n".join([row.question.prompt, *lines])
