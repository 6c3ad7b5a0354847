"""Which of an agent's options says what was decided; never simply the first (T8.4)."""

from collections.abc import Iterable

from backend.domain.agents import PermissionOption

ALLOW_ONCE = "allow_once"
ALLOW_ALWAYS = "allow_always"
REJECT_ONCE = "reject_once"
REJECT_ALWAYS = "reject_always"


def once(options: tuple[PermissionOption, ...]) -> PermissionOption | None:
    """The option that allows this call and nothing more."""
    return _first(options, [ALLOW_ONCE])


def allowing(options: tuple[PermissionOption, ...]) -> PermissionOption | None:
    """What tells an agent of a call that our own rule will allow from now on.

    The rule stays ours, where it can be taken back; the agent remembers only if it offers nothing
    else.
    """
    return _first(options, [ALLOW_ONCE, ALLOW_ALWAYS])


def declining(options: tuple[PermissionOption, ...]) -> PermissionOption | None:
    """None where the agent offers no way to say so: it is told `cancelled`."""
    return _first(options, [REJECT_ONCE, REJECT_ALWAYS])


def _first(options: tuple[PermissionOption, ...], kinds: Iterable[str]) -> PermissionOption | None:
    return next((option for kind in kinds for option in options if option.kind == kind), None)
