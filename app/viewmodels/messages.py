"""What is written to agents: kept as typed for every session, and cleared once it is admitted."""

from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.draft_keeper import DraftKeeper
from app.viewmodels.message_sending import (
    Admitted,
    EarlierAdmitted,
    MessageSender,
    Refused,
    SendResult,
    Uncertain,
)
from app.viewmodels.timing import Background, Deadline, WindowClock
from backend.domain.hosted import Admission, AdmissionOutcome, MessageDraft, OutgoingMessage
from backend.errors import AppError
from backend.ids import AdmissionId, SessionId, new_id

READ_SECONDS: Final = 5.0


class SendPhase(StrEnum):
    IDLE = "idle"
    SENDING = "sending"
    REFUSED = "refused"
    """Known not to be admitted; `error` says why."""
    UNCERTAIN = "uncertain"
    """Not known whether it was admitted."""
    EARLIER = "earlier"
    """An earlier wording was admitted; what stands there now was not."""


class Writing:
    """The message being written in one session."""

    def __init__(self, session_id: SessionId) -> None:
        self.session_id = session_id
        self.text = ""
        self.phase = SendPhase.IDLE
        self.error: AppError | None = None
        self.outcome: AdmissionOutcome | None = None
        """What became of the last message, until the next one is begun."""
        self.identity: AdmissionId | None = None
        self.attempted: str | None = None
        """What was sent under `identity` while its result is not known."""
        self.loaded = False

    @property
    def sendable(self) -> bool:
        return bool(self.text.strip()) and self.phase is not SendPhase.SENDING

    def draft(self) -> MessageDraft:
        open_identity = self.identity if self.attempted is not None else None
        return MessageDraft(self.session_id, self.text, open_identity, self.attempted or "")

    def clear_sent(self, sent: str) -> None:
        """Take out what was sent; what was written after it stays (K8.3.5)."""
        written = self.text.lstrip()
        if written.rstrip() == sent:
            self.text = ""
        elif written.startswith(sent):
            self.text = written[len(sent) :].lstrip("\n")


class MessagesViewModel(QObject):
    """`changed` with the session's id; `text_replaced` when a text was changed not by its editor.

    `admitted` with the session's id and the `AdmissionOutcome`.
    """

    changed = Signal(object)
    text_replaced = Signal(object)
    admitted = Signal(object, object)

    def __init__(
        self,
        client: BackendClient,
        *,
        clock: WindowClock,
        deadline: Deadline,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._deadline = deadline
        self._background = background
        self._sender = MessageSender(client, deadline)
        self._writings: dict[SessionId, Writing] = {}

        async def save(draft: MessageDraft) -> None:
            await client.call(lambda api: api.conversations.save_message_draft(draft))

        self._keeper = DraftKeeper[SessionId, MessageDraft](save, clock, deadline, background)

    def writing(self, session_id: SessionId) -> Writing:
        """What is written in a session; its draft is read the first time it is asked for."""
        writing = self._writings.setdefault(session_id, Writing(session_id))
        if not writing.loaded:
            writing.loaded = True
            self._background.start(self._load(writing), name="load message draft")
        return writing

    def write(self, session_id: SessionId, text: str) -> None:
        """Keep the text as it is typed."""
        writing = self.writing(session_id)
        if text == writing.text:
            return
        writing.text = text
        writing.outcome = None
        if writing.phase in {SendPhase.REFUSED, SendPhase.EARLIER}:
            writing.phase, writing.error = SendPhase.IDLE, None
        self._keeper.put(session_id, writing.draft())
        self.changed.emit(session_id)

    def send(self, session_id: SessionId) -> None:
        """Send what is written; nothing while it is being sent, or when there is nothing."""
        writing = self.writing(session_id)
        if not writing.sendable:
            return
        writing.identity = writing.identity or AdmissionId(new_id())
        message = OutgoingMessage(writing.identity, session_id, writing.text.strip())
        earlier, writing.attempted = writing.attempted, message.text
        writing.phase, writing.error, writing.outcome = SendPhase.SENDING, None, None
        self._background.start(self._run(writing, message, earlier), name="send message")
        self.changed.emit(session_id)

    def give_back(self, session_id: SessionId, words: str) -> None:
        """Put words that were taken back before what is being written."""
        writing = self.writing(session_id)
        writing.text = "\n\n".join(part for part in (words, writing.text) if part)
        writing.outcome = None
        self._keeper.put(session_id, writing.draft())
        self._keeper.flush()
        self.text_replaced.emit(session_id)
        self.changed.emit(session_id)

    def store_is_back(self) -> None:
        """Save what was typed meanwhile; find out what became of what was sent."""
        self._keeper.flush()
        for writing in self._writings.values():
            if writing.phase is SendPhase.UNCERTAIN:
                self._background.start(self._find_out(writing), name="find message")

    def flush(self) -> None:
        self._keeper.flush()

    async def save(self) -> bool:
        """Whether every draft is kept, after one try."""
        return await self._keeper.save_all()

    async def close(self) -> None:
        """Save every draft and return when each was tried: the window is about to close."""
        await self._keeper.finish()

    async def _run(self, writing: Writing, message: OutgoingMessage, earlier: str | None) -> None:
        result: SendResult = Uncertain()
        try:
            await self._remember(writing)
            result = await self._sender.send(message, attempted=earlier)
        finally:
            self._settle(writing, message.text, result)

    async def _remember(self, writing: Writing) -> None:
        """The identity is durable before it is used, so that a restart finds what was sent."""
        await self._keeper.save_now(writing.session_id, writing.draft())

    def _settle(self, writing: Writing, sent: str, result: SendResult) -> None:
        match result:
            case Admitted(admission):
                self._admit(writing, sent, admission)
            case EarlierAdmitted():
                writing.phase, writing.identity, writing.attempted = SendPhase.EARLIER, None, None
            case Refused(error):
                writing.phase, writing.error, writing.attempted = SendPhase.REFUSED, error, None
            case Uncertain(error):
                writing.phase, writing.error = SendPhase.UNCERTAIN, error
        if not isinstance(result, Uncertain):
            self._keeper.put(writing.session_id, writing.draft())
            self._keeper.flush()
        self.changed.emit(writing.session_id)

    def _admit(self, writing: Writing, sent: str, admission: Admission) -> None:
        writing.clear_sent(sent)
        writing.phase, writing.error, writing.outcome = SendPhase.IDLE, None, admission.outcome
        writing.identity, writing.attempted = None, None
        self.text_replaced.emit(writing.session_id)
        self.admitted.emit(writing.session_id, admission.outcome)

    async def _load(self, writing: Writing) -> None:
        session_id = writing.session_id
        try:
            async with self._deadline(READ_SECONDS):
                draft = await self._client.call(
                    lambda api: api.conversations.load_message_draft(session_id)
                )
        except (AppError, TimeoutError):
            writing.loaded = False
            return
        if draft is None or writing.text or writing.identity is not None:
            return
        writing.text = draft.text
        if draft.admission_id is not None:
            writing.identity, writing.attempted = draft.admission_id, draft.attempted
            writing.phase = SendPhase.UNCERTAIN
        self.text_replaced.emit(session_id)
        self.changed.emit(session_id)
        if writing.phase is SendPhase.UNCERTAIN:
            await self._find_out(writing)

    async def _find_out(self, writing: Writing) -> None:
        """What became of a message whose result was lost, perhaps with the program (K8.3.4)."""
        identity, attempted = writing.identity, writing.attempted
        if identity is None or attempted is None:
            return
        found = await self._sender.find(identity)
        still_open = writing.phase is SendPhase.UNCERTAIN and writing.identity == identity
        if isinstance(found, Uncertain) or not still_open:
            return
        if found is not None and writing.text.strip() == attempted:
            self._settle(writing, attempted, Admitted(found))
        elif found is not None:
            self._settle(writing, attempted, EarlierAdmitted(found))
        else:
            writing.phase, writing.attempted, writing.error = SendPhase.IDLE, None, None
            self._keeper.put(writing.session_id, writing.draft())
            self.changed.emit(writing.session_id)
