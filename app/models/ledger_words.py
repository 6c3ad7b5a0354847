"""What a line of the record says."""

from typing import Final

from PySide6.QtCore import QObject

from app.models.reason_text import reason_text
from app.models.review_content import command_text
from backend.domain.ledger import LedgerEntry

_LONGEST: Final = 2_000
"""Characters of a command that are shown; the whole is in the conversation."""


class LedgerWords(QObject):
    """Plain words for the codes of the ledger (T2, T5.6)."""

    def happened(self, entry: LedgerEntry) -> str:
        """What happened; a type nobody knows is named as it is."""
        match entry.event_type:
            case "policy_decision" | "invocation_created":
                return self._ruled(entry.decision)
            case "approval_requested":
                return self.tr("You were asked")
            case "approval_resolved":
                return self._resolved(entry)
            case "call_started":
                return self.tr("Begun")
            case "call_completed":
                return self.tr("Carried out")
            case "call_failed":
                return self._failed(entry)
            case "call_denied":
                return self.tr("Refused")
            case "trust_rule_created" | "trust_rule_changed" | "trust_rule_revoked":
                return self._of_rule(entry.event_type)
            case _:
                return self._rarer(entry.event_type)

    def about(self, entry: LedgerEntry) -> str:
        """Why, and through which door, as far as it is known."""
        parts = [self.what(entry) or entry.tool_name, self.reason(entry), self.door(entry.door)]
        return " · ".join(part for part in parts if part)

    def what(self, entry: LedgerEntry) -> str:
        """The command, the path or what else the request was about; empty where none is kept."""
        if entry.call is None:
            return ""
        places = " ".join(place.path for place in entry.call.locations or ())
        for text in (command_text(entry.call), entry.call.title or "", places):
            if words := " ".join(text.split()):
                return words[:_LONGEST]
        return ""

    def reason(self, entry: LedgerEntry) -> str:
        said = {"", entry.event_type, entry.outcome, entry.decision}
        return "" if entry.reason in said else reason_text(entry.reason)

    def actor(self, entry: LedgerEntry) -> str:
        """Who did it; who decides at the desk is its human, whatever the window calls itself."""
        if entry.door not in {"", "rule"}:
            return self.tr("you")
        return "Kandesk" if entry.actor == "system" else entry.actor

    def door(self, door: str) -> str:
        match door:
            case "":
                return ""
            case "window":
                return self.tr("in this window")
            case "rule":
                return self.tr("by a rule")
            case "http":
                return self.tr("over HTTP")
            case "cli":
                return self.tr("on the command line")
            case _:
                return self.tr("through %1").replace("%1", door)

    def _ruled(self, decision: str) -> str:
        match decision:
            case "allow":
                return self.tr("Allowed without asking")
            case "deny":
                return self.tr("Refused without asking")
            case "ask" | "require_approval":
                return self.tr("To be asked about")
            case _:
                return self.tr("Looked at the rules")

    def _resolved(self, entry: LedgerEntry) -> str:
        for word in (entry.decision, entry.outcome):
            match word:
                case "approved" | "allow" | "accepted" | "success":
                    return self.tr("Approved")
                case "rejected" | "declined" | "deny" | "denied":
                    return self.tr("Declined")
                case "expired" | "timeout":
                    return self.tr("Expired")
                case "cancelled":
                    return self.tr("Cancelled")
                case _:
                    continue
        return self.tr("No longer open")

    def _failed(self, entry: LedgerEntry) -> str:
        if entry.reason == "tool_execution_outcome_unknown":
            return self.tr("Outcome unknown")
        return self.tr("Failed")

    def _of_rule(self, event_type: str) -> str:
        match event_type:
            case "trust_rule_created":
                return self.tr("Rule made")
            case "trust_rule_revoked":
                return self.tr("Rule revoked")
            case _:
                return self.tr("End of a rule changed")

    def _rarer(self, event_type: str) -> str:
        match event_type:
            case "trust_rule_used":
                return self.tr("Rule used")
            case "discovery":
                return self.tr("Tools read")
            case "session_revoked":
                return self.tr("Agent shut out")
            case "runtime_started":
                return self.tr("Server started")
            case "runtime_stopped":
                return self.tr("Server stopped")
            case "rate_limited":
                return self.tr("Held back: too many calls")
            case "arguments_drifted":
                return self.tr("Other arguments than asked for")
            case _:
                return self.tr("An entry of the kind “%1”").replace("%1", event_type)
