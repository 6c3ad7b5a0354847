"""Counters for `GET /debug/vars` and `kandesk doctor` (clarification.md, Observability)."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

RESPONSE_TIMEOUTS: Final = "clarification_response_timeout_total"


class Metrics:
    """Counts since this process started. No label ever names a question, a session or a person."""

    def __init__(self) -> None:
        self._timeouts: Counter[str] = Counter()

    def count_response_timeout(self, phase: str) -> None:
        """Note that a response ran out of its budget in `phase`: identity, validation, claim
        or delivery.
        """
        self._timeouts[phase] += 1

    def snapshot(self) -> Mapping[str, Mapping[str, int]]:
        """Every counter by name, then by phase; a phase that never ran out is not listed."""
        return {RESPONSE_TIMEOUTS: dict(self._timeouts)}
