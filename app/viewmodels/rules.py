"""The rules that decide what agents may do without asking, and how one is taken back."""

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.timing import Background, WindowClock
from backend.clock import Nanoseconds
from backend.domain.policy import Rule
from backend.events import Event, RuleChanged
from backend.ids import RuleId


class RulesViewModel(QObject):
    """Follows the backend from the first time it is shown. `changed` after anything changed."""

    changed = Signal()

    def __init__(
        self,
        client: BackendClient,
        *,
        clock: WindowClock,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.clock = clock
        self._client = client
        self._background = background
        self._rules: dict[RuleId, Rule] = {}
        self.loading = False
        self.loaded = False
        client.event_received.connect(self._apply)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those that hold first, newest first."""
        newest = sorted(self._rules.values(), key=lambda rule: rule.created_at, reverse=True)
        return tuple(sorted(newest, key=lambda rule: not self.holds(rule)))

    def open(self) -> None:
        """Read what holds now."""
        if not self.loading:
            self.loading = True
            self._background.start(self._load(), name="read rules")
            self.changed.emit()

    def revoke(self, rule_id: RuleId) -> None:
        self._background.start(self._revoke(rule_id), name="revoke rule")

    def set_end(self, rule_id: RuleId, seconds: float | None) -> None:
        """Let it hold so long from now, or None: until it is revoked."""
        now = self.clock.now()
        ends = None if seconds is None else Nanoseconds(now + round(seconds * 1_000_000_000))
        self._background.start(self._set_end(rule_id, ends), name="set the end of a rule")

    def holds(self, rule: Rule) -> bool:
        return rule.holds(Nanoseconds(self.clock.now()))

    async def _load(self) -> None:
        try:
            found = await self._client.call(lambda api: api.rules.list_rules())
            self._rules = {rule.rule_id: rule for rule in found}
            self.loaded = True
        finally:
            self.loading = False
            self.changed.emit()

    async def _revoke(self, rule_id: RuleId) -> None:
        rule = await self._client.call(lambda api: api.rules.revoke_rule(rule_id))
        self._rules[rule_id] = rule
        self.changed.emit()

    async def _set_end(self, rule_id: RuleId, ends: Nanoseconds | None) -> None:
        try:
            rule = await self._client.call(lambda api: api.rules.set_rule_expiry(rule_id, ends))
            self._rules[rule_id] = rule
        finally:
            self.changed.emit()

    def _apply(self, happened: Event) -> None:
        if isinstance(happened, RuleChanged) and self.loaded:
            self._rules[happened.rule.rule_id] = happened.rule
            self.changed.emit()
