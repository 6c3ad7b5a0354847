"""What a human's message must be before the store sees it (K7.2)."""

from backend.domain.hosted import MAX_ADMISSION_ID, MAX_MESSAGE_BYTES, OutgoingMessage
from backend.domain.validation import check_characters, check_text
from backend.errors import ErrorCode, InvalidInput


def check_message(message: OutgoingMessage) -> None:
    """Its session, its question and its state are the store's to judge.

    Raises:
        InvalidInput: names the field and the limit.
    """
    check_admission_id(message.admission_id)
    check_message_text(message.text)


def check_admission_id(admission_id: str) -> None:
    """Raises `InvalidInput` for one that is empty, too long or cannot be stored."""
    if not admission_id.strip():
        raise InvalidInput(
            ErrorCode.INVALID,
            "admission_id must not be empty",
            field="admission_id",
            limit=MAX_ADMISSION_ID,
        )
    check_text("admission_id", admission_id, MAX_ADMISSION_ID)


def check_message_text(text: str) -> None:
    """Raises `InvalidInput` for a text that says nothing, is too long or cannot be stored."""
    if not text.strip():
        raise InvalidInput(ErrorCode.INVALID, "text must not be empty", field="text")
    check_characters("text", text)
    size = len(text.encode())
    if size > MAX_MESSAGE_BYTES:
        raise InvalidInput(
            ErrorCode.TOO_LONG,
            f"text has {size} bytes; the limit is {MAX_MESSAGE_BYTES}",
            field="text",
            limit=MAX_MESSAGE_BYTES,
        )
