"""An agent that takes prompts, and the receipts of what it was not told."""

import asyncio
import json
from dataclasses import dataclass, field

from backend.errors import AgentFailed, ErrorCode
from backend.ids import SessionId, TurnId
from backend.review.continuing import Continuations
from tests.helpers.gateway_case import GatewayCase
from tests.helpers.place import Place, raw


@dataclass
class ScriptedPrompter:
    """Implements `Prompter`: takes every prompt, unless told otherwise."""

    given: list[tuple[TurnId, str]] = field(default_factory=list)
    looks: list[SessionId] = field(default_factory=list)
    is_free: bool = True
    refuses: bool = False
    gate: asyncio.Event | None = None
    """When set, prompts are acknowledged once it is."""

    async def promptable(self, session_id: SessionId) -> bool:
        del session_id
        return self.is_free

    async def give(self, session_id: SessionId, turn_id: TurnId, text: str) -> None:
        del session_id
        if self.refuses:
            raise AgentFailed(ErrorCode.AGENT_FAILED, "it takes no prompt")
        self.given.append((turn_id, text))
        if self.gate is not None:
            await self.gate.wait()

    def look_again(self, session_id: SessionId) -> None:
        self.looks.append(session_id)

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.given]


def told(text: str) -> dict[str, object]:
    """The data of a prompt that tells outcomes."""
    payload = json.loads(text.split("\n\n")[1])
    assert isinstance(payload, dict)
    return payload


def statuses(text: str) -> list[object]:
    outcomes = told(text)["outcomes"]
    assert isinstance(outcomes, list)
    return [outcome["status"] for outcome in outcomes]


def receipts_of(place: Place) -> list[str]:
    """The state of every receipt of a request, in the order of the requests; empty is undecided."""
    with raw(place) as connection:
        rows = connection.execute(
            "SELECT COALESCE(d.state, '') AS state FROM tool_action_requests r"
            " LEFT JOIN interaction_deliveries d ON d.pending_id = r.id"
            " AND d.kind = 'permission_request' ORDER BY r.created_at, r.id"
        ).fetchall()
    return [str(row["state"]) for row in rows]


def continuing(case: GatewayCase, prompter: ScriptedPrompter) -> Continuations:
    return Continuations(case.parts, prompter, case.gateway.is_heard)
