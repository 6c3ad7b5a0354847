"""What the demo agent can do: talk, think, plan, ask, want to run something, change a file."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from acp import Client as AcpClient
from acp import (
    plan_entry,
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
)
from acp.schema import (
    AllowedOutcome,
    HttpMcpServer,
    PermissionOption,
    ToolCallLocation,
    ToolCallUpdate,
)

from backend.ids import new_id

if TYPE_CHECKING:
    from mcp import Client as McpClient

    Connect = Callable[[HttpMcpServer, str], AbstractAsyncContextManager[McpClient]]

NAME: Final = "demo-agent"
ASK_FIRST: Final = "ask"
JUST_DO: Final = "just-do"
PACES: Final[Mapping[str, float]] = {"calm": 0.03, "swift": 0.0}
"""Seconds between two words."""

_WORDS: Final = re.compile(r"\s*\S+\s*")
_OPTIONS: Final = [
    PermissionOption(option_id="allow", name="Allow once", kind="allow_once"),
    PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
    PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
]

Answer = Mapping[str, Any]


@dataclass
class DemoSession:
    """One conversation: what was chosen for it, and where its tools are."""

    id: str
    folder: str
    server: HttpMcpServer | None = None
    mode: str = ASK_FIRST
    pace: str = "calm"
    prompts: int = 0
    work: "asyncio.Task[None] | None" = None
    telling: "asyncio.Task[None] | None" = None
    may_always: bool = False
    steps: list[str] = field(default_factory=list)
    done: int = 0


class Stage:
    """Does one thing after the other in one session."""

    def __init__(self, client: AcpClient, session: DemoSession) -> None:
        self._client = client
        self.session = session

    async def say(self, text: str) -> None:
        """Stream Markdown, word by word."""
        message_id = new_id()
        for word in _WORDS.findall(text):
            await self._tell(update_agent_message_text(word), message_id)
            await asyncio.sleep(PACES[self.session.pace])

    async def think(self, text: str) -> None:
        for word in _WORDS.findall(text):
            await self._tell(update_agent_thought_text(word))
            await asyncio.sleep(PACES[self.session.pace])

    async def plan(self, *steps: str) -> None:
        self.session.steps = list(steps)
        self.session.done = 0
        await self._show_plan()

    async def step_done(self) -> None:
        self.session.done += 1
        await self._show_plan()

    async def ask(self, bundle: Mapping[str, Any], *, patience: float | None = None) -> Answer:
        """Ask the human through the desk's own tool; the call waits for the answer.

        Without an answer after `patience` seconds the call is gone and the question stays.
        """
        async with self._tools() as tools:
            # Inside: a connection that is left with an error wraps it.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    result = await tools.call_tool(
                        "ask_user_question", dict(bundle), progress_callback=_keep_alive
                    )
                    return result.structured_content or {}
        return {}

    async def run(self, command: str, output: str) -> bool:
        """Want to run a command; nothing is run. Returns whether it was allowed."""
        call_id = new_id()
        call = start_tool_call(
            call_id, command, kind="execute", status="pending", raw_input={"command": command}
        )
        await self._tell(call)
        if not await self._may(call_id, command):
            await self._tell(update_tool_call(call_id, status="failed"))
            return False
        await self._tell(update_tool_call(call_id, status="in_progress"))
        await asyncio.sleep(10 * PACES[self.session.pace])
        shown = tool_content(text_block(f"```\n{output}\n```"))
        await self._tell(update_tool_call(call_id, status="completed", content=[shown]))
        return True

    async def write(self, path: Path, text: str) -> None:
        """Write a file and show what changed."""
        old = await asyncio.to_thread(_replace, path, text)
        await self._tell(
            start_tool_call(
                new_id(),
                f"{'Create' if old is None else 'Edit'} {path.name}",
                kind="edit",
                status="completed",
                content=[tool_diff_content(str(path), text, old)],
                locations=[ToolCallLocation(path=str(path), line=1)],
                raw_input={"file_path": str(path)},
            )
        )

    async def read(self, path: Path) -> None:
        text = await asyncio.to_thread(path.read_text)
        await self._tell(
            start_tool_call(
                new_id(),
                f"Read {path.name}",
                kind="read",
                status="completed",
                content=[tool_content(text_block(text))],
                locations=[ToolCallLocation(path=str(path))],
                raw_input={"file_path": str(path)},
            )
        )

    async def _may(self, call_id: str, command: str) -> bool:
        if self.session.mode == JUST_DO or self.session.may_always:
            return True
        call = ToolCallUpdate(
            tool_call_id=call_id,
            title=command,
            kind="execute",
            raw_input={"command": command, "description": "Nothing is really run in this demo."},
        )
        answer = await self._client.request_permission(
            options=_OPTIONS, session_id=self.session.id, tool_call=call
        )
        if not isinstance(answer.outcome, AllowedOutcome):
            return False
        self.session.may_always = answer.outcome.option_id == "always"
        return answer.outcome.option_id != "reject"

    async def _show_plan(self) -> None:
        entries = []
        for number, step in enumerate(self.session.steps):
            state = "completed" if number < self.session.done else "pending"
            if number == self.session.done:
                state = "in_progress"
            entries.append(plan_entry(step, status=state))  # type: ignore[arg-type]
        await self._tell(update_plan(entries))

    async def _tell(self, update: Any, message_id: str | None = None) -> None:
        if message_id is not None:
            update.message_id = message_id
        await self._client.session_update(session_id=self.session.id, update=update)

    @contextlib.asynccontextmanager
    async def _tools(self) -> AsyncIterator["McpClient"]:
        """The MCP server the desk injected into this session."""
        server = self.session.server
        if server is None:
            message = "the desk injected no tools over HTTP"
            raise ConnectionError(message)
        connect = await asyncio.to_thread(_find_connect)
        async with connect(server, NAME) as tools:
            yield tools


def _find_connect() -> "Connect":
    # Half a second of imports that whoever waits for the first words must not wait for.
    from backend.agents.demo_tools import connect

    return connect


def _replace(path: Path, text: str) -> str | None:
    """Returns what was in the file before; None when there was none."""
    old = path.read_text() if path.exists() else None
    path.write_text(text)
    return old


async def _keep_alive(progress: float, total: float | None, message: str | None) -> None:
    """Asking for progress is what keeps the call alive."""
