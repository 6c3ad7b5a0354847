"""Sends one attempt to the backend and says how it ended, whatever happens."""

from app.bridge.client import BackendClient
from app.viewmodels.clarification_card import (
    CLIENT_SECONDS,
    ActionKind,
    Attempt,
    Failed,
    Malformed,
    Replied,
    Settlement,
    Unknown,
    believable,
)
from app.viewmodels.timing import Deadline
from backend.api import DeskApi
from backend.domain.clarification import Bundle, ResponseOutcome
from backend.errors import AppError
from backend.ids import ClientId


class Sender:
    """Knows which call each action is; never waits longer than 40 s."""

    def __init__(self, client: BackendClient, deadline: Deadline, client_id: ClientId) -> None:
        self._client = client
        self._deadline = deadline
        self._client_id = client_id

    async def send(self, attempt: Attempt, bundle: Bundle) -> Settlement:
        """Every ending is a value; a reply of unexpected shape is never a success."""

        async def work(api: DeskApi) -> object:
            return await self._call(api, attempt, bundle)

        try:
            async with self._deadline(CLIENT_SECONDS):
                reply = await self._client.call(work)
        except TimeoutError:
            return Unknown()
        except AppError as error:
            return Failed(error)
        if not believable(reply, attempt):
            return Malformed()
        return Replied(reply if isinstance(reply, ResponseOutcome) else None)

    async def _call(self, api: DeskApi, attempt: Attempt, bundle: Bundle) -> object:
        if attempt.kind is ActionKind.CLOSE:
            await api.close_question(attempt.pending_id)
            return None
        if attempt.kind is ActionKind.DISCARD:
            if bundle.stored_answer is not None:
                await api.discard_stored_answer(bundle.stored_answer.pending_id)
            return None
        if attempt.kind is ActionKind.HAND_OVER or attempt.outcome is None:
            return await api.hand_over_stored_answer(
                attempt.pending_id, client_id=self._client_id, claim_token=attempt.token
            )
        return await api.respond(
            attempt.pending_id,
            attempt.outcome,
            client_id=self._client_id,
            claim_token=attempt.token,
        )
