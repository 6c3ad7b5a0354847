"""Comparing an answer with a stored one, and moving it to an equal question."""

from backend.domain.clarification import Answer, Bundle, BundleStatus, Outcome, Skipped


def same_payload(bundle: Bundle, outcome: Outcome) -> bool:
    """Whether `outcome`, normalized, is the one this bundle holds already."""
    if isinstance(outcome, Skipped):
        return bundle.status is BundleStatus.REJECTED and bundle.reject_reason == outcome.reason
    held = {item.question.id: item.answer for item in bundle.questions}
    return bundle.status is BundleStatus.ANSWERED and all(
        held.get(answer.question_id) == answer for answer in outcome.answers
    )


def translated_answers(source: Bundle, target: Bundle) -> tuple[Answer, ...]:
    """The answers of `source` in the ids of `target`, whose questions are equal to it.

    Agents may give the same questions new ids each time, so places are matched, not ids.
    """
    answers = []
    for old, new in zip(source.questions, target.questions, strict=True):
        if old.answer is None:
            continue
        places = [option.id for option in old.question.options]
        chosen = set(old.answer.selected_options)
        answers.append(
            Answer(
                question_id=new.question.id,
                selected_options=tuple(
                    option.id
                    for place, option in zip(places, new.question.options, strict=True)
                    if place in chosen
                ),
                custom_text=old.answer.custom_text,
            )
        )
    return tuple(answers)
