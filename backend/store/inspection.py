"""What can be told of a store without changing it: for `kandesk doctor`. Blocking."""

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from backend.clock import Nanoseconds
from backend.errors import StorageFailed
from backend.store.converge import pending_steps
from backend.store.database import Transaction
from backend.store.dialect import json_flag
from backend.store.metadata import as_time
from backend.store.metadata_check import BadRow, find_unreadable, tables_with_metadata
from backend.store.opening import existing_store
from backend.store.quarantine import quarantined_rows
from backend.store.reservations import PENDING
from backend.store.step_progress import StepProgress


@dataclass(frozen=True, slots=True)
class FileReport:
    """The state of a store in a file."""

    size: int
    lacking: tuple[str, ...]
    """What a start still has to do, in words."""
    mismatch: StorageFailed | None
    """An index of our name with another definition."""
    damages: tuple[str, ...]
    orphans: int
    """Rows that refer to rows that are gone; counted in a full inspection only."""
    unreadable: tuple[BadRow, ...]
    quarantined: int


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Something a start should have settled, and when it was last touched."""

    name: str
    since: Nanoseconds


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Claimed answers and reserved turns nobody has settled; answers nobody has collected."""

    intents: tuple[Unsettled, ...]
    reservations: tuple[Unsettled, ...]
    waiting: int


def inspect_file(path: Path, *, full: bool) -> FileReport:
    """Read the store, beside its owner if it has one. `full` reads every page and reference.

    Raises:
        StorageFailed: there is none, or it cannot be opened.
        TemporarilyUnavailable: it is locked.
    """
    with existing_store(path, read_only=True) as connection:
        lacking: tuple[str, ...] = ()
        mismatch = None
        try:
            lacking = tuple(
                f"{step.kind} {step.subject}".strip() for step in pending_steps(connection)
            )
        except StorageFailed as error:
            mismatch = error
        quiet = StepProgress(lambda _: None, threading.Event())
        tables = tables_with_metadata(connection)
        return FileReport(
            size=path.stat().st_size,
            lacking=lacking,
            mismatch=mismatch,
            damages=_damages(connection, full=full),
            orphans=_orphans(connection) if full else 0,
            unreadable=tuple(find_unreadable(connection, tables, quiet)),
            quarantined=quarantined_rows(connection),
        )


async def read_leftovers(tx: Transaction) -> Leftovers:
    """On either dialect; the store must be complete."""
    intent = json_flag(tx.dialect, "metadata", "response_delivery_pending")
    reserved = json_flag(tx.dialect, "metadata", PENDING)
    intents = await tx.fetch_all(
        f"SELECT id, updated_at FROM task_session_messages WHERE {intent}"
        " AND type = 'clarification_request'"
    )
    turns = await tx.fetch_all(f"SELECT id, updated_at FROM task_session_turns WHERE {reserved}")
    waiting = await tx.fetch_one(
        "SELECT COUNT(*) AS total FROM interaction_deliveries"
        " WHERE state = 'waiting_for_agent' AND kind = 'question'"
    )
    return Leftovers(
        intents=tuple(Unsettled(str(row["id"]), as_time(row["updated_at"])) for row in intents),
        reservations=tuple(Unsettled(str(row["id"]), as_time(row["updated_at"])) for row in turns),
        waiting=0 if waiting is None else int(waiting["total"] or 0),
    )


def _damages(connection: sqlite3.Connection, *, full: bool) -> tuple[str, ...]:
    check = "integrity_check" if full else "quick_check"
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}(10)")]
    except sqlite3.DatabaseError as error:
        # An index over metadata nobody can read stops the check itself.
        return (str(error),)
    return () if found == ["ok"] else tuple(found)


def _orphans(connection: sqlite3.Connection) -> int:
    return sum(1 for _ in connection.execute("PRAGMA foreign_key_check"))
