"""The registered servers: what they offer, whether they run, and the one connection to each."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from backend.clock import Deadline
from backend.domain.gateway import DownstreamTool, Server, ServerSettings, ServerStatus
from backend.domain.gateway_tools import ToolDefinition, agent_name, read_tool, tool_of
from backend.errors import AppError, ErrorCode, NotFound
from backend.events import ServerChanged
from backend.ids import ServerId
from backend.keyring_secrets import SecretStore
from backend.review.gateway.ports import Connect, OpenConnection
from backend.review.gateway.results import ServerGone
from backend.review.parts import ReviewParts
from backend.store import gateway_rows
from backend.store.gateway_rows import StoredServer, StoredTool

STORE_BUDGET: Final = 5.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundTool:
    """What an agent calls by name."""

    server: Server
    tool: DownstreamTool

    @property
    def name(self) -> str:
        return agent_name(self.server.settings.name, self.tool.name)


@dataclass(slots=True)
class _Entry:
    settings: ServerSettings
    stored: tuple[StoredTool, ...]
    status: ServerStatus
    detail: str = ""
    connection: OpenConnection | None = None
    opening: "asyncio.Task[OpenConnection] | None" = None
    reading: bool = False
    read_again: bool = False
    tools: dict[str, DownstreamTool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.told(self.stored)

    def told(self, stored: tuple[StoredTool, ...]) -> None:
        self.stored = stored
        self.tools = {each.definition.name: tool_of(each.definition, each.said) for each in stored}

    def as_server(self) -> Server:
        return Server(self.settings, self.status, tuple(self.tools.values()), self.detail)


class Servers:
    """Known from the store; each is started at its first call and runs until the desk ends."""

    def __init__(self, parts: ReviewParts, connect: Connect, secrets: SecretStore) -> None:
        self._parts = parts
        self._connect = connect
        self._secrets = secrets
        self._entries: dict[ServerId, _Entry] = {}
        self._listeners: list[Callable[[], None]] = []
        self._closing = False

    def on_listing_changed(self, listener: Callable[[], None]) -> None:
        """Call it when agents may see other tools than before."""
        self._listeners.append(listener)

    async def load(self) -> None:
        """Read what the store has; runs before any door opens, and again when a lost store is
        back.
        """
        async with self._parts.database.reading(self._deadline()) as tx:
            found = await tx.in_place(gateway_rows.list_servers)
        for stored in found:
            self._take(stored)
        known = {stored.settings.server_id for stored in found}
        for server_id in [each for each in self._entries if each not in known]:
            del self._entries[server_id]
        self._tell_listing()

    def list(self) -> tuple[Server, ...]:
        found = sorted(self._entries.values(), key=lambda entry: entry.settings.name)
        return tuple(entry.as_server() for entry in found)

    def get(self, server_id: ServerId) -> Server:
        """Raises `NotFound`."""
        return self._entry(server_id).as_server()

    def find_tool(self, name: str) -> FoundTool | None:
        """The tool agents call by this name, of a server that is switched on."""
        for entry in self._entries.values():
            prefix = agent_name(entry.settings.name, "")
            tool = entry.tools.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
            if tool is not None and entry.settings.enabled:
                return FoundTool(entry.as_server(), tool)
        return None

    def find_reviewed(self, server_id: ServerId, tool: str) -> FoundTool | None:
        """The tool as it is now; None when it, or its server, is gone or switched off."""
        entry = self._entries.get(server_id)
        found = entry.tools.get(tool) if entry is not None and entry.settings.enabled else None
        return None if entry is None or found is None else FoundTool(entry.as_server(), found)

    async def connection(self, server_id: ServerId) -> OpenConnection:
        """The one connection to a server, which is started where it does not run.

        Raises:
            ServerGone: it cannot be reached, or a secret of it is missing.
        """
        entry = self._entries.get(server_id)
        if entry is None or not entry.settings.enabled or self._closing:
            raise ServerGone("the server is switched off")
        if entry.connection is not None and not entry.connection.closed:
            return entry.connection
        if entry.opening is None:
            entry.opening = self._parts.supervisor.start(
                self._open(entry), name=f"start MCP server {entry.settings.name}"
            )
        opening = entry.opening
        await asyncio.wait({opening})
        if opening.cancelled():
            raise ServerGone("the desk is stopping")
        failure = opening.exception()
        if failure is None:
            return opening.result()
        if isinstance(failure, AppError):
            raise ServerGone(failure.detail) from failure
        raise failure

    async def save(self, settings: ServerSettings) -> None:
        """Take in what the store has of it now; what ran by other settings is ended."""
        await self.reload(settings.server_id)
        await self._end(self._entry(settings.server_id))

    async def reload(self, server_id: ServerId) -> Server:
        """Read one server again. Raises `NotFound`."""
        async with self._parts.database.reading(self._deadline()) as tx:
            stored = await tx.in_place(lambda tx: gateway_rows.find_server(tx, server_id))
        if stored is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such server")
        entry = self._take(stored)
        self._changed(entry)
        return entry.as_server()

    async def read_again(self, server_id: ServerId) -> Server:
        """Connect, afresh where it failed, and read its tools. Its status tells how that went."""
        entry = self._entry(server_id)
        if not entry.settings.enabled:
            return entry.as_server()
        try:
            connection = await self.connection(server_id)
            await self._keep(entry, await connection.read_tools())
        except ServerGone as error:
            self._stand(entry, ServerStatus.FAILED, error.detail)
        return entry.as_server()

    async def forget(self, server_id: ServerId) -> None:
        """It is gone from the store: end it."""
        entry = self._entries.pop(server_id, None)
        if entry is not None:
            await self._end(entry)
            self._tell_listing()

    async def close(self) -> None:
        """End every server; nothing is started any more."""
        self._closing = True
        await asyncio.gather(*(self._end(entry) for entry in self._entries.values()))

    async def _open(self, entry: _Entry) -> OpenConnection:
        self._stand(entry, ServerStatus.STARTING)
        try:
            connection = await self._connect(
                entry.settings,
                await self._secrets_of(entry.settings),
                on_tools_changed=lambda: self._tools_changed(entry),
                on_closed=lambda why: self._closed(entry, why),
            )
            entry.connection = connection
            await self._keep(entry, connection.tools)
        except ServerGone as error:
            self._stand(entry, ServerStatus.FAILED, error.detail)
            raise
        except AppError as error:
            self._stand(entry, ServerStatus.FAILED, error.detail)
            raise
        finally:
            entry.opening = None
        self._stand(entry, ServerStatus.READY)
        return connection

    async def _secrets_of(self, settings: ServerSettings) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for name in settings.secrets:
            value = await self._secrets.get(account(settings.server_id, name))
            if value is None:
                detail = f"the secret {name} of the server {settings.name} is missing; set it again"
                raise ServerGone(detail)
            found[name] = value
        return found

    async def _keep(self, entry: _Entry, told: Sequence[Mapping[str, object]]) -> None:
        """Store what it tells of its tools, where that is not what it told before."""
        definitions: dict[str, ToolDefinition] = {}
        for each in told:
            definition = read_tool(each)
            if definition is not None:
                definitions.setdefault(definition.name, definition)
        now = tuple((each.name, each.digest) for each in definitions.values())
        if now == tuple((each.definition.name, each.definition.digest) for each in entry.stored):
            return
        server_id = entry.settings.server_id
        async with self._parts.database.writing(self._deadline()) as tx:
            await gateway_rows.put_tools(
                tx, server_id, tuple(definitions.values()), self._parts.clock.now()
            )
            stored = await gateway_rows.find_server(tx, server_id)
        if stored is not None:
            entry.told(stored.tools)
            self._changed(entry)

    def _tools_changed(self, entry: _Entry) -> None:
        entry.read_again = True
        if not entry.reading and not self._closing:
            entry.reading = True
            self._parts.supervisor.start(self._reread(entry), name="read the tools of a server")

    async def _reread(self, entry: _Entry) -> None:
        try:
            while entry.read_again:
                entry.read_again = False
                connection = entry.connection
                if connection is not None and not connection.closed:
                    await self._keep(entry, await connection.read_tools())
        except ServerGone as error:
            _log.info("the tools of %s are not read again: %s", entry.settings.name, error.detail)
        finally:
            entry.reading = False

    def _closed(self, entry: _Entry, why: str) -> None:
        if self._closing or self._entries.get(entry.settings.server_id) is not entry:
            return
        if entry.opening is None and entry.status is ServerStatus.READY:
            self._stand(entry, ServerStatus.FAILED, why or "it has ended")

    async def _end(self, entry: _Entry) -> None:
        if entry.opening is not None:
            entry.opening.cancel()
            await asyncio.wait({entry.opening})
        connection, entry.connection = entry.connection, None
        self._stand(entry, _at_rest(entry.settings))
        if connection is not None:
            await connection.close()

    def _take(self, stored: StoredServer) -> _Entry:
        entry = self._entries.get(stored.settings.server_id)
        if entry is None:
            entry = _Entry(stored.settings, stored.tools, _at_rest(stored.settings))
            self._entries[stored.settings.server_id] = entry
        entry.settings = stored.settings
        entry.told(stored.tools)
        return entry

    def _stand(self, entry: _Entry, status: ServerStatus, detail: str = "") -> None:
        if (entry.status, entry.detail) != (status, detail):
            entry.status, entry.detail = status, detail
            self._publish(entry)

    def _changed(self, entry: _Entry) -> None:
        self._publish(entry)
        self._tell_listing()

    def _publish(self, entry: _Entry) -> None:
        self._parts.bus.publish(ServerChanged(entry.as_server()))

    def _tell_listing(self) -> None:
        for listener in self._listeners:
            listener()

    def _entry(self, server_id: ServerId) -> _Entry:
        entry = self._entries.get(server_id)
        if entry is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such server")
        return entry

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, STORE_BUDGET)


def _at_rest(settings: ServerSettings) -> ServerStatus:
    return ServerStatus.NOT_STARTED if settings.enabled else ServerStatus.OFF


def account(server_id: ServerId, name: str) -> str:
    """What a secret is called in the keyring."""
    return f"mcp/{server_id}/{name}"
