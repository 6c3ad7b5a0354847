"""Servers of a fake desk: what is saved, read and said of their tools, as a test wants it."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace

from backend.domain.gateway import DownstreamTool, Server, ServerSettings, ServerStatus, Transport
from backend.domain.policy import PolicyDecision, Risk
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound
from backend.events import Event, ServerChanged
from backend.ids import ServerId
from tests.helpers.fake_calls import FakeCalls

_numbers = itertools.count(1)


def make_tool(name: str = "read_file", **parts: object) -> DownstreamTool:
    values: dict[str, object] = {
        "name": name,
        "title": "",
        "description": "Read a file of the folder.",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
        "definition_digest": f"digest-{name}",
        "risk": Risk.READ,
        "policy": PolicyDecision.ASK,
        **parts,
    }
    return DownstreamTool(**values)  # type: ignore[arg-type]


def make_settings(name: str = "files", **parts: object) -> ServerSettings:
    values: dict[str, object] = {
        "server_id": ServerId(f"server-{next(_numbers)}"),
        "name": name,
        "transport": Transport.STDIO,
        "command": ("npx", "-y", "server-filesystem", "/home/ada/shop"),
        **parts,
    }
    return ServerSettings(**values)  # type: ignore[arg-type]


def make_server(name: str = "files", *tools: DownstreamTool, **parts: object) -> Server:
    values: dict[str, object] = {
        "settings": make_settings(name),
        "status": ServerStatus.READY,
        "tools": tools or (make_tool(),),
        **parts,
    }
    return Server(**values)  # type: ignore[arg-type]


class FakeGateway(FakeCalls):
    """Implements `GatewayApi`. `secrets` is what was handed over, by server and name."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        super().__init__()
        self._publish = publish
        self.servers: dict[ServerId, Server] = {}
        self.secrets: dict[tuple[ServerId, str], str] = {}

    def put(self, *servers: Server) -> None:
        for server in servers:
            self.servers[server.settings.server_id] = server
            self._publish(ServerChanged(server))

    async def list_servers(self) -> tuple[Server, ...]:
        await self._enter("list_servers")
        return tuple(self.servers.values())

    async def save_server(self, settings: ServerSettings, secrets: Mapping[str, str]) -> Server:
        await self._enter("save_server")
        known = self.servers.get(settings.server_id)
        others = [each for each in self.servers.values() if each is not known]
        if any(each.settings.name == settings.name for each in others):
            raise Conflict(ErrorCode.INVALID, "the name is taken", field="name")
        for name, value in secrets.items():
            self.secrets[settings.server_id, name] = value
        status = ServerStatus.READY if settings.enabled else ServerStatus.OFF
        self.put(Server(settings, status, known.tools if known else (make_tool(),)))
        return self.servers[settings.server_id]

    async def remove_server(self, server_id: ServerId) -> None:
        await self._enter("remove_server")
        del self.servers[self._server(server_id).settings.server_id]

    async def refresh_server(self, server_id: ServerId) -> Server:
        await self._enter("refresh_server")
        self.put(replace(self._server(server_id), status=ServerStatus.READY, detail=""))
        return self.servers[server_id]

    async def set_tool_policy(
        self, server_id: ServerId, tool: str, policy: PolicyDecision, *, definition_digest: str
    ) -> Server:
        await self._enter("set_tool_policy")
        server = self._server(server_id)
        found = next((each for each in server.tools if each.name == tool), None)
        if found is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such tool")
        if found.definition_digest != definition_digest:
            raise Conflict(ErrorCode.NOT_ACTIVE, "its definition has changed")
        if found.risk is Risk.DESTRUCTIVE and policy is PolicyDecision.ALLOW:
            raise InvalidInput(ErrorCode.INVALID, "it may destroy", field="policy")
        changed = replace(found, policy=policy, changed=False)
        tools = tuple(changed if each is found else each for each in server.tools)
        self.put(replace(server, tools=tools))
        return self.servers[server_id]

    def _server(self, server_id: ServerId) -> Server:
        if server_id not in self.servers:
            raise NotFound(ErrorCode.NOT_FOUND, "no such server")
        return self.servers[server_id]
