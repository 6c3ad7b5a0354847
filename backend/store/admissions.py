"""Messages that were admitted, by the identity their sender chose (K7.2, K8.3).

A row outlives what it admitted: its queue entry may be edited, sent or removed, and the same
message is still recognized.
"""

from dataclasses import dataclass

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.hosted import Admission, AdmissionOutcome, PromptOutcome
from backend.ids import AdmissionId, MessageId, PendingId, QueueEntryId, SessionId, TaskId
from backend.store.database import Row, Transaction

_COLUMNS = (
    "admission_id, task_id, session_id, pending_id, payload_digest, outcome, message_id,"
    " entry_id, dispatch"
)


@dataclass(frozen=True, slots=True)
class StoredAdmission:
    """One admitted message; `digest` is of what was sent first, whatever was edited since."""

    admission_id: AdmissionId
    session_id: SessionId
    task_id: TaskId
    digest: str
    outcome: AdmissionOutcome
    answers: PendingId | None = None
    message_id: MessageId | None = None
    entry_id: QueueEntryId | None = None
    dispatch: PromptOutcome | None = None
    """None until the prompt is settled."""

    def replayed(self) -> Admission:
        return Admission(
            self.admission_id, self.outcome, self.message_id, self.entry_id, replayed=True
        )


async def find(tx: Transaction, admission_id: AdmissionId) -> StoredAdmission | None:
    row = await tx.fetch_one(
        f"SELECT {_COLUMNS} FROM message_admissions WHERE admission_id = :admission",
        {"admission": admission_id},
    )
    return None if row is None else _to_admission(row)


async def insert(tx: Transaction, admission: StoredAdmission, now: Nanoseconds) -> bool:
    """False when the identity is taken: by another session's message of this very moment."""
    inserted = await tx.execute(
        "INSERT INTO message_admissions (admission_id, task_id, session_id, pending_id,"
        " payload_digest, outcome, message_id, entry_id, created_at, updated_at)"
        " VALUES (:admission, :task, :session, :pending_id, :digest, :outcome, :message, :entry,"
        " :now, :now) ON CONFLICT (admission_id) DO NOTHING",
        {
            "admission": admission.admission_id,
            "task": admission.task_id,
            "session": admission.session_id,
            "pending_id": admission.answers or "",
            "digest": admission.digest,
            "outcome": admission.outcome.value,
            "message": admission.message_id,
            "entry": admission.entry_id,
            "now": format_timestamp(now),
        },
    )
    return inserted == 1


async def mark_sent(
    tx: Transaction, admission_id: AdmissionId, message_id: MessageId, now: Nanoseconds
) -> None:
    """What was queued has become a row of the transcript."""
    await tx.execute(
        "UPDATE message_admissions SET message_id = :message, updated_at = :now"
        " WHERE admission_id = :admission",
        {"admission": admission_id, "message": message_id, "now": format_timestamp(now)},
    )


def _to_admission(row: Row) -> StoredAdmission:
    pending, message, entry = row["pending_id"], row["message_id"], row["entry_id"]
    return StoredAdmission(
        admission_id=AdmissionId(str(row["admission_id"])),
        session_id=SessionId(str(row["session_id"])),
        task_id=TaskId(str(row["task_id"])),
        digest=str(row["payload_digest"]),
        outcome=AdmissionOutcome(str(row["outcome"])),
        answers=PendingId(str(pending)) if pending else None,
        message_id=MessageId(str(message)) if message else None,
        entry_id=QueueEntryId(str(entry)) if entry else None,
        dispatch=PromptOutcome(str(row["dispatch"])) if row["dispatch"] else None,
    )
