"""Which button each option of a request gets: never the first one, always the agent's own names."""

from dataclasses import dataclass

from backend.domain.agents import PermissionOption
from backend.domain.policy import Risk, RuleScope
from backend.domain.review import Review, Verdict, verdict_of

NO_OPTION = ""
"""Declines where the agent offers nothing for it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the human has chosen: an option, what is to be remembered of it, and why."""

    option_id: str
    remember: RuleScope | None = None
    reason: str = ""
    remember_for: float | None = None
    """Seconds; None is without end."""


@dataclass(frozen=True, slots=True)
class Choices:
    """`decline` is None where the agent offers nothing that declines: it is told `cancelled`."""

    approve: PermissionOption | None
    decline: PermissionOption | None
    always: tuple[PermissionOption, ...]
    """What the agent itself would remember."""
    others: tuple[PermissionOption, ...]
    """What else the agent offers, in its order."""
    scopes: tuple[RuleScope, ...] = ()
    """What this desk may remember of an approval."""
    decline_scopes: tuple[RuleScope, ...] = ()


def choices_of(review: Review) -> Choices:
    """What destroys is never allowed for longer, also not by the agent (T5.4)."""
    options, destroys = review.options, review.risk is Risk.DESTRUCTIVE
    approve = _first(options, "allow_once")
    decline = _first(options, "reject_once") or _first(options, "reject_always")
    always = tuple(option for option in options if option.kind == "allow_always")
    others = tuple(option for option in options if option not in (approve, decline, *always))
    return Choices(
        approve=approve,
        decline=decline,
        always=() if destroys and approve is not None else always,
        others=others,
        scopes=() if destroys or approve is None else review.scopes,
        decline_scopes=review.decline_scopes,
    )


def allows(option: PermissionOption) -> bool:
    return verdict_of(option) is Verdict.ALLOW


def _first(options: tuple[PermissionOption, ...], kind: str) -> PermissionOption | None:
    return next((option for option in options if option.kind == kind), None)
