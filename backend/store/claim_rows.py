"""The metadata of a row before and after a claim."""

from dataclasses import dataclass

from backend.clock import Nanoseconds
from backend.domain.clarification import Answer, Answered, BundleStatus, Outcome, Skipped
from backend.errors import ErrorCode, StorageFailed
from backend.ids import ClaimId, ClientId, PendingId, QuestionId
from backend.store.database import Row
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    answer_to_json,
    as_dict,
    decode,
    question_id,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt to answer a bundle; `outcome` is normalized, `claim_id` the caller's token."""

    pending_id: PendingId
    outcome: Outcome
    claim_id: ClaimId
    client_id: ClientId
    payload_digest: str
    now: Nanoseconds


def claimed_metadata(claim: Claim, row: Row) -> JsonDict:
    """The row after the claim; an answer is stored under the question's id, flat or nested."""
    metadata = decode(row["metadata"])
    asked = question_id(metadata)
    if not asked:
        raise invalid_row(str(row["id"]), "a row of the question has no question id")
    own = {
        **as_dict(metadata.get(OWN_KEY)),
        "claim_id": claim.claim_id,
        "payload_digest": claim.payload_digest,
    }
    metadata |= {"response_delivery_pending": True, OWN_KEY: own}
    if isinstance(claim.outcome, Skipped):
        return metadata | {"status": BundleStatus.REJECTED.value}
    answer = _answer_for(claim.outcome, asked)
    if answer is None:
        raise invalid_row(str(row["id"]), "the outcome has no answer for this question")
    return metadata | {
        "status": BundleStatus.ANSWERED.value,
        "response": answer_to_json(answer),
    }


def _answer_for(outcome: Answered, asked: QuestionId) -> Answer | None:
    return next((answer for answer in outcome.answers if answer.question_id == asked), None)


def restored_metadata(metadata: JsonDict) -> JsonDict:
    """Pending again; that the agent had gone stays true (K1.3)."""
    gone = {"response", "response_delivery_pending"}
    kept = {key: value for key, value in metadata.items() if key not in gone}
    own = as_dict(metadata.get(OWN_KEY))
    own.pop("claim_id", None)
    own.pop("payload_digest", None)
    return kept | {"status": BundleStatus.PENDING.value, OWN_KEY: own}


def invalid_row(row: str, detail: str) -> StorageFailed:
    return StorageFailed(ErrorCode.STORE_INVALID_ROW, f"{detail}: {row}", row=row)
