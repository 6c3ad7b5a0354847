"""`kandesk serve` with agents of its own and a human who types in its window; run as a child."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Any

from backend import runtime
from backend.clarification.resume import ResumeRequest
from backend.cli import serve
from backend.domain.clarification import Answer, AnswerDraft, Bundle
from backend.errors import AppError
from backend.events import BundleOpened, Event
from backend.ids import SessionId, TurnId
from backend.services import Services, build_services
from tests.crash.journal import Journal

ACKNOWLEDGE_SECONDS = 0.02


class LoadAgent:
    """Implements `DetachedResumer`: remembers every prompt before it acknowledges it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def works_on(self, session_id: SessionId, turn_id: TurnId) -> bool:
        """It rests: what it was asked to do when it asked is done."""
        del session_id, turn_id
        return False

    async def promptable(self, session_id: SessionId) -> bool:
        del session_id
        return True

    async def dispatch(self, request: ResumeRequest) -> None:
        self._journal.write("agent", "prompted", pending=request.pending_id, text=request.prompt)
        await asyncio.sleep(ACKNOWLEDGE_SECONDS)


def main(database: str, journal: str) -> int:
    """Run like the program, until the kill."""
    runtime.build_services = partial(_build, Journal(Path(journal)))  # type: ignore[attr-defined]
    home = os.environ["KANDESK_HOME"]
    return serve.main(["--home", home, *(["--database", database] if database else [])])


def _build(journal: Journal, *arguments: Any, **more: Any) -> Services:
    services = build_services(*arguments, **{**more, "resumer": LoadAgent(journal)})

    def follow(event: Event) -> None:
        if isinstance(event, BundleOpened):
            services.supervisor.start(_type(services, event.bundle), name="type", repeats=True)

    services.bus.subscribe(follow)
    return services


async def _type(services: Services, bundle: Bundle) -> None:
    """Words that are never sent: a draft must not become an answer."""
    words = Answer(bundle.questions[0].question.id, (), "only typed")
    try:
        await services.desk.save_draft(AnswerDraft(bundle.pending_id, (words,)))
    except AppError:
        return
