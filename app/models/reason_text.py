"""What stands in the record as a code, in words: why a call was decided or ended as it was."""

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

_REASONS: Final = {
    "rule": QT_TRANSLATE_NOOP("Reasons", "a rule decided it"),
    "default": QT_TRANSLATE_NOOP("Reasons", "the tool's own setting"),
    "destructive_asks": QT_TRANSLATE_NOOP("Reasons", "what may destroy is always asked about"),
    "requires_review_changed_tool": QT_TRANSLATE_NOOP(
        "Reasons", "the tool's definition has changed since"
    ),
    "approval_required": QT_TRANSLATE_NOOP("Reasons", "it needs your approval"),
    "own_tool": QT_TRANSLATE_NOOP("Reasons", "a tool of Kandesk itself"),
    "action_declined": QT_TRANSLATE_NOOP("Reasons", "it was declined"),
    "action_expired": QT_TRANSLATE_NOOP("Reasons", "nobody decided in time"),
    "action_not_pending": QT_TRANSLATE_NOOP("Reasons", "it no longer waited for a decision"),
    "action_not_approved": QT_TRANSLATE_NOOP("Reasons", "it was not approved"),
    "action_already_resolved": QT_TRANSLATE_NOOP("Reasons", "it was decided already"),
    "action_already_consumed": QT_TRANSLATE_NOOP("Reasons", "it was carried out already"),
    "action_execution_in_progress": QT_TRANSLATE_NOOP("Reasons", "it was being carried out"),
    "action_scope_mismatch": QT_TRANSLATE_NOOP("Reasons", "it was approved for another turn"),
    "action_context_mismatch": QT_TRANSLATE_NOOP("Reasons", "it belongs to another card"),
    "action_tool_mismatch": QT_TRANSLATE_NOOP("Reasons", "it was approved for another tool"),
    "action_issue_closed": QT_TRANSLATE_NOOP("Reasons", "its task was closed"),
    "action_request_invalidated": QT_TRANSLATE_NOOP(
        "Reasons", "what was asked for could no longer be verified"
    ),
    "signed_arguments_invalid": QT_TRANSLATE_NOOP(
        "Reasons", "what was asked for could no longer be verified"
    ),
    "signed_arguments_mismatch": QT_TRANSLATE_NOOP(
        "Reasons", "it was called with other arguments than approved"
    ),
    "arguments_drifted": QT_TRANSLATE_NOOP(
        "Reasons", "the agent did something else than it had asked for"
    ),
    "arguments_unreadable": QT_TRANSLATE_NOOP("Reasons", "its arguments could not be read"),
    "approved_tool_target_changed": QT_TRANSLATE_NOOP(
        "Reasons", "the tool is not the one that was approved"
    ),
    "approval_request_superseded": QT_TRANSLATE_NOOP("Reasons", "a newer request replaced it"),
    "approval_path_missing": QT_TRANSLATE_NOOP(
        "Reasons", "there was no conversation to ask you in"
    ),
    "signing_secret_unconfigured": QT_TRANSLATE_NOOP(
        "Reasons", "the key that protects approvals is missing"
    ),
    "human_review_required": QT_TRANSLATE_NOOP("Reasons", "only a human may decide it"),
    "permission_option_unavailable": QT_TRANSLATE_NOOP(
        "Reasons", "the agent offered no fitting answer"
    ),
    "tool_timeout": QT_TRANSLATE_NOOP("Reasons", "the tool took too long"),
    "tool_execution_failed": QT_TRANSLATE_NOOP("Reasons", "the tool failed"),
    "tool_execution_outcome_unknown": QT_TRANSLATE_NOOP(
        "Reasons", "what came of it is not known; look for yourself before you allow it again"
    ),
    "tool_server_unavailable": QT_TRANSLATE_NOOP("Reasons", "the tool's server did not answer"),
    "tool_result_invalid": QT_TRANSLATE_NOOP("Reasons", "the tool's result could not be read"),
    "tool_result_too_large": QT_TRANSLATE_NOOP("Reasons", "the tool's result was too large"),
    "elicitation_not_supported": QT_TRANSLATE_NOOP(
        "Reasons", "the tool asked a question nobody could be shown"
    ),
    "prompt_injection_blocked": QT_TRANSLATE_NOOP(
        "Reasons", "the result was held back: it tried to give the agent orders"
    ),
    "agent_gone": QT_TRANSLATE_NOOP("Reasons", "the agent had ended"),
    "not_opened": QT_TRANSLATE_NOOP("Reasons", "it could not be put before you"),
    "agent_stopped_waiting": QT_TRANSLATE_NOOP(
        "Reasons", "the agent stopped waiting before anybody decided"
    ),
    "asked_again": QT_TRANSLATE_NOOP("Reasons", "the agent asked again"),
    "desk_ended": QT_TRANSLATE_NOOP("Reasons", "Kandesk ended before anybody decided"),
    "outcome_not_told": QT_TRANSLATE_NOOP("Reasons", "this agent does not tell what came of it"),
    "server_removed": QT_TRANSLATE_NOOP("Reasons", "its server was removed"),
    "rule_unreadable": QT_TRANSLATE_NOOP("Reasons", "what a rule says of it can no longer be read"),
    "record_unreadable": QT_TRANSLATE_NOOP("Reasons", "its record cannot be read here"),
    "stopped_by_human": QT_TRANSLATE_NOOP("Reasons", "you stopped the agent"),
    "told": QT_TRANSLATE_NOOP("Reasons", "the agent was told"),
    "taken_back": QT_TRANSLATE_NOOP("Reasons", "the agent took it back"),
}
"""Codes of T5.6 and our own."""


def reason_text(code: str) -> str:
    """Why, in a few words; a code nobody has words for is shown so that it can be looked up."""
    words = _REASONS.get(code)
    if words is not None:
        return QCoreApplication.translate("Reasons", str(words))
    if not code:
        return ""
    return QCoreApplication.translate("Reasons", "the code “%1”").replace("%1", code)


def failure_text(error: str) -> str:
    """What a call failed with, as a sentence: a code, or the tool's own words."""
    words = reason_text(error) if error in _REASONS else error
    words = " ".join(words.split())
    shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    return shown[:1].upper() + shown[1:]


_LONGEST: Final = 400
