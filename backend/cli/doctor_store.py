"""Checks of the store, on a file or on a server."""

import asyncio
from collections.abc import Iterator
from typing import Final

from backend.cli.finding import Finding, ok, problem, warning
from backend.clock import Clock, Deadline, Nanoseconds
from backend.errors import AppError, ErrorCode
from backend.store.inspection import FileReport, Leftovers, inspect_file, read_leftovers
from backend.store.metadata_check import REPAIR, unreadable_rows
from backend.store.owned import missing_driver, open_for_reading
from backend.store.store_location import DatabaseServer, EmbeddedFile, StoreLocation

_SECONDS: Final = 30.0
_START: Final = "start Kandesk"
_PUT_BACK: Final = "move it and what has its name and -wal or -shm away, and put a backup there"
_ADVICE: Final = {
    ErrorCode.STORE_CORRUPT: _PUT_BACK,
    ErrorCode.STORE_TOO_NEW: "update Kandesk",
    ErrorCode.STORE_FOREIGN: "name another folder with --home",
    ErrorCode.STORE_READ_ONLY: "make it writable",
    ErrorCode.STORE_BUSY: "end the program that keeps it locked",
    ErrorCode.STORE_UNREACHABLE: "see to the server; a desk that runs goes on by itself",
}


def check_store(
    location: StoreLocation, clock: Clock, *, since: Nanoseconds | None, full: bool
) -> Iterator[Finding]:
    """`since` is when the running desk started, None when none runs."""
    if isinstance(location, DatabaseServer):
        yield from _check_server(location, since, full=full)
        return
    if not location.is_made:
        yield ok("store", f"{location.path} does not exist yet; the first start makes it")
        return
    try:
        report = inspect_file(location.path, full=full)
    except AppError as error:
        yield _refused(error)
        return
    yield from _tell_file(report, location.text, full=full)
    complete = not (report.lacking or report.mismatch or report.unreadable or report.damages)
    if complete:
        yield from _check_rows(location, clock, since)


def _tell_file(report: FileReport, where: str, *, full: bool) -> Iterator[Finding]:
    yield ok("store", f"{where}, {report.size / 2**20:,.1f} MiB")
    if report.mismatch is not None:
        yield problem("indexes", report.mismatch.detail, "the start refuses this store until then")
    elif report.lacking:
        steps = ", ".join(report.lacking)
        yield warning("indexes", f"the store is not up to date: {steps}", f"{_START} to do it")
    else:
        yield ok("indexes", "all there, as Kandesk needs them")
    check = "every page and reference was read" if full else "quick check; --full reads everything"
    if report.damages:
        yield problem("integrity", report.damages[0], _PUT_BACK)
    elif report.orphans:
        yield problem(
            "integrity",
            f"{report.orphans} rows refer to rows that are gone",
            f"{_PUT_BACK}, or report it",
        )
    else:
        yield ok("integrity", check)
    if report.unreadable:
        yield problem("metadata", unreadable_rows(list(report.unreadable)).detail, "")
    else:
        moved = f"; {report.quarantined} rows were quarantined earlier" * bool(report.quarantined)
        yield ok("metadata", f"all of it is JSON{moved}")


def _check_server(
    server: DatabaseServer, since: Nanoseconds | None, *, full: bool
) -> Iterator[Finding]:
    # Imported here: the driver is an extra.
    try:
        from backend.cli.doctor_server import check_server
    except ImportError:
        yield _refused(missing_driver(server))
        return
    try:
        report = yield from check_server(server, full=full)
    except AppError as error:
        yield _refused(error)
        return
    if report is not None and report.leftovers is not None:
        yield from _tell_leftovers(report.leftovers, since)


def _check_rows(
    location: EmbeddedFile, clock: Clock, since: Nanoseconds | None
) -> Iterator[Finding]:
    try:
        found = asyncio.run(asyncio.wait_for(_read(location, clock), _SECONDS))
    except AppError as error:
        yield _refused(error)
        return
    except TimeoutError:
        yield problem("store", f"{location.text} does not answer", "see whether its disk works")
        return
    yield from _tell_leftovers(found, since)


async def _read(location: EmbeddedFile, clock: Clock) -> Leftovers:
    database = await open_for_reading(location, clock)
    try:
        async with database.reading(Deadline(clock, _SECONDS)) as tx:
            return await read_leftovers(tx)
    finally:
        await database.close()


def _tell_leftovers(found: Leftovers, since: Nanoseconds | None) -> Iterator[Finding]:
    for name, items in (("answers", found.intents), ("turns", found.reservations)):
        old = [item for item in items if since is None or item.since < since]
        if not old:
            continue
        what = "claimed, with a delivery that is" if name == "answers" else "reserved, and are"
        text = f"{len(old)} are {what} not settled since before the last start: {old[0].name}"
        advice = f"{_START}: it settles them" if since is None else "end Kandesk and start it again"
        yield warning(name, text, advice)
    if found.waiting:
        many = found.waiting != 1
        waits = "answers wait for their agents" if many else "answer waits for its agent"
        yield ok("waiting", f"{found.waiting} {waits} to come back")
    elif not found.intents and not found.reservations:
        yield ok("waiting", "no answer waits for its agent")


def _refused(error: AppError) -> Finding:
    if error.code is ErrorCode.STORE_INVALID_ROW:
        return problem("store", error.detail, REPAIR)
    return problem("store", error.detail, _ADVICE.get(error.code, "see the log of the desk"))
