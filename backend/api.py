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
from backend.domain.hosted import (
    Admission,
    AgentOffer,
    Conversation,
    MessageDraft,
    OutgoingMessage,
    SessionStart,
)
from backend.domain.listing import BundlePage, Origin, PageQuery
from backend.ids import (
    AdmissionId,
    ClaimId,
    ClientId,
    MessageId,
    PendingId,
    QueueEntryId,
    SessionId,
    TaskId,
)
from backend.review_api import GatewayApi, ReviewApi, RuleApi


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


class ConversationApi(Protocol):
    """Conversations with agents this desk runs: start, talk, steer, stop."""

    async def list_agents(self) -> tuple[AgentOffer, ...]:
        """The catalog, those found on this machine first."""
        ...

    async def start_session(self, start: SessionStart) -> SessionId:
        """Make a conversation and start its agent; durable when it returns, not when it runs.

        The same `session_id` again is the same conversation.

        Raises:
            InvalidInput: names the field: an agent that is not there, a folder that is none.
            Conflict: `key_reused`, the id belongs to another conversation.
        """
        ...

    async def conversation(self, session_id: SessionId) -> Conversation | None:
        """None for a session this desk does not host, such as a guest's.

        Raises:
            NotFound: no such session.
        """
        ...

    async def send(self, message: OutgoingMessage) -> Admission:
        """Admit a message: sent now, or queued; durable when it returns.

        Raises:
            InvalidInput: names the field and the limit.
            NotFound: no such session, or no such question.
            Conflict: `key_reused`, this identity was used for another message; `not_active`, the
                session takes no message any more; `queue_full`.
            TemporarilyUnavailable: not known to have happened; the same message may be sent again.
        """
        ...

    async def find_admission(self, admission_id: AdmissionId) -> Admission | None:
        """What became of a message whose result was lost; None when it was never admitted."""
        ...

    async def save_message_draft(self, draft: MessageDraft) -> None:
        """Keep what is being typed to an agent; silently nothing for a session that is gone."""
        ...

    async def load_message_draft(self, session_id: SessionId) -> MessageDraft | None: ...

    async def flush(self) -> None:
        """Wait, for a few seconds at most, until all that agents have said is stored.

        Raises:
            TemporarilyUnavailable: not all of it is; what is not is stored later.
        """
        ...

    async def edit_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, text: str, *, revision: int
    ) -> Conversation:
        """Raises `NotFound` when it is no longer queued, `Conflict` when it was edited since."""
        ...

    async def remove_queued(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        """Raises `NotFound` when it is no longer queued."""
        ...

    async def move_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, position: int
    ) -> Conversation:
        """Put a queued message at `position`, from 0. Raises `NotFound`."""
        ...

    async def send_queued_now(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        """Make it the next prompt: at once when the agent is free, else when its turn ends.

        Raises:
            NotFound: it is no longer queued.
            Conflict: `not_active`, an open question is before it.
        """
        ...

    async def set_auto_run(self, session_id: SessionId, *, auto_run: bool) -> Conversation:
        """Whether queued messages are sent by themselves when the agent is free."""
        ...

    async def withdraw_message(self, session_id: SessionId, message_id: MessageId) -> str:
        """Take back `Conversation.unsent`; its row stays and says that it was not sent.

        Returns its words, which are before the session's `MessageDraft` by then.

        Raises:
            Conflict: `not_active`, the agent is given it now, has it, or it was taken back.
            TemporarilyUnavailable: not known to have happened.
        """
        ...

    async def cancel_turn(self, session_id: SessionId) -> None:
        """Stop what the agent does now; nothing when it does nothing."""
        ...

    async def resume(self, session_id: SessionId, *, anew: bool = False) -> None:
        """Start the session's agent again, continuing its conversation.

        `anew` gives it a fresh conversation of its own where the earlier one cannot be continued.
        """
        ...

    async def end_session(self, session_id: SessionId) -> None:
        """Stop the agent's process; the conversation stays and can be resumed."""
        ...

    async def set_pinned(self, session_id: SessionId, *, pinned: bool) -> None:
        """Keep a Quick Chat for good, or for seven days from now.

        Raises `NotFound` when no Quick Chat has this id.
        """
        ...

    async def set_mode(self, session_id: SessionId, mode: str) -> None:
        """Raises `AgentFailed` when the agent refuses, `Conflict` when it does not run."""
        ...

    async def set_option(self, session_id: SessionId, option_id: str, value: str) -> None:
        """Raises `AgentFailed` when the agent refuses, `Conflict` when it does not run."""
        ...


class DeskApi(Protocol):
    """Every method runs on the backend's loop and raises `AppError` for expected failures."""

    @property
    def conversations(self) -> ConversationApi: ...

    @property
    def reviews(self) -> ReviewApi: ...

    @property
    def rules(self) -> RuleApi: ...

    @property
    def gateway(self) -> GatewayApi: ...

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
