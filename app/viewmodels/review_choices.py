"""Which button each option of a request gets: never the first one, always the agent's own names."""

from dataclasses import dataclass

from backend.domain.agents import PermissionOption
from backend.domain.review import Verdict, verdict_of


@dataclass(frozen=True, slots=True)
class Choices:
    """`decline` is None where the agent offers nothing that declines: it is told `cancelled`."""

    approve: PermissionOption | None
    decline: PermissionOption | None
    always: tuple[PermissionOption, ...]
    others: tuple[PermissionOption, ...]
    """What else the agent offers, in its order."""


def choices_of(options: tuple[PermissionOption, ...]) -> Choices:
    approve = _first(options, "allow_once")
    decline = _first(options, "reject_once") or _first(options, "reject_always")
    always = tuple(option for option in options if option.kind == "allow_always")
    named = [option for option in (approve, decline, *always) if option is not None]
    return Choices(
        approve=approve,
        decline=decline,
        always=always,
        others=tuple(option for option in options if option not in named),
    )


def allows(option: PermissionOption) -> bool:
    return verdict_of(option) is Verdict.ALLOW


def _first(options: tuple[PermissionOption, ...], kind: str) -> PermissionOption | None:
    return next((option for option in options if option.kind == kind), None)
