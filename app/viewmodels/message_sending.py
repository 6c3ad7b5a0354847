"""Has one message admitted, whatever happens on the way: found again by its identity, sent once."""

from dataclasses import dataclass
from typing import Final

from app.bridge.client import BackendClient
from app.viewmodels.timing import Deadline
from backend.domain.hosted import Admission, OutgoingMessage
from backend.errors import AppError, Conflict, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.ids import AdmissionId

SEND_SECONDS: Final = 10.0
LARGE_SECONDS: Final = 30.0
"""For a message of at least `LARGE` characters (K7.2)."""
LARGE: Final = 100_000
FIND_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Admitted:
    admission: Admission


@dataclass(frozen=True, slots=True)
class EarlierAdmitted:
    """Under this identity an earlier wording was admitted; the one of now was not."""

    admission: Admission


@dataclass(frozen=True, slots=True)
class Refused:
    """It is known not to be admitted."""

    error: AppError


@dataclass(frozen=True, slots=True)
class Uncertain:
    """Whether it was admitted is not known; the same message may be sent again."""

    error: AppError | None = None


SendResult = Admitted | EarlierAdmitted | Refused | Uncertain


class MessageSender:
    """Sends at most twice in one go, the second time only after a look-up (K7.2, K8.3.4)."""

    def __init__(self, client: BackendClient, deadline: Deadline) -> None:
        self._client = client
        self._deadline = deadline

    async def send(self, message: OutgoingMessage, *, attempted: str | None = None) -> SendResult:
        """`attempted` is what was sent under this identity before, with no known result."""
        if attempted is not None:
            found = await self.find(message.admission_id)
            if isinstance(found, Uncertain):
                return found
            if found is not None:
                same = attempted == message.text
                return Admitted(found) if same else EarlierAdmitted(found)
        first = await self._once_or_found(message)
        return first or await self._once_or_found(message) or Uncertain()

    async def find(self, admission_id: AdmissionId) -> Admission | Uncertain | None:
        """What became of a message; None when it is known not to be admitted."""
        try:
            async with self._deadline(FIND_SECONDS):
                found = await self._client.call(
                    lambda api: api.conversations.find_admission(admission_id)
                )
        except TimeoutError:
            return Uncertain()
        except AppError as error:
            return Uncertain(error)
        return found if found is None or _believable(found, admission_id) else Uncertain()

    async def _once_or_found(self, message: OutgoingMessage) -> SendResult | None:
        """None when the result was lost and nothing was admitted: it may be sent again."""
        result = await self._once(message)
        if not isinstance(result, Uncertain):
            return result
        found = await self.find(message.admission_id)
        return Admitted(found) if isinstance(found, Admission) else found

    async def _once(self, message: OutgoingMessage) -> SendResult:
        large = len(message.text) >= LARGE
        try:
            async with self._deadline(LARGE_SECONDS if large else SEND_SECONDS):
                reply = await self._client.call(lambda api: api.conversations.send(message))
        except TimeoutError:
            return Uncertain()
        except (TemporarilyUnavailable, StorageFailed) as error:
            return Uncertain(error)
        except Conflict as error:
            return await self._conflict(message.admission_id, error)
        except AppError as error:
            return Refused(error)
        return Admitted(reply) if _believable(reply, message.admission_id) else Uncertain()

    async def _conflict(self, admission_id: AdmissionId, error: Conflict) -> SendResult:
        if error.code is not ErrorCode.KEY_REUSED:
            return Refused(error)
        found = await self.find(admission_id)
        if isinstance(found, Admission):
            return EarlierAdmitted(found)
        return Refused(error) if found is None else found


def _believable(reply: object, admission_id: AdmissionId) -> bool:
    return isinstance(reply, Admission) and reply.admission_id == admission_id
