"""What the human does with servers: add, change, remove, read again, say what agents may do."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from backend.clock import Deadline
from backend.domain.gateway import Server, ServerSettings
from backend.domain.gateway_tools import ToolPolicy, check_server
from backend.domain.policy import PolicyDecision, Risk
from backend.domain.validation import check_characters
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound
from backend.ids import ServerId
from backend.keyring_secrets import SecretStore
from backend.review.gateway.servers import Servers, account
from backend.review.parts import ReviewParts
from backend.store import gateway_rows

STORE_BUDGET: Final = 5.0
MAX_SECRET: Final = 16_384

_log = logging.getLogger(__name__)


class Registering:
    """Implements `backend.review_api.GatewayApi`."""

    def __init__(
        self,
        parts: ReviewParts,
        servers: Servers,
        secrets: SecretStore,
        cancel_requests: Callable[[ServerId], Awaitable[None]],
    ) -> None:
        self._parts = parts
        self._servers = servers
        self._secrets = secrets
        self._cancel_requests = cancel_requests

    async def list_servers(self) -> tuple[Server, ...]:
        return self._servers.list()

    async def save_server(self, settings: ServerSettings, secrets: Mapping[str, str]) -> Server:
        check_server(settings)
        _check_secrets(settings, secrets)
        return await self._parts.supervisor.run_to_end(
            self._save(settings, dict(secrets)), name="save MCP server"
        )

    async def remove_server(self, server_id: ServerId) -> None:
        await self._parts.supervisor.run_to_end(self._remove(server_id), name="remove MCP server")

    async def refresh_server(self, server_id: ServerId) -> Server:
        self._servers.get(server_id)
        return await self._servers.read_again(server_id)

    async def set_tool_policy(
        self, server_id: ServerId, tool: str, policy: PolicyDecision, *, definition_digest: str
    ) -> Server:
        found = next(
            (each for each in self._servers.get(server_id).tools if each.name == tool), None
        )
        if found is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such tool")
        if found.risk is Risk.DESTRUCTIVE and policy is PolicyDecision.ALLOW:
            detail = "a destructive tool is asked about every time, or denied"
            raise InvalidInput(ErrorCode.INVALID, detail, field="policy")
        said = ToolPolicy(policy, definition_digest)
        async with self._parts.database.writing(self._deadline()) as tx:
            kept = await gateway_rows.put_policy(tx, server_id, tool, said, self._parts.clock.now())
        if not kept:
            raise Conflict(ErrorCode.NOT_ACTIVE, "the tool is defined otherwise by now")
        return await self._servers.reload(server_id)

    async def _save(self, settings: ServerSettings, secrets: Mapping[str, str]) -> Server:
        before = {each.settings.server_id: each.settings for each in self._servers.list()}
        taken = [each for each in before.values() if each.name == settings.name]
        if any(each.server_id != settings.server_id for each in taken):
            raise Conflict(ErrorCode.NOT_ACTIVE, f"another server is called {settings.name}")
        # First: a server whose secrets cannot be kept would never run.
        for name, value in secrets.items():
            await self._secrets.put(account(settings.server_id, name), value)
        async with self._parts.database.writing(self._deadline()) as tx:
            await gateway_rows.put_server(tx, settings, self._parts.clock.now())
        known = before.get(settings.server_id)
        await self._drop_secrets(known, keep=settings.secrets)
        await self._servers.save(settings)
        return await self._servers.read_again(settings.server_id)

    async def _remove(self, server_id: ServerId) -> None:
        settings = self._servers.get(server_id).settings
        async with self._parts.database.writing(self._deadline()) as tx:
            await gateway_rows.remove_server(tx, server_id)
        await self._servers.forget(server_id)
        await self._cancel_requests(server_id)
        await self._drop_secrets(settings, keep=())

    async def _drop_secrets(
        self, settings: ServerSettings | None, *, keep: tuple[str, ...]
    ) -> None:
        if settings is None:
            return
        for name in settings.secrets:
            if name not in keep:
                await self._secrets.drop(account(settings.server_id, name))

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, STORE_BUDGET)


def _check_secrets(settings: ServerSettings, secrets: Mapping[str, str]) -> None:
    for name, value in secrets.items():
        if name not in settings.secrets:
            detail = f"{name[:80]!r} is not one of secrets"
            raise InvalidInput(ErrorCode.INVALID, detail, field="secrets")
        # The value itself is never named.
        check_characters("secrets", value)
        if len(value) > MAX_SECRET or ("\n" in value.strip("\n") and settings.url):
            detail = f"a secret is one line of at most {MAX_SECRET} characters"
            raise InvalidInput(ErrorCode.TOO_LONG, detail, field="secrets", limit=MAX_SECRET)
