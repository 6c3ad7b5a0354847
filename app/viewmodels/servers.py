"""Servers whose tools agents reach through this desk, and what is said of each tool."""

from collections.abc import Mapping
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.timing import Background
from backend.domain.gateway import DownstreamTool, Server, ServerSettings
from backend.domain.policy import PolicyDecision
from backend.errors import AppError
from backend.events import Event, ServerChanged
from backend.ids import ServerId


class SavePhase(StrEnum):
    EDITING = "editing"
    SAVING = "saving"
    REFUSED = "refused"
    """`error` says why; what was put in stays."""


class ServersViewModel(QObject):
    """Reads from the first time it is shown. `changed` after anything changed, `saved` with the
    id of a server the human has added or changed.
    """

    changed = Signal()
    saved = Signal(object)

    def __init__(
        self, client: BackendClient, *, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._background = background
        self._servers: dict[ServerId, Server] = {}
        self._busy: dict[ServerId, int] = {}
        self.loading = False
        self.loaded = False
        self.phase = SavePhase.EDITING
        self.error: AppError | None = None
        client.event_received.connect(self._apply)

    @property
    def servers(self) -> tuple[Server, ...]:
        """By name."""
        return tuple(sorted(self._servers.values(), key=lambda each: each.settings.name))

    def server(self, server_id: ServerId) -> Server | None:
        return self._servers.get(server_id)

    def busy(self, server_id: ServerId) -> bool:
        """Something the human asked of it is under way."""
        return self._busy.get(server_id, 0) > 0

    def open(self) -> None:
        if not self.loading:
            self.loading = True
            self._background.start(self._load(), name="read servers")
            self.changed.emit()

    def begin_edit(self) -> None:
        self.phase, self.error = SavePhase.EDITING, None
        self.changed.emit()

    def save(self, settings: ServerSettings, secrets: Mapping[str, str]) -> None:
        """Nothing while an earlier attempt is on its way."""
        if self.phase is not SavePhase.SAVING:
            self.phase, self.error = SavePhase.SAVING, None
            self._background.start(self._save(settings, dict(secrets)), name="save server")
            self.changed.emit()

    def remove(self, server_id: ServerId) -> None:
        self._background.start(self._remove(server_id), name="remove server")

    def refresh(self, server_id: ServerId) -> None:
        self._background.start(self._refresh(server_id), name="read tools")

    def set_policy(self, server_id: ServerId, tool: DownstreamTool, policy: PolicyDecision) -> None:
        """Say what agents may do with the tool as its definition was shown."""
        work = self._set_policy(server_id, tool, policy)
        self._background.start(work, name="set tool policy")

    async def _load(self) -> None:
        try:
            found = await self._client.call(lambda api: api.gateway.list_servers())
            self._servers = {each.settings.server_id: each for each in found}
            self.loaded = True
        finally:
            self.loading = False
            self.changed.emit()

    async def _save(self, settings: ServerSettings, secrets: dict[str, str]) -> None:
        try:
            server = await self._client.call(lambda api: api.gateway.save_server(settings, secrets))
        except AppError as error:
            self.phase, self.error = SavePhase.REFUSED, error
            self.changed.emit()
            return
        self._servers[settings.server_id] = server
        self.phase = SavePhase.EDITING
        self.changed.emit()
        self.saved.emit(settings.server_id)

    async def _remove(self, server_id: ServerId) -> None:
        self._count(server_id, 1)
        try:
            await self._client.call(lambda api: api.gateway.remove_server(server_id))
            self._servers.pop(server_id, None)
        finally:
            self._count(server_id, -1)

    async def _refresh(self, server_id: ServerId) -> None:
        self._count(server_id, 1)
        try:
            self._servers[server_id] = await self._client.call(
                lambda api: api.gateway.refresh_server(server_id)
            )
        finally:
            self._count(server_id, -1)

    async def _set_policy(
        self, server_id: ServerId, tool: DownstreamTool, policy: PolicyDecision
    ) -> None:
        """What was refused is shown as it is, not as it was wanted."""
        try:
            self._servers[server_id] = await self._client.call(
                lambda api: api.gateway.set_tool_policy(
                    server_id, tool.name, policy, definition_digest=tool.definition_digest
                )
            )
        finally:
            self.changed.emit()

    def _count(self, server_id: ServerId, change: int) -> None:
        self._busy[server_id] = self._busy.get(server_id, 0) + change
        self.changed.emit()

    def _apply(self, happened: Event) -> None:
        if isinstance(happened, ServerChanged) and self.loaded:
            server = happened.server
            self._servers[server.settings.server_id] = server
            self.changed.emit()
