"""Tool calls that agents have begun and not ended, as far as they have told of them."""

from backend.domain.agents import ToolCallChange
from backend.domain.tool_call import RememberedCalls
from backend.ids import SessionId


class HeardCalls:
    """An agent may announce a call and then ask for it by its id alone. Ends are forgotten."""

    def __init__(self) -> None:
        self._calls: dict[SessionId, RememberedCalls] = {}

    def heard(self, session_id: SessionId, change: ToolCallChange) -> None:
        calls = self._calls.setdefault(session_id, RememberedCalls())
        calls.change(change)
        if not calls:
            del self._calls[session_id]

    def find(self, session_id: SessionId, call_id: str) -> ToolCallChange | None:
        calls = self._calls.get(session_id)
        return None if calls is None else calls.find(call_id)

    def forget(self, session_id: SessionId) -> None:
        self._calls.pop(session_id, None)
