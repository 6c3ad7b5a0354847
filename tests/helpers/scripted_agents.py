"""Commands for the scripted agent and a listener that keeps what an agent said."""

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from backend.domain.agents import (
    AgentCommand,
    AgentEnd,
    AgentUpdate,
    ElicitationAction,
    ElicitationReply,
    Elicited,
    PermissionAsked,
    ProcessMark,
    TextChunk,
)
from tests.helpers.program import ROOT


def scripted_command(
    environment: Mapping[str, str] | None = None, **behaviour: Any
) -> AgentCommand:
    """A command for `tests.helpers.scripted_agent`; its docstring tells what `behaviour` may be."""
    return AgentCommand(
        (sys.executable, "-m", "tests.helpers.scripted_agent"),
        {
            "PYTHONPATH": str(ROOT),
            "SCRIPTED_AGENT": json.dumps(behaviour),
            **(environment or {}),
        },
    )


class RecordingListener:
    """Hears one agent; answers permissions and forms as told, or leaves them open."""

    def __init__(
        self, *, choose: str | None = "allow", reply: ElicitationReply | None = None
    ) -> None:
        self.marks: list[ProcessMark] = []
        self.updates: list[AgentUpdate] = []
        self.asked: list[PermissionAsked] = []
        self.forms: list[Elicited] = []
        self.withdrawn = 0
        self.end: AgentEnd | None = None
        self.ends = 0
        self.choose = choose
        self.reply = reply or ElicitationReply(ElicitationAction.DECLINE)
        self.has_room = asyncio.Event()
        self.waits_for_room = False
        self.has_room.set()
        self.hold: asyncio.Event | None = None
        """While set and not fired, nobody decides."""

    @property
    def text(self) -> str:
        """Everything the agent said, in one piece."""
        return "".join(update.text for update in self.updates if isinstance(update, TextChunk))

    async def started(self, mark: ProcessMark) -> None:
        self.marks.append(mark)

    def updated(self, update: AgentUpdate) -> None:
        self.updates.append(update)

    async def room(self) -> None:
        self.waits_for_room = not self.has_room.is_set()
        await self.has_room.wait()
        self.waits_for_room = False

    async def permission_asked(self, asked: PermissionAsked) -> str | None:
        self.asked.append(asked)
        await self._wait()
        return self.choose

    async def elicited(self, elicited: Elicited) -> ElicitationReply:
        self.forms.append(elicited)
        await self._wait()
        return self.reply

    async def _wait(self) -> None:
        if self.hold is None:
            return
        try:
            await self.hold.wait()
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise

    def ended(self, end: AgentEnd) -> None:
        self.end = end
        self.ends += 1
