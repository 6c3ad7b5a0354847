"""The words for hosted agents: why one cannot go on, what becomes of a message, what was used."""

import re
from typing import Final, Literal, assert_never

from PySide6.QtCore import QCoreApplication, QLocale, QObject

from app.text import error_text
from app.viewmodels.composer import ComposerMode
from backend.domain.agents import Usage
from backend.domain.hosted import AdmissionOutcome, AgentProblem
from backend.errors import AppError, ErrorCode

_LINE: Final = 300
_ERROR: Final = re.compile(r"error|fail|cannot|could not|not found|denied|refused", re.IGNORECASE)


def problem_text(problem: AgentProblem, agent: str) -> str:
    """What happened, what is safe and what can be done."""
    return _problem_template(problem).replace("%1", agent)


def telling_line(detail: str) -> str:
    """The one line of what a program said at its end that tells most, cut to what a glance takes:
    the last that speaks of an error, else the last.
    """
    lines = [line for line in (part.strip() for part in detail.splitlines()) if line]
    if not lines:
        return ""
    speaks = [line for line in lines if _ERROR.search(line)]
    told = (speaks or lines)[-1]
    return told if len(told) <= _LINE else f"{told[: _LINE - 1]}…"


def _problem_template(problem: AgentProblem) -> str:
    match problem:
        case AgentProblem.COMMAND_MISSING:
            return QCoreApplication.translate(
                "Agents", "The program of %1 was not found. Install it, then resume."
            )
        case AgentProblem.FOLDER_MISSING:
            return QCoreApplication.translate(
                "Agents", "The folder of this conversation is gone. Bring it back, then resume."
            )
        case AgentProblem.START_FAILED:
            return QCoreApplication.translate(
                "Agents",
                "%1 could not start. The conversation is kept; resuming tries again.",
            )
        case AgentProblem.EXITED:
            return QCoreApplication.translate(
                "Agents",
                "%1 ended unexpectedly. The conversation is kept; resuming starts it again.",
            )
        case AgentProblem.HANGS_AT_START:
            return QCoreApplication.translate(
                "Agents", "%1 was started and does not answer. Nothing was sent to it."
            )
        case AgentProblem.NOT_ACP:
            return QCoreApplication.translate(
                "Agents", "What was started for %1 does not speak the agent protocol."
            )
        case AgentProblem.AUTH_REQUIRED:
            return QCoreApplication.translate(
                "Agents", "%1 wants you to sign in. Do so in a terminal, then resume."
            )
        case AgentProblem.LOAD_FAILED:
            return QCoreApplication.translate(
                "Agents",
                "%1 could not continue the earlier conversation. Starting anew works, but it then "
                "remembers nothing of it; the rows here stay.",
            )
        case AgentProblem.SILENT | AgentProblem.IGNORES_CANCEL | AgentProblem.OUTCOME_UNKNOWN:
            return _doubt_template(problem)
    assert_never(problem)


def _doubt_template(problem: AgentProblem) -> str:
    if problem is AgentProblem.SILENT:
        return QCoreApplication.translate(
            "Agents", "%1 works and has said nothing for long. It may go on; you decide."
        )
    if problem is AgentProblem.IGNORES_CANCEL:
        return QCoreApplication.translate(
            "Agents", "%1 was told to stop and goes on. Stopping the agent ends its process."
        )
    return QCoreApplication.translate(
        "Agents",
        "Kandesk ended while a message was being handed to %1. Whether it arrived is not known; "
        "it is not sent again by itself.",
    )


def mode_text(mode: ComposerMode, agent: str) -> str:
    """What becomes of a message sent now."""
    return _mode_template(mode).replace("%1", agent)


def _mode_template(mode: ComposerMode) -> str:
    match mode:
        case ComposerMode.DIRECT:
            return QCoreApplication.translate("Agents", "Sends now")
        case ComposerMode.STARTS_AGENT:
            return QCoreApplication.translate("Agents", "Sends now and starts the agent")
        case ComposerMode.QUEUE_STARTING:
            return QCoreApplication.translate("Agents", "Will be queued: the agent is starting")
        case ComposerMode.QUEUE_WORKING:
            return QCoreApplication.translate("Agents", "Will be queued: the agent is working")
        case ComposerMode.QUEUE_QUESTION:
            return QCoreApplication.translate(
                "Agents", "Will be queued: the agent's question comes first"
            )
        case ComposerMode.QUEUE_PERMISSION:
            return QCoreApplication.translate(
                "Agents", "Will be queued: the agent waits for your permission"
            )
        case ComposerMode.QUEUE_BEHIND:
            return QCoreApplication.translate(
                "Agents", "Will be queued: messages that wait come first"
            )
        case _:
            return _closed_template(mode)


def _closed_template(
    mode: Literal[
        ComposerMode.NONE,
        ComposerMode.LOADING,
        ComposerMode.GUEST,
        ComposerMode.NOT_HOSTED,
        ComposerMode.NOT_STARTED,
        ComposerMode.ENDED,
    ],
) -> str:
    match mode:
        case ComposerMode.NONE | ComposerMode.LOADING:
            return ""
        case ComposerMode.GUEST:
            return QCoreApplication.translate(
                "Agents", "This agent runs elsewhere: it can be answered here, not messaged."
            )
        case ComposerMode.NOT_HOSTED:
            return QCoreApplication.translate(
                "Agents", "This conversation was not started here: it can only be read."
            )
        case ComposerMode.NOT_STARTED:
            return QCoreApplication.translate(
                "Agents", "The agent is not running. Resume it to write to it."
            )
        case ComposerMode.ENDED:
            return QCoreApplication.translate("Agents", "This session has ended.")
    assert_never(mode)


def outcome_text(outcome: AdmissionOutcome, *, held: bool = False) -> str:
    """Sent and queued are different things; a `held` queue sends nothing by itself."""
    if outcome is AdmissionOutcome.SENT:
        return QCoreApplication.translate("Agents", "Sent.")
    if held:
        return QCoreApplication.translate("Agents", "Queued. It waits until you send it.")
    return QCoreApplication.translate("Agents", "Queued. It is sent when the agent is free.")


def message_error_text(error: AppError) -> str:
    """A refusal, in the words of a message rather than of a question."""
    match error.code:
        case ErrorCode.NOT_ACTIVE:
            return QCoreApplication.translate(
                "Agents", "This is not possible now. Nothing was sent, and your text is kept."
            )
        case ErrorCode.NOT_FOUND:
            return QCoreApplication.translate("Agents", "This is no longer here.")
        case ErrorCode.KEY_REUSED:
            return QCoreApplication.translate(
                "Agents", "It was changed in the meantime. Look at it again, then repeat."
            )
        case ErrorCode.TOO_LONG:
            return QCoreApplication.translate(
                "Agents", "This message is too long: %1 characters at most. Nothing was sent."
            ).replace("%1", QLocale().toString(int(error.params.get("limit", 0))))
        case ErrorCode.INVALID:
            return QCoreApplication.translate(
                "Agents", "This message cannot be sent as it is. Nothing was sent."
            )
        case _:
            return error_text(error)


class UsageTexts(QObject):
    """What a conversation has used, in words."""

    def text(self, usage: Usage) -> str:
        """Empty when the agent tells nothing."""
        return " · ".join(part for part in (self._context(usage), self._cost(usage)) if part)

    def _context(self, usage: Usage) -> str:
        locale = QLocale()
        if usage.context_used is not None and usage.context_size:
            share = round(100 * usage.context_used / usage.context_size)
            words = self.tr("Context: %1 % of %2")
            return words.replace("%1", str(share)).replace("%2", _short(usage.context_size))
        if usage.context_used is not None:
            return self.tr("Context: %1").replace("%1", _short(usage.context_used))
        if usage.input_tokens is not None or usage.output_tokens is not None:
            total = (usage.input_tokens or 0) + (usage.output_tokens or 0)
            return self.tr("%1 tokens").replace("%1", locale.toString(total))
        return ""

    def _cost(self, usage: Usage) -> str:
        if usage.cost is None:
            return ""
        return f"{QLocale().toString(usage.cost, 'f', 2)} {usage.currency}".strip()


def _short(tokens: int) -> str:
    """200 k is enough for a glance."""
    if tokens >= 10_000:
        return f"{QLocale().toString(round(tokens / 1000))} k"
    return QLocale().toString(tokens)


def start_error_text(error: AppError) -> str:
    """Why a conversation was not started, in the words of its field."""
    match str(error.params.get("field", "")).partition(".")[0]:
        case "agent":
            return QCoreApplication.translate(
                "Agents", "This agent was not found on this machine. Nothing was started."
            )
        case "command":
            return QCoreApplication.translate(
                "Agents", "This command cannot be read or run. Nothing was started."
            )
        case "folder":
            return QCoreApplication.translate(
                "Agents", "This is not a folder that can be used. Nothing was started."
            )
        case _:
            return message_error_text(error)
