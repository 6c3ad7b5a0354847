"""What crosses the wire of the permission tool: Claude Code's arguments in, its answer out."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, ValidationError

from backend.clarification.ask_result import AskResult, AskStatus
from backend.domain.clarification import Answer, Question
from backend.domain.review import STOPPED_WAITING
from backend.errors import ErrorCode, InvalidInput
from backend.mcp import permission_texts as texts
from backend.mcp.argument_texts import check_texts, field_path
from backend.review.prompt_answer import PromptAnswer, Prompted, PromptEnd


class _PromptIn(BaseModel):
    """Later versions may tell more; what is not known here is not part of the call."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    tool_name: str
    input: dict[str, object]
    tool_use_id: str | None = None


def prompted_from_wire(arguments: object) -> Prompted:
    """The call that is asked for; its input is kept as it is, whatever texts it holds.

    Raises:
        InvalidInput: these are not the arguments of a permission prompt.
    """
    try:
        given = _PromptIn.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        path = field_path(first["loc"])
        raise InvalidInput(ErrorCode.INVALID, f"{path} is missing or wrong", field=path) from None
    check_texts({"tool_name": given.tool_name, "tool_use_id": given.tool_use_id})
    if not given.tool_name.strip():
        raise InvalidInput(ErrorCode.INVALID, "tool_name is empty", field="tool_name")
    return Prompted(given.tool_name, given.input, given.tool_use_id or "")


def reply_to_prompt(answer: PromptAnswer) -> str:
    """The one text Claude Code reads: it is allowed, or it is not."""
    match answer.end:
        case PromptEnd.ALLOWED:
            return texts.allowance(answer.arguments)
        case PromptEnd.DECLINED if answer.reason:
            return texts.denial(texts.DECLINED_BECAUSE.format(reason=answer.reason))
        case PromptEnd.DECLINED:
            return texts.denial(texts.DECLINED)
        case PromptEnd.RULED_OUT:
            return texts.denial(texts.DECLINED_BY_RULE)
        case PromptEnd.STOPPED:
            return texts.denial(texts.STOPPED_BY_USER, interrupt=True)
        case PromptEnd.UNDECIDED:
            return texts.not_decided(_why(answer.reason))
        case PromptEnd.UNKNOWN:
            return texts.denial(texts.OUTCOME_UNKNOWN)


def _why(reason: str) -> str:
    if reason == STOPPED_WAITING:
        return texts.NOBODY_DECIDED_IN_TIME
    return texts.NOT_PUT_BEFORE_THEM.format(reason=reason)


def reply_to_question(prompted: Prompted, result: AskResult) -> str:
    """The answers filled in where Claude's own dialog would; anything but answers is a no."""
    if result.status is AskStatus.ANSWERED:
        return texts.allowance({**prompted.arguments, "answers": _answers(prompted, result)})
    if result.status is AskStatus.SKIPPED:
        reason = result.reject_reason
        told = texts.QUESTION_SKIPPED_BECAUSE.format(reason=reason) if reason else ""
        return texts.denial(told or texts.QUESTION_SKIPPED)
    return texts.not_decided(texts.QUESTION_CLOSED)


def _answers(prompted: Prompted, result: AskResult) -> Mapping[str, str]:
    """By the words of each question, as they were asked; several labels are one text."""
    given = {answer.question_id: answer for answer in result.answers}
    asked = prompted.arguments.get("questions")
    return {
        _words(asked, number, question): _said(question, given[question.id])
        for number, question in enumerate(result.questions)
        if question.id in given
    }


def _words(asked: object, number: int, question: Question) -> str:
    if isinstance(asked, list) and number < len(asked) and isinstance(asked[number], Mapping):
        own = asked[number].get("question")
        if isinstance(own, str):
            return own
    return question.prompt


def _said(question: Question, answer: Answer) -> str:
    labels = {option.id: option.label for option in question.options}
    chosen = [labels[id_] for id_ in answer.selected_options if id_ in labels]
    return ", ".join([*chosen, *([answer.custom_text] if answer.custom_text else [])])
