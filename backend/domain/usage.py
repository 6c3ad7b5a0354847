"""Adding up what an agent says it has used."""

from dataclasses import replace

from backend.domain.agents import Usage


def add_usage(total: Usage, told: Usage) -> Usage:
    """The session's usage after one more account of it.

    An agent counts from the beginning of its own session. A count below the total is one that
    began anew, in a process that was started again, and is added. What is not told stays.
    """
    cost, currency = _paid(total, told)
    return replace(
        total,
        context_used=_latest(total.context_used, told.context_used),
        context_size=_latest(total.context_size, told.context_size),
        input_tokens=_counted(total.input_tokens, told.input_tokens),
        output_tokens=_counted(total.output_tokens, told.output_tokens),
        cached_tokens=_counted(total.cached_tokens, told.cached_tokens),
        cost=cost,
        currency=currency,
    )


def _latest(before: int | None, told: int | None) -> int | None:
    return before if told is None else told


def _counted(before: int | None, told: int | None) -> int | None:
    if told is None or before is None:
        return _latest(before, told)
    return told if told >= before else before + told


def _paid(total: Usage, told: Usage) -> tuple[float | None, str]:
    """Amounts of two currencies are never added."""
    if told.cost is None:
        return total.cost, total.currency
    if total.cost is None or total.currency != told.currency or told.cost >= total.cost:
        return told.cost, told.currency
    return total.cost + told.cost, told.currency
