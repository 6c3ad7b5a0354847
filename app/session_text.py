"""Where a session stands, in the same words wherever it is shown."""

from typing import Final, assert_never

from PySide6.QtCore import QCoreApplication

from backend.domain.conversation import PendingAction, SessionKind, SessionState, SessionSummary
from backend.domain.hosted import AgentProblem, AgentStatus, Conversation

_AT_WORK: Final = frozenset({SessionState.STARTING, SessionState.RUNNING, SessionState.IDLE})
"""States that say something of the agent's process: what is known of it goes first."""
_GOES_ON: Final = frozenset({SessionState.RUNNING, SessionState.IDLE})
"""States in which something it asked may wait; a guest's state tells nothing of permissions."""


def session_text(session: SessionSummary, conversation: Conversation | None = None) -> str:
    """That it waits for its human goes before what its agent does, and what became of the agent's
    process before what the store has noted of its work.

    `conversation` is what is known of a session this desk hosts; None for one it has not touched
    since it started.
    """
    if session.state in _GOES_ON:
        if session.pending_action is PendingAction.PERMISSION:
            return QCoreApplication.translate("Words", "Waiting for your permission")
        if session.pending_action is PendingAction.CLARIFICATION:
            return session_state_text(SessionState.WAITING_FOR_INPUT)
    if session.kind is SessionKind.HOSTED and session.state in _AT_WORK:
        return _agent_text(session.state, conversation)
    return session_state_text(session.state)


def ended_badly(session: SessionSummary, conversation: Conversation | None) -> bool:
    """Whether its agent is gone though nobody has stopped it."""
    failed = conversation is not None and conversation.status is AgentStatus.FAILED
    return session.state is SessionState.FAILED or (failed and session.state in _AT_WORK)


def session_state_text(state: SessionState) -> str:
    match state:
        case SessionState.CREATED:
            return QCoreApplication.translate("Words", "New")
        case SessionState.STARTING:
            return QCoreApplication.translate("Words", "Starting")
        case SessionState.RUNNING:
            return QCoreApplication.translate("Words", "Working")
        case SessionState.IDLE:
            return QCoreApplication.translate("Words", "Idle")
        case SessionState.WAITING_FOR_INPUT:
            return QCoreApplication.translate("Words", "Waiting for you")
        case SessionState.COMPLETED:
            return QCoreApplication.translate("Words", "Finished")
        case SessionState.FAILED:
            return QCoreApplication.translate("Words", "Could not start")
        case SessionState.CANCELLED:
            return QCoreApplication.translate("Words", "Ended")
    assert_never(state)


def _agent_text(state: SessionState, conversation: Conversation | None) -> str:
    if conversation is None:
        idle = state is SessionState.IDLE
        return agent_status_text(AgentStatus.ABSENT) if idle else session_state_text(state)
    trouble = conversation.trouble
    if conversation.status is AgentStatus.FAILED:
        if trouble is not None and trouble.problem is AgentProblem.EXITED:
            return agent_status_text(AgentStatus.FAILED)
        return session_state_text(SessionState.FAILED)
    if conversation.status is AgentStatus.READY:
        # It was given its prompt, or has ended its turn, and the store is told a moment later.
        return session_state_text(state)
    return agent_status_text(conversation.status)


def agent_status_text(status: AgentStatus) -> str:
    """What the process behind a session does; FAILED is of one that had been at work."""
    match status:
        case AgentStatus.ABSENT:
            return QCoreApplication.translate("Words", "Not running")
        case AgentStatus.STARTING:
            return session_state_text(SessionState.STARTING)
        case AgentStatus.READY:
            return session_state_text(SessionState.IDLE)
        case AgentStatus.WORKING:
            return session_state_text(SessionState.RUNNING)
        case AgentStatus.STOPPING:
            return QCoreApplication.translate("Words", "Stopping")
        case AgentStatus.FAILED:
            return QCoreApplication.translate("Words", "Ended unexpectedly")
    assert_never(status)
