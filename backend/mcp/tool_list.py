"""What an endpoint lists: the desk's own tools, and those of other servers as they are now."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mcp.server.subscriptions import ListenHandler
from mcp.shared.subscriptions import ServerEvent, ToolsListChanged
from mcp_types import ListToolsResult, Tool
from pydantic import ValidationError

from backend.mcp import gateway_texts
from backend.mcp.gateway_door import GatewayListing
from backend.mcp.tools import ToolSpec

_MOST_SESSIONS: Final = 1_000


class _News:
    """The SDK's seam for news, told at once: nothing waits for whoever listens."""

    def __init__(self) -> None:
        self._listeners: dict[object, Callable[[ServerEvent], None]] = {}

    async def publish(self, event: ServerEvent) -> None:
        self.tell(event)

    def tell(self, event: ServerEvent) -> None:
        for listener in tuple(self._listeners.values()):
            listener(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        token = object()
        self._listeners[token] = listener

        def unsubscribe() -> None:
            self._listeners.pop(token, None)

        return unsubscribe


class ToolList:
    """`version` rises with every change; a session that has seen an older one is told."""

    def __init__(self, specs: Sequence[ToolSpec], gateway: GatewayListing | None = None) -> None:
        self._own = [Tool.model_validate(spec.to_wire()) for spec in specs]
        self._gateway = gateway
        self._listed: ListToolsResult | None = None
        self._seen: OrderedDict[str, int] = OrderedDict()
        self._news = _News()
        self.listen = ListenHandler(self._news)
        self.version = 1
        if gateway is not None:
            gateway.on_listing_changed(self._changed)

    @property
    def changes(self) -> bool:
        """Whether it can ever be another one."""
        return self._gateway is not None

    def result(self, session_id: str) -> ListToolsResult:
        """The tools; the session, where there is one, has seen them now."""
        if session_id:
            self._seen[session_id] = self.version
            self._seen.move_to_end(session_id)
            if len(self._seen) > _MOST_SESSIONS:
                self._seen.popitem(last=False)
        if self._listed is None:
            self._listed = ListToolsResult(tools=[*self._own, *self._others()])
        return self._listed

    def schema(self, name: str) -> Mapping[str, object] | None:
        """The input schema of a tool that is listed."""
        found = next((tool for tool in self.result("").tools if tool.name == name), None)
        return None if found is None else found.input_schema

    def is_news_to(self, session_id: str) -> bool:
        """Whether the session has seen other tools; it is told once."""
        seen = self._seen.get(session_id)
        if seen is None or seen == self.version:
            return False
        self._seen[session_id] = self.version
        return True

    def _changed(self) -> None:
        self.version += 1
        self._listed = None
        self._news.tell(ToolsListChanged())

    def _others(self) -> list[Tool]:
        if self._gateway is None:
            return []
        found: list[Tool] = []
        for wire in gateway_texts.listing(self._gateway.list()):
            try:
                found.append(Tool.model_validate(wire))
            except ValidationError:
                # A schema no agent could be told of.
                continue
        return found
