"""Adding up what an agent says it has used."""

from dataclasses import dataclass, field, replace

from backend.domain.agents import Usage

_MOST = 2**53
_MOST_PAID = 1e9


@dataclass(frozen=True, slots=True)
class CountedUsage:
    """A session's usage, and the agent's last own account that is in it.

    An agent counts from the beginning of its own process or conversation. An account below its
    last one has begun anew and is added; the same account twice counts once.
    """

    total: Usage = field(default_factory=Usage)
    told: Usage = field(default_factory=Usage)

    def add(self, account: Usage) -> "CountedUsage":
        """With one more account; what it does not tell, or cannot mean, stays."""
        told = _meant(account)
        total, last = self.total, self.told
        same_money = told.currency == total.currency
        counted = replace(
            total,
            context_used=_latest(total.context_used, told.context_used),
            context_size=_latest(total.context_size, told.context_size),
            input_tokens=_counted(total.input_tokens, last.input_tokens, told.input_tokens),
            output_tokens=_counted(total.output_tokens, last.output_tokens, told.output_tokens),
            cached_tokens=_counted(total.cached_tokens, last.cached_tokens, told.cached_tokens),
        )
        if told.cost is not None:
            # Amounts of two currencies are never added.
            before, last_cost = (total.cost, last.cost) if same_money else (None, None)
            counted = replace(
                counted, cost=_paid(before, last_cost, told.cost), currency=told.currency
            )
        return CountedUsage(counted, _taken_over(last, told))


def _meant(told: Usage) -> Usage:
    """Without what is no amount: less than nothing, or no number."""
    counts = {
        name: value if value is not None and 0 <= value <= _MOST else None
        for name, value in (
            ("context_used", told.context_used),
            ("context_size", told.context_size),
            ("input_tokens", told.input_tokens),
            ("output_tokens", told.output_tokens),
            ("cached_tokens", told.cached_tokens),
        )
    }
    cost = told.cost if told.cost is not None and 0 <= told.cost <= _MOST_PAID else None
    return Usage(**counts, cost=cost, currency=told.currency)


def _latest(before: int | None, told: int | None) -> int | None:
    return before if told is None else told


def _counted(total: int | None, last: int | None, told: int | None) -> int | None:
    if told is None:
        return total
    begun_anew = last is None or told < last
    return (total or 0) + (told if begun_anew else told - (last or 0))


def _paid(total: float | None, last: float | None, told: float) -> float:
    begun_anew = last is None or told < last
    return (total or 0.0) + (told if begun_anew else told - (last or 0.0))


def _taken_over(last: Usage, told: Usage) -> Usage:
    return Usage(
        input_tokens=_latest(last.input_tokens, told.input_tokens),
        output_tokens=_latest(last.output_tokens, told.output_tokens),
        cached_tokens=_latest(last.cached_tokens, told.cached_tokens),
        cost=told.cost if told.cost is not None else last.cost,
        currency=told.currency if told.cost is not None else last.currency,
    )
