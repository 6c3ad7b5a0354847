"""The agents that wait for a decision in this process, each of which is answered once."""

import asyncio

from backend.domain.agents import PermissionOption, ToolCallChange
from backend.domain.permission_answer import declining, once
from backend.domain.policy import BY_DEFAULT, BY_RULE, PolicyDecision, Ruling
from backend.domain.review import Review, Verdict
from backend.ids import ReviewId, SessionId, TurnId


class WaitingCall:
    """One agent's call. `answer` is the id of an option, or None for `cancelled`."""

    def __init__(
        self,
        review_id: ReviewId,
        session_id: SessionId,
        turn_id: TurnId,
        call: ToolCallChange,
        options: tuple[PermissionOption, ...],
        invocation_id: str = "",
    ) -> None:
        self.review_id = review_id
        self.invocation_id = invocation_id
        """Of the attempt, where a rule may allow it and its end is told here."""
        self.session_id = session_id
        self.turn_id = turn_id
        self.call = call
        """What it wants to do, by all it has said of it."""
        self.options = options
        self.answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self.order = asyncio.Lock()
        """What becomes of it is written in the order it has happened."""
        self.told = False
        """The agent has been given the answer; it is never given another."""
        self.declined = False
        self.reason = ""
        """Why it was answered `cancelled` without a decision."""
        self.ruled = False
        """It was answered without asking anybody; there is no request to be settled."""
        self.said = ""
        """Why the human has declined it, in their words."""

    @property
    def option_id(self) -> str | None:
        """What it was answered, once it was."""
        return self.answer.result()

    def is_open(self) -> bool:
        return not self.answer.done()

    def rule(self, ruling: Ruling) -> bool:
        """Answer as a rule says; False, and nothing, when it is answered already.

        What could not be put before a human was declined by nobody: it is told `cancelled`.
        """
        if self.answer.done():
            return False
        allowed = ruling.decision is PolicyDecision.ALLOW
        said_no = ruling.reason in {BY_RULE, BY_DEFAULT}
        option = once(self.options) if allowed else declining(self.options) if said_no else None
        self.ruled, self.declined = True, not allowed
        self.reason = "" if allowed else ruling.reason
        self.answer.set_result(None if option is None else option.id)
        return True

    def decide(self, review: Review) -> bool:
        """Answer as was decided; False when it was answered `cancelled` before."""
        if not self.answer.done():
            self.declined = review.verdict is not Verdict.ALLOW
            self.said = review.reason if self.declined else ""
            self.answer.set_result(self._option_id(review))
        return not self.reason

    def close(self, reason: str) -> None:
        """Nobody waits any more; nothing when it is answered already."""
        if not self.answer.done():
            self.reason = reason
            self.answer.set_result(None)

    def _option_id(self, review: Review) -> str | None:
        """The agent's own id of the chosen option, which the store may have had to change."""
        for own, stored in zip(self.options, review.options, strict=False):
            if stored.id == review.chosen:
                return own.id
        return None


class WaitingCalls:
    """By our own ids: agents use theirs again."""

    def __init__(self) -> None:
        self._calls: dict[ReviewId, WaitingCall] = {}

    def __contains__(self, own_id: object) -> bool:
        """Of a request, or of the attempt a rule has allowed."""
        return own_id in self._calls or any(
            call.invocation_id == own_id for call in self._calls.values()
        )

    def add(self, call: WaitingCall) -> None:
        self._calls[call.review_id] = call

    def find(self, review_id: ReviewId) -> WaitingCall | None:
        return self._calls.get(review_id)

    def of_session(self, session_id: SessionId) -> tuple[WaitingCall, ...]:
        return tuple(call for call in self._calls.values() if call.session_id == session_id)

    def is_open(self, review_id: ReviewId) -> bool:
        """Whether an agent still waits for the decision."""
        call = self._calls.get(review_id)
        return call is not None and call.is_open()

    def remove(self, call: WaitingCall) -> None:
        self._calls.pop(call.review_id, None)
