"""The open questions as a command reaches them: over HTTP, or from the store when no desk runs."""

import http
from typing import Protocol
from urllib.parse import quote

from backend.cli.desk_client import DeskUnreachable, Json, Reply, RunningDesk, find_desk
from backend.paths import Home

CLIENT_SECONDS = 40.0
"""clarification.md, Budgets: how long a client waits for the outcome."""

_INBOX = "/api/v1/clarification-inbox?limit=200"

UNKNOWN = (
    "the outcome is not known: the desk did not answer in time. "
    "Running the same command again is safe; it never answers twice."
)


class InboxRefused(Exception):
    """What was asked did not happen, in one line for the human."""


class InboxDoor(Protocol):
    """Bundles in the shape of K3.5. Every method raises `InboxRefused`."""

    def list_open(self) -> list[Json]: ...

    def count_permissions(self) -> int:
        """How many requests for permission wait; they end with the desk whose agents ask."""
        ...

    def find(self, pending_id: str) -> Json | None:
        """A bundle by its whole id, open or not."""
        ...

    def respond(self, pending_id: str, body: Json) -> Json: ...


def open_door(home: Home) -> InboxDoor:
    """The desk that runs, else the store itself."""
    desk = find_desk(home)
    if desk is not None:
        return DeskInbox(desk)
    kept = home.database
    if not (kept.exists() or kept.is_symlink() or home.desk_toml.exists()):
        return EmptyInbox()
    from backend.cli.inbox_store import StoreInbox

    return StoreInbox(home)


class EmptyInbox:
    """No desk has ever kept anything here."""

    def list_open(self) -> list[Json]:
        return []

    def count_permissions(self) -> int:
        return 0

    def find(self, pending_id: str) -> Json | None:  # noqa: ARG002
        return None

    def respond(self, pending_id: str, body: Json) -> Json:  # noqa: ARG002
        raise InboxRefused(f"no such question: {pending_id}")


class DeskInbox:
    """The Inbox of a running desk."""

    def __init__(self, desk: RunningDesk) -> None:
        self._desk = desk

    def list_open(self) -> list[Json]:
        bundles: list[Json] = []
        cursor = ""
        while True:
            body = self._get(f"{_INBOX}&cursor={quote(cursor, safe='')}").body
            found = body.get("bundles")
            if not isinstance(found, list):
                raise InboxRefused("the desk sent no list of questions")
            bundles += [bundle for bundle in found if isinstance(bundle, dict)]
            cursor = str(body.get("next_cursor") or "")
            if not cursor:
                return bundles

    def count_permissions(self) -> int:
        told = self._get("/api/v1/clarification-inbox?limit=1").body.get("permissions_waiting")
        return told if isinstance(told, int) else 0

    def find(self, pending_id: str) -> Json | None:
        reply = self._get(_path(pending_id), missing=True)
        return None if reply.status == http.HTTPStatus.NOT_FOUND else reply.body

    def respond(self, pending_id: str, body: Json) -> Json:
        path = f"{_path(pending_id)}/respond"
        try:
            reply = self._desk.request("POST", path, body, seconds=CLIENT_SECONDS)
        except DeskUnreachable as error:
            raise InboxRefused(UNKNOWN if error.sent else "the desk has just stopped") from error
        if reply.status == http.HTTPStatus.OK:
            return reply.body
        raise InboxRefused(_told(reply))

    def _get(self, path: str, *, missing: bool = False) -> Reply:
        try:
            reply = self._desk.request("GET", path, seconds=CLIENT_SECONDS)
        except DeskUnreachable as error:
            raise InboxRefused(f"the desk did not answer: {error}") from error
        if reply.status == http.HTTPStatus.OK:
            return reply
        if missing and reply.status == http.HTTPStatus.NOT_FOUND:
            return reply
        raise InboxRefused(_told(reply))


def _path(pending_id: str) -> str:
    return f"/api/v1/clarification/{quote(pending_id, safe='')}"


def _told(reply: Reply) -> str:
    error = reply.body.get("error")
    text = error if isinstance(error, str) else f"the desk answered {reply.status}"
    if reply.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        return (
            f"{text}. Running the same command again is safe; `kandesk doctor` says what is wrong."
        )
    return text
