"""What the doors need of the gateway: the tools of other servers, and calls of them."""

from collections.abc import Callable, Mapping
from typing import Protocol

from backend.domain.gateway import Server
from backend.review.callers import ToolCaller
from backend.review.gateway.calls import OpenedCall
from backend.review.gateway.results import Reply


class GatewayListing(Protocol):
    """What `backend.review.gateway.servers.Servers` offers."""

    def list(self) -> tuple[Server, ...]: ...

    def on_listing_changed(self, listener: Callable[[], None]) -> None: ...


class GatewayDoor(Protocol):
    """What `backend.review.gateway.calls.GatewayCalls` offers."""

    def knows(self, name: str) -> bool: ...

    async def open(
        self, caller: ToolCaller, name: str, arguments: Mapping[str, object]
    ) -> OpenedCall: ...

    async def redeem(self, caller: ToolCaller, ticket: str) -> OpenedCall: ...

    async def reply(self, opened: OpenedCall) -> Reply: ...


class GatewaySide(Protocol):
    """What `backend.review.gateway.gateway.Gateway` is to the doors."""

    @property
    def servers(self) -> GatewayListing: ...

    @property
    def calls(self) -> GatewayDoor: ...
