"""The front door: everything the window may ask of the backend."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from backend.domain.clarification import (
    AnswerDraft,
    Bundle,
    Outcome,
    QuestionBundleDraft,
    ResponseOutcome,
)
from backend.domain.conversation import MessagePage, SessionSummary
from backend.domain.listing import BundlePage, Origin, PageQuery
from backend.ids import ClaimId, ClientId, MessageId, PendingId, SessionId, TaskId


@dataclass(frozen=True, slots=True)
class DeskInfo:
    """Where this desk listens and keeps its things, for the about page and the connect page."""

    version: str
    store: str
    api_url: str
    mcp_url: str
    token_file: str
    agent_token_file: str = ""
    command: str = "kandesk"
    """What starts this installation from a shell."""
    expire_after: float | None = None
    """Seconds until a question nobody answers expires; None for never."""


class DeskApi(Protocol):
    """Every method runs on the backend's loop and raises `AppError` for expected failures."""

    async def desk_info(self) -> DeskInfo: ...

    async def list_sessions(self) -> tuple[SessionSummary, ...]:
        """All sessions, newest activity first."""
        ...

    async def list_messages(
        self,
        session_id: SessionId,
        *,
        before: MessageId | None = None,
        after: MessageId | None = None,
        limit: int = 200,
    ) -> MessagePage:
        """The last `limit` rows, or those next to one row; oldest first.

        Raises:
            NotFound: no such session.
        """
        ...

    async def list_open_bundles(self) -> tuple[Bundle, ...]:
        """Every answerable bundle of every session, oldest first: the Inbox."""
        ...

    async def list_uncollected(self) -> tuple[Bundle, ...]:
        """Answered or skipped bundles whose agent has not collected the answer, oldest first."""
        ...

    async def list_page(self, query: PageQuery) -> BundlePage:
        """One page of the Inbox, oldest first."""
        ...

    async def list_closed_page(self, query: PageQuery) -> BundlePage:
        """One page of the bundles nobody can answer any more, newest first."""
        ...

    async def list_origins(self, session_ids: Collection[SessionId]) -> Mapping[SessionId, Origin]:
        """Where these sessions belong; one that does not exist is left out."""
        ...

    async def get_bundle(self, pending_id: PendingId) -> Bundle:
        """Raises `NotFound`."""
        ...

    async def request_answer(
        self, session_id: SessionId, task_id: TaskId | None, draft: QuestionBundleDraft
    ) -> PendingId:
        """Ask in a session that exists; durable when it returns, and no call waits for it yet.

        Raises:
            InvalidInput: names the field and the limit.
            NotFound: no such session, or not of this task.
            Conflict: `not_active`, the session has ended.
            TemporarilyUnavailable: not known to have happened.
        """
        ...

    async def respond(
        self, pending_id: PendingId, outcome: Outcome, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        """Answer or skip a bundle through the one resolver.

        `claim_token` is fresh for each new attempt and the same for a retry of it.

        Raises:
            InvalidInput: the outcome does not fit the questions.
            NotFound: no such bundle.
            Conflict: `not_active`, it can no longer be answered.
            TemporarilyUnavailable: not known to be claimed; retry is safe.
        """
        ...

    async def save_draft(self, draft: AnswerDraft) -> None:
        """Keep what was typed so far; silently nothing for a bundle that is closed for good."""
        ...

    async def load_draft(self, pending_id: PendingId) -> AnswerDraft | None: ...

    async def hand_over_stored_answer(
        self, pending_id: PendingId, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        """Give the answer of an earlier equal question to this one (rule 4).

        Raises:
            Conflict: `ticket_collected`, the earlier call has collected it meanwhile;
                `not_active`, this bundle is closed.
            NotFound: nothing is stored for it.
        """
        ...

    async def discard_stored_answer(self, pending_id: PendingId) -> None:
        """Drop an answer nobody has collected; its ticket then says withdrawn.

        Raises:
            Conflict: it was collected meanwhile.
        """
        ...

    async def close_question(self, pending_id: PendingId) -> None:
        """Withdraw an open question on the human's behalf, without answering it.

        Raises:
            Conflict: it is no longer open.
        """
        ...
