"""Making a message a session's next prompt, inside a transaction that holds the session."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from backend.clock import Nanoseconds
from backend.conversation.dispatcher import Admitted, LiveAgent
from backend.domain.conversation import SessionKind
from backend.domain.input_mode import InputMode, composer_mode, input_mode
from backend.ids import MessageId, PendingId, SessionId, TurnId, new_id
from backend.store import (
    admissions,
    input_facts,
    message_queue,
    messages,
    open_bundles,
    prompts,
    session_states,
)
from backend.store.database import Transaction
from backend.store.input_facts import InputFacts
from backend.store.metadata import OWN_KEY, JsonDict

MESSAGE: Final = "message"
USER: Final = "user"


class Drain(Enum):
    """Why the next queued message is looked for."""

    PARKED = auto()
    """The agent's turn has ended, or nobody waits for its question any more: that question does
    not hold the queue back, and what is sent supersedes it (K7.3)."""
    ASKED_FOR = auto()
    """Anything else: a human wants it, or what was in its way is gone. Any open question holds
    the queue back."""


@dataclass(frozen=True, slots=True)
class NewPrompt:
    """A message that is to be the next prompt."""

    message_id: MessageId
    text: str
    answers: PendingId | None = None


def mode_of(facts: InputFacts | None, live: LiveAgent) -> InputMode:
    """What becomes of a message sent now; a prompt on its way is as good as a running agent.

    What goes next by itself, queued or answered and not collected, is before it, also in the
    moment between the end of a turn and the next.
    """
    if facts is None or facts.kind is SessionKind.GUEST:
        return InputMode.UNAVAILABLE
    mode = input_mode(
        facts.state,
        activity=live.activity,
        supports_steering=live.supports_steering,
        queued=facts.queued,
    )
    goes_first = facts.goes_on and not live.failed
    return composer_mode(mode, held=facts.held or live.works or goes_first)


async def reserve(
    tx: Transaction, facts: InputFacts, prompt: NewPrompt, now: Nanoseconds
) -> Admitted:
    """Write the message's row into a turn of its own, which supersedes every open question."""
    session_id, task_id = facts.session_id, facts.task_id
    superseded = await open_bundles.open_in_session(tx, session_id)
    turn_id = TurnId(new_id())
    await prompts.reserve(tx, turn_id, session_id, task_id, prompt.message_id, now)
    message = await messages.insert_message(
        tx,
        session_id=session_id,
        task_id=task_id,
        turn_id=turn_id,
        kind=MESSAGE,
        author=USER,
        content=prompt.text,
        metadata=_metadata(prompt),
        now=now,
        message_id=prompt.message_id,
    )
    await session_states.refresh(tx, session_id, now)
    return Admitted(session_id, turn_id, message, tuple(superseded))


async def take_next(
    tx: Transaction, session_id: SessionId, drain: Drain, live: LiveAgent, now: Nanoseconds
) -> Admitted | None:
    """Make the first queued message the next prompt, one that is to be sent now before others.

    None when nothing waits, the agent is not free, a question is before it, or the queue does not
    run by itself. The caller tells the `Dispatcher` after the commit.
    """
    facts = await input_facts.load(tx, session_id)
    if facts is None or not facts.queued or not _is_free(facts, drain, live):
        return None
    entries = await message_queue.list_entries(tx, session_id)
    wanted = [entry for entry in entries if entry.send_now or facts.auto_run]
    if not wanted:
        return None
    entry = min(wanted, key=lambda found: (not found.send_now, found.prompt.position))
    message_id = MessageId(entry.admission_id or entry.prompt.entry_id)
    answers = None
    if entry.admission_id is not None:
        admission = await admissions.find(tx, entry.admission_id)
        answers = admission.answers if admission is not None else None
        await admissions.mark_sent(tx, entry.admission_id, message_id, now)
    await message_queue.remove(tx, session_id, entry.prompt.entry_id)
    return await reserve(tx, facts, NewPrompt(message_id, entry.prompt.text, answers), now)


def _is_free(facts: InputFacts, drain: Drain, live: LiveAgent) -> bool:
    if facts.kind is SessionKind.GUEST or facts.under_way or facts.open_review or live.works:
        return False
    asked = facts.live_question if drain is Drain.PARKED else facts.open_question
    return not asked and input_mode(facts.state, activity=live.activity) is InputMode.DIRECT


def _metadata(prompt: NewPrompt) -> JsonDict:
    return {} if prompt.answers is None else {OWN_KEY: {prompts.ANSWERS: prompt.answers}}
