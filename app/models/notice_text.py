"""The window's words for what the desk itself writes into a conversation."""

from typing import assert_never

from PySide6.QtCore import QCoreApplication

from app.viewmodels.row_metadata import kandesk, words
from backend.domain.conversation import Message
from backend.domain.hosted import PromptOutcome
from backend.domain.session_notice import SessionNotice
from backend.domain.turn_end import TurnNotice

_WITH_DETAIL = frozenset({TurnNotice.OTHER_STOP.value, TurnNotice.PROMPT_FAILED.value})


def notice_text(message: Message) -> str:
    """What a `status` or `error` row tells; the row's own content where the desk has no words."""
    own = kandesk(message)
    word, detail = words(own.get("notice")), words(own.get("detail"))
    for turn in TurnNotice:
        if turn.value == word:
            return _turn_text(turn).replace("%1", detail)
    for session in SessionNotice:
        if session.value == word:
            return _session_text(session)
    return message.content


def dispatch_text(message: Message) -> str:
    """What became of a human's message on its way; nothing where its agent has it."""
    word = words(kandesk(message).get("dispatch"))
    if word == PromptOutcome.FAILED:
        return QCoreApplication.translate("Transcript", "Not sent: taken back")
    if word == PromptOutcome.UNKNOWN:
        return QCoreApplication.translate("Transcript", "Not known whether the agent has it")
    return ""


def notice_detail(message: Message) -> str:
    """What an agent or the system said to it and the words above do not hold."""
    own = kandesk(message)
    if own.get("notice") in _WITH_DETAIL or own.get("stderr_tail"):
        return ""
    return words(own.get("detail"))


def _turn_text(notice: TurnNotice) -> str:
    match notice:
        case TurnNotice.MAX_TOKENS:
            return QCoreApplication.translate(
                "Transcript", "The agent stopped: it has reached its limit of tokens."
            )
        case TurnNotice.MAX_TURN_REQUESTS:
            return QCoreApplication.translate(
                "Transcript", "The agent stopped: it has made as many requests as it may."
            )
        case TurnNotice.REFUSAL:
            return QCoreApplication.translate("Transcript", "The agent refused to go on.")
        case TurnNotice.CANCELLED:
            return QCoreApplication.translate("Transcript", "Stopped")
        case TurnNotice.OTHER_STOP:
            return QCoreApplication.translate("Transcript", "The agent stopped: %1")
        case TurnNotice.AGENT_ENDED:
            return QCoreApplication.translate(
                "Transcript", "The agent ended unexpectedly. Resuming starts it again."
            )
        case TurnNotice.DESK_ENDED:
            return QCoreApplication.translate(
                "Transcript", "Interrupted: the desk ended while the agent worked."
            )
        case TurnNotice.DESK_ENDED_WAITING:
            return QCoreApplication.translate(
                "Transcript", "Interrupted: the desk ended while the agent waited for you."
            )
        case TurnNotice.PROMPT_FAILED:
            return QCoreApplication.translate("Transcript", "The agent answered with an error: %1")
    assert_never(notice)


def _session_text(notice: SessionNotice) -> str:
    match notice:
        case SessionNotice.AGENT_LEFT_OVER:
            return QCoreApplication.translate(
                "Transcript", "A process of the last run was still there and was ended."
            )
        case SessionNotice.OUTCOME_UNKNOWN:
            return QCoreApplication.translate(
                "Transcript",
                "The desk ended while this was sent. Whether the agent has it is not known; it is "
                "not sent again by itself.",
            )
        case SessionNotice.ANSWER_UNCONFIRMED:
            return QCoreApplication.translate(
                "Transcript",
                "It is not confirmed that the agent got your answer: nothing was heard from it "
                "afterwards. The question offers to send it again.",
            )
        case SessionNotice.FORM_DECLINED:
            return QCoreApplication.translate(
                "Transcript", "A form of the agent cannot be shown and was declined."
            )
        case SessionNotice.ANSWER_UNFIT:
            return QCoreApplication.translate(
                "Transcript",
                "The form of the agent does not take this answer; it is asked again.",
            )
        case SessionNotice.CHOICE_REFUSED:
            return QCoreApplication.translate(
                "Transcript",
                "The agent does not take a mode or an option that was chosen, and works with "
                "its own.",
            )
    assert_never(notice)
