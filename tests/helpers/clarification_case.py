"""A clarification view model on a fake desk, with a clock that is moved by hand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import QObject

from app.tasks import WindowTasks
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.clarification_card import Card, Phase
from backend.domain.clarification import Bundle
from backend.errors import AppError
from backend.ids import ClientId, OptionId, PendingId, SessionId
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend


@asynccontextmanager
async def deadline_on(clock: FakeClock, seconds: float) -> AsyncIterator[None]:
    """`asyncio.timeout` on the clock of the test."""
    task = asyncio.current_task()
    assert task is not None
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True
        task.cancel()

    timer = clock.call_later(seconds, expire)
    try:
        yield
    except asyncio.CancelledError:
        if not expired:
            raise
        task.uncancel()
        raise TimeoutError from None
    finally:
        timer.cancel()


class Case:
    """The view model under test, the desk behind it, and short words for both."""

    def __init__(self) -> None:
        self.backend = FakeBackend()
        self.desk = self.backend.desk
        self.clock = FakeClock()
        self.errors: list[AppError] = []
        self.owner = QObject()
        self.tasks = WindowTasks(self.errors.append)
        self.view_model = ClarificationViewModel(
            self.backend,
            clock=self.clock,
            deadline=lambda seconds: deadline_on(self.clock, seconds),
            background=self.tasks,
            client_id=ClientId("window-1"),
        )

    @property
    def card(self) -> Card:
        card = self.view_model.card
        assert card is not None
        return card

    def is_in(self, phase: Phase) -> bool:
        return self.card.phase is phase

    def is_collapsed(self) -> bool:
        return self.card.collapsed

    def reply_with(self, reply: object) -> None:
        """Let `respond` bring back this, whatever was promised; nothing happens on the desk."""

        async def respond(*_: object, **__: object) -> object:
            self.desk.calls.append("respond")
            return reply

        self.desk.respond = respond  # type: ignore[method-assign,assignment]

    async def show(self, *bundles: Bundle, session: str = "s1") -> None:
        """Open `bundles` on the desk and go to their session."""
        self.desk.put_session(make_session(session))
        for bundle in bundles:
            self.desk.open(bundle)
        self.view_model.show_session(SessionId(session))
        await settle()

    def pick(self, index: int, option: str) -> None:
        self.view_model.pick(index, OptionId(option))

    @property
    def sent(self) -> list[tuple[PendingId, object]]:
        return [(response.pending_id, response.outcome) for response in self.desk.responses]
