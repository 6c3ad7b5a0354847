"""Tool calls that agents have begun and not ended, as far as they have told of them."""

from backend.domain.agents import ToolCallChange
from backend.domain.tool_call import ENDED, with_change
from backend.ids import SessionId


class HeardCalls:
    """An agent may announce a call and then ask for it by its id alone. Ends are forgotten."""

    def __init__(self) -> None:
        self._calls: dict[SessionId, dict[str, ToolCallChange]] = {}

    def heard(self, session_id: SessionId, change: ToolCallChange) -> None:
        calls = self._calls.setdefault(session_id, {})
        # A call id may come again: what begins anew has nothing of what had the id before.
        before = None if change.started else calls.pop(change.call_id, None)
        if change.status not in ENDED:
            calls[change.call_id] = with_change(before, change)
        elif not calls:
            del self._calls[session_id]

    def find(self, session_id: SessionId, call_id: str) -> ToolCallChange | None:
        return self._calls.get(session_id, {}).get(call_id)

    def forget(self, session_id: SessionId) -> None:
        self._calls.pop(session_id, None)
