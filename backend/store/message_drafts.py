"""Messages that are still being typed, one per session."""

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.hosted import MessageDraft
from backend.ids import AdmissionId, SessionId
from backend.store.database import Transaction


async def save(tx: Transaction, draft: MessageDraft, now: Nanoseconds) -> None:
    """Keep `draft`; a blank one leaves nothing behind, and so does one of no session."""
    if draft.blank:
        await tx.execute(
            "DELETE FROM message_drafts WHERE session_id = :session_id",
            {"session_id": draft.session_id},
        )
        return
    await tx.execute(
        "INSERT INTO message_drafts (session_id, text, admission_id, attempted, updated_at)"
        " SELECT id, :text, :admission_id, :attempted, :now FROM task_sessions"
        " WHERE id = :session_id"
        " ON CONFLICT (session_id) DO UPDATE SET text = excluded.text,"
        " admission_id = excluded.admission_id, attempted = excluded.attempted,"
        " updated_at = excluded.updated_at",
        {
            "session_id": draft.session_id,
            "text": draft.text,
            "admission_id": draft.admission_id or "",
            "attempted": draft.attempted,
            "now": format_timestamp(now),
        },
    )


async def load(tx: Transaction, session_id: SessionId) -> MessageDraft | None:
    row = await tx.fetch_one(
        "SELECT text, admission_id, attempted FROM message_drafts WHERE session_id = :session_id",
        {"session_id": session_id},
    )
    if row is None:
        return None
    identity = str(row["admission_id"])
    return MessageDraft(
        session_id=session_id,
        text=str(row["text"]),
        admission_id=AdmissionId(identity) if identity else None,
        attempted=str(row["attempted"]),
    )
