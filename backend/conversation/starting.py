"""Making a conversation: what was asked for is there, and asking twice makes one."""

import asyncio
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Final

from backend.conversation.parts import ConversationParts
from backend.domain.agents import AgentCommand
from backend.domain.hosted import CUSTOM_AGENT, AgentOffer, SessionStart
from backend.domain.message_rules import check_admission_id, check_message_text
from backend.domain.validation import check_characters, check_text
from backend.errors import ErrorCode, InvalidInput
from backend.ids import SessionId
from backend.store import hosted_sessions
from backend.store.database import Transaction
from backend.store.hosted_sessions import NewHostedSession

MAX_TITLE: Final = 200
_TITLE_FROM_PROMPT: Final = 80
_MAX_ID: Final = 128
_MAX_CHOICE: Final = 1_000
"""Characters of a mode, of an option's id and of its value."""


class Starting:
    """`quick_folder` makes the folder of a Quick Chat and tells where it is."""

    def __init__(self, parts: ConversationParts, quick_folder: Callable[[SessionId], Path]) -> None:
        self._parts = parts
        self._quick_folder = quick_folder

    async def create(self, start: SessionStart) -> bool:
        """Make the session durable; False when it was made before by the same words.

        Raises:
            InvalidInput: names the field.
            Conflict: `key_reused`, the id belongs to another session.
        """
        _check(start)
        found = await self._parts.read(lambda tx: hosted_sessions.load(tx, start.session_id))
        offer = await self._offer(start)
        folder = await self._folder(start, checked=found is None)
        command = start.command if start.agent == CUSTOM_AGENT else offer.command
        if command is None:
            raise _invalid("agent", f"{offer.name} was not found on this machine")
        if start.agent == CUSTOM_AGENT:
            self._parts.live.get(start.session_id).command = command
        if found is not None and start.agent != CUSTOM_AGENT:
            # Where the agent is now does not make it another session.
            command = AgentCommand(found.argv)
        new = NewHostedSession(
            session_id=start.session_id,
            agent=start.agent,
            agent_name=offer.name,
            folder=folder,
            command=command,
            title=_title(start, offer.name, folder),
            titled_by_human=bool(start.title),
            quick_chat=not start.folder,
            choices=start.options,
            mode=start.mode,
        )

        async def create(tx: Transaction) -> None:
            await hosted_sessions.create(tx, new, self._parts.clock.now())

        await self._parts.write(create)
        await self._parts.announce_session(start.session_id)
        return found is None

    async def _offer(self, start: SessionStart) -> AgentOffer:
        if start.agent == CUSTOM_AGENT:
            if start.command is None or not any(start.command.argv[:1]):
                raise _invalid("command", "a command is needed")
            return AgentOffer(CUSTOM_AGENT, PurePath(start.command.argv[0]).name, start.command)
        for offer in await self._parts.commands.list_offers():
            if offer.key == start.agent:
                return offer
        raise _invalid("agent", "there is no such agent")

    async def _folder(self, start: SessionStart, *, checked: bool) -> str:
        if not start.folder:
            return str(await asyncio.to_thread(self._quick_folder, start.session_id))
        folder = Path(start.folder)
        if not folder.is_absolute():
            raise _invalid("folder", "the folder must be an absolute path")
        if checked and not await asyncio.to_thread(is_folder, folder):
            raise _invalid("folder", "there is no such folder")
        return start.folder


def is_folder(folder: Path) -> bool:
    """Whether it can be looked at and is one; a name may be longer than any system's."""
    try:
        return folder.is_dir()
    except OSError:
        return False


def _check(start: SessionStart) -> None:
    if not start.session_id.strip():
        raise _invalid("session_id", "session_id must not be empty")
    check_text("session_id", start.session_id, _MAX_ID)
    check_text("title", start.title, MAX_TITLE)
    check_characters("folder", start.folder)
    if start.prompt:
        if start.admission_id is None:
            raise _invalid("admission_id", "a first prompt needs an identity")
        check_admission_id(start.admission_id)
        check_message_text(start.prompt)
    check_text("mode", start.mode, _MAX_CHOICE)
    for option, value in start.options:
        check_text("options", option, _MAX_CHOICE)
        check_text("options", value, _MAX_CHOICE)
    if start.command is not None:
        _check_command(start.command)


def _check_command(command: AgentCommand) -> None:
    """What a system takes as the words and the variables of a program."""
    for word in (*command.argv, *command.environment.keys(), *command.environment.values()):
        check_characters("command", word)
    if any(not name or "=" in name for name in command.environment):
        raise _invalid("command", "the name of a variable is not empty and has no =")


def _title(start: SessionStart, agent_name: str, folder: str) -> str:
    if start.title:
        return start.title
    words = start.prompt.strip().splitlines()
    if words:
        return words[0].strip()[:_TITLE_FROM_PROMPT]
    return f"{agent_name} · {PurePath(folder).name}" if start.folder else agent_name


def _invalid(field: str, detail: str) -> InvalidInput:
    return InvalidInput(ErrorCode.INVALID, detail, field=field)
