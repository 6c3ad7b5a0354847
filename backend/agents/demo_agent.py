"""The demo agent: a real ACP program in a child process that knows nothing of the desk's inside."""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from typing import Any, Final, cast

from acp import Agent, RequestError, run_agent
from acp import Client as AcpClient
from acp.schema import (
    AgentCapabilities,
    AvailableCommand,
    AvailableCommandsUpdate,
    HttpMcpServer,
    Implementation,
    InitializeResponse,
    LoadSessionResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptResponse,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)

from backend.agents.demo_scenes import SCENES, reply, tour
from backend.agents.demo_stage import ASK_FIRST, JUST_DO, NAME, PACES, DemoSession, Stage
from backend.ids import new_id
from backend.installation import version

_MODES: Final = [
    SessionMode(id=ASK_FIRST, name="Ask first", description="Asks before it runs anything"),
    SessionMode(id=JUST_DO, name="Just do", description="Never asks for permission"),
]


class DemoAgent:
    """What of the library's `Agent` a demo needs; it finds methods by their names.

    Keeps sessions in memory only: one that is loaded begins anew under its old name.
    """

    def __init__(self) -> None:
        self._client: AcpClient | None = None
        self._sessions: dict[str, DemoSession] = {}

    def on_connect(self, conn: AcpClient) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(
            protocol_version=min(protocol_version, 1),
            agent_info=Implementation(name=NAME, title="Demo agent", version=version()),
            agent_capabilities=AgentCapabilities(
                load_session=True, mcp_capabilities=McpCapabilities(http=True)
            ),
        )

    async def new_session(
        self, cwd: str, *, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> NewSessionResponse:
        session = self._open(new_id(), cwd, mcp_servers)
        return NewSessionResponse(
            session_id=session.id, modes=_modes(session), config_options=[_pace(session)]
        )

    async def load_session(
        self, cwd: str, session_id: str, *, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> LoadSessionResponse:
        session = self._open(session_id, cwd, mcp_servers)
        # Somebody who comes back has seen the tour.
        session.prompts = 1
        return LoadSessionResponse(modes=_modes(session), config_options=[_pace(session)])

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Any
    ) -> SetSessionModeResponse:
        if mode_id not in {mode.id for mode in _MODES}:
            raise RequestError.invalid_params({"message": f"no mode {mode_id}"})
        self._find(session_id).mode = mode_id
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: object, **_: Any
    ) -> SetSessionConfigOptionResponse:
        session = self._find(session_id)
        if config_id != "pace" or not isinstance(value, str) or value not in PACES:
            raise RequestError.invalid_params({"message": f"no {config_id} {value}"})
        session.pace = value
        return SetSessionConfigOptionResponse(config_options=[_pace(session)])

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        session = self._find(session_id)
        text = "".join(getattr(block, "text", "") for block in prompt)
        session.work = asyncio.create_task(self._play(session, text))
        await asyncio.wait({session.work})
        if session.work.cancelled():
            return PromptResponse(stop_reason="cancelled")
        session.work.result()
        return PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        session = self._sessions.get(session_id)
        if session is not None and session.work is not None:
            session.work.cancel()

    async def _play(self, session: DemoSession, text: str) -> None:
        stage = Stage(self._connected, session)
        word, _, words = text.strip().partition(" ")
        scene = SCENES.get(word.removeprefix("/")) if word.startswith("/") else None
        is_first = session.prompts == 0
        session.prompts += 1
        try:
            if scene is not None:
                await scene[0](stage, words.strip())
            elif is_first:
                await tour(stage)
            else:
                await reply(stage, text)
        except* ConnectionError as failed:
            reason = failed.exceptions[0]
            raise RequestError.internal_error({"details": f"no answer: {reason}"}) from failed

    def _open(self, session_id: str, folder: str, servers: Sequence[Any] | None) -> DemoSession:
        server = next((one for one in servers or () if isinstance(one, HttpMcpServer)), None)
        session = DemoSession(session_id, folder, server)
        self._sessions[session_id] = session
        # Behind the answer that tells the session's id.
        asyncio.get_running_loop().call_soon(self._tell_commands, session)
        return session

    def _tell_commands(self, session: DemoSession) -> None:
        commands = [
            AvailableCommand(name=name, description=description)
            for name, (_, description) in SCENES.items()
        ]
        update = AvailableCommandsUpdate(
            session_update="available_commands_update", available_commands=commands
        )
        session.telling = asyncio.create_task(
            self._connected.session_update(session_id=session.id, update=update)
        )

    def _find(self, session_id: str) -> DemoSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise RequestError.invalid_params({"message": "no such session"})
        return session

    @property
    def _connected(self) -> AcpClient:
        if self._client is None:
            raise RequestError.internal_error({"details": "nobody is connected"})
        return self._client


def _modes(session: DemoSession) -> SessionModeState:
    return SessionModeState(available_modes=_MODES, current_mode_id=session.mode)


def _pace(session: DemoSession) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        id="pace",
        name="Pace",
        type="select",
        current_value=session.pace,
        options=[SessionConfigSelectOption(value=pace, name=pace.capitalize()) for pace in PACES],
    )


def run() -> int:
    """Serve one client on standard input and output until it is gone."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run_agent(cast("Agent", DemoAgent())))
    return 0


if __name__ == "__main__":
    sys.exit(run())
