"""What is said of rules, tools and the servers they are on."""

from PySide6.QtCore import QObject

from backend.domain.gateway import ServerStatus, Transport
from backend.domain.policy import PolicyDecision, Risk, RuleScope


class PolicyWords(QObject):
    """One text for each value people see."""

    def decision(self, decision: PolicyDecision) -> str:
        match decision:
            case PolicyDecision.ALLOW:
                return self.tr("Allow")
            case PolicyDecision.ASK:
                return self.tr("Ask me")
            case PolicyDecision.DENY:
                return self.tr("Deny")

    def risk(self, risk: Risk) -> str:
        match risk:
            case Risk.READ:
                return self.tr("Only reads")
            case Risk.WRITE:
                return self.tr("Changes things")
            case Risk.DESTRUCTIVE:
                return self.tr("May destroy")

    def scope(self, scope: RuleScope) -> str:
        match scope:
            case RuleScope.THIS_CALL:
                return self.tr("Exactly this, by this agent in this folder")
            case RuleScope.THIS_TOOL:
                return self.tr("This tool, whatever it is given, by this agent in this folder")

    def status(self, status: ServerStatus) -> str:
        match status:
            case ServerStatus.OFF:
                return self.tr("Off")
            case ServerStatus.NOT_STARTED:
                return self.tr("Not started")
            case ServerStatus.STARTING:
                return self.tr("Starting")
            case ServerStatus.READY:
                return self.tr("Ready")
            case ServerStatus.FAILED:
                return self.tr("Cannot be reached")

    def transport(self, transport: Transport) -> str:
        match transport:
            case Transport.STDIO:
                return self.tr("A program on this machine")
            case Transport.HTTP:
                return self.tr("An address (HTTP)")
