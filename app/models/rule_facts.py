"""Rules as lines to read: what they allow or refuse, to whom, where, and how often they did."""

from PySide6.QtCore import QObject

from app.models.fact_model import Fact
from app.models.policy_words import PolicyWords
from app.resources import Icon
from app.text import age_text, clock_text, workspace_text
from backend.domain.policy import PolicyDecision, Rule

_ICONS = {
    PolicyDecision.ALLOW: Icon.ANSWERED,
    PolicyDecision.ASK: Icon.PERMISSION,
    PolicyDecision.DENY: Icon.SKIPPED,
}


class RuleFacts(QObject):
    """`now` decides what holds and how old things are."""

    def fact(self, rule: Rule, now: int) -> Fact:
        allows = rule.decision is not PolicyDecision.DENY
        title = self.tr("Allow %1") if allows else self.tr("Refuse %1")
        holds = self.holds(rule, now)
        parts = [
            rule.agent_name or rule.agent,
            workspace_text(rule.folder),
            self.hits(rule, now),
        ]
        return Fact(
            key=rule.rule_id,
            title=title.replace("%1", " ".join((rule.sample or rule.tool_name).split())),
            icon=_ICONS[rule.decision],
            second=" · ".join(part for part in parts if part),
            state=self.state(rule, now),
            colour="success" if allows else "danger",
            faded=not holds,
            subject=rule,
        )

    def holds(self, rule: Rule, now: int) -> bool:
        expired = rule.expires_at is not None and now >= rule.expires_at
        return rule.revoked_at is None and not expired

    def state(self, rule: Rule, now: int) -> str:
        if rule.revoked_at is not None:
            return self.tr("Revoked")
        if not self.holds(rule, now):
            return self.tr("Expired")
        return self.tr("Active")

    def hits(self, rule: Rule, now: int) -> str:
        if not rule.hits:
            return self.tr("never used")
        used = self.tr("used %n time(s)", "", rule.hits)
        if rule.last_hit_at is None:
            return used
        last = self.tr("last %1").replace("%1", age_text(rule.last_hit_at, now))
        return f"{used}, {last}"

    def lines(self, rule: Rule, now: int) -> list[tuple[str, str]]:
        """Everything of a rule, by its names."""
        words = PolicyWords()
        made = clock_text(rule.created_at, now)
        if rule.made_by is not None:
            made = self.tr("%1, with a verdict").replace("%1", made)
        return [
            (self.tr("What"), f"{words.decision(rule.decision)}: {rule.sample or rule.tool_name}"),
            (self.tr("Scope"), words.scope(rule.scope)),
            (self.tr("Agent"), rule.agent_name or rule.agent),
            (self.tr("Folder"), rule.folder),
            (self.tr("Tool"), rule.tool_name),
            (self.tr("Made"), made),
            (self.tr("Used"), self.hits(rule, now)),
            (self.tr("Expires"), self._expires(rule, now)),
            (self.tr("State"), self._ended(rule, now)),
        ]

    def _expires(self, rule: Rule, now: int) -> str:
        if rule.expires_at is None:
            return self.tr("never; until you revoke it")
        return clock_text(rule.expires_at, now)

    def _ended(self, rule: Rule, now: int) -> str:
        if rule.revoked_at is None:
            return self.state(rule, now)
        when = self.tr("Revoked %1").replace("%1", age_text(rule.revoked_at, now))
        why = " ".join(rule.revoked_because.split())
        return f"{when}: {why}" if why else when
