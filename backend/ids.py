"""The identities that cross floors; each is text in the store and its own type in code."""

import uuid
from typing import NewType

TaskId = NewType("TaskId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
MessageId = NewType("MessageId", str)
PendingId = NewType("PendingId", str)
QuestionId = NewType("QuestionId", str)
OptionId = NewType("OptionId", str)
ClaimId = NewType("ClaimId", str)
ClientId = NewType("ClientId", str)
IdempotencyKey = NewType("IdempotencyKey", str)
Ticket = NewType("Ticket", str)
AgentKey = NewType("AgentKey", str)
AdmissionId = NewType("AdmissionId", str)
QueueEntryId = NewType("QueueEntryId", str)
ReviewId = NewType("ReviewId", str)
RuleId = NewType("RuleId", str)
ServerId = NewType("ServerId", str)
EventId = NewType("EventId", str)


def new_id() -> str:
    """A random UUID in its canonical text form."""
    return str(uuid.uuid4())
