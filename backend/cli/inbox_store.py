"""The Inbox without a running desk: read-only for a look, with the owner lock for an answer."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from backend.cli.desk_client import Json
from backend.cli.inbox_door import CLIENT_SECONDS, UNKNOWN, InboxRefused
from backend.clock import SystemClock
from backend.desk_file import read_desk_file
from backend.domain.clarification import Bundle
from backend.domain.listing import PAGE_MAX, Origin, PageQuery
from backend.errors import AppError, ErrorCode
from backend.ids import ClaimId, ClientId, PendingId
from backend.mcp.bundle_wire import bundle_to_wire, response_to_wire
from backend.paths import Home
from backend.store import bundles, listing
from backend.store.database import Database
from backend.store.owned import open_for_reading
from backend.store.store_location import EmbeddedFile, store_location

T = TypeVar("T")


class StoreInbox:
    """Opens the store anew for each step and leaves no process behind."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._clock = SystemClock()

    def list_open(self) -> list[Json]:
        return _run(self._list_open())

    def count_permissions(self) -> int:
        """No desk runs, and with it ended the agents that asked."""
        return 0

    def find(self, pending_id: str) -> Json | None:
        return _run(self._find(PendingId(pending_id)))

    def respond(self, pending_id: str, body: Json) -> Json:
        return _run(self._respond(PendingId(pending_id), body))

    async def _list_open(self) -> list[Json]:
        database = await self._open()
        if database is None:
            return []
        found: list[Json] = []
        try:
            async with database.reading() as tx:
                page = await listing.list_open(tx, PageQuery(limit=PAGE_MAX))
                found += [self._to_wire(item.bundle, item.origin) for item in page.bundles]
                while page.after is not None:
                    query = PageQuery(limit=PAGE_MAX, after=page.after)
                    page = await listing.list_open(tx, query)
                    found += [self._to_wire(item.bundle, item.origin) for item in page.bundles]
        finally:
            await database.close()
        return found

    async def _find(self, pending_id: PendingId) -> Json | None:
        database = await self._open()
        if database is None:
            return None
        try:
            async with database.reading() as tx:
                found = await bundles.load_bundle(tx, pending_id)
                places = await listing.origins(tx, [found.session_id] if found else [])
        finally:
            await database.close()
        return None if found is None else self._to_wire(found, places.get(found.session_id))

    async def _open(self) -> Database | None:
        """The store for a look; None when nothing was ever kept in it."""
        location = store_location(self._home, read_desk_file(self._home).database)
        if isinstance(location, EmbeddedFile) and not location.is_made:
            return None
        return await open_for_reading(location, self._clock)

    async def _respond(self, pending_id: PendingId, body: Json) -> Json:
        from backend.mcp.inbox_wire import ResponseIn, outcome_from_wire
        from backend.mcp.wire import parse
        from backend.runtime import offline_desk

        asked = parse(ResponseIn, body)
        async with offline_desk(self._home, self._clock) as desk:
            outcome = await desk.respond(
                pending_id,
                outcome_from_wire(asked),
                client_id=ClientId(asked.client_id or ""),
                claim_token=ClaimId(asked.claim_id or ""),
            )
        return {"success": True, **response_to_wire(outcome)}

    def _to_wire(self, bundle: Bundle, origin: Origin | None) -> Json:
        return {**bundle_to_wire(bundle, self._clock.now(), origin)}


def _run(work: Coroutine[object, object, T]) -> T:
    try:
        return asyncio.run(asyncio.wait_for(work, CLIENT_SECONDS))
    except TimeoutError as error:
        raise InboxRefused(UNKNOWN) from error
    except AppError as error:
        raise InboxRefused(_told(error)) from error


def _told(error: AppError) -> str:
    if error.code is ErrorCode.STORE_OWNED and error.params.get("kind") == "command":
        return f"another command is at work, run this one again: {error.detail}"
    if error.code is ErrorCode.STORE_OWNED:
        return f"a desk runs but does not answer: {error.detail}"
    return error.detail
