"""Rules that decide what agents may do without asking: read, and taken back."""

from PySide6.QtGui import QHideEvent, QShowEvent

from app.models.fact_model import Fact
from app.models.rule_facts import RuleFacts
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.rules import RulesViewModel
from app.widgets.list_page import ListPage
from app.widgets.named_button import named_button
from app.widgets.rule_end import RuleEnd
from app.widgets.second_step import SecondStep
from backend.domain.policy import PolicyDecision, Rule


class RulesPage(ListPage):
    """Those that hold first; revoking takes a second step and cannot be undone."""

    def __init__(self, view_model: RulesViewModel, theme: Theme) -> None:
        super().__init__(theme, "rules")
        self._view_model = view_model
        self._facts = RuleFacts(self)
        self._revoke = named_button("revokeRule", "danger")
        self._step = SecondStep(theme, "revokeRule", self._step_words)
        self._end = RuleEnd(theme)
        self.panel.below.addWidget(self._end)
        self.panel.add_actions(self._revoke)
        self.panel.below.addWidget(self._step)
        view_model.changed.connect(self._refresh)
        self.list.chosen.connect(self._show_rule)
        self._revoke.clicked.connect(self._ask)
        self._end.chosen.connect(self._set_end)
        self._step.confirmed.connect(self._do_revoke)
        self._step.cancelled.connect(self._keep)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.retranslate()

    def open(self) -> None:
        self._view_model.open()

    def refresh_ages(self) -> None:
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.list.forget_choice()

    def retranslate(self) -> None:
        super().retranslate()
        self.setAccessibleName(self.tr("Rules"))
        self.title.setText(self.tr("Rules"))
        self.intro.setText(
            self.tr(
                "What you allowed or declined for longer. A rule decides equal calls without "
                "asking you, and can be revoked here at any time."
            )
        )
        self.empty.setText(
            self.tr("No rule yet. “Always allow…” on a request makes one, and it is listed here.")
        )
        self.list.setAccessibleName(self.tr("Rules"))
        self._revoke.setText(self.tr("Revoke…"))
        self._refresh()

    def _refresh(self) -> None:
        now = self._view_model.clock.now()
        rules = self._view_model.rules
        self.list.show_facts([self._facts.fact(rule, now) for rule in rules])
        self.show_state(
            loading=self._view_model.loading and not rules, more=False, any_rows=bool(rules)
        )

    def _rule(self) -> Rule | None:
        fact = self.list.current
        return fact.subject if fact is not None and isinstance(fact.subject, Rule) else None

    def _show_rule(self, fact: Fact | None) -> None:
        rule = self._rule()
        if fact is None or rule is None:
            return
        self.panel.show_lines(fact.title, self._facts.lines(rule, self._view_model.clock.now()))
        holds = self._view_model.holds(rule)
        self._step.stay_for(rule.rule_id if holds else "")
        self._end.setVisible(holds)
        self._end.show_rule(rule)
        self._revoke.setVisible(holds and self._step.isHidden())

    def _set_end(self, seconds: float | None) -> None:
        rule = self._rule()
        if rule is not None:
            self._view_model.set_end(rule.rule_id, seconds)

    def _ask(self) -> None:
        rule = self._rule()
        if rule is not None:
            self._revoke.hide()
            self._step.open(rule.rule_id)

    def _keep(self) -> None:
        self._revoke.show()
        self._revoke.setFocus()

    def _do_revoke(self) -> None:
        rule = self._rule()
        if rule is not None:
            self._view_model.revoke(rule.rule_id)
        self.list.setFocus()

    def _step_words(self) -> tuple[str, str]:
        rule = self._rule()
        if rule is not None and rule.decision is PolicyDecision.DENY:
            words = self.tr(
                "Revoke this rule? Such calls are asked about again. It cannot be restored; "
                "what it refused stays refused."
            )
        else:
            words = self.tr(
                "Revoke this rule? Such calls are asked about again. It cannot be restored; "
                "what it allowed stays done."
            )
        return words, self.tr("Revoke")

    def _show_icons(self) -> None:
        self._revoke.setIcon(self.theme.button_icon(Icon.DISCARD, "danger"))
        self._revoke.setIconSize(self.theme.button_icon_size)
