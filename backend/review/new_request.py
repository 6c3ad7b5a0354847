"""A call that needs a permission, of any owner, and what opening it has led to."""

from collections.abc import Callable
from dataclasses import dataclass, field

from backend.domain.agents import PermissionOption, ToolCallChange
from backend.domain.policy import Rule, Ruling
from backend.domain.review import Owner, Review
from backend.domain.reviewed_action import ReviewedAction
from backend.ids import ReviewId, SessionId, TurnId, new_id


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class NewRequest:
    """What `Opening` needs of a call, whoever carries it out; the same again is the same call.

    `call` is what a human sees and what is signed, `action` what rules see. Of `options` an
    `allow_once` is what a rule allows with, so that without one a human is asked.
    """

    session_id: SessionId
    turn_id: TurnId
    owner: Owner
    call: ToolCallChange
    options: tuple[PermissionOption, ...]
    action: ReviewedAction
    review_id: ReviewId = field(default_factory=lambda: ReviewId(new_id()))
    invocation_id: str = field(default_factory=new_id)
    lifetime: float | None = None
    """Seconds from now, on the store's clock; None for as long as its agent waits."""
    idempotency_key: str | None = None
    """Equal for calls of which only one is to be put before a human; kept while that one has an
    outcome which an equal call is told instead (T5.5)."""
    key_of_call: str | None = None
    """Of this one call, where this desk runs it at once: its caller comes again with it."""
    end_is_told: bool = False
    """Whether this desk will hear how it ends, or ends it itself."""
    ruling: Ruling | None = None
    """Decided before, such as for the desk's own tools: no rule is looked at."""
    wanted: Callable[[], bool] = _always
    """Whether anybody still waits; looked at in the transaction, on the connection's thread."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What has become of it; durable, with its row in the ledger."""

    ruling: Ruling
    invocation_id: str
    """The attempt's row; of an equal call's, where it is one."""
    review: Review | None = None
    """The request before a human; None where nobody is asked."""
    equal: bool = False
    """`review` was opened by an earlier equal call, and may be decided by now."""
    rule: Rule | None = None
    """The rule that has decided, with this hit."""
