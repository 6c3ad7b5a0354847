"""`/api/v1/clarification-inbox` and what stands beside it: the pages of questions (K3.5, K4.5)."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from backend.api import DeskApi
from backend.clock import Clock
from backend.domain.listing import PAGE_DEFAULT, PAGE_MAX, PageQuery
from backend.domain.validation import check_characters
from backend.errors import ErrorCode, InvalidInput
from backend.http.bodies import ErrorOut, UnavailableOut
from backend.http.operations import Operation, Query
from backend.http.replies import json_reply
from backend.mcp.bundle_wire import (
    BundlePageOut,
    ClosedPageOut,
    InboxPageOut,
    bundle_to_wire,
    closed_page_to_wire,
    page_to_wire,
)
from backend.mcp.inbox_wire import ListToolIn, query_from_wire, write_cursor
from backend.mcp.wire import text_schema

_LONGEST_NUMBER: Final = 18
_QUERY: Final = (
    Query(
        "workspace_id",
        "Only of this workspace; empty is all.",
        {"type": "string", **text_schema(None)},
    ),
    Query(
        "created_since",
        "Only those asked at this time or later; empty is all.",
        {"anyOf": [{"type": "string", "format": "date-time"}, {"const": ""}]},
    ),
    Query(
        "limit",
        f"How many on a page; more than {PAGE_MAX} count as {PAGE_MAX}.",
        {"type": "integer", "minimum": 1, "default": PAGE_DEFAULT},
    ),
    Query(
        "cursor",
        "`next_cursor` of the page before; empty is the first page.",
        {"type": "string", "pattern": "^[A-Za-z0-9_-]*={0,2}$"},
    ),
)


class ListingRoutes:
    """Reads only. A store that cannot count or list makes the whole page fail."""

    def __init__(self, desk: DeskApi, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock

    def operations(self) -> list[Operation]:
        failures = {400: ErrorOut, 503: UnavailableOut}
        return [
            Operation(
                name="listOpen",
                method="GET",
                path="/api/v1/clarification-inbox",
                summary="The questions that can be answered now, oldest first",
                handler=self._open,
                replies={200: InboxPageOut, **failures},
                query=_QUERY,
            ),
            Operation(
                name="listClosed",
                method="GET",
                path="/api/v1/clarification-inbox/history",
                summary="The questions that can be answered no more, newest first",
                handler=self._closed,
                replies={200: ClosedPageOut, **failures},
                query=_QUERY,
            ),
            Operation(
                name="listUncollected",
                method="GET",
                path="/api/v1/clarification-uncollected",
                summary="The answers no agent has collected yet, oldest answer first",
                handler=self._uncollected,
                replies={200: BundlePageOut, 503: UnavailableOut},
            ),
        ]

    async def _open(self, request: Request) -> Response:
        page = await self._desk.list_page(_query(request))
        wanted = await self._desk.reviews.list_open_reviews()
        body: InboxPageOut = {
            **page_to_wire(page, write_cursor(page.after), self._clock.now()),
            "permissions_waiting": len(wanted),
        }
        return json_reply(body)

    async def _closed(self, request: Request) -> Response:
        page = await self._desk.list_closed_page(_query(request))
        return json_reply(closed_page_to_wire(page, write_cursor(page.after), self._clock.now()))

    async def _uncollected(self, _request: Request) -> Response:
        found = await self._desk.list_uncollected()
        places = await self._desk.list_origins({bundle.session_id for bundle in found})
        now = self._clock.now()
        body: BundlePageOut = {
            "bundles": [bundle_to_wire(item, now, places.get(item.session_id)) for item in found],
            "count": len(found),
            "total": len(found),
            "next_cursor": "",
        }
        return json_reply(body)


def _query(request: Request) -> PageQuery:
    """The page the query asks for.

    Raises:
        InvalidInput: names the parameter that makes no sense, or is given twice.
    """
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in given and name in ListToolIn.model_fields:
            raise InvalidInput(ErrorCode.INVALID, f"{name} is given twice", field=name)
        given[name] = value
    workspace = given.get("workspace_id", "")
    check_characters("workspace_id", workspace)
    return query_from_wire(
        ListToolIn(
            workspace_id=workspace,
            created_since=given.get("created_since"),
            cursor=given.get("cursor"),
            limit=_limit(given.get("limit")),
        )
    )


def _limit(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise InvalidInput(ErrorCode.INVALID, "limit must be a whole number", field="limit")
    return int(text) if len(text) <= _LONGEST_NUMBER else PAGE_MAX
