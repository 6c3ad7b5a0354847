"""Messages that wait for a session's agent: entries with dense positions from 0 (K2.6, K7.3).

Every change must hold the session (`locks`). Entries of another program may have gaps in their
positions until the first change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.hosted import QueuedPrompt
from backend.ids import AdmissionId, QueueEntryId, SessionId, TaskId
from backend.store.database import Row, Statement, Transaction
from backend.store.metadata import as_time

_BY_HUMAN: Final = "user"
_ORDER: Final = "position, queued_at, id"


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One waiting message, `prompt` as the window shows it."""

    prompt: QueuedPrompt
    admission_id: AdmissionId | None
    """None for an entry of another program."""
    send_now: bool = False
    """A human wants it sent next, whether the queue runs by itself or not."""


async def list_entries(tx: Transaction, session_id: SessionId) -> tuple[QueueEntry, ...]:
    """In the order they are sent, numbered from 0."""
    rows = await tx.fetch_all(
        "SELECT id, content, queued_at, admission_id, revision, send_now FROM queued_messages"
        f" WHERE session_id = :session ORDER BY {_ORDER}",
        {"session": session_id},
    )
    return tuple(_to_entry(position, row) for position, row in enumerate(rows))


async def append(
    tx: Transaction,
    session_id: SessionId,
    task_id: TaskId,
    entry: QueueEntry,
) -> None:
    """Put a human's message at the end, whatever position it names."""
    prompt = entry.prompt
    await tx.execute(
        "INSERT INTO queued_messages (id, session_id, task_id, position, content, queued_at,"
        " queued_by, admission_id, revision) VALUES (:id, :session, :task,"
        " (SELECT COALESCE(MAX(q.position), -1) + 1 FROM queued_messages q"
        f" WHERE q.session_id = :session), :text, :now, '{_BY_HUMAN}', :admission, :revision)",
        {
            "id": prompt.entry_id,
            "session": session_id,
            "task": task_id,
            "text": prompt.text,
            "now": format_timestamp(prompt.queued_at),
            "admission": entry.admission_id or "",
            "revision": prompt.revision,
        },
    )


async def set_text(tx: Transaction, prompt: QueuedPrompt, text: str) -> bool:
    """Write a new text over the revision that was seen; False when it is not the last any more."""
    changed = await tx.execute(
        "UPDATE queued_messages SET content = :text, revision = revision + 1"
        " WHERE id = :id AND revision = :revision",
        {"id": prompt.entry_id, "text": text, "revision": prompt.revision},
    )
    return changed == 1


async def mark_send_now(tx: Transaction, entry_id: QueueEntryId) -> None:
    await tx.execute("UPDATE queued_messages SET send_now = 1 WHERE id = :id", {"id": entry_id})


async def remove(tx: Transaction, session_id: SessionId, entry_id: QueueEntryId) -> None:
    """Delete an entry and close the gap."""
    await tx.execute("DELETE FROM queued_messages WHERE id = :id", {"id": entry_id})
    await arrange(tx, await list_entries(tx, session_id))


async def arrange(tx: Transaction, entries: Sequence[QueueEntry]) -> tuple[QueueEntry, ...]:
    """Number all entries of one session in the order given."""
    await tx.execute_each(
        [
            Statement(
                "UPDATE queued_messages SET position = :position"
                " WHERE id = :id AND position <> :position",
                {"id": entry.prompt.entry_id, "position": position},
            )
            for position, entry in enumerate(entries)
        ]
    )
    return tuple(
        replace(entry, prompt=replace(entry.prompt, position=position))
        for position, entry in enumerate(entries)
    )


async def set_auto_run(tx: Transaction, session_id: SessionId, *, auto_run: bool) -> None:
    """Whether the queue runs by itself; it does until somebody stops it (`input_facts`)."""
    await tx.execute(
        "INSERT INTO queue_session_state (session_id, auto_run) VALUES (:session, :auto_run)"
        " ON CONFLICT (session_id) DO UPDATE SET auto_run = excluded.auto_run",
        {"session": session_id, "auto_run": int(auto_run)},
    )


def make_entry(
    entry_id: QueueEntryId, text: str, admission_id: AdmissionId, now: Nanoseconds
) -> QueueEntry:
    """An entry that is not in the store yet; `append` gives it its place."""
    return QueueEntry(QueuedPrompt(entry_id, text, 0, now), admission_id)


def _to_entry(position: int, row: Row) -> QueueEntry:
    admission = row["admission_id"]
    return QueueEntry(
        QueuedPrompt(
            entry_id=QueueEntryId(str(row["id"])),
            text=str(row["content"]),
            position=position,
            queued_at=as_time(row["queued_at"]),
            revision=int(row["revision"] or 0),
        ),
        admission_id=AdmissionId(str(admission)) if admission else None,
        send_now=bool(row["send_now"]),
    )
