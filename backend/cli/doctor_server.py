"""Checks of a store on a PostgreSQL server. Needs the driver."""

import asyncio
from collections.abc import Generator, Iterator
from typing import Final

from backend.cli.finding import Finding, ok, problem, warning
from backend.store.metadata_check import unreadable_rows
from backend.store.owner_lock import LockHolder
from backend.store.postgres_inspection import ServerReport, inspect_server
from backend.store.schema import MAJOR
from backend.store.store_location import DatabaseServer

_SECONDS: Final = 30.0
_FULL_SECONDS: Final = 600.0


def check_server(
    server: DatabaseServer, *, full: bool
) -> Generator[Finding, None, ServerReport | None]:
    """Yields what was found and returns it; None when the server does not answer.

    Raises:
        StorageFailed, TemporarilyUnavailable: the store cannot be read.
    """
    seconds = _FULL_SECONDS if full else _SECONDS
    try:
        report = asyncio.run(asyncio.wait_for(inspect_server(server, full=full), seconds))
    except TimeoutError:
        text = f"{server.text} does not answer within {seconds:.0f} seconds"
        yield problem("store", text, "see whether its server works")
        return None
    yield _tell_holder(report.holder)
    if report.is_empty:
        yield ok("store", f"{server.text} answers and is empty; the first start makes the store")
        return report
    yield ok("store", f"{server.text} answers, format {MAJOR}")
    yield _tell_schema(report)
    yield from _tell_metadata(report)
    return report


def _tell_holder(holder: LockHolder | None) -> Finding:
    if holder is None:
        return ok("owner", "no desk owns the store")
    if not holder.pid:
        return ok("owner", "a program that does not say its name owns the store")
    where = f"{holder.host or 'an unknown machine'} since {holder.since}"
    return ok("owner", f"process {holder.pid} ({holder.kind}) on {where} owns the store")


def _tell_schema(report: ServerReport) -> Finding:
    if report.mismatch is not None:
        return problem("indexes", report.mismatch.detail, "the start refuses this store until then")
    if report.lacking:
        text = f"the store is not up to date: {', '.join(report.lacking)}"
        steps = "back it up, then run: kandesk serve --migrate"
        return warning("indexes", text, steps if report.needs_consent else "start Kandesk to do it")
    return ok("indexes", "all there, as Kandesk needs them")


def _tell_metadata(report: ServerReport) -> Iterator[Finding]:
    if report.unreadable:
        yield problem("metadata", unreadable_rows(list(report.unreadable)).detail, "")
        return
    moved = f"; {report.quarantined} rows were quarantined earlier" * bool(report.quarantined)
    yield ok("metadata", f"all of it is JSON{moved}")
